import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import { callsOf, collecting, itemsOf, Outcome, useCollecting } from './collecting';
import { createJob, LOST, NEVER_SENT, reply } from './core';
import { useDedupeStore } from './dedupeStore';
import { ODD_READS, refusal } from './odd';
import { retryAfterKill } from './resume';
import { startWorkflow, until } from './harness';
import { now, time } from './virtualClock';

/** One odd reply is no proof: each of these comes once, where it must not end, pay for or lose anything. */
const PAGE = reply('<html><body>Not found</body></html>', 404, { 'content-type': 'text/html' });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GOES_ON: Partial<INode> = { onError: 'continueRegularOutput' };
const TWO_TRIES: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 2 };
const single: INodeParameters = { options: { maxValuesPerJob: 1 } };
const BOTH = ['a kettle true', 'b mug true'];

useDedupeStore();
const { sandbox, collect, collectInLoop, creations, fail, finish, idOf, play } = useCollecting();
afterEach(() => {
	time.isStopped = false;
});

describe.each(Object.entries(ODD_READS))('once %s', (_name, odd) => {
	it.each(['status', 'download'] as const)(
		'to the %s ends no polling wait and loses no row',
		async (where) => {
			fail(where, odd);
			const { rows, error, failed } = await collect(['kettle', 'mug'], single, GOES_ON);
			expect([rows, error, failed]).toEqual([BOTH, '', []]);
			expect(creations()).toBe(2);
		},
	);

	it.each(['durable', 'webhook'])(
		'to the status of one of two jobs ends no run that sleeps: %s',
		async (waitMode) => {
			sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS, webhookDelayMs: 2 ** 30 });
			const run = await collectInLoop(['kettle', 'mug'], { waitMode, ...single });
			fail('status', odd);
			const { rows, error } = await run.throughTimers();
			expect([rows.sort(), error]).toEqual([BOTH, '']);
			expect(creations()).toBe(2);
		},
	);

	it('to the download of a failed job does not lose the results that it still has', async () => {
		sandbox.setOptions({ jobEnd: 'failed', endedDownload: 'serve' });
		fail('download', odd);
		expect((await collect(['kettle'])).rows).toEqual(['a kettle true']);
	});
});

describe('a run that another execution called its job back for', () => {
	it('gives its own job out, whose callback came while it polled for the other one', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
		fail('create', refusal('not enough free credits', 402), { nth: 2 });
		const parameters = { waitMode: 'webhook', options: { grouping: 'perItem' } };
		const failed = await collect(['kettle', 'mug'], parameters);
		const end = time.skipped + 5 * MINUTE_MS;
		const endThem = () => sandbox.jobs.length === 2 && time.skipped > end && finish(0, 1);
		time.listeners.add(endThem);
		const { rows, isAsleep } = await failed.retry();
		time.listeners.delete(endThem);
		expect([rows, isAsleep]).toEqual([BOTH, false]);
	});
});

describe('a denial that the service repeats', () => {
	const endedAfter = async (fault: Fault) => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		fail('status', fault, 'always');
		const start = now();
		const { error } = await collect(['kettle']);
		return { error, took: (now() - start) / 1000 };
	};

	it.each<[string, Fault, string]>([
		[
			'that it does not know the job',
			refusal('job not found', 404),
			'The service does not know this job',
		],
		['that the key has no access', refusal('job forbidden', 403), 'The key has no access to this'],
		[
			'that it does not accept the key',
			refusal('unauthorized', 401),
			'The service did not accept the key',
		],
	])('in its own words ends the wait after half a minute: %s', async (_name, fault, message) => {
		const { error, took } = await endedAfter(fault);
		expect(error).toContain(message);
		expect(took).toBeGreaterThan(30);
		expect(took).toBeLessThan(90);
	});

	it('without words does not: at the deadline the last answer is named', async () => {
		const { error, took } = await endedAfter(PAGE);
		expect([error, Math.round(took / 60)]).toEqual(['', 10]);
		sandbox.faults.clear();
		fail('status', PAGE, 'always');
		const { running } = await collect(['mug']);
		expect(running).toMatchObject([
			{
				still_running: true,
				note: expect.stringContaining('Nothing was found at this address') as string,
			},
		]);
	});

	it('of one job ends nothing for the others: the node fails when they are over', async () => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
		const start = now();
		const run = await collectInLoop(['kettle', 'mug'], single);
		fail({ pathPattern: `/jobs/${idOf(0)}$` }, refusal('job not found', 404), 'always');
		const { error } = await run.throughTimers();
		expect(now() - start).toBeGreaterThan(5 * MINUTE_MS);
		expect(error).toContain('The service does not know this job');
		expect(error).toContain(`Jobs of this run: ${idOf(1)}. Nothing is lost`);
		expect(error).toContain(`Job without results: ${idOf(0)}.`);
	});
});

describe('a run whose beginning is unknown, or more than a day ago', () => {
	const shows = () => sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
	const retry = async (startedAt?: number) => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		await play(scene);
		time.skip(10 * MINUTE_MS);
		const run = await retryAfterKill(scene, '43', startedAt, 'without its event log');
		return new Outcome(sandbox, scene, run);
	};

	it.each([undefined, 25])(
		'looks into the list, and names what may be its job: %j hours',
		async (hours) => {
			shows();
			const { error, done } = await retry(hours && now() - hours * HOUR_MS);
			expect(error).toContain(`may be this one: ${idOf()}.`);
			expect([done, creations()]).toEqual([[], 1]);
		},
	);

	it('takes no equal job of twenty hours ago for its own', async () => {
		shows();
		const twin = await createJob(sandbox, { value: 'kettle' });
		sandbox.clearRequests();
		time.skip(20 * HOUR_MS);
		const { error, done } = await retry(now() - 25 * HOUR_MS);
		expect(error).toContain(twin);
		expect([done, creations()]).toEqual([[], 1]);
	});
});

describe('a list', () => {
	it('proves a job absent by two readings, half a minute apart', async () => {
		fail('create', NEVER_SENT);
		const start = now();
		expect((await collect(['kettle'], {}, TWO_TRIES)).rows).toEqual(['a kettle true']);
		// Half a minute until it must have entered the list, and half a minute between the readings.
		expect(now() - start).toBeGreaterThan(60_000);
		expect(callsOf(sandbox)).toMatchObject({ create: 2, jobs: 5 });
	});

	it('that lacks the job at the first of them does not', async () => {
		sandbox.setOptions({ listFields: ['order', 'values', 'times'], listLagMs: 50_000 });
		fail('create', LOST);
		const { rows } = await collect(['kettle'], {}, TWO_TRIES);
		expect([rows, creations()]).toEqual([['a kettle true'], 1]);
	});
});

describe('Stop', () => {
	it.each([1_500, 4_000])(
		'is heard while a lost reply is looked for: in the pause after that of %i ms',
		async (before) => {
			fail('create', NEVER_SENT);
			// From there on a pause ends by the signal alone, so that one without it would never end.
			const freeze = (milliseconds: number) => {
				time.isStopped ||= milliseconds === before;
			};
			time.listeners.add(freeze);
			const { run, cancel } = await startWorkflow(
				collecting(sandbox, itemsOf('kettle'), {}, TWO_TRIES),
			);
			await until(() => time.isStopped && time.pauses.at(-1) !== before);
			cancel();
			const { status } = await run;
			time.listeners.delete(freeze);
			expect(status).toBe('canceled');
		},
	);
});

describe('a cancellation at the deadline', () => {
	const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
	const running = () => sandbox.setOptions({ jobDurationMs: HOUR_MS });

	it('that is refused offers no results of a job that was cancelled before', async () => {
		running();
		fail('cancel', refusal('not now', 403), { nth: 2 });
		const { error } = await collect(['kettle', 'mug'], { ...single, waitOptions });
		expect(error).toContain(`Jobs of this run: ${idOf(1)}. Nothing is lost`);
		expect(error).toContain(`Job without results: ${idOf(0)}.`);
	});

	it('that says the job is over, while its status says that it runs, is no end', async () => {
		running();
		fail(
			'cancel',
			reply({ success: false, reason: 'Job is already finished or canceled' }, 409),
			'always',
		);
		const { error, done } = await collect(['kettle'], { waitOptions });
		expect(done).toEqual([]);
		expect(error).toContain(`The status of job ${idOf()} is still "new", so it may run on`);
		expect(error).not.toContain('already over');
	});
});

it('a result that comes twice is one row', async () => {
	const jobId = await createJob(sandbox, { value: 'kettle' });
	finish(0);
	const result = { query: { value: 'kettle' }, success: true, content: { name: 'Kettle' } };
	const results: IDataObject[] = [result, structuredClone(result)];
	for (const operation of ['wait', 'download']) {
		fail('download', reply({ job_id: jobId, status: 'finished', requested: 1, results }));
		const scene = collecting(sandbox, [{ id: 'a' }], {
			operation,
			jobId: { __rl: true, mode: 'id', value: jobId },
		});
		const { rows, hints, error } = await play(scene);
		expect([error, rows]).toEqual(['', ['a kettle true']]);
		expect(hints.join()).toContain('1 job, 1 value: 1 found, 0 not found, 0 failed.');
	}
});

it('a run with more jobs than its time has status calls gives them out before n8n ends it', async () => {
	sandbox.setOptions({ jobDurationMs: HOUR_MS, statusRateLimit: 60 });
	time.skipped = 0;
	const terms = Array.from({ length: 300 }, (_, index) => `term ${index}`);
	const scene = collecting(sandbox, itemsOf(...terms), { ...single, waitOptions: { maxWait: 60 } });
	const start = now();
	const { running, error } = await play({ ...scene, settings: { executionTimeout: 240 } });
	expect([running.length, error]).toEqual([300, '']);
	expect(now() - start).toBeLessThan(240_000);
});
