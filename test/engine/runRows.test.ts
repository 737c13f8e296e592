import type { IDataObject, INode, INodeParameters, INodeType, IRun } from 'n8n-workflow';

import { callsOf, collecting, itemsOf, useSandboxInTime } from './collecting';
import { errorOf, hints, items, outputItems, rounds, runWorkflow, type Scenario } from './harness';
import { resumeByTimer } from './resume';
import { allColumns, locator, TYPE } from './support';
import { now, time } from './virtualClock';
import { connect, node } from './workflow';

const HOUR_MS = 3_600_000;
const GOES_ON: Partial<INode> = { onError: 'continueErrorOutput' };
const NO_NODE = "Referenced node doesn't exist";

const sandbox = useSandboxInTime();

const hintsOf = (run: IRun) => hints(run, 'Prices').map(({ message }) => message);
const rowsOf = (run: IRun) =>
	items(run, 'Done').map(
		({ linked, value, found }) => `${String(linked)} ${String(value)} ${String(found)}`,
	);

/** A job that exists already, as if created elsewhere. */
async function createJob(values: string): Promise<string> {
	const asked = {
		topic: 'product_and_offers',
		source: 'google_shopping',
		country: 'de',
		key: 'term',
		values,
	};
	const reply = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(asked),
	});
	return ((await reply.json()) as { job_id: string }).job_id;
}

const JOB = { jobId: locator('id', '={{ $json.job_id }}') };
const waiting = (input: IDataObject[], parameters: INodeParameters = {}, more: Partial<INode> = {}) =>
	collecting(sandbox, input, { operation: 'wait', ...JOB, ...parameters }, more);

/** Lets timers pass until the run ends. */
async function throughTimers(scene: Scenario, first: IRun): Promise<IRun> {
	let run = first;
	for (let timers = 0; run.data.waitTill !== undefined && timers < 50; timers++) {
		time.skip(Math.max(0, new Date(run.data.waitTill).getTime() - now()));
		run = await resumeByTimer(scene, run);
	}
	return run;
}

/** The service answers the download of whatever job with these results. */
const answering = (...results: IDataObject[]) =>
	sandbox.faults.add({
		match: { pathPattern: '/download$' },
		times: 'always',
		fault: {
			type: 'reply',
			status: 200,
			body: JSON.stringify({ status: 'finished', results }),
		},
	});
const found = (value: string): IDataObject => ({
	query: { value },
	success: true,
	content: { name: `The ${value}` },
});

describe('a job that is named again in the same execution', () => {
	it('gives its rows to the items that name it now', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const job = await createJob('kettle');
		/** Names the job of what comes in three times more. */
		const again: INodeType = {
			description: {
				...{ displayName: 'Again', name: 'again', group: ['transform'], version: 1, description: '' },
				...{ defaults: { name: 'Again' }, inputs: ['main'], outputs: ['main'], properties: [] },
			},
			async execute() {
				return [
					[0, 1, 2].map((place) => ({ json: { job_id: job, place }, pairedItem: { item: 0 } })),
				];
			},
		};
		const base = waiting([{ id: 'a', job_id: job }], { waitMode: 'durable' });
		const second = node(
			'Second',
			TYPE,
			allColumns({ resource: 'job', operation: 'wait', ...JOB, waitMode: 'durable' }),
			{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } } },
		);
		const scene: Scenario = {
			...base,
			nodeTypes: { ...base.nodeTypes, again },
			nodes: [...base.nodes, node('Again', 'again'), second],
			connections: connect({
				Items: ['Prices'],
				Prices: ['Again', 'Prices'],
				Again: ['Second'],
				Second: ['Done', 'Second'],
			}),
		};
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)).toBeUndefined();
		expect(outputItems(run, 'Second').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	it.each(['wait', 'download'])(
		'%s keeps the order of the items, each with rows of its own',
		async (operation) => {
			const [one, two] = [await createJob('kettle'), await createJob('mug')];
			time.skip(20_000);
			const input = [one, two, one].map((job_id, index) => ({ id: 'abc'.charAt(index), job_id }));
			const run = await runWorkflow(waiting(input, { operation }));
			expect(rowsOf(run)).toEqual(['a kettle true', 'b mug true', 'c kettle true']);
			const [first, , third] = outputItems(run, 'Prices');
			expect(first?.json).not.toBe(third?.json);
			expect(callsOf(sandbox).download).toBe(2);
			const [job, , same] = outputItems(
				await runWorkflow(waiting(input, { operation, output: 'job' })),
				'Prices',
			);
			expect([job?.json.job_id, same?.json.job_id]).toEqual([one, one]);
			expect(job?.json).not.toBe(same?.json);
		},
	);
});

describe('an option of the results that differs from item to item', () => {
	const INPUT = [
		{ id: 'a', term: 'notfound-x', keep: true, shops: '' },
		{ id: 'b', term: 'notfound-y', keep: false, shops: '' },
		{ id: 'c', term: 'kettle', keep: true, shops: '' },
	];
	const KEEP: INodeParameters = { options: { includeNotFound: '={{ $json.keep }}' } };

	it('counts for each item in Collect', async () => {
		const run = await runWorkflow(collecting(sandbox, INPUT, KEEP));
		expect(rowsOf(run)).toEqual(['a notfound-x false', 'c kettle true']);
	});

	it('counts for each item in Wait', async () => {
		const input = [];
		for (const item of INPUT) input.push({ ...item, job_id: await createJob(item.term) });
		const run = await runWorkflow(waiting(input, KEEP));
		expect(rowsOf(run)).toEqual(['a notfound-x false', 'c kettle true']);
	});

	it('is so with the price options', async () => {
		const shopOf = async (input: IDataObject[]) => {
			const bestPriceOptions = { ignoreShops: '={{ $json.shops }}' };
			const run = await runWorkflow(collecting(sandbox, input, { bestPriceOptions }));
			return items(run, 'Done').map(({ best_shop }) => best_shop);
		};
		const [shop] = await shopOf([{ id: 'a', term: 'kettle', shops: '' }]);
		expect(shop).toEqual(expect.any(String));
		const both = await shopOf([
			{ id: 'a', term: 'kettle', shops: '' },
			{ id: 'b', term: 'kettle', shops: shop as string },
		]);
		expect(both[0]).toBe(shop);
		expect(both[1]).not.toBe(shop);
	});
});

describe('an expression that fails for one item', () => {
	const failing = (good: string) => `={{ $json.id === 'b' ? $('Nowhere').first().json.x : ${good} }}`;

	it.each<[string, INodeParameters]>([
		['Values', { values: failing('$json.term') }],
		['an option of the request', { options: { maxPages: failing('2') } }],
		['an option of the results', { options: { includeNotFound: failing('true') } }],
		['the price options', { bestPriceOptions: { currency: failing("'EUR'") } }],
	])('%s: fails that item only', async (_field, parameters) => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug', 'lid'), parameters, GOES_ON),
		);
		expect(rowsOf(run)).toEqual(['a kettle true', 'c lid true']);
		expect(items(run, 'Failed')).toMatchObject([
			{ linked: 'b', error: expect.stringContaining(NO_NODE) },
		]);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'lid']]);
	});

	it('stops the node where it does not go on, before anything is sent', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug'), { values: failing('$json.term') }),
		);
		expect(errorOf(run)?.message).toContain(NO_NODE);
		expect(sandbox.requests).toEqual([]);
	});

	it.each(['wait', 'download'])('fails that item only in %s', async (operation) => {
		const job = await createJob('kettle');
		time.skip(20_000);
		const input = ['a', 'b', 'c'].map((id) => ({ id, job_id: job }));
		const jobId = locator('id', failing('$json.job_id'));
		const more: Partial<INode> = { onError: 'continueRegularOutput' };
		const run = await runWorkflow(waiting(input, { operation, jobId }, more));
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', value: 'kettle', found: true },
			{ linked: 'b', error: expect.stringContaining(NO_NODE) },
			{ linked: 'c', value: 'kettle', found: true },
		]);
	});
});

describe('a cell that can be no value', () => {
	const ODD: Array<[string, unknown, string]> = [
		['a boolean', true, 'it is a boolean'],
		['an object', { term: 'kettle' }, 'it is an object'],
		['a list in a list', [['kettle']], 'it is a list inside a list'],
		['a date', new Date(0), 'it is an object or a date'],
		['a number beyond 2^53', 2 ** 60, 'it is not an exact number'],
		['a number that is none', NaN, 'it is not a number'],
	];

	it.each(ODD)(
		'%s becomes a row with the reason, and the other items go on',
		async (_name, cell, reason) => {
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', cell, 'mug')));
			expect(items(run, 'Done')).toMatchObject([
				{ linked: 'a', value: 'kettle', found: true },
				{ linked: 'b', success: false, found: false, reason: expect.stringContaining(reason) },
				{ linked: 'c', value: 'mug', found: true },
			]);
			expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'mug']]);
		},
	);

	it('fails its item in Create', async () => {
		const run = await runWorkflow(
			collecting(
				sandbox,
				itemsOf('kettle', { term: 'x' }),
				{ operation: 'create' },
				{ onError: 'continueRegularOutput' },
			),
		);
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', job_id: sandbox.jobs[0]?.job_id },
			{ linked: 'b', error: expect.stringContaining('cannot be looked up: it is an object') },
		]);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle']]);
	});
});

describe('values that the service levels to one', () => {
	it.each([
		['in case', 'Mug', 'mug'],
		['in composition', 'caf\u00e9', 'cafe\u0301'],
		['in blanks', 'red  mug', 'red mug'],
	])('are answered alike where they differ %s', async (_how, one, other) => {
		answering(found(other));
		const run = await runWorkflow(collecting(sandbox, itemsOf(one, other)));
		expect(items(run, 'Done').map(({ linked, value, found: is }) => [linked, value, is])).toEqual([
			['a', one, true],
			['b', other, true],
		]);
	});
});

describe('an item that names no job beside jobs that run on', () => {
	it('keeps its link through the suspension', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const job = await createJob('kettle');
		const scene = waiting(
			[{ id: 'a' }, { id: 'b', job_id: job }, { id: 'c' }],
			{ waitMode: 'durable' },
			GOES_ON,
		);
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices', 'Failed'] });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(rowsOf(run)).toEqual(['b kettle true']);
		expect(items(run, 'Failed')).toMatchObject([
			{ linked: 'a', error: 'Job is empty' },
			{ linked: 'c', error: 'Job is empty' },
		]);
	});
});

describe('a row of a value that was not sent', () => {
	it('leaves once where one Wait node hands the job to another', async () => {
		sandbox.setOptions({ jobDurationMs: 5 * 60_000 });
		const wait = (name: string, maxWait: number) =>
			node(
				name,
				TYPE,
				allColumns({ resource: 'job', operation: 'wait', ...JOB, waitOptions: { maxWait } }),
				{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } } },
			);
		const input = itemsOf('4006381333931', '4006381333932', '');
		const base = collecting(sandbox, input, { lookupKey: 'gtin', waitMode: 'durable' });
		const scene: Scenario = {
			...base,
			nodes: [...base.nodes, wait('One', 0), wait('Two', 60)],
			connections: connect({
				Items: ['Prices'],
				Prices: ['Done', 'One'],
				One: ['Done', 'Two'],
				Two: ['Done'],
			}),
		};
		const run = await throughTimers(scene, await runWorkflow(scene));
		const done = Array.from({ length: rounds(run, 'Done') }, (_, round) =>
			items(run, 'Done', 0, round),
		).flat();
		expect(done.map(({ linked, success }) => `${String(linked)} ${String(success)}`).sort()).toEqual([
			'a true',
			'b false',
			'c false',
		]);
	});
});

describe('what a run counts', () => {
	it('is each value once, however it is spelt', async () => {
		answering();
		const input = itemsOf('4006381333931', '04006381333931');
		const run = await runWorkflow(collecting(sandbox, input, { lookupKey: 'gtin' }));
		expect(hintsOf(run)).toContainEqual(
			expect.stringMatching(/^1 job, 1 value: 0 found, 0 not found, 0 failed, 1 unanswered\./),
		);
		expect(items(run, 'Done')).toHaveLength(2);
	});

	it('is each value once, however often the service answers it the same', async () => {
		answering(found('kettle'), found('mug'), found('kettle'), found('mug'));
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		expect(rowsOf(run)).toEqual(['a kettle true', 'b mug true']);
		expect(hintsOf(run)).toContainEqual(
			expect.stringMatching(/^1 job, 2 values: 2 found, 0 not found, 0 failed\./),
		);
	});

	it('is said once for all the jobs of Download', async () => {
		const input: IDataObject[] = [];
		for (let count = 0; count < 40; count++) input.push({ job_id: await createJob(`notfound ${count}`) });
		time.skip(HOUR_MS);
		const run = await runWorkflow(waiting(input, { operation: 'download' }));
		expect(items(run, 'Done')).toHaveLength(40);
		expect(hintsOf(run)).toEqual([
			expect.stringMatching(/^40 jobs, 40 values: 0 found, 40 not found, 0 failed\./),
		]);
	});
});
