import type { IDataObject } from 'n8n-workflow';

import { counted } from '../n8n/hints';
import { estimatedCredits } from '../service/credits';
import type { Dialect } from '../service/dialect';
import { figureOf, isObject } from '../service/types';
import type { ValueCounts } from './lookup/assemble';
import type { Aside, JobRecord } from './lookup/record';

/** Values named in a text. */
const MOST_NAMED = 3;

/** A job that is given out, with its root object. */
export interface GivenOut {
	record: JobRecord;
	root: IDataObject;
}

/** Credits as downloads state them, added up: "3 free credits used."; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const sum = (name: string) => {
		const numbers = roots.flatMap((root) => figureOf(root[name]) ?? []);
		return numbers.length === 0 ? undefined : numbers.reduce((a, b) => a + b, 0);
	};
	const [paid, free] = [sum('paid_credits'), sum('free_credits')];
	if (paid === undefined && free === undefined) return undefined;
	if (paid && free) return `Credits used: ${paid} paid, ${free} free.`;
	if (paid) return `${counted(paid, 'paid credit')} used.`;
	return free ? `${counted(free, 'free credit')} used.` : 'No credits used.';
}

/** The estimate of a run beside what is booked; undefined when there is none, or nothing to pay. */
export function estimateText(estimate: number | undefined): string | undefined {
	return estimate !== undefined && estimate > 0 ? `Estimate: ${counted(estimate, 'credit')}.` : undefined;
}

/** What to say about values that were not sent; undefined where all were. */
export function unsentText(asides: readonly Aside[], haveRows: boolean): string | undefined {
	const unsent = asides.flatMap(({ row }) => row ?? []);
	if (unsent.length === 0) return undefined;
	const values = unsent.flatMap(({ query: { value } }) => (value ? [`"${String(value)}"`] : []));
	const named = values.length > MOST_NAMED ? [...values.slice(0, MOST_NAMED), '…'] : values;
	const blank = unsent.length - values.length;
	const kinds = [
		...(blank > 0 ? [`${blank} blank`] : []),
		...(values.length > 0 ? [`${values.length} not valid: ${named.join(', ')}`] : []),
	];
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.join('; ')}). ${haveRows ? 'Their rows say why.' : 'They have no rows.'}`;
}

/** Whether a job is of the test source, which costs nothing although its jobs state credits. */
function isTest({ record, root }: GivenOut, { testSource }: Dialect): boolean {
	const [first]: unknown[] = Array.isArray(root.results) ? root.results : [];
	const echoed = isObject(first) && isObject(first.query) ? first.query.source : undefined;
	return (root.source ?? record.request?.parameters.source ?? echoed) === testSource;
}

/** "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used. Estimate: …" */
export function summaryOf(jobs: readonly GivenOut[], counts: ValueCounts, dialect: Dialect): string {
	const { found, notFound, failed, unanswered } = counts;
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const booked = jobs.filter((job) => !isTest(job, dialect));
	const estimates = jobs.map(
		({ record: { request } }) =>
			request && estimatedCredits(request.parameters, request.values.length, dialect),
	);
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${left}`}.`,
		creditsOf(booked.map(({ root }) => root)),
		booked.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimates.reduce<number>((sum, one) => sum + (one ?? NaN), 0)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
}
