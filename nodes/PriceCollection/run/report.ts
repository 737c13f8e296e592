import type { IDataObject } from 'n8n-workflow';

import { counted } from '../n8n/hints';
import { estimatedCredits } from '../service/topics';
import type { ConnectionSettings } from '../service/connection';
import { figureOf, isObject } from '../service/types';
import type { ValueCounts } from './lookup/assemble';
import type { Aside, JobRecord } from './lookup/record';

/** How many values a text names. */
const MOST_NAMED = 3;

/** The sum of the credits that downloads state: "3 free credits used."; undefined when none does. */
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

/** The estimated credits of jobs; NaN if one of them cannot be estimated. */
export function estimateOf(
	jobs: ReadonlyArray<Pick<JobRecord, 'request'>>,
	connection: ConnectionSettings,
): number {
	const estimates = jobs.map(
		({ request }) => request && estimatedCredits(request.parameters, request.values.length, connection),
	);
	return estimates.reduce<number>((sum, one) => sum + (one ?? NaN), 0);
}

/** The estimate of a run as a sentence; undefined without an estimate or cost. */
export function estimateText(estimate: number): string | undefined {
	return estimate > 0 ? `Estimate: ${counted(estimate, 'credit')}.` : undefined;
}

/** A sentence about values that were not sent; undefined when all were. */
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

/**
 * "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used. Estimate: …"
 *
 * @param jobs the jobs that are output, with the root object of each
 */
export function summaryOf(
	jobs: ReadonlyArray<{ record: JobRecord; root: IDataObject }>,
	{ found, notFound, failed, unanswered }: ValueCounts,
	connection: ConnectionSettings,
): string {
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const records = jobs.map(({ record }) => record);
	// Jobs of the test source are free although they state credits.
	const booked = jobs.flatMap(({ record, root }) => {
		const [first]: unknown[] = Array.isArray(root.results) ? root.results : [];
		const echoed = isObject(first) && isObject(first.query) ? first.query.source : undefined;
		const source = root.source ?? record.request?.parameters.source ?? echoed;
		return source === connection.testSource ? [] : [root];
	});
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${left}`}.`,
		creditsOf(booked),
		booked.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimateOf(records, connection)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
}
