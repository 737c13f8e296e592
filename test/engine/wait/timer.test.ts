import { callsOf, THROWING, useCollecting, type Outcome } from '../support/collecting';
import { rounds } from '../support/harness';
import { asleepFor } from '../support/resume';
import { valuesPerJob } from '../support/common';

const HOUR_MS = 3_600_000;
const ITEMS = ['kettle', 'mug\nkettle', 'notfound-x', 'kettle'];
const ROWS = ['a kettle true', 'b mug true', 'b kettle true', 'c notfound-x false', 'd kettle true'];
const GOES_ON = { onError: 'continueErrorOutput' } as const;

const { sandbox, collect, collectInLoop, idOf } = useCollecting();

/** Lets timers pass until the run ends, and counts them. n8n would keep none of them in memory. */
async function timersOf(parked: Outcome): Promise<{ timers: number; ended: Outcome }> {
	let ended = parked;
	let timers = 0;
	for (; ended.isAsleep && timers < 50; timers++) {
		expect(asleepFor(ended.run)).toBeGreaterThan(64_000);
		ended = await ended.byTimer();
	}
	return { timers, ended };
}

describe('collect suspended on a timer', () => {
	it('finishes a job that outlives five timers, every row linked to its item', async () => {
		sandbox.setOptions({ jobDurationMs: 330_000 });
		const { timers, ended } = await timersOf(await collectInLoop(ITEMS));
		expect(ended).toMatchObject({ error: '', rows: ROWS });
		expect([timers, rounds(ended.run, 'Wait')]).toEqual([6, 6]);
		const { create, status, download } = callsOf(sandbox);
		expect([create, download]).toEqual([1, 1]);
		// A few before the first suspension, then one in each round.
		expect(status).toBeLessThanOrEqual(5 + 6);
	});

	it('keeps a job that runs while the results of all others are late', async () => {
		// The service takes the third job when the first two are over.
		const room = { jobDurationMs: 120_000, maxOpenJobs: 2 };
		sandbox.setOptions({ ...room, resultsDelayMs: 600_000, lateResults: 'conflict' });
		const parked = await collectInLoop(['kettle', 'mug', 'lamp'], {}, {}, {}, valuesPerJob(1));
		const { ended } = await timersOf(parked);
		expect(ended.rows.sort()).toEqual(['a kettle true', 'b mug true', 'c lamp true']);
	});

	it.each(['job', 'status', 'entries'])('links the output %s to all that asked', async (output) => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const parked = await collectInLoop(['kettle', 'mug'], { output }, {}, {}, valuesPerJob(1));
		const { done } = await parked.throughTimers();
		expect([...new Set(done.map(({ linked }) => linked))]).toEqual(['a', 'b']);
	});

	it('ends the loop with an error when the deadline passes', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS });
		const parked = await collectInLoop(ITEMS, { waitOptions: { maxWait: 10 } });
		const { timers, ended } = await timersOf(parked);
		expect(ended.error).toContain(`Job ${idOf()} is still running after 11 minutes`);
		expect(timers).toBeGreaterThan(5);
		expect(timers).toBeLessThan(12);
	});

	it('hands over to a Wait node that polls', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const { timers, ended } = await timersOf(await collectInLoop(ITEMS, {}, { waitMode: 'poll' }));
		expect([timers, ended.rows]).toEqual([1, ROWS]);
	});

	it('says what to wire when nothing takes the jobs up', async () => {
		const { hints } = await collect(ITEMS, { waitMode: 'durable' });
		expect(hints).toEqual([expect.stringContaining('Nothing behind Still Running waits for the jobs')]);
		expect((await collectInLoop(ITEMS)).hints).toEqual([]);
	});

	it('fails only the items concerned, also by what was wrong before, each linked to its own', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const asked = ['kettle', 'fail-x', 'mug', 'throws'];
		const failing = { options: { onFailedResult: 'error' } };
		const parked = await collectInLoop(asked, THROWING, failing, GOES_ON);
		const { error, rows, failed } = await parked.throughTimers();
		expect([error, rows]).toEqual(['', ['a kettle true', 'c mug true']]);
		expect(
			failed.map(({ linked, error: message }) => `${String(linked)}: ${String(message)}`).sort(),
		).toEqual([
			expect.stringMatching(/^b: .*"fail-x": x/),
			expect.stringMatching(/^d: .*Referenced node doesn't exist/),
		]);
	});
});
