import type { INode } from 'n8n-workflow';

import { someOf } from '../../support/runs';
import { collecting, itemsOf, LEAVES, Outcome, useCollecting } from '../support/collecting';
import { createJob, NEVER_SENT } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { ODD_READS, refusal } from '../support/odd';
import { retryAfterKill } from '../support/resume';
import { startWorkflow, until } from '../support/harness';
import { valuesPerJob } from '../support/common';
import { now, time } from '../support/virtualClock';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GOES_ON: Partial<INode> = { onError: 'continueRegularOutput' };
const TWO_TRIES: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 2 };
const single = valuesPerJob(1);
const BOTH = ['a kettle true', 'b mug true'];

useDedupeStore();
const { sandbox, collect, collectInLoop, creations, fail, idOf, play } = useCollecting();
afterEach(() => {
	time.isStopped = false;
});

/** One odd reply proves nothing: each of these comes once, and must not end, pay for or lose anything. */
describe.each(someOf(Object.entries(ODD_READS), 2))('once %s', (_name, odd) => {
	it.each(['status', 'download'] as const)('to the %s ends no polling, loses no row', async (where) => {
		fail(where, odd);
		const { rows, error, failed } = await collect(['kettle', 'mug'], {}, GOES_ON, single);
		expect([rows, error, failed, creations()]).toEqual([BOTH, '', [], 2]);
	});

	it.each(['durable', 'webhook'])('to the status of one job ends no sleep: %s', async (waitMode) => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS, webhookDelayMs: 2 ** 30 });
		const run = await collectInLoop(['kettle', 'mug'], { waitMode }, {}, {}, single);
		fail('status', odd);
		const { rows, error } = await run.throughTimers();
		expect([rows.sort(), error, creations()]).toEqual([BOTH, '', 2]);
	});

	it('to the download of a failed job does not lose the results that it still has', async () => {
		sandbox.setOptions({ jobEnd: 'failed', endedDownload: 'serve' });
		fail('download', odd);
		expect((await collect(['kettle'])).rows).toEqual(['a kettle true']);
	});
});

it('a denial of one job that the service repeats ends nothing for the others: the node fails when they are over', async () => {
	sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
	const start = now();
	const run = await collectInLoop(['kettle', 'mug'], {}, {}, {}, single);
	fail({ pathPattern: `/jobs/${idOf(0)}$` }, refusal('job not found', 404), 'always');
	const { error } = await run.throughTimers();
	expect(now() - start).toBeGreaterThan(5 * MINUTE_MS);
	expect(error).toContain('The service does not know this job');
	expect(error).toContain(`Jobs of this run: ${idOf(1)}. Nothing is lost`);
	expect(error).toContain(`Job without results: ${idOf(0)}.`);
});

it.each([undefined, 25])(
	'a run that began then, or at a time unknown, names a job: %j hours ago',
	async (hours) => {
		sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
		const scene = collecting(sandbox, itemsOf('kettle'));
		await play(scene);
		time.skip(10 * MINUTE_MS);
		const startedAt = hours && now() - hours * HOUR_MS;
		const run = await retryAfterKill(scene, '43', startedAt, 'without its event log');
		const { error, done } = new Outcome(sandbox, scene, run);
		expect(error).toContain(`may be this job: ${idOf()}.`);
		expect([done, creations()]).toEqual([[], 1]);
	},
);

it('a run that began a day ago takes no equal job of twenty hours ago for its own', async () => {
	sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
	const scene = collecting(sandbox, itemsOf('kettle'));
	const twin = await createJob(sandbox, { value: 'kettle' });
	time.skip(20 * HOUR_MS);
	const run = await retryAfterKill(scene, '43', now() - 25 * HOUR_MS, 'without its event log');
	const { error, done } = new Outcome(sandbox, scene, run);
	expect(error).toContain(twin);
	expect([done, sandbox.jobs.length]).toEqual([[], 1]);
});

it.each([1_500, 4_000])('Stop is heard in the search for a lost job: after %i ms', async (before) => {
	fail('create', NEVER_SENT);
	// From here on, only the signal ends a pause, so a pause without it would never end.
	const freeze = (milliseconds: number) => {
		time.isStopped ||= milliseconds === before;
	};
	time.listeners.add(freeze);
	const { run, cancel } = await startWorkflow(collecting(sandbox, itemsOf('kettle'), {}, TWO_TRIES));
	await until(() => time.isStopped && time.pauses.at(-1) !== before);
	cancel();
	const { status } = await run;
	time.listeners.delete(freeze);
	expect(status).toBe('canceled');
});

it('a cancellation at the deadline that is refused offers no results of a job that was cancelled before', async () => {
	sandbox.setOptions({ jobDurationMs: HOUR_MS });
	fail('cancel', refusal('not now', 403), { nth: 2 });
	const waitOptions = { maxWait: 1, onDeadline: 'cancel' };
	const { error } = await collect(['kettle', 'mug'], { waitOptions }, {}, single);
	expect(error).toContain(`Jobs of this run: ${idOf(1)}. Nothing is lost`);
	expect(error).toContain(`Cancelled by this node: ${idOf(0)}.`);
});

it('a run with more jobs than its time has status calls gives them out before n8n ends it', async () => {
	sandbox.setOptions({ jobDurationMs: HOUR_MS, statusRateLimit: 60 });
	time.skipped = 0;
	const terms = Array.from({ length: 300 }, (_, index) => `term ${index}`);
	const waitOptions = { ...LEAVES, maxWait: 60 };
	const scene = collecting(sandbox, itemsOf(...terms), { waitOptions }, {}, single);
	const start = now();
	const { running, error } = await play({ ...scene, settings: { executionTimeout: 240 } });
	expect([running.length, error]).toEqual([300, '']);
	expect(now() - start).toBeLessThan(240_000);
});
