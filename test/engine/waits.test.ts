import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { reply } from './core';
import { beside, callsOf, collecting, itemsOf, toItself } from './collecting';
import { useCollecting, waiting, waitNode } from './collecting';
import { nodeType, rounds, startWorkflow } from './harness';
import { asleepFor } from './resume';
import { locator } from './support';
import { now, time } from './virtualClock';
import { node } from './workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { sandbox, collect, collectInLoop, fail, finish, idOf, play } = useCollecting({
	jobDurationMs: 1000 * HOUR_MS,
	webhookDelayMs: 2 ** 30,
});

const terms = (count: number) => Array.from({ length: count }, (_, index) => `term ${index}`);
const single: INodeParameters = { options: { maxValuesPerJob: 1 } };
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('many jobs whose callbacks wake the run', () => {
	it('do not leave before the last of them is over, however many are', async () => {
		let run = await collect(terms(25), { waitMode: 'webhook', ...single });
		finish(...range(4, 25));
		run = await run.callBack(24);
		expect([run.isAsleep, run.done, run.running]).toEqual([true, [], []]);
		finish(...range(0, 4));
		run = await run.callBack(0);
		expect(run.isAsleep).toBe(false);
		expect(run.done.map(({ linked }) => linked)).toEqual(itemsOf(...terms(25)).map(({ id }) => id));
	});

	it.each(['poll', 'durable', 'webhook'])(
		'are given out completely where 40 end within a minute and 60 status calls a minute are allowed: %s',
		async (waitMode) => {
			sandbox.setOptions({ statusRateLimit: 60 });
			const endThem = () => sandbox.jobs.length === 40 && finish(...range(0, 40));
			if (waitMode === 'poll') time.listeners.add(endThem);
			let run = await collectInLoop(terms(40), { waitMode, ...single });
			time.listeners.delete(endThem);
			expect(run.isAsleep).toBe(waitMode !== 'poll');
			endThem();
			for (let index = 0; waitMode === 'webhook' && index < 40 && run.isAsleep; index++) {
				time.skip(1_400);
				run = await run.callBack(index);
			}
			run = await run.throughTimers();
			expect(run.error).toBe('');
			const all = itemsOf(...terms(40)).map(({ id }) => String(id));
			expect(run.done.map(({ linked }) => String(linked)).sort()).toEqual(all.sort());
			expect(callsOf(sandbox)).toMatchObject({ create: 40, download: 40 });
		},
	);
});

describe('the loop of a durable wait', () => {
	it('goes by the job of the ticket, whatever the field Job says of it', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		await collect(['kettle'], { operation: 'create' });
		const jobId = locator('id', '={{ $json.priceJob }}');
		const input = [{ id: 'a', priceJob: idOf() }];
		const scene = waiting(
			sandbox,
			input,
			{ jobId, waitMode: 'durable' },
			{ onError: 'continueErrorOutput' },
		);
		const { run, rows, failed } = await (await play(toItself(scene))).throughTimers();
		expect(rounds(run, 'Prices')).toBeGreaterThan(2);
		expect([rows, failed]).toEqual([['a kettle true'], []]);
	});

	it('looks as often as the youngest job needs', async () => {
		const created = await collect(['kettle', 'mug'], { operation: 'create', ...single });
		const ages = [8 * HOUR_MS, 0];
		const input = created.done.map(({ job_id }, index) => ({
			...{ id: 'ab'[index], job_id, still_running: true, status: 'new' },
			deadline: new Date(now() + 24 * HOUR_MS).toISOString(),
			ticket: { version: 1, since: now() - (ages[index] ?? 0), givenUpBy: [] },
		})) as IDataObject[];
		const parameters = { jobId: locator('id', 'ignored'), waitMode: 'durable' };
		const { run } = await play(toItself(waiting(sandbox, input, parameters)));
		expect(asleepFor(run) / 1_000).toBeLessThan(70);
	});

	it('cancels each job at its own deadline', async () => {
		const created = await collect(['kettle', 'mug'], { operation: 'create', ...single });
		const start = now();
		const deadlines = [300, 10];
		const input = created.done.map(({ job_id }, index) => ({
			...{ id: 'ab'[index], job_id, still_running: true, status: 'new' },
			deadline: new Date(start + (deadlines[index] ?? 0) * MINUTE_MS).toISOString(),
			ticket: { version: 1, since: start, givenUpBy: [] },
		})) as IDataObject[];
		// The interval is longer than either of them has left: the deadlines count.
		const waitOptions = { onDeadline: 'cancel', pollInterval: 10 * 3600 };
		const parameters = {
			jobId: locator('id', 'ignored'),
			waitMode: 'durable',
			output: 'status',
			waitOptions,
		};
		await (await play(toItself(waiting(sandbox, input, parameters)))).throughTimers();
		for (const [index, { status, endedAt }] of sandbox.jobs.entries()) {
			const late = (Number(endedAt) - start) / MINUTE_MS - (deadlines[index] ?? 0);
			expect([status, Math.floor(late / 2.5)]).toEqual(['cancelled', 0]);
		}
	});

	it('ends where two nodes hand jobs to each other', async () => {
		const waitOptions = { maxWait: 1 };
		const nodes = ['One', 'Two'].map((name) => waitNode(name, { waitOptions }));
		const wires = { Prices: ['Done', 'One'], One: ['Done', 'Two'], Two: ['Done', 'One'] };
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions });
		const { run, error } = await play(beside(base, nodes, wires));
		expect(error).toContain('at the deadline');
		expect([rounds(run, 'One'), rounds(run, 'Two')]).toEqual([2, 1]);
	});
});

describe('a job that the service does not know', () => {
	it('is given up after that, by its name', async () => {
		sandbox.setOptions({ statusLagMs: 2 * HOUR_MS });
		const start = now();
		const { error } = await collect(['kettle']);
		expect(error).toContain('The service does not know this job');
		expect(error).toContain(`Job without results: ${idOf(0)}.`);
		expect(now() - start).toBeGreaterThan(30_000);
		expect(now() - start).toBeLessThan(70_000);
	});
});

describe('the end of a wait', () => {
	it('cancels nothing where the status of another job answers that nobody may ask for it', async () => {
		const forbid = () => {
			if (sandbox.jobs.length < 2) return;
			time.listeners.delete(forbid);
			const fault = { type: 'refusal', reason: 'forbidden', status: 403 } as const;
			fail({ pathPattern: `/jobs/${idOf(1)}$` }, fault, 'always');
		};
		time.listeners.add(forbid);
		const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
		const { error } = await collect(['kettle', 'mug'], { ...single, waitOptions });
		expect(error).toContain('The key has no access to this');
		expect(error).toContain(`Jobs of this run: ${idOf(0)}. Nothing is lost`);
		expect(error).toContain(`Job without results: ${idOf(1)}.`);
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});

	it('cancels nothing where a failed result of another job stops the node', async () => {
		const end = () => {
			if (sandbox.jobs.length < 2) return;
			time.listeners.delete(end);
			finish(0);
		};
		time.listeners.add(end);
		const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
		const options = { maxValuesPerJob: 1, onFailedResult: 'error' };
		const { error } = await collect(['fail-x', 'mug'], { options, waitOptions });
		expect(error).toContain('fail-x');
		expect(error).toContain(`Jobs of this run: ${idOf(0)}, ${idOf(1)}.`);
		expect(callsOf(sandbox)).toMatchObject({ create: 2, download: 1 });
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});

	it('says where a cancellation that was accepted does not show', async () => {
		fail('cancel', reply({ success: true }), 'always');
		const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
		const how = { onError: 'continueRegularOutput' } as const;
		const { hints } = await collect(['kettle'], { waitOptions }, how);
		expect(hints.join()).toContain(
			`The service accepted the cancellation of job ${idOf()}, but its status does not show it yet.`,
		);
		// The job may still finish, and cost what it costs.
		const { error } = await collect(['mug'], { waitOptions });
		expect(error).toContain(`Job: ${idOf(1)}. Nothing is lost: Wait and Download get the results`);
	});

	it('comes before the workflow settings end the execution', async () => {
		// n8n notes when its nodes began by the clock of the machine.
		time.skipped = 0;
		const scene = collecting(sandbox, itemsOf('kettle'), { waitMode: 'webhook' });
		const { run, hints } = await play({ ...scene, settings: { executionTimeout: 600 } });
		expect(Math.round(asleepFor(run) / MINUTE_MS)).toBe(8);
		expect(hints.join()).toContain('this node waits for at most 8 minutes');
	});

	it('ends what On Stop: Cancel is for: a job that has left the node runs on', async () => {
		const base = collecting(sandbox, itemsOf('kettle'), {
			waitOptions: { maxWait: 0, onStop: 'cancel' },
		});
		let stop = () => {};
		const slow = nodeType('slow', async function () {
			stop();
			for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
			return [this.getInputData()];
		});
		const scene = beside(base, [node('Slow', 'slow')], { Prices: ['Done', 'Slow'] }, { slow });
		const { run, cancel } = await startWorkflow(scene);
		stop = () => void cancel();
		expect((await run).status).toBe('canceled');
		expect(sandbox.jobs).toHaveLength(1);
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});
});
