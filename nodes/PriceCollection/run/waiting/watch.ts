import type { ServiceClient } from '../../service/client';
import { isSettled, pollUntilEnded, type JobState, type PollSettings } from './poll';

/** Jobs looked at side by side: the rest of a long list is looked at once these are over. */
const WINDOW = 5;

interface WatchSettings extends Omit<PollSettings, 'firstLookMs'> {
	/** For how long the jobs are watched after the last one that was seen to end, in milliseconds. */
	patienceMs: number;
	/** The pause before the first look. */
	firstLookMs?: number;
	/** The job that is looked at first. */
	first?: string;
	/** Not after this time, in milliseconds since 1970. */
	until?: number;
}

/**
 * Watches jobs as long as they keep ending: a few at a time, those created last first because they end last, so that
 * one running job costs a few status calls and not one for each of hundreds. Ends when all are over, or when none of
 * those watched has ended for a while.
 *
 * @returns the jobs as last seen, in the order given
 */
export async function watchWhileTheyEnd(
	client: ServiceClient,
	before: readonly JobState[],
	{ patienceMs, first, until = Infinity, onLook, firstLookMs = 0, ...settings }: WatchSettings,
): Promise<JobState[]> {
	const states = [...before];
	const isFirst = (state: JobState) => state.job.job_id === first;
	for (let pause = firstLookMs; ; pause = 0) {
		const open = [...states.entries()].filter(([, state]) => !isSettled(state)).reverse();
		const named = open.filter(([, state]) => isFirst(state));
		const window = [...named, ...open.filter(([, state]) => !isFirst(state))].slice(0, WINDOW);
		const deadline = Math.min(client.clock.now() + patienceMs, until);
		const jobs = window.map(([, { job }]) => ({ job, deadline }));
		const seen = await pollUntilEnded(client, jobs, { ...settings, firstLookMs: pause });
		for (const [place, state] of seen.entries()) states[window[place]?.[0] ?? 0] = state;
		onLook?.(states);
		const stopped = settings.signal?.aborted === true;
		if (stopped || !seen.some(isSettled) || seen.length === 0) return states;
	}
}
