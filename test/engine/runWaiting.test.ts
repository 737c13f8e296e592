import type { INodeParameters } from 'n8n-workflow';

import { beside, callsOf, collecting, collectingInLoop, itemsOf, toItself } from './collecting';
import { useClockOfPauses, useCollecting, waiting } from './collecting';
import { LOST } from './core';
import { nodeType } from './harness';
import { now, time } from './virtualClock';
import { node } from './workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { sandbox, collect, create, fail, idOf, play, wait } = useCollecting(
	{ manualClock: true },
	useClockOfPauses(),
);
// Later: no budget of an earlier test counts.
beforeEach(() => time.skip(3 * HOUR_MS));

const RUNNING = () => [{ job_id: idOf(), still_running: true }];
const KETTLE = ['a kettle true'];

describe('a workflow that n8n ends after twelve minutes, eight of which a node before has used', () => {
	/** Runs it until it ends or sleeps. */
	async function begun(parameters: INodeParameters = {}) {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const slow = nodeType('slow', async function () {
			time.skip(8 * MINUTE_MS);
			return [this.getInputData()];
		});
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 30 }, ...parameters });
		const scene = beside(base, [node('Slow', 'slow')], { Items: ['Slow'], Slow: ['Prices'] }, { slow });
		return await play({ ...scene, settings: { executionTimeout: 12 * 60 } });
	}

	/** Runs it, and gives how many minutes that took. */
	async function minutesOf(parameters?: INodeParameters) {
		const begin = now();
		const { running, hints } = await (await begun(parameters)).throughTimers();
		expect(running).toMatchObject(RUNNING());
		return { minutes: (now() - begin) / MINUTE_MS, hints };
	}

	it.each(['poll', 'webhook'])('gives its jobs out before that, and says so: %s', async (waitMode) => {
		const { minutes, hints } = await minutesOf({ waitMode });
		expect(minutes).toBeLessThan(12);
		expect(minutes).toBeGreaterThan(8);
		if (waitMode === 'poll') expect(hints.join()).toContain('this node waits for at most 3 minutes');
	});

	it('does so where creating the job took a while as well', async () => {
		fail('create', { type: 'tooManyRequests', retryAfterSeconds: 100 });
		expect((await minutesOf()).minutes).toBeLessThan(12);
	});

	it('says that a job may exist where the job list is not to be had until then', async () => {
		fail('create', LOST);
		fail('list', { type: 'tooManyRequests', retryAfterSeconds: 100 }, 'always');
		const begin = now();
		const { error } = await begun();
		expect(error).toContain('It is unclear whether the request took effect');
		expect(error).toContain('The job list could not be read to find out');
		expect((now() - begin) / MINUTE_MS).toBeLessThan(12);
	});
});

describe('more jobs than can be looked at in time', () => {
	const jobs = async (count: number) =>
		await Promise.all(
			Array.from({ length: count }, async (_, index) => ({
				...{ id: `${index}`, job_id: await create(`notfound ${index}`) },
			})),
		);

	it('do not hold the node past their deadline for longer than two minutes in all', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, statusRateLimit: 60 });
		const input = await jobs(200);
		const begin = now();
		expect((await wait(input, { waitOptions: { maxWait: 0 } })).running).toHaveLength(200);
		expect((now() - begin) / 1000).toBeLessThan(130);
	});

	it('take turns over the rounds of a wait', async () => {
		sandbox.setOptions({ jobDurationMs: 30 * MINUTE_MS, statusRateLimit: 60 });
		const scene = toItself(waiting(sandbox, await jobs(100), { waitMode: 'durable' }));
		const { done } = await (await play(scene)).throughTimers();
		expect(new Set(done.map(({ linked }) => linked)).size).toBe(100);
	});
});

describe('a service that asks for a pause of two hours', () => {
	const PAUSE = { type: 'tooManyRequests', retryAfterSeconds: 7200 } as const;

	it.each(['stillRunning', 'cancel', 'error'])(
		'at one look is asked again sooner, and the job is given out: On Deadline %s',
		async (onDeadline) => {
			fail('status', PAUSE, { nth: 1 });
			expect((await collect(['kettle'], { waitOptions: { onDeadline } })).rows).toEqual(KETTLE);
			expect(callsOf(sandbox).cancel).toBeUndefined();
		},
	);

	it('does not silence the other nodes of the process', async () => {
		fail('status', PAUSE, { nth: 1 });
		await collect(['kettle'], { waitOptions: { maxWait: 1 } });
		time.skip(2 * MINUTE_MS);
		const { done } = await wait([{ job_id: idOf() }], { operation: 'get' });
		expect(done).toMatchObject([{ job_id: idOf(), status: 'finished' }]);
	});
});

describe.each(['poll', 'durable'])('a job that the service does not know, %s', (waitMode) => {
	const unknown = (nth: number[]) =>
		fail('status', { type: 'refusal', reason: 'job not found', status: 404 }, { nth });

	it('yet is waited for after Create', async () => {
		sandbox.setOptions({ statusLagMs: 25_000 });
		const { done } = await collect(['kettle'], { operation: 'create' });
		const scene = toItself(waiting(sandbox, [{ id: 'a', job_id: done[0]?.job_id ?? '' }], { waitMode }));
		expect((await (await play(scene)).throughTimers()).rows).toEqual(KETTLE);
	});

	it('for a moment, minutes after it was seen, runs on', async () => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
		unknown([6]);
		const parked = await play(collectingInLoop(sandbox, itemsOf('kettle'), { waitMode }));
		expect((await parked.throughTimers()).rows).toEqual(KETTLE);
	});

	it('any more is given up', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		unknown(Array.from({ length: 500 }, (_, index) => 6 + index));
		const begin = now();
		const parked = await play(collectingInLoop(sandbox, itemsOf('kettle'), { waitMode }));
		expect((await parked.throughTimers()).error).toContain('The service does not know this job');
		expect(now() - begin).toBeLessThan(10 * MINUTE_MS);
	});
});

describe('Still Running wired to a disabled node', () => {
	const disabled = (parameters: INodeParameters) => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const base = collectingInLoop(sandbox, itemsOf('kettle'), parameters);
		const nodes = base.nodes.map((one) => (one.name === 'Wait' ? { ...one, disabled: true } : one));
		return { ...base, nodes };
	};

	it.each(['poll', 'durable'])(
		'counts as wired to nothing: the node fails and names the job, %s',
		async (waitMode) => {
			const { error, done } = await play(disabled({ waitMode, waitOptions: { maxWait: 1 } }));
			expect(error).toMatch(
				new RegExp(
					`^Job ${idOf()} was still .*, and nothing is connected to the output Still Running`,
				),
			);
			expect(done).toEqual([]);
		},
	);
});
