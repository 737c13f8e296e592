import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { beside, callsOf, collecting, LEAVES, NAMED, toItself } from '../support/collecting';
import { useCollecting, waiting, waitNode } from '../support/collecting';
import { linksOf, nodeType, outputItems } from '../support/harness';
import { locator } from '../support/common';
import { time } from '../support/virtualClock';
import { node } from '../support/workflow';

const GOES_ON: Partial<INode> = { onError: 'continueErrorOutput' };
const NO_NODE = expect.stringContaining("Referenced node doesn't exist");

const { sandbox, collect, create, play, valuesOfJobs, wait } = useCollecting();

describe('a job that is named again in the same execution', () => {
	it('gives its rows to the items that name it now', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const job = await create('kettle');
		const thrice = nodeType('thrice', async () => [
			[0, 1, 2].map((place) => ({ json: { job_id: job, place }, pairedItem: { item: 0 } })),
		]);
		const base = waiting(sandbox, [{ id: 'a', job_id: job }], { waitMode: 'durable' });
		const nodes = [node('Thrice', 'thrice'), waitNode('Second', { waitMode: 'durable' })];
		const wires = { Prices: ['Thrice', 'Prices'], Thrice: ['Second'], Second: ['Done', 'Second'] };
		const scene = beside(base, nodes, wires, { thrice });
		const { run, error } = await (await play(scene)).throughTimers();
		expect(error).toBe('');
		expect(linksOf(run, 'Second')).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});

	it.each(['wait', 'download'])(
		'%s keeps the order of the items, each with rows of its own',
		async (operation) => {
			const [one, two] = [await create('kettle'), await create('mug')];
			time.skip(20_000);
			const input = [one, two, one].map((job_id, index) => ({ id: 'abc'.charAt(index), job_id }));
			const { rows, run } = await wait(input, { operation });
			expect(rows).toEqual(['a kettle true', 'b mug true', 'c kettle true']);
			const [first, , third] = outputItems(run, 'Prices');
			expect(first?.json).not.toBe(third?.json);
			expect(callsOf(sandbox).download).toBe(2);
			const whole = await wait(input, { operation, output: 'job' });
			const [job, , same] = outputItems(whole.run, 'Prices');
			expect([job?.json.job_id, same?.json.job_id]).toEqual([one, one]);
			expect(job?.json).not.toBe(same?.json);
		},
	);
});

describe('an option of the results that differs from item to item', () => {
	it.each(['collect', 'wait'])('counts for each item in %s', async (operation) => {
		const input = [];
		for (const [index, term] of ['notfound-x', 'notfound-y', 'kettle'].entries()) {
			const job_id = operation === 'wait' ? await create(term) : null;
			input.push({ id: 'abc'.charAt(index), term, job_id, keep: index !== 1 });
		}
		const parameters = { operation, options: { includeNotFound: '={{ $json.keep }}' }, ...NAMED };
		expect((await collect(input, parameters)).rows).toEqual(['a notfound-x false', 'c kettle true']);
	});

	it('is so with the price options', async () => {
		const shopsWithout = async (...ignored: string[]) => {
			const asked = ignored.map((shops, index) => ({ id: 'ab'[index], term: 'kettle', shops }));
			const bestPriceOptions = { ignoreShops: '={{ $json.shops }}' };
			return (await collect(asked, { bestPriceOptions })).done.map(({ best_shop }) =>
				String(best_shop),
			);
		};
		const [shop = ''] = await shopsWithout('');
		const [first, second] = await shopsWithout('', shop);
		expect([first, second === shop]).toEqual([shop, false]);
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
		const { rows, failed } = await collect(['kettle', 'mug', 'lid'], parameters, GOES_ON);
		expect(rows).toEqual(['a kettle true', 'c lid true']);
		expect(failed).toMatchObject([{ linked: 'b', error: NO_NODE }]);
		expect(valuesOfJobs()).toEqual([['kettle', 'lid']]);
	});

	it('stops the node where it does not go on, before anything is sent', async () => {
		const { error } = await collect(['kettle', 'mug'], { values: failing('$json.term') });
		expect(error).toEqual(NO_NODE);
		expect(sandbox.requests).toEqual([]);
	});

	it.each(['wait', 'download'])('fails that item only in %s', async (operation) => {
		const job_id = await create('kettle');
		time.skip(20_000);
		const jobId = locator('id', failing('$json.job_id'));
		const input = ['a', 'b', 'c'].map((id) => ({ id, job_id }));
		const { done } = await wait(input, { operation, jobId }, { onError: 'continueRegularOutput' });
		expect(done).toMatchObject([
			{ linked: 'a', value: 'kettle', found: true },
			{ linked: 'b', error: NO_NODE },
			{ linked: 'c', value: 'kettle', found: true },
		]);
	});
});

describe('a cell that can be no value', () => {
	it.each<[unknown, string]>([
		[true, 'it is a boolean'],
		[{ term: 'kettle' }, 'it is an object'],
		[[['kettle']], 'it is a list inside a list'],
		[new Date(0), 'it is an object or a date'],
		[2 ** 60, 'it is not an exact number'],
		[NaN, 'it is not a number'],
	])('%p becomes a row with the reason, and the other items go on', async (cell, why) => {
		const { done } = await collect(['kettle', cell, 'mug']);
		const reason = expect.stringContaining(why);
		expect(done).toMatchObject([
			{ linked: 'a', value: 'kettle', found: true },
			{ linked: 'b', success: false, found: false, reason },
			{ linked: 'c', value: 'mug', found: true },
		]);
		expect(valuesOfJobs()).toEqual([['kettle', 'mug']]);
	});
});

describe('results and the values that they are for', () => {
	it.each<[NonNullable<Parameters<typeof sandbox.setOptions>[0]['valueEcho']>, string[]]>([
		['lowerCase', ['Kettle', 'kettle', 'KETTLE']],
		['plain', ['Kettle', 'kettle', 'KETTLE']],
		['plain', ['tea pot', 'Tea-Pot', 'téa pot']],
	])('are right where values look alike and the echo is %s: %j', async (valueEcho, terms) => {
		sandbox.setOptions({ valueEcho });
		const { done, hints } = await collect([...terms, 'mug', terms[0]]);
		const asked = [...terms, 'mug', terms[0]];
		expect(done.map(({ linked, value, found, reason }) => [linked, value, found, reason])).toEqual(
			asked.map((term, index) => ['abcde'.charAt(index), term, true, null]),
		);
		// One job for each spelling, and no value twice.
		const [first = '', second = '', third = ''] = terms;
		expect(valuesOfJobs()).toEqual([[first, 'mug'], [second], [third]]);
		expect(new Set(done.map(({ job_id }) => job_id)).size).toBe(3);
		expect(hints.filter((hint) => !/^(Estimate|3 jobs, 4 values: 4 found)/.test(hint))).toEqual([]);
	});

	it('are rows of their own where the service echoes nothing, and every value says so', async () => {
		sandbox.setOptions({ valueEcho: 'nothing' });
		const { given, hints } = await collect(['kettle', 'mug']);
		const reason = 'not matched: no result of the job clearly belongs to this value';
		expect(given).toMatchObject([
			{ value: 'kettle', found: false, reason },
			{ value: 'mug', found: false, reason },
			{ value: null, found: true, reason: null },
			{ value: null, found: true, reason: null },
		]);
		expect(hints).toContainEqual(
			'2 results could not be matched to a value and have separate rows, linked to all items of the job.',
		);
	});
});

it('an item that names no job beside jobs that run on keeps its link through the suspension', async () => {
	sandbox.setOptions({ jobDurationMs: 200_000 });
	const input: IDataObject[] = [{ id: 'a' }, { id: 'b', job_id: await create('kettle') }, { id: 'c' }];
	const scene = toItself(waiting(sandbox, input, { waitMode: 'durable' }, GOES_ON));
	const { rows, failed } = await (await play(scene)).throughTimers();
	expect(rows).toEqual(['b kettle true']);
	expect(failed).toMatchObject(['a', 'c'].map((linked) => ({ linked, error: 'Job is empty' })));
});

it('a row of a value that was not sent leaves once where one Wait node hands the job to another', async () => {
	sandbox.setOptions({ jobDurationMs: 5 * 60_000 });
	const asked = ['4006381333931', '4006381333932', ''].map((term, index) => ({ id: 'abc'[index], term }));
	const base = collecting(sandbox, asked, { lookupKey: 'gtin', waitMode: 'durable' });
	const nodes = [
		waitNode('One', { waitMode: undefined as never, waitOptions: { ...LEAVES, maxWait: 0 } }),
		waitNode('Two', { waitOptions: { maxWait: 60 } }),
	];
	const wires = { Prices: ['Done', 'One'], One: ['Done', 'Two'], Two: ['Done'] };
	const { done } = await (await play(beside(base, nodes, wires))).throughTimers();
	const given = done.map(({ linked, success }) => `${String(linked)} ${String(success)}`);
	expect(given.sort()).toEqual(['a true', 'b false', 'c false']);
});

describe('what a run counts', () => {
	it('is said once for all the jobs of Download', async () => {
		const input: IDataObject[] = [];
		for (let count = 0; count < 40; count++) input.push({ job_id: await create(`notfound ${count}`) });
		time.skip(3_600_000);
		const { done, hints } = await wait(input, { operation: 'download' });
		expect(done).toHaveLength(40);
		expect(hints).toEqual([
			expect.stringMatching(/^40 jobs, 40 values: 0 found, 40 not found, 0 failed\./),
		]);
	});
});
