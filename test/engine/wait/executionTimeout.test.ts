import type { INodeParameters } from 'n8n-workflow';

import {
	beside,
	callsOf,
	collecting,
	collectingInLoop,
	itemsOf,
	LEAVES,
	NAMED,
	toItself,
} from '../support/collecting';
import { useClockOfPauses, useCollecting, waiting } from '../support/collecting';
import { LOST } from '../support/core';
import { nodeType, type Scenario } from '../support/harness';
import { now, time } from '../support/virtualClock';
import { node } from '../support/workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { sandbox, collect, create, fail, idOf, play, wait } = useCollecting(
	{ manualClock: true },
	useClockOfPauses(),
);
// Later, so that no earlier test's budget counts.
beforeEach(() => time.skip(3 * HOUR_MS));

const KETTLE = ['a kettle true'];

/** The scenario with a node before it that takes eight minutes. */
function afterEightMinutes(base: Scenario): Scenario {
	const slow = nodeType('slow', async function () {
		time.skip(8 * MINUTE_MS);
		return [this.getInputData()];
	});
	return beside(base, [node('Slow', 'slow')], { Items: ['Slow'], Slow: ['Prices'] }, { slow });
}

describe('a workflow that n8n ends after twelve minutes, eight of which a node before has used', () => {
	/** Runs it until it ends or sleeps. */
	async function begun(parameters: INodeParameters = {}) {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const waitOptions = { ...LEAVES, maxWait: 30 };
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions, ...parameters });
		return await play({ ...afterEightMinutes(base), settings: { executionTimeout: 12 * 60 } });
	}

	it.each(['poll', 'webhook'])('gives its jobs out before that, and says so: %s', async (waitMode) => {
		const begin = now();
		const { running, hints } = await (await begun({ waitMode })).throughTimers();
		expect(running).toMatchObject([{ job_id: idOf(), still_running: true }]);
		const minutes = (now() - begin) / MINUTE_MS;
		expect(minutes).toBeLessThan(12);
		expect(minutes).toBeGreaterThan(8);
		if (waitMode === 'poll') expect(hints.join()).toContain('this node waits for at most 3 minutes');
	});

	it('gives out before that also a job whose results do not come, and says why', async () => {
		sandbox.setOptions({ statusLagMs: 15_000 });
		fail('download', { type: 'serverError' }, 'always');
		const begin = now();
		const scene = afterEightMinutes(collecting(sandbox, itemsOf('kettle'), {}));
		const { error } = await play({ ...scene, settings: { executionTimeout: 8 * 60 + 57 } });
		expect(error).toMatch(/^This execution has run out of time/);
		expect(error).toContain(idOf());
		expect((now() - begin) / 1_000).toBeLessThan(8 * 60 + 57);
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

describe('a workflow whose time a node before has used up', () => {
	const begun = async (parameters: INodeParameters) => {
		const base = collecting(
			sandbox,
			[{ ...itemsOf('kettle')[0], job_id: await create('kettle') }],
			parameters,
		);
		sandbox.clearRequests();
		return await play({ ...afterEightMinutes(base), settings: { executionTimeout: 5 * 60 } });
	};

	it.each<[string, INodeParameters]>([
		['collect', {}],
		['create', {}],
		['get', NAMED],
		['download', NAMED],
	])('sends nothing more, and says why: %s', async (operation, more) => {
		const { error, rows } = await begun({ operation, ...more });
		expect(error).toMatch(/^This execution has run out of time .+\(Timeout Workflow\)/);
		expect(error).not.toMatch(/Request Timeout|unclear/);
		expect([rows, sandbox.requests]).toEqual([[], []]);
	});

	it('gives out the jobs to wait for, and says why it does not wait', async () => {
		const { running, hints } = await begun({ operation: 'wait', ...NAMED, waitOptions: LEAVES });
		expect(running).toMatchObject([{ job_id: idOf(), still_running: true }]);
		expect(hints[0]).toContain('so this node does not wait. Raise that time to use all of Max Wait.');
		expect(sandbox.requests).toEqual([]);
	});
});

it('more jobs than can be looked at in time take turns over the rounds of a wait', async () => {
	sandbox.setOptions({ jobDurationMs: 30 * MINUTE_MS, statusRateLimit: 60 });
	const ids = Array.from({ length: 100 }, (_, index) => String(index));
	const jobOf = async (id: string) => ({ id, job_id: await create(`notfound ${id}`) });
	const input = await Promise.all(ids.map(jobOf));
	const { done } = await (
		await play(toItself(waiting(sandbox, input, { waitMode: 'durable' })))
	).throughTimers();
	expect(done.map(({ linked }) => String(linked)).sort()).toEqual(ids.sort());
});

describe('a service that asks for a pause of two hours', () => {
	const PAUSE = { type: 'tooManyRequests', retryAfterSeconds: 7200 } as const;

	it.each(['stillRunning', 'cancel', 'error'])(
		'at one look is asked again sooner, and the job is given out: at the deadline %s',
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
	it('yet is waited for after Create', async () => {
		sandbox.setOptions({ statusLagMs: 25_000 });
		const { done } = await collect(['kettle'], { operation: 'create' });
		const scene = toItself(waiting(sandbox, [{ id: 'a', job_id: done[0]?.job_id ?? '' }], { waitMode }));
		expect((await (await play(scene)).throughTimers()).rows).toEqual(KETTLE);
	});

	it('any more is given up', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		const nth = Array.from({ length: 500 }, (_, index) => 6 + index);
		fail('status', { type: 'refusal', reason: 'job not found', status: 404 }, { nth });
		const begin = now();
		const parked = await play(collectingInLoop(sandbox, itemsOf('kettle'), { waitMode }));
		expect((await parked.throughTimers()).error).toContain('The service does not know this job');
		expect(now() - begin).toBeLessThan(10 * MINUTE_MS);
	});
});
