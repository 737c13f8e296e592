import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../../../../nodes/PriceCollection/service/api/client';
import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import type { JobPage } from '../../../../nodes/PriceCollection/service/api/jobList';
import {
	failure,
	type Outcome,
	type Problem,
	success,
} from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { dropUnwanted, handOver } from '../../../../nodes/PriceCollection/triggers/polling/handOver';
import {
	hasFailedFor,
	limitState,
	newState,
	queueAgain,
	readState,
	storedState,
	type PollState,
	type Tries,
} from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import { readJobs } from '../../../../nodes/PriceCollection/triggers/polling/readJobs';
import type { TriggerSettings } from '../../../../nodes/PriceCollection/triggers/settings';
import { fakeClient } from '../../fakeClient';
import { MINUTE, NOW, settingsOf } from './polls';

const WAITS: Problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none', status: 503 };
const NO_CURSOR: Problem = {
	...{ kind: 'invalidValue', endpoint: ENDPOINTS.list, effect: 'none' },
	...{ status: 400, reason: 'the cursor has expired' },
};

/** How the service lists its jobs. */
export interface ListStyle {
	order: 'newest' | 'oldest' | 'shuffled';
	paging: 'cursor' | 'ignored' | 'numbers' | 'offset' | 'repeatLast';
	perPage: number;
	/** How long a page takes. */
	pageMs: number;
	/** Whether the list shows the status, and when jobs were created and ended. */
	shows: { status: boolean; times: boolean };
	says: boolean;
	/** How far the jobs' dates are ahead of the Date header; undefined: there is no such header. */
	aheadMs: number | undefined;
}
export const USUAL_LIST: ListStyle = {
	...{ order: 'newest', paging: 'numbers', perPage: 100, pageMs: 0 },
	...{ shows: { status: true, times: true }, says: false, aheadMs: 0 },
};

interface AccountJob {
	job_id: string;
	createdAt: number;
	endedAt?: number;
	rank: number;
}

/** An account whose time moves only when something happens, and a trigger that polls it. */
export class Account {
	now = NOW;
	readonly jobs: AccountJob[] = [];
	/** Jobs that the trigger has output. */
	readonly output: string[] = [];
	/** What goes wrong or happens next, one entry per page. */
	readonly meanwhile: Array<() => void> = [];
	failures = 0;
	requests = 0;
	/** Cursors of earlier polls are refused. */
	cursorsExpire = false;
	/** What n8n's database holds, as JSON. */
	stored: string | undefined;
	private cursorsOf = 0;
	private count = 0;
	private failing: Tries = {};
	private handedOver: readonly Job[] = [];
	private unstored: readonly Job[] = [];
	readonly warnings: string[] = [];
	/** How long a download takes. */
	downloadMs = 0;
	readonly client: ServiceClient;

	constructor(
		readonly style: ListStyle = USUAL_LIST,
		readonly settings: TriggerSettings = settingsOf(),
	) {
		const fields: CredentialFields =
			style.paging === 'offset' || style.paging === 'cursor' ? { pagination: style.paging } : {};
		const { client } = fakeClient({ fields, now: () => this.now });
		this.client = {
			...client,
			listJobs: async (query) => this.list(query),
			getJob: async (jobId) => this.get(jobId),
			serviceTime: (time) =>
				style.aheadMs === undefined ? undefined : Math.floor(time / 1_000) * 1_000,
			download: async ({ jobId }) => {
				this.now += this.downloadMs;
				const results = [{ query: { value: jobId }, success: true, content: { name: jobId } }];
				const value = { job_id: jobId, status: 'finished', results };
				return { kind: 'results', value, isEmpty: false };
			},
		};
	}

	create(many: number, apart = 0): string[] {
		return Array.from({ length: many }, () => {
			const job = {
				job_id: `j${this.count++}`,
				createdAt: this.now,
				rank: (this.count * 7919) % 10_007,
			};
			this.jobs.push(job);
			this.now += apart;
			return job.job_id;
		});
	}

	running(): string[] {
		return this.jobs.filter(({ endedAt }) => endedAt === undefined).map(({ job_id }) => job_id);
	}

	end(jobIds: readonly string[], apart = 1_000): void {
		const ending = new Map(jobIds.map((jobId, index) => [jobId, index]));
		const found = this.jobs.filter(({ job_id }) => ending.has(job_id));
		found.sort((a, b) => (ending.get(a.job_id) ?? 0) - (ending.get(b.job_id) ?? 0));
		for (const job of found) {
			job.endedAt = this.now;
			this.now += apart;
		}
	}

	remove(jobId: string): void {
		this.jobs.splice(0, this.jobs.length, ...this.jobs.filter(({ job_id }) => job_id !== jobId));
	}

	private shown({ job_id, createdAt, endedAt }: AccountJob, isListed: boolean): Job {
		const { shows, aheadMs = 0 } = this.style;
		const date = (time: number) => new Date(time + aheadMs).toISOString();
		return {
			job_id,
			status: isListed && !shows.status ? '' : endedAt === undefined ? 'working' : 'finished',
			...(shows.times && { created_at: date(createdAt) }),
			...(shows.times && endedAt !== undefined && { terminated_at: date(endedAt) }),
		};
	}

	private get(jobId: string): Outcome<Job> {
		const job = this.jobs.find(({ job_id }) => job_id === jobId);
		if (job === undefined)
			return failure({ kind: 'jobNotFound', endpoint: ENDPOINTS.get, effect: 'none', reason: 'no' });
		return success(this.shown(job, false));
	}

	private list(query: IDataObject): Outcome<JobPage> {
		const { order, paging, pageMs, perPage, says } = this.style;
		this.requests++;
		this.meanwhile.shift()?.();
		this.now += pageMs;
		if (this.failures > 0) {
			this.failures--;
			return failure(WAITS);
		}
		const all = this.jobs;
		const total = all.length;
		const [round, after] = String(query.cursor ?? `${this.cursorsOf}-0`)
			.split('-')
			.map(Number);
		if (paging === 'cursor' && this.cursorsExpire && round !== this.cursorsOf) return failure(NO_CURSOR);
		const last = Math.max(0, Math.ceil(total / perPage) - 1);
		// Pages are counted from 1.
		const page = Math.max(1, Number(query.page ?? 1)) - 1;
		const from = {
			cursor: after ?? 0,
			ignored: 0,
			numbers: page * perPage,
			offset: Number(query.offset ?? 0),
			repeatLast: Math.min(page, last) * perPage,
		}[paging];
		const to = paging === 'ignored' ? total : from + perPage;
		const part = () => {
			if (order === 'oldest') return all.slice(from, to);
			if (order === 'newest')
				return all.slice(Math.max(0, total - to), Math.max(0, total - from)).reverse();
			return [...all].sort((a, b) => a.rank - b.rank).slice(from, to);
		};
		const next = paging === 'cursor' && { next: `${this.cursorsOf}-${to}`, goesOn: true };
		return success({
			jobs: part().map((job) => this.shown(job, true)),
			...(to < total ? next : paging === 'cursor' && { goesOn: false }),
			...(says && { total }),
		});
	}

	/** The state as n8n's database returns it. */
	state(): PollState | undefined {
		const read = readState(this.stored === undefined ? undefined : JSON.parse(this.stored));
		if (read.kind === 'unreadable') throw new Error(read.reason);
		return read.kind === 'read' ? read.value : undefined;
	}

	private store(state: PollState): void {
		limitState(state, this.now);
		this.stored = JSON.stringify(storedState(state));
	}

	/** n8n could not store the execution of the latest poll. */
	loseExecution(): void {
		const lost = new Set(this.handedOver.map(({ job_id }) => job_id));
		this.output.splice(0, this.output.length, ...this.output.filter((jobId) => !lost.has(jobId)));
		this.unstored = [...this.unstored, ...this.handedOver];
		this.handedOver = [];
	}

	/** Polls once, in a process that knows only what is stored. Returns the problem, if any. */
	async poll({ emitExisting = false, shareMs = 75_000 } = {}): Promise<string | undefined> {
		const startedAt = this.now;
		this.cursorsOf++;
		const fresh = {
			...newState('mine'),
			reading: { isSorted: true, missing: 0, isFirst: !emitExisting },
		};
		const before = this.state();
		const state = before ?? fresh;
		queueAgain(state, this.unstored);
		const { client, settings } = this;
		const read = await readJobs(state, {
			...{ client, settings, startedAt, until: startedAt + shareMs },
			isStuck: hasFailedFor(10 * MINUTE, this.failing, startedAt),
			warn: (message) => this.warnings.push(message),
		});
		if (!read.ok || read.value.cutAt !== undefined) {
			this.failing = { failingSince: this.failing.failingSince ?? startedAt };
			if (before !== undefined && !read.ok) this.store(state);
			return read.ok ? `cut at ${read.value.cutAt}` : read.problem.kind;
		}
		this.failing = {};
		this.unstored = [];
		const until = Math.max(startedAt + 2 * shareMs, this.now + shareMs);
		dropUnwanted(client, settings, state);
		const { handedOver, rows } = await handOver(client, settings, state, { now: startedAt, until });
		const isSame =
			rows.map(({ job_id: jobId }) => jobId).join() ===
			handedOver.map(({ job_id: jobId }) => jobId).join();
		if (!isSame) throw new Error('the rows are not those of the jobs');
		this.handedOver = handedOver;
		for (const { job_id: jobId } of handedOver) this.output.push(jobId);
		this.store(state);
		return undefined;
	}

	/** Polls every minute until several readings of the list bring nothing new. */
	async settle(most = 400): Promise<void> {
		let quiet = 0;
		for (let count = 0; count < most && quiet < 4; count++) {
			const before = this.output.length;
			this.now += MINUTE;
			await this.poll();
			if (this.output.length > before) quiet = 0;
			else if (this.state()?.reading === undefined) quiet++;
		}
	}
}
