import type { SandboxClock } from './clock.ts';
import { answeredValues, costOf, isFree, planJob } from './job.ts';
import type { Job } from './job.ts';
import type { JobRequest } from './jobRequest.ts';
import type { SandboxOptions } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { Refusal } from './refusals.ts';

type Ended = (job: Job) => void;

/** All jobs of the sandbox, driven by its clock. Calls `ended` once for each job that ends. */
export class JobStore {
	private readonly all = new Map<string, Job>();
	/** Every job ever created: deleted jobs still count as usage. */
	private readonly ledger: Job[] = [];
	private readonly cache = new Map<string, number>();
	/** Credits booked so far, per account. */
	private readonly spent = new Map<string, number>();
	private readonly options: SandboxOptions;
	private readonly clock: SandboxClock;
	private readonly ended: Ended;
	private count = 0;

	constructor(options: SandboxOptions, clock: SandboxClock, ended: Ended) {
		this.options = options;
		this.clock = clock;
		this.ended = ended;
	}

	/** Jobs that still exist, oldest first. Deletes jobs past their retention. */
	list(owner?: string): Job[] {
		const oldest = this.clock.now() - this.options.retentionMs;
		for (const job of this.all.values()) {
			this.settle(job);
			if (job.createdAt <= oldest) this.remove(job);
		}
		return [...this.all.values()].filter((job) => owner === undefined || this.isOf(job, owner));
	}

	/** All jobs of an account, including deleted ones, for its usage. */
	everOf(owner: string): Job[] {
		this.list(owner);
		return this.ledger.filter((job) => this.isOf(job, owner));
	}

	/** Whether a job belongs to the account of this key, also if it was created with a former key. */
	isOf({ owner }: Job, account: string): boolean {
		const { apiKey, formerApiKeys } = this.options;
		return owner === account || (account === apiKey && formerApiKeys.includes(owner));
	}

	find(id: string): Job | undefined {
		const job = this.all.get(id);
		if (!job) return undefined;
		this.settle(job);
		if (job.createdAt > this.clock.now() - this.options.retentionMs) return job;
		this.remove(job);
		return undefined;
	}

	create(owner: string, request: JobRequest): Job {
		const now = this.clock.now();
		const cachedAt = this.cachedValues(request, now);
		const job = planJob({ owner, request, cachedAt }, ++this.count, now, this.options);
		const estimate = job.request.values.length * request.query.max_pages * (request.changed ? 2 : 1);
		if (!isFree(job) && estimate > this.options.freeCredits - (this.spent.get(owner) ?? 0))
			throw new Refusal('not enough free credits', undefined, `The job may need ${estimate} credits.`);
		this.all.set(job.id, job);
		this.ledger.push(job);
		this.arm(job);
		this.settle(job);
		return job;
	}

	/** Ends a job now, as `jobEnd` says, as if its time were up. Slow values stay unanswered. */
	finish(job: Job): void {
		if (job.state !== 'running') return;
		const now = this.clock.now();
		job.answeredAt = job.request.values.map((value, index) =>
			outcomeOf(job.request.key, value).kind === 'slow'
				? Infinity
				: Math.min(job.answeredAt[index] ?? now, now),
		);
		job.endsAt = now;
		this.settle(job);
	}

	cancel(job: Job): void {
		job.stopTimer();
		job.state = 'cancelled';
		job.endedAt = this.clock.now();
		this.ended(job);
	}

	remove(job: Job): void {
		job.stopTimer();
		this.all.delete(job.id);
	}

	/** Forgets all jobs, usage and cached pages. */
	clear(): void {
		for (const job of this.ledger) job.stopTimer();
		this.ledger.length = 0;
		this.all.clear();
		this.cache.clear();
		this.spent.clear();
	}

	private arm(job: Job): void {
		job.stopTimer = this.clock.after(job.endsAt - this.clock.now(), () => this.settle(job));
	}

	/** Ends a job whose time is up, charges it if it finished, and announces the end. */
	private settle(job: Job): void {
		if (job.state !== 'running' || this.clock.now() < job.endsAt) return;
		job.stopTimer();
		job.state = this.options.jobEnd;
		job.endedAt = job.endsAt;
		job.readAt = job.endsAt;
		const half = Math.ceil(job.request.values.length / 2);
		if (this.options.partialEnds) job.answeredAt.fill(Infinity, half);
		if (job.state === 'finished') this.charge(job);
		for (const value of answeredValues(job, job.endsAt)) {
			if (!job.cachedAt.has(value)) this.cache.set(this.cacheKey(job.request, value), job.endsAt);
		}
		this.ended(job);
	}

	private charge(job: Job): void {
		job.shown = costOf(job, job.endsAt);
		if (isFree(job)) return;
		job.booked = job.shown;
		this.spent.set(job.owner, (this.spent.get(job.owner) ?? 0) + job.booked);
	}

	private cacheKey({ source, country, topic, key, query }: JobRequest, value: string): string {
		return JSON.stringify([source, country.toLowerCase(), topic, key, value, query.max_pages]);
	}

	private cachedValues(request: JobRequest, now: number): Map<string, number> {
		const { max_age: maxAge } = request.query;
		const age = typeof maxAge === 'number' ? maxAge * 60_000 : 0;
		const found = new Map<string, number>();
		for (const value of request.values) {
			const readAt = this.cache.get(this.cacheKey(request, value));
			if (readAt !== undefined && readAt > now - age) found.set(value, readAt);
		}
		return found;
	}
}
