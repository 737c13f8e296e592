import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { makesRows, type ResultChoice } from '../output/fetch';
import { RowNotes } from '../output/rowNotes';
import { unclearListsHint, unclearListsOf } from '../output/rows';
import { estimatedCredits } from '../service/credits';
import type { Dialect } from '../service/dialect';
import { terminalStatus } from '../service/status';
import { countOf, figureOf, isObject, type Result } from '../service/types';
import type { Findings } from './lookup/assemble';
import type { Aside, JobRecord } from './lookup/record';

/** Values or jobs named in a text. */
const MOST_NAMED = 3;

/** The first of these, and a mark where there are more. */
function firstOf(names: readonly string[]): string[] {
	return names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : [...names];
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

/** What the service says the source of a job was. */
function sourceOf({ source, results }: IDataObject): unknown {
	const [first]: unknown[] = Array.isArray(results) ? results : [];
	return source ?? (isObject(first) && isObject(first.query) ? first.query.source : undefined);
}

/** The estimate of a run beside what is booked; undefined when there is none, or nothing to pay. */
export function estimateText(estimate: number | undefined): string | undefined {
	return estimate === undefined || !(estimate > 0)
		? undefined
		: `Estimate: ${counted(estimate, 'credit')}.`;
}

/** What to say about values that were not sent. `rows`: On Failed Result, or none because the output has no rows. */
export function unsentHint(unsent: readonly Aside[], rows: ResultChoice['onFailedResult'] | 'none'): string {
	const values = unsent.flatMap(({ row }) =>
		row === undefined || row.query.value === null ? [] : [`"${String(row.query.value)}"`],
	);
	const blank = unsent.length - values.length;
	const kinds = [
		...(blank > 0 ? [`${blank} blank`] : []),
		...(values.length > 0 ? [`${values.length} not valid: ${firstOf(values).join(', ')}`] : []),
	];
	const where = rows === 'include' ? 'Their rows say why.' : 'They have no rows.';
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.join('; ')}). ${rows === 'error' ? 'Their items fail.' : where}`;
}

/** What a run has given out, for the remarks under its output: each thing is counted once and said once. */
export class Report {
	readonly findings: Findings;
	private jobs = 0;
	private testJobs = 0;
	private values = 0;
	private estimate = 0;
	private readonly booked: IDataObject[] = [];

	constructor(
		private readonly dialect: Dialect,
		private readonly choice: ResultChoice,
	) {
		const counts = { values: 0, found: 0, notFound: 0, failed: 0, unanswered: 0 };
		this.findings = { counts, unmatched: 0, notes: new RowNotes(choice.fields) };
	}

	/** A job with its root object. */
	addJob({ request, job }: JobRecord, root: IDataObject): void {
		const { paid_credits, free_credits, results } = root;
		const answers = Array.isArray(results) ? results.length : 0;
		const told = Math.max(countOf(root.requested ?? job.requested) ?? 0, answers);
		this.jobs++;
		this.values += request?.values.length ?? told;
		this.estimate +=
			(request && estimatedCredits(request.parameters, request.values.length, this.dialect)) ?? NaN;
		// The test source costs nothing, although its jobs state credits.
		if (sourceOf({ source: request?.parameters.source, ...root }) === this.dialect.testSource)
			this.testJobs++;
		else this.booked.push({ paid_credits, free_credits });
	}

	/** "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used. Estimate: …" */
	summary(): string | undefined {
		if (this.jobs === 0) return undefined;
		const { found, notFound, failed, unanswered, values } = this.findings.counts;
		const all = makesRows(this.choice) && values > 0 ? values : this.values;
		const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
		const kinds = values === 0 ? '' : `: ${found} found, ${notFound} not found, ${failed} failed${left}`;
		const jobs = counted(this.jobs, 'job');
		const sentences = [
			`${all === 0 ? jobs : `${jobs}, ${counted(all, 'value')}`}${kinds}.`,
			creditsOf(this.booked),
			this.testRemark(),
			estimateText(this.estimate),
		];
		return sentences.filter((text) => text !== undefined).join(' ');
	}

	private testRemark(): string | undefined {
		if (this.testJobs === 0) return undefined;
		return this.testJobs === this.jobs
			? 'Test source: nothing is charged.'
			: 'The test source among them costs nothing.';
	}

	/** Shows everything under the output. */
	show(
		context: IExecuteFunctions,
		asides: readonly Aside[],
		results: readonly Result[],
		stillRunning: number,
	): void {
		const { choice, findings } = this;
		const warn = (text: string) => hint(context, text, 'warning');
		const unclear = makesRows(choice) ? unclearListsOf(results, choice) : undefined;
		if (unclear !== undefined) warn(unclearListsHint(unclear));
		findings.notes.remarks().forEach(warn);
		if (findings.unmatched > 0) {
			warn(
				`${counted(findings.unmatched, 'result')} cannot be told to belong to a value that was asked for: rows of their own, linked to all items of the job.`,
			);
		}
		const unsent = asides.filter(({ row }) => row !== undefined);
		if (unsent.length > 0) warn(unsentHint(unsent, makesRows(choice) ? choice.onFailedResult : 'none'));
		const summary = this.summary();
		if (summary !== undefined) hint(context, summary);
		if (stillRunning === 0) return;
		hint(context, `Not over yet: ${counted(stillRunning, 'job')}, see the output Still Running.`);
	}
}

/**
 * Tells the editor after each look how many jobs are over, and what the others are doing. All that n8n shows while a node
 * runs is a message in the browser's console, and only of an execution that the editor has started.
 */
export function sendProgress(context: IExecuteFunctions, records: readonly JobRecord[]): void {
	const open = records.filter(({ job }) => terminalStatus(job.status) === undefined);
	const what = firstOf(open.map(({ job: { job_id, status } }) => `${job_id} is ${status || 'new'}`));
	const over = `${records.length - open.length} of ${counted(records.length, 'job')} over`;
	context.sendMessageToUI(`Price Collection: ${[over, ...what].join(', ')}`);
}
