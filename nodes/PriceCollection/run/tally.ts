import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { addCounts, type RunCounts } from './lookup/assemble';
import { terminalStatus } from '../service/status';
import { isObject } from '../service/types';

/** The warning for a run that creates more jobs than there are input items, or undefined. */
export function manyJobsWarning(jobs: number, items: number): string | undefined {
	if (jobs <= items) return undefined;
	return `This run creates ${counted(jobs, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
}

/** Credits as downloads state them, added up: "3 free credits used."; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const sum = (name: string) => {
		const numbers = roots.map((root) => Number(root[name] ?? NaN)).filter(Number.isFinite);
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

/** What a run has given out, added up job by job for the remark under its output. */
export class Tally {
	private jobs = 0;
	private values = 0;
	private counts?: RunCounts;
	private testJobs = 0;
	private readonly credits: IDataObject[] = [];

	/** @param testSource the source that costs nothing, although its jobs state credits */
	constructor(private readonly testSource: string) {}

	/** A job with its root object and the number of its values, as far as that is known. */
	addJob(root: IDataObject, values: number): void {
		this.jobs++;
		this.values += values;
		const { paid_credits, free_credits } = root;
		if (sourceOf(root) === this.testSource) this.testJobs++;
		else this.credits.push({ paid_credits, free_credits });
	}

	addCounts(more: RunCounts): void {
		this.counts = this.counts === undefined ? more : addCounts(this.counts, more);
	}

	/** "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. 690 free credits used.", or nothing for no job. */
	summary(): string | undefined {
		if (this.jobs === 0) return undefined;
		const jobs = counted(this.jobs, 'job');
		const size = this.values === 0 ? jobs : `${jobs}, ${counted(this.values, 'value')}`;
		return [`${size}${this.kinds()}.`, creditsOf(this.credits), this.testRemark()]
			.filter((text) => text !== undefined)
			.join(' ');
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

/** Tells the editor after each look how many jobs are over. */
export function progressOf(
	context: IExecuteFunctions,
): (states: ReadonlyArray<{ job: { status: string } }>) => void {
	return (states) => {
		const over = states.filter(({ job }) => terminalStatus(job.status) !== undefined).length;
		context.sendMessageToUI(`Price Collection: ${over} of ${counted(states.length, 'job')} over`);
	};
}
