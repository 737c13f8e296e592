import { callsOf, collecting, itemsOf, THROWING, useCollecting } from '../support/collecting';
import { DOWN, ONE_TRY } from '../support/core';
import { items } from '../support/harness';
import type { IncomingRequest } from '../support/requests';
import { asleepFor } from '../support/resume';
import { TYPE, valuesPerJob } from '../support/common';
import { time } from '../support/virtualClock';
import { connect } from '../support/workflow';

const ITEMS = ['kettle', 'mug\nkettle', 'notfound-x'];
const ROWS = ['a kettle true', 'b mug true', 'b kettle true', 'c notfound-x false'];
const NO_NODE = expect.stringContaining("Referenced node doesn't exist");
const GOES_ON = { onError: 'continueErrorOutput' } as const;
const WEBHOOK = { waitMode: 'webhook' };
const EACH = valuesPerJob(1);
const MINUTE_MS = 60_000;

// The tests play the callbacks.
const { sandbox, collect, collectInLoop, fail, finish, idOf, play } = useCollecting({
	jobDurationMs: 3_600_000,
	webhookDelayMs: 2 ** 30,
});

const urlOf = (index = 0) => String(sandbox.jobs[index]?.webhookUrl);

describe('collect suspended until the webhook', () => {
	it('suspends with the jobs on the second output until the deadline, and calls no URL of the user', async () => {
		const options = { webhookUrl: 'https://example.test/hook' };
		const { run, hints } = await collect(ITEMS, { ...WEBHOOK, options });
		expect(urlOf()).toContain('/webhook-waiting/');
		expect(hints).toEqual([
			expect.stringContaining('The option Webhook URL was ignored'),
			expect.stringContaining('Only callbacks can wake this execution'),
		]);
		expect(Math.round(asleepFor(run) / MINUTE_MS)).toBe(1440);
		expect(items(run, 'Prices', 0)).toEqual([]);
		const note = expect.stringContaining('was still running at the last check');
		expect(items(run, 'Prices', 1)).toMatchObject([{ job_id: idOf(), still_running: true, note }]);
		expect(JSON.stringify(items(run, 'Prices', 1))).not.toContain('webhook-waiting');
	});

	it('looks at a few of many running jobs before it suspends, and at all that are over', async () => {
		const terms = Array.from({ length: 40 }, (_, index) => `term ${index}`);
		expect((await collect(terms, WEBHOOK, {}, EACH)).isAsleep).toBe(true);
		expect(callsOf(sandbox)).toMatchObject({ create: 40 });
		expect(callsOf(sandbox).status).toBeLessThanOrEqual(20);
		sandbox.reset();
		sandbox.setOptions({ jobDurationMs: 0 });
		const { isAsleep, done } = await collect(terms, WEBHOOK, {}, EACH);
		expect([isAsleep, done.length]).toEqual([false, 40]);
		expect(callsOf(sandbox)).toEqual({ create: 40, download: 40 });
	});

	it.each<[string, (id: string) => IncomingRequest]>([
		['JSON', (job_id) => ({ body: { job_id } })],
		['GET with a query', (job_id) => ({ method: 'GET', body: {}, query: { job_id } })],
		['a body that names no job', () => ({ body: { hello: 'world', list: [1, 2] } })],
	])('goes on at a callback of %s, every row linked to its item', async (_name, request) => {
		const run = await collect(ITEMS, WEBHOOK);
		finish(0);
		const called = await run.callBack(0, request(idOf()));
		expect(called).toMatchObject({ status: 200, rows: ROWS, isAsleep: false });
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
	});

	it('waits a minute for a status that lags behind its callback', async () => {
		const run = await collect(ITEMS, WEBHOOK);
		sandbox.setOptions({ jobDurationMs: 1 });
		let skipped = 0;
		const listener = (milliseconds: number) => {
			skipped += milliseconds;
			if (skipped > 30_000) finish(0);
		};
		time.listeners.add(listener);
		const { rows } = await run.callBack();
		time.listeners.delete(listener);
		expect(rows).toEqual(ROWS);
	});

	it('goes on when the last of several jobs is over, and looks at none again that was seen to be', async () => {
		let run = await collect(ITEMS, WEBHOOK, {}, EACH);
		finish(1);
		run = await run.callBack(1);
		expect(run).toMatchObject({ isWoken: true, isAsleep: true });
		finish(0);
		sandbox.clearRequests();
		run = await run.callBack(0);
		expect(run).toMatchObject({ isWoken: true, isAsleep: true });
		const seen = sandbox.requests.map(({ path }) => path);
		expect(seen).not.toContain(`/v2/jobs/${idOf(1)}`);
		expect(seen).toContain(`/v2/jobs/${idOf(0)}`);
		expect(await run.callBack(0)).toMatchObject({ isWoken: false });
		finish(2);
		expect((await run.callBack(2)).rows).toEqual(ROWS);
	});

	it('sleeps 15 minutes at the most where Still Running leads to a node that takes the jobs up', async () => {
		const parked = await collectInLoop(ITEMS, WEBHOOK);
		expect(Math.round(asleepFor(parked.run) / 1000)).toBe(900);
		expect(parked.hints).toEqual([]);
		finish(0);
		expect((await parked.byTimer()).rows).toEqual(ROWS);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('goes on at a callback for a job that has ended, once its results are there', async () => {
		sandbox.setOptions({ lateResults: 'conflict', resultsDelayMs: 5 * MINUTE_MS });
		const run = await collectInLoop(ITEMS, WEBHOOK);
		finish(0);
		const early = await run.callBack();
		expect(early).toMatchObject({ isWoken: true, isAsleep: true });
		time.skip(5 * MINUTE_MS);
		expect(await early.callBack()).toMatchObject({ isWoken: true, isAsleep: false, rows: ROWS });
	});

	it('never throws where the service is beyond reach: goes back to sleep, and goes on once it can be asked', async () => {
		const run = await collect(ITEMS, WEBHOOK);
		fail('status', DOWN, 'always');
		const called = await run.callBack();
		expect(called).toMatchObject({ status: 200, isWoken: true, error: '' });
		expect(called.run.data.waitTill).toEqual(run.run.data.waitTill);
		sandbox.faults.clear();
		finish(0);
		fail('status', { type: 'htmlUnavailable' }, 6);
		expect(await called.callBack()).toMatchObject({ status: 200, rows: ROWS });
	});

	it('creates nothing anew when n8n runs the node again after an error of the resumed run', async () => {
		const more = { retryOnFail: true, waitBetweenTries: 0, maxTries: 2 };
		const run = await collect(ITEMS, { ...WEBHOOK, values: 'kettle' }, more);
		finish(0);
		fail('download', DOWN, ONE_TRY);
		const { rows } = await run.callBack();
		expect(rows).toEqual(['a kettle true', 'b kettle true', 'c kettle true']);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('works for a node whose name would end an expression', async () => {
		const base = collecting(sandbox, itemsOf(...ITEMS), WEBHOOK);
		const name = `Pri"ces' }} {{ $json`;
		const nodes = base.nodes.map((node) => (node.name === 'Prices' ? { ...node, name } : node));
		const connections = connect({ Items: [name], [name]: ['Done', 'Running', 'Failed'] });
		const run = await play({ ...base, nodes, connections });
		finish(0);
		expect((await run.callBack()).rows).toEqual(ROWS);
	});
});

describe('with a webhook secret in the credential', () => {
	const signed = async () => await collect(ITEMS, WEBHOOK, {}, { webhookSecret: 'only-for-tests' });

	it('accepts the URL that was given out, again and again, also after the secret was changed', async () => {
		const run = await signed();
		const names = [...new URL(urlOf()).searchParams.keys()];
		expect(names).toEqual(['signature', 'pc_expires', 'pc_nonce', 'pc_signature']);
		// The callback's claim that the job is over does not count.
		const early = await run.callBack(0, { body: { job_id: idOf(), status: 'finished' } });
		expect(early).toMatchObject({ status: 200, isWoken: true, done: [] });
		expect(early.run.data.waitTill).toEqual(run.run.data.waitTill);
		finish(0);
		expect((await early.callBack()).rows).toEqual(ROWS);
		const credential = { webhookSecret: 'another secret, chosen while the job ran' };
		const changed = collecting(sandbox, itemsOf(...ITEMS), WEBHOOK, {}, credential);
		expect((await run.callBack(0, {}, changed)).rows).toEqual(ROWS);
	});

	it('refuses wrong addresses and other jobs, and keeps waiting', async () => {
		const run = await signed();
		finish(0);
		const url = urlOf();
		const answers = [
			await run.callBack(0, {}, run.scene, url.replace(/(?<=pc_signature=).*/, 'a'.repeat(64))),
			await run.callBack(0, {}, run.scene, url.replace(/(?<=[?&]signature=)[^&]*/, 'wrong')),
			await run.callBack(0, {}, run.scene, url.replace('id-prices', 'id-other')),
			await run.callBack(0, { body: { job_id: 'someone-elses' } }),
		];
		expect(answers.map(({ status, isWoken }) => [status, isWoken])).toEqual(
			[401, 401, 404, 404].map((status) => [status, false]),
		);
	});
});

describe('when no callback comes', () => {
	it('gives out the jobs and errors of before at the deadline, unlinked, but saying why and for which item', async () => {
		const parameters = { ...THROWING, ...WEBHOOK, waitOptions: { maxWait: 30 } };
		const parked = await collect(['kettle', 'throws'], parameters, GOES_ON);
		const { done, running, failed } = await parked.byTimer();
		const note = expect.stringContaining('Callbacks can arrive too early or get lost');
		expect(done).toEqual([]);
		expect(running).toMatchObject([{ job_id: idOf(), ticket: { timedOutNodes: ['Prices'] }, note }]);
		expect(failed).toMatchObject([{ error: NO_NODE, details: { id: 'b' } }]);
	});

	it('links errors of before when the callback does come', async () => {
		const run = await collect(['throws', 'kettle', 'fail-x'], { ...THROWING, ...WEBHOOK }, GOES_ON);
		finish(0);
		const { rows, failed } = await run.callBack();
		expect(rows).toEqual(['b kettle true', 'c fail-x false']);
		expect(failed).toMatchObject([{ linked: 'a', id: 'a', error: NO_NODE }]);
	});
});

it('asks for a repeat, and keeps waiting, on an n8n that does not let the node run again', async () => {
	const run = await collect(ITEMS, WEBHOOK);
	finish(0);
	const type = run.scene.nodeTypes[TYPE];
	const original = type?.webhook;
	if (type === undefined || original === undefined) throw new Error('The node has no webhook()');
	// Hides the member that is not public.
	type.webhook = async function () {
		const context = new Proxy(this, {
			get: (target, name) => {
				if (name === 'runExecutionData') return undefined;
				const value: unknown = Reflect.get(target, name);
				return typeof value === 'function' ? value.bind(target) : value;
			},
		});
		return await original.call(context);
	};
	expect(await run.callBack()).toMatchObject({ status: 503, isWoken: false });
});
