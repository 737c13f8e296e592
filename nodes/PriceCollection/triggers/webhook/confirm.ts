import { RecentMap } from '../../n8n/memory';
import type { ServiceClient } from '../../service/api/client';
import { readList } from '../../service/api/jobList';
import { concernsOneRequest, type Outcome, success, traitsOf } from '../../service/problems';
import type { Job } from '../../service/types';
import { MINUTE_MS } from '../../service/time';

/** A job as the service describes it, undefined if it knows none of that ID, or why it could not be asked. */
type Confirmation = Outcome<Job | undefined>;

/** Callers rarely wait longer. */
const PATIENCE_MS = 15_000;
/** How long a call waits for a status call; after that, the list is read instead. */
const TURN_MS = 500;
/**
 * A service may call shortly before its own status changes or before it knows the job everywhere, and may not
 * repeat the call. Half of the status calls is left to executions, because anyone can make up calls; further
 * checks are only made while few status calls were used.
 */
const CHECKS = [
	{ afterMs: 0, share: 0.5 },
	{ afterMs: 1_000, share: 0.25 },
	{ afterMs: 3_000, share: 0.25 },
];
/** For all calls together: pages of the list are not status calls, but they have a cost as well. */
const PAGES_PER_MINUTE = 120;
const MOST_JOBS = 10_000;

/** Whether there was no turn for a status call, or the service refused it as rate limited. */
function isShort(looked: Confirmation): boolean {
	return !looked.ok && looked.problem.kind === 'rateLimited';
}

/** Interprets a status reply. Another job, or another spelling of the ID, is not a second end. */
function saidBy(reply: Outcome<Job>, jobId: string): Confirmation {
	if (!reply.ok) return concernsOneRequest(reply.problem) ? success(undefined) : reply;
	return reply.value.job_id === jobId ? reply : success(undefined);
}

/** Checks until the job has ended, or another check is pointless. */
async function checkUntilEnded(
	client: ServiceClient,
	jobId: string,
	timeoutMs: number,
): Promise<Confirmation> {
	let looked: Confirmation = success(undefined);
	for (const { afterMs, share } of CHECKS) {
		await client.clock.pause(afterMs);
		const turn = { until: client.clock.now() + TURN_MS, share };
		// Without the client's own retries, which would take longer than the caller waits.
		const next = saidBy(await client.getJob(jobId, { timeoutMs, repeat: false, turn }), jobId);
		// Without a turn for a further check, the previous one counts.
		if (afterMs > 0 && isShort(next)) break;
		looked = next;
		const isLasting = next.ok
			? client.endOf(next.value?.status) !== undefined
			: traitsOf(next.problem).retry === 'never';
		if (isLasting || isShort(next)) break;
	}
	return looked;
}

/**
 * Confirms with the service the jobs of one account that calls name. Usually one status call is enough; a job
 * that is about to end, or not known yet, is checked again within seconds. When there are more calls than
 * status calls, the list answers for many jobs at once.
 */
export class Confirmations {
	/** Ends seen in the list, also for later calls: an end is final. */
	private readonly ended = new RecentMap<string, Confirmation>(MOST_JOBS);
	private readonly lookupsOfItem = new Map<string, Promise<Confirmation>>();
	private readonly wanted = new Set<string>();
	/** By `elapsed`. */
	private readonly pagesReadAt: number[] = [];
	private reading: Promise<void> | undefined;

	/** Calls for the same job at the same time share a confirmation. */
	async confirm(client: ServiceClient, jobId: string, timeoutMs = PATIENCE_MS): Promise<Confirmation> {
		const asked = this.lookupsOfItem.get(jobId) ?? this.checkOnce(client, jobId, timeoutMs);
		this.lookupsOfItem.set(jobId, asked);
		return await asked.finally(() => this.lookupsOfItem.delete(jobId));
	}

	private async checkOnce(client: ServiceClient, jobId: string, timeoutMs: number): Promise<Confirmation> {
		const looked = this.ended.get(jobId) ?? (await checkUntilEnded(client, jobId, timeoutMs));
		if (!isShort(looked)) return looked;
		this.wanted.add(jobId);
		// The current reading may already be past the job's page.
		await this.reading;
		if (!this.ended.has(jobId)) {
			this.reading ??= this.readList(client, timeoutMs).finally(() => (this.reading = undefined));
			await this.reading;
		}
		this.wanted.delete(jobId);
		return this.ended.get(jobId) ?? looked;
	}

	/** Reads the list until it has shown all wanted jobs. */
	private async readList(client: ServiceClient, timeoutMs: number): Promise<void> {
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
