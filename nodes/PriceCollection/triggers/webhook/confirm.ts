import { RecentMap } from '../../n8n/memory';
import type { ServiceClient } from '../../service/api/client';
import { readList } from '../../service/api/jobList';
import { concernsOneRequest, type Outcome, success, traitsOf } from '../../service/problems';
import type { Job } from '../../service/types';
import { MINUTE_MS } from '../../service/time';

/** The job as the service describes it, undefined if it does not know the ID, or the problem with the request. */
type Confirmation = Outcome<Job | undefined>;

/** How long a confirmation may take: callers rarely wait longer. */
const PATIENCE_MS = 15_000;
/** How long to wait for a status call's turn before reading the list instead. */
const TURN_MS = 500;
/**
 * When to check a job, and the share of status calls that a check may use. A service may call just before the job's status
 * changes or before all its servers know the job, and may not repeat the call. Anyone can forge calls, so half of the
 * status calls are left to executions, and repeated checks only run while few have been used.
 */
const CHECKS = [
	{ afterMs: 0, share: 0.5 },
	{ afterMs: 1_000, share: 0.25 },
	{ afterMs: 3_000, share: 0.25 },
];
/** For all of an account's calls together: list pages do not count as status calls, but they are not free either. */
const PAGES_PER_MINUTE = 120;
const MOST_JOBS = 10_000;

/** Whether no status call was available: there was no turn for it, or the service rate-limited it. */
function isRateLimited(confirmation: Confirmation): boolean {
	return !confirmation.ok && confirmation.problem.kind === 'rateLimited';
}

/** Interprets a status reply. A reply for another ID, even another spelling, counts as unknown: an end must not count twice. */
function confirmationIn(reply: Outcome<Job>, jobId: string): Confirmation {
	if (!reply.ok) return concernsOneRequest(reply.problem) ? success(undefined) : reply;
	return reply.value.job_id === jobId ? reply : success(undefined);
}

/** Checks a job until it has ended, or another check is pointless. */
async function checkUntilEnded(
	client: ServiceClient,
	jobId: string,
	timeoutMs: number,
): Promise<Confirmation> {
	let confirmation: Confirmation = success(undefined);
	for (const { afterMs, share } of CHECKS) {
		await client.clock.pause(afterMs);
		const turn = { until: client.clock.now() + TURN_MS, share };
		// The client's own retries would take longer than the caller waits.
		const next = confirmationIn(await client.getJob(jobId, { timeoutMs, repeat: false, turn }), jobId);
		// If a further check gets no turn, the previous one counts.
		if (afterMs > 0 && isRateLimited(next)) break;
		confirmation = next;
		const isFinal = next.ok
			? client.endOf(next.value?.status) !== undefined
			: traitsOf(next.problem).retry === 'never';
		if (isFinal || isRateLimited(next)) break;
	}
	return confirmation;
}

/**
 * Confirms one account's jobs that calls name. Usually one status call is enough. A job that is about to end, or not known
 * yet, is checked again within seconds. When status calls run out, one reading of the list confirms many jobs.
 */
export class Confirmations {
	/** Ended jobs seen in the list, by ID. Kept for later calls, because an end is final. */
	private readonly ended = new RecentMap<string, Confirmation>(MOST_JOBS);
	/** Confirmations in progress, by job ID. */
	private readonly inProgress = new Map<string, Promise<Confirmation>>();
	/** IDs of the jobs to look for in the list. */
	private readonly wanted = new Set<string>();
	/** When pages were requested in the last minute, by `Clock.elapsed`. */
	private readonly pagesReadAt: number[] = [];
	/** The reading of the list in progress. */
	private reading: Promise<void> | undefined;

	/** Confirms a job. Simultaneous calls for the same job share one confirmation. */
	async confirm(client: ServiceClient, jobId: string, timeoutMs = PATIENCE_MS): Promise<Confirmation> {
		const confirmation = this.inProgress.get(jobId) ?? this.checkOnce(client, jobId, timeoutMs);
		this.inProgress.set(jobId, confirmation);
		return await confirmation.finally(() => this.inProgress.delete(jobId));
	}

	private async checkOnce(client: ServiceClient, jobId: string, timeoutMs: number): Promise<Confirmation> {
		const confirmation = this.ended.get(jobId) ?? (await checkUntilEnded(client, jobId, timeoutMs));
		if (!isRateLimited(confirmation)) return confirmation;
		this.wanted.add(jobId);
		// A reading in progress may be past the job's page already.
		await this.reading;
		if (!this.ended.has(jobId)) {
			this.reading ??= this.confirmByList(client, timeoutMs).finally(() => (this.reading = undefined));
			await this.reading;
		}
		this.wanted.delete(jobId);
		return this.ended.get(jobId) ?? confirmation;
	}

	/** Reads the list until it has shown all wanted jobs, or time or pages run out. Records ended jobs in `ended`. */
	private async confirmByList(client: ServiceClient, timeoutMs: number): Promise<void> {
		const { clock } = client;
		const until = clock.elapsed() + PATIENCE_MS;
		const missing = new Set(this.wanted);
		const isUsedUp = () => {
			while ((this.pagesReadAt[0] ?? Infinity) <= clock.elapsed() - MINUTE_MS) this.pagesReadAt.shift();
			return this.pagesReadAt.length >= PAGES_PER_MINUTE || clock.elapsed() > until;
		};
		const listJobs: ServiceClient['listJobs'] = async (query) => {
			this.pagesReadAt.push(clock.elapsed());
			return await client.listJobs(query, { timeoutMs, repeat: false });
		};
		const enough = (_jobs: readonly Job[], page: readonly Job[]) => {
			for (const job of page) {
				missing.delete(job.job_id);
				if (client.endOf(job.status) !== undefined) this.ended.set(job.job_id, success(job));
			}
			return missing.size === 0 || isUsedUp();
		};
		if (isUsedUp()) return;
		await readList({ ...client, listJobs }, { limit: MOST_JOBS, enough });
	}
}
