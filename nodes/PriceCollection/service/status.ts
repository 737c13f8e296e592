import { wordOf } from './types';

/**
 * The one place that knows job statuses. Only `finished` is documented; the others were seen in practice.
 * A status that is not an end, known or not, means that the job is running.
 */
export type JobEnd = 'finished' | 'cancelled';

/** Which end a status is; undefined while the job runs. Both spellings of "cancelled" occur. */
export function terminalStatus(status: unknown): JobEnd | undefined {
	const word = wordOf(status);
	if (/^cancell?ed$/.test(word)) return 'cancelled';
	return word === 'finished' ? word : undefined;
}

/** Statuses of jobs that certainly run. Those of practice, and how other services call the same. */
const RUNNING =
	/^(new|created|queued|pending|scheduled|waiting|working|running|processing|started|in[ _-]progress|finishing)$/;

/** Whether a status says that the job runs. An unknown one does not, although such a job is waited for. */
export function isRunning(status: unknown): boolean {
	return RUNNING.test(wordOf(status));
}
