import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import { callsOf, useCollecting } from '../support/collecting';
import { valuesPerJob } from '../support/common';
import { now, time } from '../support/virtualClock';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { sandbox, collect, collectInLoop, fail, wait } = useCollecting({ statusRateLimit: 60 });

const terms = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: String(index), term: `term ${index}` }));
const idsOf = (rows: readonly { linked?: unknown }[]) => rows.map(({ linked }) => String(linked));
const ids = (count: number) => terms(count).map(({ id }) => id);
const single = valuesPerJob(1);

/** The result, and how many minutes the nodes held a worker. */
async function held<T>(work: () => Promise<T>): Promise<[T, minutes: number]> {
	const start = now();
	const result = await work();
	return [result, (now() - start) / MINUTE_MS];
}

const MINUTE: INodeParameters = { waitOptions: { maxWait: 1 } };

describe('more jobs than may be asked in the time', () => {
	it('that are all over give all rows, in the order of the items, by the job list', async () => {
		sandbox.setOptions({ jobDurationMs: 500 });
		const [run, minutes] = await held(async () => await collect(terms(150), MINUTE, {}, single));
		expect(run.error).toBe('');
		expect(idsOf(run.done)).toEqual(ids(150));
		const { create, download, status = 0, jobs = 0 } = callsOf(sandbox);
		expect([create, download]).toEqual([150, 150]);
		// Two list pages, and a status call for one job.
		expect(jobs + status).toBeLessThan(6);
		expect(minutes).toBeLessThan(1);
	});

	it('are asked one by one where the list cannot be read; the rest is downloaded at the deadline', async () => {
		sandbox.setOptions({ jobDurationMs: 500 });
		fail('list', { type: 'serverError' }, 'always');
		const [run, minutes] = await held(async () => await collect(terms(150), MINUTE, {}, single));
		expect(run.error).toBe('');
		expect(idsOf(run.done)).toEqual(ids(150));
		expect(callsOf(sandbox)).toMatchObject({ create: 150, download: 150 });
		// The last checks may take two minutes.
		expect(minutes).toBeLessThan(4);
	});

	it('are asked one by one where the list does not show them', async () => {
		sandbox.setOptions({ listLagMs: HOUR_MS });
		const run = await collect(terms(15), {}, {}, single);
		expect([run.error, idsOf(run.done)]).toEqual(['', ids(15)]);
	});

	it('sleep while they end: no round holds a worker for long', async () => {
		sandbox.setOptions({ jobDurationMs: 90_000 });
		const begun = await collectInLoop(terms(150), { waitMode: 'durable' }, {}, {}, single);
		expect(begun.isAsleep).toBe(true);
		time.pauses.length = 0;
		const round = await begun.byTimer();
		expect(round.isAsleep).toBe(true);
		expect(time.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(10_000);
		const over = await round.throughTimers();
		expect(idsOf(over.done).sort()).toEqual(ids(150).sort());
		expect(callsOf(sandbox)).toMatchObject({ create: 150, download: 150 });
	});

	it('that are over when a Wait behind asks hold its worker for moments', async () => {
		sandbox.setOptions({ jobDurationMs: 0 });
		const { done } = await collect(terms(150), { operation: 'create' }, {}, single);
		const named = done.map(({ job_id }, index) => ({ id: String(index), job_id }));
		const [run, minutes] = await held(async () => await wait(named, { waitMode: 'durable' }));
		expect(idsOf(run.done)).toEqual(ids(150));
		expect(minutes).toBeLessThan(1);
	});
});

describe('a service that takes no more jobs at the moment', () => {
	const limits: Array<[string, Parameters<typeof sandbox.setOptions>[0]]> = [
		['so many at a time, without a time', { maxOpenJobs: 20, jobDurationMs: 20_000 }],
		['so many at a time, with a time', { maxOpenJobs: 20, jobDurationMs: 20_000, retryAfter: 'seconds' }],
		['so many a minute', { createRateLimit: 30 }],
		['so many a minute, with a time', { createRateLimit: 30, retryAfter: 'date' }],
	];
	it.each(limits)('is waited for: %s', async (_name, options) => {
		sandbox.setOptions(options);
		const run = await collect(terms(80), { waitOptions: { maxWait: 30 } }, {}, single);
		expect([run.error, idsOf(run.done)]).toEqual(['', ids(80)]);
		expect(sandbox.jobs).toHaveLength(80);
		// Few are refused, because one tries while the others wait.
		expect(callsOf(sandbox).create).toBeLessThan(80 + 60);
	});

	const refusals: Array<[string, Fault]> = [
		['no time', { type: 'tooManyRequests' }],
		['0 seconds', { type: 'tooManyRequests', retryAfterSeconds: 0 }],
		['less than none', { type: 'tooManyRequests', retryAfterSeconds: -5 }],
		['years', { type: 'tooManyRequests', retryAfterSeconds: 1e9 }],
		['words that are documented', { type: 'refusal', reason: 'too many open jobs', status: 403 }],
	];
	it.each(refusals)('is tried again, rarer each time, with %s', async (_name, fault) => {
		fail('create', fault, 7);
		time.pauses.length = 0;
		const run = await collect(terms(3), {}, {}, single);
		expect([run.error, idsOf(run.done)]).toEqual(['', ids(3)]);
		expect(callsOf(sandbox).create).toBe(10);
		const pauses = time.pauses.slice(0, 7);
		expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
	});

	it('at the deadline gives the rows of the jobs that exist, and says in the others that nothing was sent', async () => {
		sandbox.setOptions({ maxOpenJobs: 4, jobDurationMs: 4 * MINUTE_MS });
		const run = await collect(terms(20), {}, {}, single);
		expect(run.error).toBe('');
		expect(idsOf(run.done)).toEqual(ids(20));
		const unsent = run.done.filter(({ found }) => found !== true);
		expect(unsent).toHaveLength(20 - sandbox.jobs.length);
		const reason =
			'not sent, nothing was paid: The service received too many requests ("too many open jobs")';
		expect(new Set(unsent.map((row) => row.reason))).toEqual(new Set([reason]));
		expect(run.hints.join()).toContain(
			`${unsent.length} values were not sent and cost nothing, because the service accepted no more jobs.`,
		);
	});

	it.each([
		// While it polls, the jobs that exist then get their own time.
		['for Max Wait', 'poll', 30, 30 + 30],
		['for ten minutes before the execution sleeps', 'durable', 60, 10],
		['for ten minutes before the execution sleeps', 'webhook', 60, 10],
	])('is tried again %s: %s', async (...[, waitMode, maxWait, most]) => {
		sandbox.setOptions({ maxOpenJobs: 4, jobDurationMs: 600 * MINUTE_MS });
		const [, minutes] = await held(
			async () => await collect(terms(6), { waitMode, waitOptions: { maxWait } }, {}, single),
		);
		expect(sandbox.jobs).toHaveLength(4);
		expect(minutes).toBeGreaterThan(most - 2);
		expect(minutes).toBeLessThan(most + 2);
	});

	it('from the first job on is an error, and one try later nothing is paid twice', async () => {
		fail('create', { type: 'tooManyRequests' }, 'always');
		const run = await collect(terms(3), {}, {}, single);
		expect(run.message).toBe('The service received too many requests');
		sandbox.faults.clear();
		const again = await run.retry();
		expect([idsOf(again.done), sandbox.jobs.length]).toEqual([ids(3), 3]);
	});

	it('that cannot be reached from the beginning is tried for moments only', async () => {
		const [down, minutes] = await held(
			async () => await collect(terms(3), {}, {}, { ...single, baseUrl: 'http://127.0.0.1:1' }),
		);
		expect(down.message).toBe('The service does not accept connections');
		expect(minutes).toBeLessThan(0.1);
	});
});

describe('what is said about many jobs', () => {
	/** The size of a run's error items when every second creation is refused. */
	async function sizeOfErrors(count: number): Promise<number> {
		const refused: Fault = { type: 'refusal', reason: 'value disabled', status: 400 };
		fail('create', refused, { nth: Array.from({ length: count / 2 }, (_, index) => 2 * index + 2) });
		const goesOn = { onError: 'continueErrorOutput' } as const;
		const run = await collect(terms(count), {}, goesOn, single);
		expect([run.done.length, run.failed.length]).toEqual([count / 2, count / 2]);
		return JSON.stringify(run.failed).length;
	}

	it('grows with them, not with their square', async () => {
		const small = await sizeOfErrors(20);
		sandbox.faults.clear();
		expect((await sizeOfErrors(80)) / small).toBeLessThan(4.5);
	});
});

describe('the last look', () => {
	const slept: INodeParameters = { waitOptions: { maxWait: 10, onDeadline: 'error' } };

	it('comes after the machine slept past the deadline', async () => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
		const wake = () => {
			if (sandbox.jobs.length === 0 || time.pauses.length < 4) return;
			time.listeners.delete(wake);
			time.skip(20 * MINUTE_MS);
		};
		time.pauses.length = 0;
		time.listeners.add(wake);
		const run = await collect(['kettle'], slept);
		time.listeners.delete(wake);
		expect([run.error, run.rows]).toEqual(['', ['a kettle true']]);
	});

	it('comes for each of many jobs', async () => {
		sandbox.setOptions({ jobDurationMs: 10 * MINUTE_MS - 30_000 });
		const run = await collect(terms(60), slept, {}, single);
		expect([run.error, idsOf(run.done)]).toEqual(['', ids(60)]);
	});
});

it('a silent service is given up soon where Request Timeout is short', async () => {
	fail('create', { type: 'noAnswer' }, 'always');
	fail('list', { type: 'noAnswer' }, 'always');
	const [run, minutes] = await held(
		async () => await collect(['kettle'], { options: { requestTimeout: 1 } }),
	);
	expect(run.message).toBe('The service did not answer in time');
	expect(minutes).toBeLessThan(1);
}, 60_000);
