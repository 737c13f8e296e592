import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import {
	beside,
	callsOf,
	collecting,
	itemsOf,
	Outcome,
	THROWING,
	useCollecting,
} from '../support/collecting';
import { DOWN, LOST, NEVER_SENT, NO_CREDITS, ONE_TRY } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { nodeType, type Scenario } from '../support/harness';
import { retryAfterKill } from '../support/resume';
import { now, time } from '../support/virtualClock';
import { node } from '../support/workflow';

const HOUR_MS = 3_600_000;
const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };
const CREATE: INodeParameters = { operation: 'create' };
const perItem: INodeParameters = { options: { grouping: 'perItem' } };
const FAILS_LATE: INodeParameters = { waitOptions: { onDeadline: 'error' } };
const KETTLE = ['a kettle true'];
const BOTH = ['a kettle true', 'b mug true'];

const retried = useDedupeStore();
const { sandbox, collect, play, creations, fail, finish, ...jobs } = useCollecting();
const { idOf, idsOfJobs, valuesOfJobs } = jobs;

/** The list shows enough of a job to prove that it is ours. */
const listShows = () => sandbox.setOptions({ listFields: ['order', 'times', 'values'] });

const LOGS = ['with its event log', 'without its event log'] as const;

describe.each(LOGS)('a retry by hand after n8n was killed, %s', (eventLog) => {
	/** Plays a run until n8n is killed, and returns when it began. */
	const killed = async (scene: Scenario) => {
		const startedAt = now();
		fail('download', DOWN, ONE_TRY);
		await play(scene);
		sandbox.faults.clear();
		return startedAt;
	};
	const retry = async (scene: Scenario, startedAt: number) =>
		new Outcome(sandbox, scene, await retryAfterKill(scene, '43', startedAt, eventLog));

	it.each([false, true])(
		'takes up the jobs that the list proves, creates the others: %j',
		async (isRefused) => {
			listShows();
			if (isRefused) fail('create', NO_CREDITS, { nth: 2 });
			const scene = collecting(sandbox, itemsOf('kettle', 'mug'), perItem);
			expect((await retry(scene, await killed(scene))).rows).toEqual(BOTH);
			expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		},
	);

	it('takes no job from before the killed run', async () => {
		listShows();
		const scene = collecting(sandbox, itemsOf('kettle'));
		await killed(scene);
		time.skip(HOUR_MS);
		expect((await retry(scene, now())).rows).toEqual(KETTLE);
		expect(creations()).toBe(2);
	});
});

describe('a retry by hand', () => {
	it('of an execution that its callback was to wake sleeps, and hears of the end of each job', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
		fail('create', NO_CREDITS, { nth: 2 });
		const failed = await collect(['kettle', 'mug'], { waitMode: 'webhook', ...perItem });
		expect(failed.error).toContain('not enough credits');
		const began = time.skipped;
		const run = await failed.retry();
		expect(time.skipped - began).toBeLessThan(60_000);
		expect(run.hints.join()).toContain('An earlier execution created these jobs');
		expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		// Only the second job calls the new execution; the timer finds the first one.
		expect(sandbox.jobs.map(({ webhookUrl }) => webhookUrl?.split('/')[4])).toEqual(['42', '43']);
		finish(1);
		const called = await run.callBack(1);
		expect([called.isAsleep, called.rows]).toEqual([true, []]);
		const still = await called.byTimer();
		expect([still.isAsleep, still.rows]).toEqual([true, []]);
		finish(0);
		const over = await still.byTimer();
		expect([over.isAsleep, over.rows]).toEqual([false, BOTH]);
		expect(creations()).toBe(3);
	});

	it.each([0, 1])(
		'sleeps for its callback alone once the job of the earlier one is over: %i timers',
		async (timers) => {
			sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
			fail('create', NO_CREDITS, { nth: 2 });
			const failed = await collect(['kettle', 'mug'], { waitMode: 'webhook', ...perItem });
			const run = await (await failed.retry()).throughTimers(timers);
			finish(0);
			const waiting = await run.byTimer();
			expect([waiting.isAsleep, waiting.rows]).toEqual([true, []]);
			finish(1);
			const over = await waiting.callBack(1);
			expect([over.isAsleep, over.rows]).toEqual([false, BOTH]);
		},
	);

	it('takes up its job, for 24 hours', async () => {
		fail('download', DOWN, 'always');
		const failed = await collect(['kettle', 'mug'], FAILS_LATE);
		expect(failed.error).toContain(idOf());
		sandbox.faults.clear();
		expect((await failed.retry()).rows).toEqual(BOTH);
		expect(creations()).toBe(1);
		time.skip(24 * HOUR_MS);
		expect((await failed.retry('44')).rows).toEqual(BOTH);
		expect(creations()).toBe(2);
	});

	it.each([
		['perItem', 'combine', 2],
		['combine', 'perItem', 1],
	])('takes up its jobs with another grouping: %s, then %s', async (first, second, jobs) => {
		fail('download', DOWN, 'always');
		const options = { grouping: first };
		const failed = await collect(['kettle', 'mug'], { ...FAILS_LATE, options });
		sandbox.faults.clear();
		// n8n's "Retry with currently saved workflow" puts the edited node into the execution.
		for (const { node: edited } of failed.run.data.executionData?.nodeExecutionStack ?? [])
			edited.parameters = {
				...edited.parameters,
				options: { ...(edited.parameters.options as INodeParameters), grouping: second },
			};
		expect((await failed.retry()).rows).toEqual(BOTH);
		expect(creations()).toBe(jobs);
	});

	it('asks for its own job, whatever else was asked, where it had failed before it sent anything', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		const failed = await play({ ...scene, credentials: {} });
		expect([failed.run.status, creations()]).toEqual(['error', 0]);
		await play(scene);
		const run = new Outcome(sandbox, scene, failed.run);
		expect((await run.retry()).rows).toEqual(KETTLE);
		expect([creations(), callsOf(sandbox).jobs]).toEqual([2, undefined]);
	});

	it.each<[string, Fault, Error | undefined]>([
		['refused', NO_CREDITS, undefined],
		['refused, and n8n cannot ask its store', NO_CREDITS, new Error('The database is busy')],
		['lost on its way', NEVER_SENT, undefined],
	])('in which n8n was killed takes up its job where the creation was %s', async (_, fault, ofStore) => {
		listShows();
		fail('create', fault);
		if (fault === NEVER_SENT) fail('list', DOWN, ONE_TRY);
		retried.fault = ofStore;
		const failed = await collect(['kettle']);
		expect([failed.run.status, sandbox.jobs]).toEqual(['error', []]);
		sandbox.faults.clear();
		time.skip(HOUR_MS);
		await failed.retry('43');
		expect(idsOfJobs()).toHaveLength(1);
		time.skip(HOUR_MS);
		expect((await failed.retry('44')).rows).toEqual(KETTLE);
		expect(idsOfJobs()).toHaveLength(1);
	});

	it('of a crashed run whose item links n8n has lost gives its rows once, and pays once', async () => {
		fail('download', DOWN, 'always');
		const crashed = await collect(['kettle'], FAILS_LATE);
		sandbox.faults.clear();
		const { executionData, resultData } = crashed.run.data;
		// n8n stores what it recovers after a crash like this.
		for (const runs of Object.values(resultData.runData)) for (const one of runs) one.source = [null];
		for (const entry of executionData?.nodeExecutionStack ?? []) entry.source = { main: [null] };
		const { given, error } = await crashed.retry();
		expect(error).toBe('');
		expect(given.map(({ value, found }) => [value, found])).toEqual([['kettle', true]]);
		expect(creations()).toBe(1);
	});

	it('creates nothing while it cannot be known whether the job exists, nor does Retry On Fail', async () => {
		fail('create', LOST);
		fail('list', DOWN, 'always');
		const failed = await collect(['kettle'], {}, RETRY);
		expect(failed.error).toContain('the job may exist');
		const { error } = await failed.retry();
		expect(error).toContain('An earlier try of this node may have created this job already');
		expect(error).toContain('The job list could not be read to find out');
		expect(creations()).toBe(1);
	});

	it('of a record that cannot be read sends nothing, and says so', async () => {
		fail('download', DOWN, 'always');
		const failed = await collect(['kettle'], FAILS_LATE);
		const context = failed.run.data.executionData?.contextData['node:Prices'] as IDataObject;
		const record = context.priceCollectionPurchases as IDataObject;
		for (const [spoilt, reason] of [
			[{ ...record, version: 99 }, 'was written by another version of this package'],
			[{ ...record, purchases: {} }, 'is damaged at purchases'],
			['nonsense', 'was written by another version of this package'],
		] as const) {
			context.priceCollectionPurchases = spoilt;
			expect((await failed.retry()).error).toContain(
				`The record of an earlier try ${reason}, so it is not known which jobs already exist`,
			);
		}
		expect(creations()).toBe(1);
	});
});

const outputs = ['results', 'entries', 'job', 'file', 'status'].map((output) => ({ output }));
it.each([...outputs, CREATE])('a job that only could be the one is named: %j', async (parameters) => {
	fail('create', LOST);
	const { error, done } = await collect(['kettle'], parameters, RETRY);
	expect(error).toContain(`may be this job: ${idOf()}`);
	expect([done, creations()]).toEqual([[], 1]);
});

it('a Create that is tried again gives the job of the first try as the service shows it', async () => {
	fail('create', NO_CREDITS, { nth: 2 });
	const { done } = await collect(['kettle', 'mug'], { ...CREATE, ...perItem }, RETRY);
	expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
	expect(done).toMatchObject(idsOfJobs().map((job_id) => ({ job_id, requested: 1 })));
});

it.each<[string, string[], Partial<INode>]>([
	['with an error item first', ['throws', 'kettle'], { ...RETRY, onError: 'continueRegularOutput' }],
	['without', ['kettle'], {}],
])('rounds of a loop are different requests, %s', async (_name, terms, more) => {
	const input = itemsOf(...terms);
	/** Hands the items back until the node has run three times. */
	const back = nodeType('again', async function () {
		const { $runIndex } = this.getWorkflowDataProxy(0) as unknown as { $runIndex: number };
		return [$runIndex + 1 < 3 ? input.map((json) => ({ json })) : []];
	});
	const wires = { Prices: [['Done', 'Again'], 'Running', 'Failed'], Again: ['Prices'] };
	const base = collecting(sandbox, input, THROWING, more);
	const { done } = await play(beside(base, [node('Again', 'again')], wires, { again: back }));
	expect(valuesOfJobs()).toEqual([['kettle'], ['kettle'], ['kettle']]);
	const idsOfRows = done.filter(({ value }) => value === 'kettle').map(({ job_id }) => job_id);
	expect(idsOfRows.sort()).toEqual(idsOfJobs().sort());
});

it.each([{ version: 99 }, { records: {} }])(
	'a damaged suspended run answers its callback so: %j',
	async (changes) => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
		const run = await collect(['kettle'], { waitMode: 'webhook' });
		const context = run.run.data.executionData?.contextData['node:Prices'] as Record<string, IDataObject>;
		for (const [key, stored] of Object.entries(context))
			if (key !== 'priceCollectionPurchases') context[key] = { ...stored, ...changes };
		finish(0);
		expect(await run.callBack()).toMatchObject({ status: 503, isWoken: false });
		expect(creations()).toBe(1);
	},
);
