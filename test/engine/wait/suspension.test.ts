import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { reply } from '../support/core';
import { beside, callsOf, collecting, itemsOf, LEAVES, toItself } from '../support/collecting';
import { useCollecting, waiting, waitNode } from '../support/collecting';
import { nodeType, rounds, startWorkflow } from '../support/harness';
import { asleepFor } from '../support/resume';
import { locator, valuesPerJob } from '../support/common';
import { now, time } from '../support/virtualClock';
import { node } from '../support/workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { sandbox, collect, collectInLoop, fail, finish, idOf, play } = useCollecting({
	jobDurationMs: 1000 * HOUR_MS,
	webhookDelayMs: 2 ** 30,
});

const terms = (count: number) => Array.from({ length: count }, (_, index) => `term ${index}`);
const single = valuesPerJob(1);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('many jobs whose callbacks wake the run', () => {
	it('do not leave before the last of them is over, however many are', async () => {
		let run = await collect(terms(25), { waitMode: 'webhook' }, {}, single);
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
			let run = await collectInLoop(terms(40), { waitMode }, {}, {}, single);
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
	/** A Wait in a loop for two jobs, by tickets with these ages and deadlines in minutes; the field Job is ignored. */
	async function waitByTickets(times: Array<{ age: number; deadline: number }>, more: INodeParameters) {
		const { done } = await collect(['kettle', 'mug'], { operation: 'create' }, {}, single);
		const start = now();
		const input = times.map(({ age, deadline }, index) => ({
			...{ id: 'ab'[index], job_id: done[index]?.job_id, still_running: true, status: 'new' },
			deadline: new Date(start + deadline * MINUTE_MS).toISOString(),
			ticket: { version: 1, since: start - age * MINUTE_MS, timedOutNodes: [] },
		})) as IDataObject[];
		const parameters = { jobId: locator('id', 'ignored'), waitMode: 'durable', ...more };
		return { start, run: await play(toItself(waiting(sandbox, input, parameters))) };
	}

	it('looks as often as the youngest job needs', async () => {
		const times = [8 * 60, 0].map((age) => ({ age, deadline: 24 * 60 }));
		const { run } = await waitByTickets(times, {});
		expect(asleepFor(run.run) / 1_000).toBeLessThan(70);
	});

	it('cancels each job at its own deadline', async () => {
		const times = [300, 10].map((deadline) => ({ age: 0, deadline }));
		// The interval is longer than either job has left, so the deadlines count.
		const waitOptions = { onDeadline: 'cancel', pollInterval: 10 * 3600 };
		const { start, run } = await waitByTickets(times, { output: 'status', waitOptions });
		await run.throughTimers();
		for (const [index, { status, endedAt }] of sandbox.jobs.entries()) {
			const late = (Number(endedAt) - start) / MINUTE_MS - (times[index]?.deadline ?? 0);
			expect([status, Math.floor(late / 2.5)]).toEqual(['cancelled', 0]);
		}
	});

	it('ends at its deadline for a job that the node before has given up', async () => {
		const parameters = { waitMode: 'poll', waitOptions: { ...LEAVES, maxWait: 1 } };
		const begun = await collectInLoop(['kettle'], parameters, {
			waitOptions: { onDeadline: 'error', maxWait: 60 },
		});
		const start = now();
		const { error } = await begun.throughTimers();
		expect(error).toContain('is still running');
		expect(Math.round((now() - start) / HOUR_MS)).toBe(1);
	});

	it('ends where two nodes hand jobs to each other', async () => {
		const waitOptions = { ...LEAVES, maxWait: 1 };
		const nodes = ['One', 'Two'].map((name) => waitNode(name, { waitOptions }));
		const wires = { Prices: ['Done', 'One'], One: ['Done', 'Two'], Two: ['Done', 'One'] };
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions });
		const { run, error } = await play(beside(base, nodes, wires));
		expect(error).toContain('is still running');
		expect([rounds(run, 'One'), rounds(run, 'Two')]).toEqual([2, 1]);
	});
});

describe('the end of a wait', () => {
	it('cancels nothing where the status of another job answers that nobody may ask for it', async () => {
		const forbid = () => {
			if (sandbox.jobs.length < 2) return;
			time.listeners.delete(forbid);
			const fault = { type: 'refusal', reason: 'job forbidden', status: 403 } as const;
			fail({ pathPattern: `/jobs/${idOf(1)}$` }, fault, 'always');
		};
		time.listeners.add(forbid);
		const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
		const { error } = await collect(['kettle', 'mug'], { waitOptions }, {}, single);
		expect(error).toContain('The key has no access to this');
		expect(error).toContain(`Jobs of this run: ${idOf(0)}. Nothing is lost`);
		expect(error).toContain(`Job without results: ${idOf(1)}.`);
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});

	it('says where a cancellation that was accepted does not show', async () => {
		fail('cancel', reply({ success: true }), 'always');
		const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
		const { hints, done } = await collect(['kettle'], { waitOptions });
		expect(hints.join()).toContain(
			`The service accepted the cancellation of job ${idOf()}, but its status does not show it yet.`,
		);
		// The row names the job, because it may still finish and cost credits.
		const reason = `the cancellation of job ${idOf()} was accepted, but its status does not show it yet`;
		expect(done).toMatchObject([{ value: 'kettle', success: false, found: false, reason }]);
	});

	it('ends what On Stop: Cancel is for: a job that has left the node runs on', async () => {
		const base = collecting(sandbox, itemsOf('kettle'), {
			waitOptions: { ...LEAVES, maxWait: 0, onStop: 'cancel' },
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
