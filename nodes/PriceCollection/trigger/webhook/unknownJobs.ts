import type { Clock } from '../../service/clock';
import { RecentMap } from '../../service/recentMap';

/** A service may not know its own job everywhere at once: for so long that says nothing, in milliseconds. */
const GRACE_MS = 30_000;
/** Between two questions about the same unknown job, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;
/** So long nobody asks again for a job that was unknown to the end of the grace, in milliseconds. */
const FINAL_MS = 10 * 60_000;
const MOST_JOBS = 10_000;

/** The jobs that the service did not know, so that nobody can use up status calls with them. */
export class UnknownJobs {
	private readonly jobs = new RecentMap<string, { since: number; lookedAt: number; final: boolean }>(
		MOST_JOBS,
	);

	constructor(private readonly clock: Pick<Clock, 'now'>) {}

	/** What is known without a further question; undefined when it is time to ask. */
	recall(jobId: string): { final: boolean } | undefined {
		const job = this.jobs.get(jobId);
		if (job === undefined) return undefined;
		const age = this.clock.now() - job.lookedAt;
		if (job.final && age >= FINAL_MS) this.jobs.delete(jobId);
		return age < (job.final ? FINAL_MS : LOOK_AGAIN_MS) ? job : undefined;
	}

	/** Notes that the service did not know a job just now. Final: for longer than a service can lag behind. */
	note(jobId: string): { final: boolean } {
		const lookedAt = this.clock.now();
		const since = this.jobs.get(jobId)?.since ?? lookedAt;
		const job = { since, lookedAt, final: lookedAt - since >= GRACE_MS };
		this.jobs.set(jobId, job);
		return job;
	}
}
