import { traitsOf, type Outcome, type Problem } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';

/** How far apart two denials must be, in milliseconds: a service may lose a job, or its mind, for a moment. */
export const TWICE_MS = 30_000;

/**
 * What a reply proves about a job. `runs`, `over`: the service describes the job. `gone`: it says in its own words
 * that there is no such job. `refused`: it says so of the key. `nothing`: anything else, such as a web page, an
 * empty or foreign body, a 5xx, or an error of the network; it means "not now", whatever its words are.
 */
export type Proof = 'gone' | 'nothing' | 'over' | 'refused' | 'runs';

/** What a failed request about a job says of it. */
export function denialIn(problem: Problem): 'gone' | 'nothing' | 'refused' {
	if (problem.reason === undefined) return 'nothing';
	if (traitsOf(problem).job === 'gone') return 'gone';
	return problem.kind === 'unauthorized' ? 'refused' : 'nothing';
}

/**
 * The only judge of what a reply about a job proves.
 *
 * @param endOf the end that a status stands for, if any
 */
export function proofOf(reply: Outcome<Job>, endOf: (status: unknown) => End | undefined): Proof {
	if (!reply.ok) return denialIn(reply.problem);
	return endOf(reply.value.status) === undefined ? 'runs' : 'over';
}

/** Whether a denial counts: one odd reply is no proof, the same words half a minute later are. Times in milliseconds. */
export function isProven(deniedSince: number | undefined, now: number): boolean {
	return deniedSince !== undefined && now - deniedSince >= TWICE_MS;
}
