import type { ServiceClient } from '../../service/client';
import type { Clock } from '../../service/clock';
import { DEFAULT_PAGING, listAllJobs } from '../../service/jobList';
import { RecentMap } from '../../service/recentMap';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';

/** What the list says about a job. */
export type Listed = { kind: 'ended'; job: Job } | { kind: 'running' };

/** Pages of the list in a minute, for all calls together: they are no status calls, but no gift either. */
const PAGES_PER_MINUTE = 120;
const MINUTE_MS = 60_000;
/** Pages of one sweep. */
const MOST_PAGES = 100;
/** Jobs looked at in one sweep. */
const MOST_JOBS = 10_000;
/** So long a sweep begins no further page, in milliseconds: callers wait for it. */
const LONGEST_MS = 10_000;
/** An end stays one; it is remembered for so long, in milliseconds. */
const REMEMBERED_MS = 10 * 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Confirms many jobs with one look at the list: for times when more calls come than status calls are allowed. One
 * sweep serves all who wait, and every end that it sees is remembered for calls that are still to come.
 */
export class ListSweep {
	private readonly ended = new RecentMap<string, { listed: Listed; at: number }>(MOST_REMEMBERED);

	private readonly wanted = new Set<string>();

	private readonly pages: number[] = [];

	private running: Promise<ReadonlySet<string>> | undefined;

	/** A sweep that finds nobody who is waited for is followed by a shorter one: made-up jobs are never found. */
	private reach = MOST_PAGES;

	constructor(private readonly clock: Pick<Clock, 'now'>) {}

	/** An end that an earlier sweep has seen. */
	find(jobId: string): Listed | undefined {
		const found = this.ended.get(jobId);
		if (found === undefined || this.clock.now() - found.at > REMEMBERED_MS) return undefined;
		return found.listed;
	}

	/** Looks for a job in the list; undefined when it was not seen, which says nothing about it. */
	async look(client: ServiceClient, jobId: string, timeoutMs: number): Promise<Listed | undefined> {
		this.wanted.add(jobId);
		try {
			// One that has begun may be past the job's page.
			await this.running;
			const found = this.find(jobId);
			if (found !== undefined) return found;
			this.running ??= this.sweep(client, timeoutMs).finally(() => (this.running = undefined));
			const stillRunning = await this.running;
			return this.find(jobId) ?? (stillRunning.has(jobId) ? { kind: 'running' } : undefined);
		} finally {
			this.wanted.delete(jobId);
		}
	}

	/** @returns the jobs that were seen running */
	private async sweep(client: ServiceClient, timeoutMs: number): Promise<ReadonlySet<string>> {
		const until = this.clock.now() + LONGEST_MS;
		const stillRunning = new Set<string>();
		const missing = new Set(this.wanted);
		const before = missing.size;
		let left = Math.min(this.reach, this.pagesLeft());
		if (left <= 0) return stillRunning;
		await listAllJobs(
			{
				...client,
				listJobs: async (query) => {
					left--;
					this.pages.push(this.clock.now());
					return await client.listJobs(query, { timeoutMs, repeat: false });
				},
			},
			{
				limit: MOST_JOBS,
				paging: DEFAULT_PAGING,
				enough: (_jobs, page) => {
					for (const job of page) {
						missing.delete(job.job_id);
						if (!this.note(job)) stillRunning.add(job.job_id);
					}
					return missing.size === 0 || left <= 0 || this.clock.now() > until;
				},
			},
		);
		this.reach = missing.size < before ? MOST_PAGES : Math.max(1, Math.floor(this.reach / 2));
		return stillRunning;
	}

	/** @returns whether the job is over */
	private note(job: Job): boolean {
		if (terminalStatus(job.status) === undefined) return false;
		this.ended.set(job.job_id, { listed: { kind: 'ended', job }, at: this.clock.now() });
		return true;
	}

	private pagesLeft(): number {
		const since = this.clock.now() - MINUTE_MS;
		while (this.pages[0] !== undefined && this.pages[0] <= since) this.pages.shift();
		return PAGES_PER_MINUTE - this.pages.length;
	}
}
