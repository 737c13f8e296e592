import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { addCounts, type RunCounts } from './lookup/assemble';
import { checkGtin } from './lookup/gtin';
import type { PlannedJob } from './lookup/plan';
import { terminalStatus } from '../service/status';
import { countOf, figureOf, isObject, type Job } from '../service/types';

/** The warning for a run that creates more jobs than there are input items, or undefined. */
export function manyJobsWarning(jobs: number, items: number): string | undefined {
	if (jobs <= items) return undefined;
	return `This run creates ${counted(jobs, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
}

/** What is said of jobs whose values look like GTINs and are looked up as IDs, or undefined: another topic has another key. */
export function gtinsAsIdsWarning(
	plan: ReadonlyArray<Pick<PlannedJob, 'key' | 'values'>>,
): string | undefined {
	const values = plan.flatMap((job) => (job.key === 'id' ? job.values : []));
	const isGtin = (value: string) => value.length >= 12 && checkGtin(value) === undefined;
	if (values.length === 0 || !values.every(isGtin)) return undefined;
	return 'All values look like GTINs, but Look Up By is ID, which are the IDs of the source. Each topic has a key of its own: choose GTIN where it is offered.';
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

/** How many values a job has that was created elsewhere: as many as the service says, and no fewer than it answers. */
export function sizeOf({ requested, results }: IDataObject): number {
	const answers = Array.isArray(results) ? results.length : 0;
	return Math.max(countOf(requested) ?? 0, answers);
}

/** What to say about a job of which not every value has an answer; undefined where all have, as far as it tells. */
export function unansweredHint(root: IDataObject): string | undefined {
	const [size, answers] = [sizeOf(root), sizeOf({ results: root.results })];
	if (size === answers) return undefined;
	const one = size - answers === 1;
	return `${size - answers} of ${counted(size, 'value')} of job ${String(root.job_id)} ${one ? 'has' : 'have'} no answer.`;
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

/** Values or jobs named in a text. */
const MOST_NAMED = 3;

/** The first of these, and a mark where there are more. */
function firstOf(names: readonly string[]): string[] {
	return names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : [...names];
}

/**
 * What to say about values that were not sent.
 *
 * @param rows what becomes of their rows: On Failed Result, or none because the output has no rows
 */
export function unsentHint(
	unsent: ReadonlyArray<{ query: IDataObject }>,
	rows: 'error' | 'include' | 'none' | 'skip',
): string {
	const values = unsent.flatMap(({ query }) => (query.value === null ? [] : [`"${String(query.value)}"`]));
	const blank = unsent.length - values.length;
	const kinds = [
		...(blank > 0 ? [`${blank} blank`] : []),
		...(values.length > 0
			? [`${values.length} refused by Validate Values: ${firstOf(values).join(', ')}`]
			: []),
	];
	const where = rows === 'include' ? 'Their rows say why.' : 'They have no rows.';
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.join('; ')}). ${rows === 'error' ? 'Their items fail.' : where}`;
}

/** What a run has given out, added up job by job for the remark under its output. */
export class Tally {
	private jobs = 0;
	private values = 0;
	private counts?: RunCounts;
	private testJobs = 0;
	private readonly credits: IDataObject[] = [];
	private estimate = 0;

	/** @param testSource the source that costs nothing, although its jobs state credits */
	constructor(private readonly testSource: string) {}

	/**
	 * A job with its root object, the number of its values and the estimate of what it costs, as far as these are known.
	 */
	addJob(root: IDataObject, values: number, estimate?: number): void {
		this.jobs++;
		this.values += values;
		this.estimate += estimate ?? NaN;
		const { paid_credits, free_credits } = root;
		if (sourceOf(root) === this.testSource) this.testJobs++;
		else this.credits.push({ paid_credits, free_credits });
	}

	addCounts(more: RunCounts): void {
		this.counts = this.counts === undefined ? more : addCounts(this.counts, more);
	}

	/** "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used. Estimate: …", or nothing for no job. */
	summary(): string | undefined {
		if (this.jobs === 0) return undefined;
		const jobs = counted(this.jobs, 'job');
		const size = this.values === 0 ? jobs : `${jobs}, ${counted(this.values, 'value')}`;
		const sentences = [
			`${size}${this.kinds()}.`,
			creditsOf(this.credits),
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

	private kinds(): string {
		if (this.counts === undefined) return '';
		const { found, notFound, failed, unanswered } = this.counts;
		const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
		return `: ${found} found, ${notFound} not found, ${failed} failed${left}`;
	}
}

/** Says under the output what a run brought and what of it still runs. */
export function remarkOnRun(context: IExecuteFunctions, tally: Tally, stillRunning: number): void {
	const summary = tally.summary();
	if (summary !== undefined) hint(context, summary);
	if (stillRunning > 0) {
		hint(context, `Not over yet: ${counted(stillRunning, 'job')}, see the output Still Running.`);
	}
}

/**
 * Tells the editor after each look how many jobs are over, and what the others are doing. All that n8n shows while a node
 * runs is a message in the browser's console, and only of an execution that the editor has started.
 */
export function progressOf(
	context: IExecuteFunctions,
): (states: ReadonlyArray<{ job: Pick<Job, 'job_id' | 'status'> }>) => void {
	return (states) => {
		const open = states.flatMap(({ job }) => (terminalStatus(job.status) === undefined ? [job] : []));
		const what = firstOf(open.map(({ job_id, status }) => `${job_id} is ${status || 'new'}`));
		const over = `${states.length - open.length} of ${counted(states.length, 'job')} over`;
		context.sendMessageToUI(`Price Collection: ${[over, ...what].join(', ')}`);
	};
}
