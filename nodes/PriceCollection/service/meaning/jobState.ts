import { explain, type Outcome, type Problem } from '../problems';
import { valuesNamed } from '../names';
import type { End } from '../statuses';
import { errorIn } from '../text';
import type { Job } from '../types';

/*
 * Everything that is asked about the state of a job, for rows, errors, hints, tickets, triggers and tools. The words for
 * a status are in `statuses`; what a download means is in `download`.
 */

/** What is known about a job. The record of a run is one. */
export interface JobState {
	/** As the service last described it. */
	job: Job;
	/** How it ended, once its status says so. */
	end?: End;
	/** Why nothing more will be known about it. */
	problem?: Problem;
	/** Why the latest request about it failed, if a later one may succeed. */
	trouble?: Problem;
}

/** How far apart two denials must be, in milliseconds: a service may lose a job, or its mind, for a moment. */
export const TWICE_MS = 30_000;

/** Whether a denial counts: the same words half a minute later prove it. Times in milliseconds since 1970. */
export function isProven(deniedSince: number | undefined, now: number): boolean {
	return deniedSince !== undefined && now - deniedSince >= TWICE_MS;
}

/**
 * What a failed request proves about its job. `gone`: the service says in its own words that there is no such job, or
 * that it is another account's. `refused`: it says that it does not accept the key. `nothing`: anything else, such as a
 * web page, the words of a gateway, an empty body, a 5xx or an error of the network; it means "not now".
 */
export function denialIn({ about, kind }: Problem): 'gone' | 'nothing' | 'refused' {
	if (about === 'job' && (kind === 'jobNotFound' || kind === 'forbidden')) return 'gone';
	return about === 'key' && kind === 'unauthorized' ? 'refused' : 'nothing';
}

/** What a reply about a job proves; `runs`, `over`: the service describes the job. */
export type Proof = ReturnType<typeof denialIn> | 'over' | 'runs';

/** @param endOf the end that a status stands for, if any */
export function proofOf(reply: Outcome<Job>, endOf: (status: unknown) => End | undefined): Proof {
	if (!reply.ok) return denialIn(reply.problem);
	return endOf(reply.value.status) === undefined ? 'runs' : 'over';
}

/** Whether nothing more will change: the job has ended, or it is proven that nothing more will be known about it. */
export function isOver({ end, problem }: Pick<JobState, 'end' | 'problem'>): boolean {
	return end !== undefined || problem !== undefined;
}

/** Whether the job may have results that can still be fetched. */
export function mayHaveResults({ end, problem }: Pick<JobState, 'end' | 'problem'>): boolean {
	const isGone = problem !== undefined && denialIn(problem) === 'gone';
	return !isGone && end !== 'cancelled' && end !== 'failed';
}

/** The service's words about how a job ended. A number, such as a count of errors, is none. */
export const wordsOfEnd = (job: Job) => errorIn(...valuesNamed('reason', job));

/** Why a job that ended with results has no row. */
export const NO_RESULTS = 'the job has no results';

/** Why a job has no results, in one sentence, with the service's words if it gives any; undefined if it may have some. */
export function reasonOf({ job, end }: Pick<JobState, 'end' | 'job'>): string | undefined {
	if (end !== 'cancelled' && end !== 'failed') return undefined;
	const what = end === 'failed' ? 'the job failed' : 'the job was cancelled';
	const words = wordsOfEnd(job);
	return words === undefined ? what : `${what}: ${words}`;
}

/** Why the latest request about a job failed; undefined if it succeeded. */
export function troubleOf({ trouble }: Pick<JobState, 'trouble'>): string | undefined {
	if (trouble === undefined) return undefined;
	const words = [trouble.reason, trouble.comment, trouble.detail].filter(Boolean).join('; ');
	const said = words === '' ? '' : ` (${words})`;
	return `The latest request about this job failed: ${explain(trouble).message}${said}.`;
}

const MOST_STATUSES = 3;

/** A sentence about status words that are in no table, so that their jobs count as running; undefined without any. */
export function unknownStatusText(
	jobs: readonly Job[],
	knowsStatus: (status: unknown) => boolean,
): string | undefined {
	const unknown = jobs.map(({ status }) => status.trim()).filter((one) => one !== '' && !knowsStatus(one));
	if (unknown.length === 0) return undefined;
	const named = [...new Set(unknown)].slice(0, MOST_STATUSES).map((one) => `"${one.slice(0, 100)}"`);
	return `This node does not know the status ${named.join(', ')}, so it counts as running. If it is the end of a job, add it to Finished Statuses, Failed Statuses or Cancelled Statuses in the credential (Customize Service).`;
}
