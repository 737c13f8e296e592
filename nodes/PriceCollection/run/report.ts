import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { makesRows, type ResultChoice } from '../output/fetch';
import { Renderer } from '../output/rows';
import { estimatedCredits } from '../service/credits';
import type { ServiceClient } from '../service/client';
import { countOf, figureOf, isObject } from '../service/types';
import type { ValueCounts } from './lookup/assemble';
import type { Aside, JobRecord } from './lookup/record';

/** Values named in a text. */
const MOST_NAMED = 3;

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

/** What to say about values that were not sent. `rows`: If a Lookup Fails, or none because the output has no rows. */
function unsentHint(unsent: readonly Aside[], rows: ResultChoice['onFailedResult'] | 'none'): string {
	const values = unsent.flatMap(({ row }) => (row?.query.value ? [`"${String(row.query.value)}"`] : []));
	const named = values.length > MOST_NAMED ? [...values.slice(0, MOST_NAMED), '…'] : values;
	const blank = unsent.length - values.length;
	const kinds = [
		...(blank > 0 ? [`${blank} blank`] : []),
		...(values.length > 0 ? [`${values.length} not valid: ${named.join(', ')}`] : []),
	];
	const where = rows === 'include' ? 'Their rows say why.' : 'They have no rows.';
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.join('; ')}). ${rows === 'error' ? 'Their items fail.' : where}`;
}

/** What a run has given out, for the remarks under its output: each thing is counted once and said once. */
export class Report {
	readonly counts: ValueCounts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	readonly renderer: Renderer;
	private jobs = 0;
	private testJobs = 0;
	private values = 0;
	private missing = 0;
	private estimate = 0;
	private readonly booked: IDataObject[] = [];

	constructor(
		private readonly client: ServiceClient,
		private readonly choice: ResultChoice,
	) {
		this.renderer = new Renderer(client.clock, choice.fields);
	}

	/** A job with its root object. */
	addJob({ request, job }: JobRecord, { paid_credits, free_credits, results, ...root }: IDataObject): void {
		const { dialect } = this.client;
		const [first, ...others]: unknown[] = Array.isArray(results) ? results : [];
		const answers = first === undefined ? 0 : others.length + 1;
		const size =
			request?.values.length ?? Math.max(countOf(root.requested ?? job.requested) ?? 0, answers);
		this.jobs++;
		this.values += size;
		if (results !== undefined) this.missing += Math.max(0, size - answers);
		this.estimate +=
			(request && estimatedCredits(request.parameters, request.values.length, dialect)) ?? NaN;
		const echoed = isObject(first) && isObject(first.query) ? first.query.source : undefined;
		// The test source costs nothing, although its jobs state credits.
		if ((root.source ?? request?.parameters.source ?? echoed) === dialect.testSource) this.testJobs++;
		else this.booked.push({ paid_credits, free_credits });
	}

	/** "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used. Estimate: …" */
	private summary(): string {
		const { found, notFound, failed, unanswered } = this.counts;
		const values = found + notFound + failed + unanswered;
		const all = values || this.values;
		const left = values === 0 ? this.missing : unanswered;
		const kinds = [
			...(values === 0 ? [] : [`${found} found`, `${notFound} not found`, `${failed} failed`]),
			...(left === 0 ? [] : [`${left} unanswered`]),
		].join(', ');
		const sentences = [
			`${counted(this.jobs, 'job')}${all === 0 ? '' : `, ${counted(all, 'value')}`}${kinds && `: ${kinds}`}.`,
			creditsOf(this.booked),
			this.testJobs === 0 ? undefined : 'The test source costs nothing.',
			estimateText(this.estimate),
		];
		return sentences.filter((text) => text !== undefined).join(' ');
	}

	/** Shows everything under the output. */
	show(context: IExecuteFunctions, asides: readonly Aside[], stillRunning: number): void {
		const { choice, renderer } = this;
		for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
		const unsent = asides.filter(({ row }) => row !== undefined);
		const rows = makesRows(choice) ? choice.onFailedResult : 'none';
		if (unsent.length > 0) hint(context, unsentHint(unsent, rows), 'warning');
		if (this.jobs > 0) hint(context, this.summary());
		if (stillRunning === 0) return;
		hint(context, `Not over yet: ${counted(stillRunning, 'job')}, see the output Still Running.`);
	}
}
