import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { beside, callsOf, collecting, itemsOf, Outcome, THROWING, useCollecting } from './collecting';
import { DOWN, LOST, NEVER_SENT, NO_CREDITS, ONE_TRY } from './core';
import { useDedupeStore } from './dedupeStore';
import { nodeType, said, type Scenario } from './harness';
import { retryAfterKill, type EventLog } from './resume';
import { now, time } from './virtualClock';
import { node } from './workflow';

const HOUR_MS = 3_600_000;
const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };
const CREATE: INodeParameters = { operation: 'create' };
const perItem: INodeParameters = { options: { grouping: 'perItem' } };
const KETTLE = ['a kettle true'];
const BOTH = ['a kettle true', 'b mug true'];

const retried = useDedupeStore();
const {
	sandbox,
	collect,
	collectInLoop,
	play,
	create,
	creations,
	fail,
	finish,
	idOf,
	idsOfJobs,
	valuesOfJobs,
} = useCollecting();

/** The list shows enough of a job to prove that it is ours. */
const listShows = (...more: string[]) =>
	sandbox.setOptions({ listFields: ['order', 'times', 'values', ...more] as never });
const lists = () => callsOf(sandbox).jobs ?? 0;
const mayBe = (id = idOf()) => `may be this one: ${id}`;

describe.each(['with its event log', 'without its event log'] as const)(
	'a retry by hand after n8n was killed, %s',
	(eventLog) => {
		/** A run that had come so far when n8n was killed; gives when it began. */
		const killed = async (scene: Scenario, tries = 1) => {
			const startedAt = now();
			fail('download', DOWN, tries * ONE_TRY);
			await play(scene);
			sandbox.faults.clear();
			return startedAt;
		};
		const retry = async (scene: Scenario, startedAt: number) => await again(scene, startedAt, eventLog);

		it.each([false, true])(
			'takes up the jobs that the list proves to be those of the killed run, and creates the others: %j',
			async (isRefused) => {
				listShows();
				if (isRefused) fail('create', NO_CREDITS, { nth: 2 });
				const scene = collecting(sandbox, itemsOf('kettle', 'mug'), perItem);
				expect((await retry(scene, await killed(scene))).rows).toEqual(BOTH);
				expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
			},
		);

		it('creates nothing where the list shows too little to prove a job, and names all that may be it', async () => {
			const scene = collecting(sandbox, itemsOf('kettle'));
			const startedAt = await killed(scene);
			expect((await retry(scene, startedAt)).error).toContain(`one of these jobs ${mayBe()}.`);
			await killed(scene);
			const { error } = await retry(scene, startedAt);
			expect(error).toContain('An earlier try of this node may have created this job already');
			for (const id of idsOfJobs()) expect(error).toContain(id);
			expect(creations()).toBe(2);
		});

		it('knows its job although nobody knows the mark in its callback URL', async () => {
			listShows('webhookUrl');
			sandbox.setOptions({ webhookDelayMs: 2 ** 30 });
			const options = { webhookUrl: 'https://n8n.example.test/webhook/x' };
			const credential = { webhookSecret: 'the secret of the callbacks' };
			const scene = collecting(sandbox, itemsOf('kettle'), { options }, {}, credential);
			expect((await retry(scene, await killed(scene))).rows).toEqual(KETTLE);
			expect(creations()).toBe(1);
		});

		it('takes no job from before the killed run', async () => {
			listShows();
			const scene = collecting(sandbox, itemsOf('kettle'));
			await killed(scene);
			time.skip(HOUR_MS);
			expect((await retry(scene, now())).rows).toEqual(KETTLE);
			expect(creations()).toBe(2);
		});
	},
);

async function again(scene: Scenario, startedAt: number, eventLog: EventLog): Promise<Outcome> {
	return new Outcome(sandbox, scene, await retryAfterKill(scene, '43', startedAt, eventLog));
}

describe('a retry by hand', () => {
	it('of an execution that its callback was to wake takes up its job, and hears of its end', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
		fail('create', NO_CREDITS, { nth: 2 });
		const failed = await collect(['kettle', 'mug'], { waitMode: 'webhook', ...perItem });
		expect(failed.error).toContain('not enough credits');
		const end = time.skipped + 60_000;
		const whilePolling = () => sandbox.jobs.length === 2 && time.skipped > end && finish(0);
		time.listeners.add(whilePolling);
		const run = await failed.retry();
		time.listeners.delete(whilePolling);
		expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		expect(run.hints.join()).toContain('An earlier execution created these jobs');
		// Only the second job can wake the new execution.
		expect(run.isAsleep).toBe(true);
		expect(sandbox.jobs.map(({ webhookUrl }) => webhookUrl?.split('/')[4])).toEqual(['42', '43']);
		finish(1);
		expect((await run.callBack(1)).rows).toEqual(BOTH);
		expect(creations()).toBe(3);
	});

	it('takes up its job, for 24 hours', async () => {
		fail('download', DOWN, 'always');
		const failed = await collect(['kettle', 'mug']);
		expect(failed.error).toContain(idOf());
		sandbox.faults.clear();
		expect((await failed.retry()).rows).toEqual(BOTH);
		expect(creations()).toBe(1);
		time.skip(24 * HOUR_MS);
		expect((await failed.retry('44')).rows).toEqual(BOTH);
		expect(creations()).toBe(2);
	});

	it('looks before it pays where a node before it had failed: nothing says that it was not killed since', async () => {
		listShows();
		let isBroken = true;
		const type = nodeType('fails', async function () {
			if (isBroken) throw new NodeOperationError(this.getNode(), 'broken');
			return [this.getInputData()];
		});
		const wires = { Items: ['Fails'], Fails: ['Prices'] };
		const base = collecting(sandbox, itemsOf('kettle'));
		const failed = await play(beside(base, [node('Fails', 'fails')], wires, { fails: type }));
		expect(failed.error).toBe('broken');
		await collect(['mug']);
		isBroken = false;
		expect((await failed.retry()).rows).toEqual(KETTLE);
		expect(creations()).toBe(2);
		expect(lists()).toBeGreaterThan(0);
	});

	it('asks for its own job, whatever else was asked, where it had failed before it sent anything', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		const failed = await play({ ...scene, credentials: {} });
		expect([failed.run.status, creations()]).toEqual(['error', 0]);
		await play(scene);
		const run = new Outcome(sandbox, scene, failed.run);
		expect((await run.retry()).rows).toEqual(KETTLE);
		expect([creations(), lists()]).toEqual([2, 0]);
	});

	it.each<[string, () => void]>([
		['refused', () => fail('create', NO_CREDITS)],
		[
			'refused, and n8n cannot ask its store',
			() => {
				fail('create', NO_CREDITS);
				retried.fault = new Error('The database is busy');
			},
		],
		[
			'lost on its way',
			() => {
				fail('create', NEVER_SENT);
				fail('list', DOWN, ONE_TRY);
			},
		],
	])(
		'in which n8n was killed, retried once more, takes up its job where the creation before was %s',
		async (_, breakThings) => {
			listShows();
			breakThings();
			const failed = await collect(['kettle']);
			expect([failed.run.status, sandbox.jobs]).toEqual(['error', []]);
			sandbox.faults.clear();
			time.skip(HOUR_MS);
			await failed.retry('43');
			expect(idsOfJobs()).toHaveLength(1);
			time.skip(HOUR_MS);
			expect((await failed.retry('44')).rows).toEqual(KETTLE);
			expect(idsOfJobs()).toHaveLength(1);
		},
	);

	it('of a creation without a reply looks for its job first, and takes what the list proves', async () => {
		listShows();
		fail('create', LOST);
		fail('list', DOWN, 'always');
		const failed = await collect(['kettle']);
		expect(failed.error).toContain('the job may exist');
		sandbox.faults.clear();
		expect((await failed.retry()).rows).toEqual(KETTLE);
		expect(creations()).toBe(1);
	});

	it('of a crashed run whose item links n8n has lost gives its rows once, and pays once', async () => {
		fail('download', DOWN, 'always');
		const crashed = await collect(['kettle']);
		sandbox.faults.clear();
		const { executionData, resultData } = crashed.run.data;
		// As n8n stores what it recovers after a crash.
		for (const runs of Object.values(resultData.runData)) for (const one of runs) one.source = [null];
		for (const entry of executionData?.nodeExecutionStack ?? []) entry.source = { main: [null] };
		const { given, error } = await crashed.retry();
		expect(error).toBe('');
		expect(given.map(({ value, found }) => [value, found])).toEqual([['kettle', true]]);
		expect(creations()).toBe(1);
	});

	it('creates nothing while it cannot be known whether the job exists', async () => {
		fail('create', LOST);
		fail('list', DOWN, 'always');
		const { error } = await (await collect(['kettle'])).retry();
		expect(error).toContain('An earlier try of this node may have created this job already');
		expect(error).toContain('The job list could not be read to find out');
		expect(creations()).toBe(1);
	});

	it('of a record that cannot be read sends nothing, and says so', async () => {
		fail('download', DOWN, 'always');
		const failed = await collect(['kettle']);
		const context = failed.run.data.executionData?.contextData['node:Prices'] as IDataObject;
		const record = context.priceCollectionPurchases as IDataObject;
		for (const [spoilt, reason] of [
			[{ ...record, version: 99 }, 'was written by another version of this package'],
			[{ ...record, purchases: {} }, 'is damaged at purchases'],
			['nonsense', 'was written by another version of this package'],
		] as const) {
			context.priceCollectionPurchases = spoilt;
			expect((await failed.retry()).error).toContain(
				`The record of an earlier try ${reason}, so it is not known which jobs exist already`,
			);
		}
		expect(creations()).toBe(1);
	});
});

describe('Retry On Fail', () => {
	it('does not repeat a creation whose outcome is unknown', async () => {
		fail('create', LOST);
		fail('list', DOWN, 'always');
		expect((await collect(['kettle'], {}, RETRY)).error).toContain('the job may exist');
		expect(creations()).toBe(1);
	});

	it('takes equal requests of two items for two, and never the job of one for that of the other', async () => {
		listShows();
		fail('create', NEVER_SENT, { nth: 2 });
		const { rows } = await collect(['kettle', 'kettle'], perItem, RETRY);
		expect([rows, sandbox.jobs.length]).toEqual([['a kettle true', 'b kettle true'], 2]);
	});
});

describe('create', () => {
	it('pays for nothing twice where Retry On Fail meets a job that was refused', async () => {
		fail('create', NO_CREDITS, { nth: 2 });
		const { done } = await collect(['kettle', 'mug'], { ...CREATE, ...perItem }, RETRY);
		expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		expect(done).toMatchObject(idsOfJobs().map((job_id) => ({ job_id, requested: 1 })));
	});
});

describe('a job of the list that only could be the one', () => {
	it.each<[string, INodeParameters]>([
		...['results', 'entries', 'job', 'file', 'status'].map((output): [string, INodeParameters] => [
			`the output ${output}`,
			{ output },
		]),
		['the operation Create', CREATE],
	])('is named, not taken, and no other created, with %s', async (_name, parameters) => {
		fail('create', LOST);
		const { error, done } = await collect(['kettle'], parameters, RETRY);
		expect(error).toContain(mayBe());
		expect([done, creations()]).toEqual([[], 1]);
	});

	it.each(['poll', 'durable', 'webhook'])('is not that of a stranger: %s', async (waitMode) => {
		await create('socks');
		fail('create', NEVER_SENT, { nth: 1 });
		const run = await collect(['kettle'], { waitMode });
		expect(run.error).toContain(mayBe());
		expect([run.isAsleep, run.done, run.running, sandbox.jobs.length]).toEqual([false, [], [], 1]);
	});

	it.each([
		['one value that both asked for', ['times'], 'kettle\nsocks', ['kettle', 'mug']],
		["yesterday's values where the list tells no time", [], 'kettle', ['kettle']],
	])('is not ours for %s', async (_name, fields, values, asked) => {
		sandbox.setOptions({ listFields: ['order', 'values', ...fields] as never });
		await create(values);
		finish(0);
		if (fields.length === 0) time.skip(24 * HOUR_MS);
		fail('create', NEVER_SENT);
		const { error, done } = await collect(asked);
		expect(error).toContain(mayBe());
		expect(done).toEqual([]);
	});
});

describe('rounds of a loop', () => {
	function looping(input: IDataObject[], parameters: INodeParameters, more: Partial<INode> = {}): Scenario {
		/** Hands the items back until the node has run three times. */
		const back = nodeType('again', async function () {
			const { $runIndex } = this.getWorkflowDataProxy(0) as unknown as { $runIndex: number };
			return [$runIndex + 1 < 3 ? input.map((json) => ({ json })) : []];
		});
		const wires = { Prices: [['Done', 'Again'], 'Running', 'Failed'], Again: ['Prices'] };
		const base = collecting(sandbox, input, parameters, more);
		return beside(base, [node('Again', 'again')], wires, { again: back });
	}
	const idsOfRows = ({ done }: Outcome) =>
		done.filter(({ value }) => value === 'kettle').map(({ job_id }) => job_id);
	const GOES_ON: Partial<INode> = { ...RETRY, onError: 'continueRegularOutput' };

	it.each<[string, string[], Partial<INode>]>([
		['with an error item first', ['throws', 'kettle'], GOES_ON],
		['without', ['kettle'], {}],
	])('are different requests, %s', async (_name, terms, more) => {
		const run = await play(looping(itemsOf(...terms), THROWING, more));
		expect(valuesOfJobs()).toEqual([['kettle'], ['kettle'], ['kettle']]);
		expect(idsOfRows(run).sort()).toEqual(idsOfJobs().sort());
	});
});

describe('a suspended run that cannot be read', () => {
	/** Spoils what the node keeps. */
	const spoil = ({ run }: Outcome, name: string, changes: IDataObject) => {
		const context = run.data.executionData?.contextData[name] as Record<string, IDataObject>;
		for (const [key, stored] of Object.entries(context)) {
			if (key !== 'priceCollectionPurchases') context[key] = { ...stored, ...changes };
		}
	};

	it.each([{ version: 99 }, { records: {} }])(
		'answers its callback that it cannot be handled, and creates nothing: %j',
		async (changes) => {
			sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
			const run = await collect(['kettle'], { waitMode: 'webhook' });
			spoil(run, 'node:Prices', changes as IDataObject);
			finish(0);
			expect(await run.callBack()).toMatchObject({ status: 503, isWoken: false });
			expect(creations()).toBe(1);
		},
	);

	it('links its rows to the Still Running items instead, and says so', async () => {
		sandbox.setOptions({ jobDurationMs: 60_000 });
		const run = await collectInLoop(['kettle']);
		spoil(run, 'flow', { version: 99 });
		const resumed = await run.byTimer();
		expect(said(resumed.run, 'Wait')).toContainEqual(
			'The record of who asked for the jobs that still run was written by another version of this package. It is not known which items asked for these jobs, so their rows have no input fields.',
		);
		expect(resumed.done).toMatchObject([{ value: 'kettle', found: true }]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
	});
});
