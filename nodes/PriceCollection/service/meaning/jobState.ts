import { explain, type Outcome, type Problem } from '../problems';
import { valuesNamed } from '../names';
import type { End } from '../statuses';
import { errorIn } from '../text';
import type { Job } from '../types';

/*
 * Questions about a job's state, for rows, errors, hints, tickets, triggers and tools. `statuses` interprets status words;
 * `download` interprets downloads.
 */

/** What is known about a job. A run's job record is a `JobState` too. */
export interface JobState {
	/** As the service last described it. */
	job: Job;
	/** How it ended, once its status says so. */
	end?: End;
	/** Why we will learn nothing more about it. */
	problem?: Problem;
	/** Why the latest request about it failed, if a later one may succeed. */
	trouble?: Problem;
}

/** How far apart two denials must be to count, in milliseconds: a service may deny an existing job for a moment. */
export const PROOF_INTERVAL_MS = 30_000;

/**
 * Whether a denial is proven: the service still denied when it was asked {@link PROOF_INTERVAL_MS} later.
 *
 * @param deniedSince when the first denial arrived
 * @param askedAt when the request that it denied last was made, by the same clock: its reply may take long
 */
export function isProven(deniedSince: number | undefined, askedAt: number): boolean {
	return deniedSince !== undefined && askedAt - deniedSince >= PROOF_INTERVAL_MS;
}

/**
 * What a failed request proves about its job. `gone`: the service itself says that the job does not exist or belongs to
 * another account. `refused`: the service itself rejects the key. `nothing`: anything else, such as a web page, a
 * gateway's message, an empty body, a 5xx or a network error; it means "not now".
 */
export function denialIn({ about, kind }: Problem): 'gone' | 'nothing' | 'refused' {
	if (about === 'job' && (kind === 'jobNotFound' || kind === 'forbidden')) return 'gone';
	return about === 'key' && kind === 'unauthorized' ? 'refused' : 'nothing';
}

/** What a reply about a job proves. `runs`, `over`: the service describes the job, as running or ended. */
export type Proof = ReturnType<typeof denialIn> | 'over' | 'runs';

/** @param endOf returns the end that a status stands for, if any */
export function proofOf(reply: Outcome<Job>, endOf: (status: unknown) => End | undefined): Proof {
	if (!reply.ok) return denialIn(reply.problem);
	return endOf(reply.value.status) === undefined ? 'runs' : 'over';
}

/** Whether nothing will change any more: the job has ended, or a problem rules out further news about it. */
export function isOver({ end, problem }: Pick<JobState, 'end' | 'problem'>): boolean {
	return end !== undefined || problem !== undefined;
}

/** Whether the job may have results that can still be fetched. */
export function mayHaveResults({ end, problem }: Pick<JobState, 'end' | 'problem'>): boolean {
	const isGone = problem !== undefined && denialIn(problem) === 'gone';
	return !isGone && end !== 'cancelled' && end !== 'failed';
}

/** The service's message about how a job ended. A number, such as an error count, is not a message. */
export const endMessage = (job: Job) => errorIn(...valuesNamed('reason', job));

/** Why a job that ended normally has no row. */
export const NO_RESULTS = 'the job has no results';

/** Why a job has no results, with the service's message if there is one; undefined if it may have results. */
export function reasonOf({ job, end }: Pick<JobState, 'end' | 'job'>): string | undefined {
	if (end !== 'cancelled' && end !== 'failed') return undefined;
	const what = end === 'failed' ? 'the job failed' : 'the job was cancelled';
	const message = endMessage(job);
	return message === undefined ? what : `${what}: ${message}`;
}

/** Why the latest request about a job failed; undefined if it succeeded. */
export function troubleOf({ trouble }: Pick<JobState, 'trouble'>): string | undefined {
	if (trouble === undefined) return undefined;
	const details = [trouble.reason, trouble.comment, trouble.detail].filter(Boolean).join('; ');
	const suffix = details === '' ? '' : ` (${details})`;
	return `The latest request about this job failed: ${explain(trouble).message}${suffix}.`;
}

const MOST_STATUSES = 3;

/** A hint about unknown status words, whose jobs count as running; undefined if there are none. */
export function unknownStatusText(
	jobs: readonly Job[],
	knowsStatus: (status: unknown) => boolean,
): string | undefined {
	const unknown = jobs.map(({ status }) => status.trim()).filter((one) => one !== '' && !knowsStatus(one));
	if (unknown.length === 0) return undefined;
	const quoted = [...new Set(unknown)].slice(0, MOST_STATUSES).map((one) => `"${one.slice(0, 100)}"`);
	return `This node does not know the status ${quoted.join(', ')}, so it counts as running. If it means that a job has ended, add it to Finished Statuses, Failed Statuses or Cancelled Statuses in the credential (Customize Service).`;
}
