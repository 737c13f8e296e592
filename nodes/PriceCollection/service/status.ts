import { wordOf } from './types';

/**
 * The only place that knows job statuses. Only `finished` is documented; the others were observed in
 * practice. Every other status, known or not, means that the job is running.
 */
export type JobEnd = 'finished' | 'cancelled';

/** The end that a status stands for; undefined while the job runs. Both spellings of "cancelled" occur. */
export function terminalStatus(status: unknown): JobEnd | undefined {
	const word = wordOf(status);
	if (/^cancell?ed$/.test(word)) return 'cancelled';
	return word === 'finished' ? word : undefined;
}

/** Statuses of jobs that certainly run: those observed in practice, and common names in other services. */
const RUNNING =
	/^(new|created|queued|pending|scheduled|waiting|working|running|processing|started|in[ _-]progress|finishing)$/;

/** Whether a status certainly means running. An unknown one does not, although such a job is waited for. */
export function isRunning(status: unknown): boolean {
	return RUNNING.test(wordOf(status));
}
