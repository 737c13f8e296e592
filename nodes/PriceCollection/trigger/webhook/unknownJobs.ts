import type { Clock } from '../../service/clock';

/** A service may not know its own job everywhere at once: for so long that says nothing, in milliseconds. */
const GRACE_MS = 30_000;
/** Between two questions about the same unknown job, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;
/** So long nobody asks again for a job that was unknown to the end of the grace, in milliseconds. */
const FINAL_MS = 10 * 60_000;
const MOST_JOBS = 10_000;

/** `fresh`: unknown so far; `final`: unknown for longer than a service can lag behind. */
export type Unknown = 'fresh' | 'final';

/** The jobs that the service did not know, so that nobody can use up status calls with them. */
export class UnknownJobs {
	private readonly jobs = new Map<string, { since: number; lookedAt: number; state: Unknown }>();

	constructor(private readonly clock: Pick<Clock, 'now'>) {}

	/** What is known without a further question; undefined when it is time to ask. */
	recall(jobId: string): Unknown | undefined {
		const job = this.jobs.get(jobId);
		if (job === undefined) return undefined;
		const age = this.clock.now() - job.lookedAt;
		if (job.state === 'final' && age >= FINAL_MS) this.jobs.delete(jobId);
		return age < (job.state === 'final' ? FINAL_MS : LOOK_AGAIN_MS) ? job.state : undefined;
	}

	/** Notes that the service did not know a job just now. */
	note(jobId: string): Unknown {
		const now = this.clock.now();
		const since = this.jobs.get(jobId)?.since ?? now;
		const state: Unknown = now - since >= GRACE_MS ? 'final' : 'fresh';
		this.jobs.delete(jobId);
		this.jobs.set(jobId, { since, lookedAt: now, state });
		const [oldest] = this.jobs.keys();
		if (this.jobs.size > MOST_JOBS && oldest !== undefined) this.jobs.delete(oldest);
		return state;
	}
}
