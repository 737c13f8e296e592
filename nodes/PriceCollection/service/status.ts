/**
 * The one place that knows job statuses. Only `finished` is documented; the others were seen in practice.
 * A status that is not an end, known or not, means that the job is running.
 */
export type JobEnd = 'finished' | 'cancelled';

/** The ends by the spellings that occur: both of "cancelled", in any case. */
const ENDS: ReadonlyMap<string, JobEnd> = new Map([
	['finished', 'finished'],
	['cancelled', 'cancelled'],
	['canceled', 'cancelled'],
]);

/** A status in the spelling of the lists here. No status is longer than what is looked at. */
const spelt = (status: string) => status.slice(0, 40).trim().toLowerCase().replace(/[_-]/g, ' ');

/** Which end a status is; undefined while the job runs. */
export function terminalStatus(status: unknown): JobEnd | undefined {
	return typeof status === 'string' ? ENDS.get(spelt(status)) : undefined;
}

/** Statuses of jobs that certainly run. Those of practice, and how other services call the same. */
const RUNNING: ReadonlySet<string> = new Set([
	...['new', 'created', 'queued', 'pending', 'scheduled', 'waiting'],
	...['working', 'running', 'processing', 'started', 'in progress', 'finishing'],
]);

/** Whether a status says that the job runs. An unknown one does not, although such a job is waited for. */
export function isRunning(status: string): boolean {
	return RUNNING.has(spelt(status));
}
