import type { IRun } from 'n8n-workflow';

import { callsOf, collecting, collectingInLoop, itemsOf, useSandboxInTime, THROWING } from './collecting';
import { errorOf, hints, items, outputItems, rounds, runWorkflow } from './harness';
import type { Scenario } from './harness';
import { resumeByTimer } from './resume';
import { time } from './virtualClock';

const sandbox = useSandboxInTime();

/** Lets the timers of a suspended run pass until it ends, and tells how many there were. */
async function throughTimers(scene: Scenario, first: IRun): Promise<{ run: IRun; timers: number }> {
	let run = first;
	let timers = 0;
	while (run.data.waitTill !== undefined && timers < 50) {
		const due = new Date(run.data.waitTill).getTime() - Date.now() - time.skipped;
		expect(due).toBeGreaterThan(64_000);
		time.skip(due);
		timers++;
		run = await resumeByTimer(scene, run);
	}
	return { run, timers };
}

const HOUR_MS = 3_600_000;
const ITEMS = itemsOf('kettle', 'mug\nkettle', 'notfound-x', 'kettle');
const ROWS = ['a kettle true', 'b mug true', 'b kettle true', 'c notfound-x false', 'd kettle true'];

const doneRows = (run: IRun) =>
	items(run, 'Done').map(({ linked, value, found }) => `${linked} ${value} ${found}`);

describe('collect suspended on a timer', () => {
	it('suspends after a few looks, with the jobs on the second output', async () => {
		const run = await runWorkflow(collectingInLoop(sandbox, ITEMS));
		expect(run.data.waitTill).toBeInstanceOf(Date);
		expect(items(run, 'Prices', 1)).toMatchObject([{ still_running: true, status: 'working' }]);
		const { create, status } = callsOf(sandbox);
		expect(create).toBe(1);
		expect(status).toBeLessThanOrEqual(5);
	});

	it('does not suspend for jobs that end at once', async () => {
		sandbox.setOptions({ jobDurationMs: 1_000 });
		const run = await runWorkflow(collectingInLoop(sandbox, ITEMS));
		expect(run.data.waitTill).toBeUndefined();
		expect(doneRows(run)).toEqual(ROWS);
	});

	it('finishes a job that outlives five timers, every row linked to its item', async () => {
		sandbox.setOptions({ jobDurationMs: 330_000 });
		const scene = collectingInLoop(sandbox, ITEMS);
		const { run, timers } = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)).toBeUndefined();
		expect(timers).toBe(6);
		expect(rounds(run, 'Wait')).toBe(6);
		expect(doneRows(run)).toEqual(ROWS);
		const { create, status, download } = callsOf(sandbox);
		expect([create, download]).toEqual([1, 1]);
		// A few before the first suspension, then one in each round.
		expect(status).toBeLessThanOrEqual(5 + 6);
	});

	it('gives out a job that is over although others are not, every row linked', async () => {
		sandbox.setOptions({ jobDurationMs: 400_000 });
		const scene = collectingInLoop(sandbox, ITEMS, { options: { maxValuesPerJob: 1 } });
		const first = await runWorkflow(scene);
		sandbox.finishJob(sandbox.jobs[1]?.job_id ?? '');
		const { run } = await throughTimers(scene, first);
		const given = [0, 1].map((round) =>
			items(run, 'Done', 0, round).map(({ linked, value }) => `${linked} ${value}`),
		);
		// Which of the branches behind a node goes first is a matter of the canvas.
		expect(given.sort((a, b) => a.length - b.length)).toEqual([
			['b mug'],
			['a kettle', 'b kettle', 'd kettle', 'c notfound-x'],
		]);
		expect(callsOf(sandbox).download).toBe(3);
	});

	it.each(['job', 'status', 'entries'])('links the output %s to all that asked', async (output) => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const scene = collectingInLoop(sandbox, itemsOf('kettle', 'mug'), {
			output,
			options: { maxValuesPerJob: 1 },
		});
		const { run } = await throughTimers(scene, await runWorkflow(scene));
		const linked = items(run, 'Done').map((item) => item.linked);
		expect([...new Set(linked)]).toEqual(['a', 'b']);
	});

	it('ends the loop with an error when the deadline passes', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS });
		const scene = collectingInLoop(sandbox, ITEMS, { waitOptions: { maxWait: 10 } });
		const { run, timers } = await throughTimers(scene, await runWorkflow(scene));
		const [job] = sandbox.jobs;
		expect(errorOf(run)?.message).toBe(`Job ${job?.job_id} was still ${job?.status} at the deadline`);
		expect(timers).toBeGreaterThan(5);
		expect(timers).toBeLessThan(12);
	});

	it('cancels at the deadline where the Wait node says so', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS });
		const scene = collectingInLoop(
			sandbox,
			ITEMS,
			{ waitOptions: { maxWait: 5 } },
			{ waitOptions: { onDeadline: 'cancel' } },
		);
		const { run } = await throughTimers(scene, await runWorkflow(scene));
		expect(sandbox.jobs[0]?.status).toBe('cancelled');
		expect(items(run, 'Done')).toMatchObject([{ status: 'cancelled', cancel_confirmed: true }]);
		expect(outputItems(run, 'Wait', 0, rounds(run, 'Wait') - 1)[0]?.pairedItem).toHaveLength(4);
	});

	it('hands over to a Wait node that polls', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const scene = collectingInLoop(sandbox, ITEMS, {}, { waitMode: 'poll' });
		const { run, timers } = await throughTimers(scene, await runWorkflow(scene));
		expect(timers).toBe(1);
		expect(doneRows(run)).toEqual(ROWS);
	});

	it('never polls for longer than Max Wait, whatever the ticket says', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS });
		const scene = collectingInLoop(sandbox, ITEMS, {}, { waitMode: 'poll', waitOptions: { maxWait: 2 } });
		const start = Date.now() + time.skipped;
		const { run } = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)?.message).toContain('at the deadline');
		expect(Date.now() + time.skipped - start).toBeLessThan(300_000);
	});

	it('survives a service that is down for some rounds', async () => {
		sandbox.setOptions({ jobDurationMs: 130_000 });
		const scene = collectingInLoop(sandbox, ITEMS);
		const first = await runWorkflow(scene);
		sandbox.faults.add({
			match: { pathPattern: '/jobs/[^/]+$', nth: [1, 2] },
			fault: { type: 'htmlUnavailable' },
		});
		const { run, timers } = await throughTimers(scene, first);
		expect(timers).toBe(3);
		expect(items(run, 'Wait', 1, 0)).toMatchObject([
			{ note: 'The latest status check failed: The service is temporarily unavailable.' },
		]);
		expect(doneRows(run)).toEqual(ROWS);
	});

	it('says what to wire when nothing takes the jobs up', async () => {
		const loose = await runWorkflow(collecting(sandbox, ITEMS, { waitMode: 'durable' }));
		expect(hints(loose, 'Prices').map(({ message }) => message)).toEqual([
			expect.stringContaining('Nothing behind Still Running waits for the jobs'),
		]);
		const wired = await runWorkflow(collectingInLoop(sandbox, ITEMS));
		expect(hints(wired, 'Prices')).toEqual([]);
	});

	it('fails only the items concerned, each linked to its own', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const scene = collectingInLoop(
			sandbox,
			itemsOf('kettle', 'fail-x', 'mug'),
			{},
			{ options: { onFailedResult: 'error' } },
			{ onError: 'continueErrorOutput' },
		);
		const { run } = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)).toBeUndefined();
		expect(doneRows(run)).toEqual(['a kettle true', 'c mug true']);
		expect(items(run, 'Failed')).toMatchObject([
			{ linked: 'b', error: expect.stringContaining('"fail-x": x') },
		]);
	});

	it('gives an error that was there before the suspension to the error output, linked to its item', async () => {
		const scene = collectingInLoop(
			sandbox,
			itemsOf('kettle', 'throws', 'mug'),
			THROWING,
			{},
			{ onError: 'continueErrorOutput' },
		);
		const { run } = await throughTimers(scene, await runWorkflow(scene));
		expect(items(run, 'Failed')).toMatchObject([
			{ linked: 'b', error: expect.stringContaining("Referenced node doesn't exist") },
		]);
		expect(doneRows(run)).toEqual(['a kettle true', 'c mug true']);
	});
});
