import type { INodeParameters } from 'n8n-workflow';

import { useCollecting } from '../support/collecting';
import { valuesPerJob } from '../support/common';

/** Execute Once with the values of all items; and without it, a list that every item asks for again. */

const { sandbox, collect, collectInLoop } = useCollecting();

const SHEET = [
	{ id: 'a', term: 'kettle', list: 'kettle\nmug', price: 45 },
	{ id: 'b', term: 'mug', list: 'lid', price: 5 },
];
const ALL = '={{ $input.all().map(item => item.json.term) }}';
const ONCE = { executeOnce: true };
const BESIDE: INodeParameters = { columns: 'main', bestPriceOptions: { conditions: ['any'] } };
const HINT =
	"With Execute Once, these rows belong to several items, so they have no input fields. To get each row beside its item, switch Execute Once off, and look up each item's own value, such as {{ $json.gtin }}.";

describe('with Execute Once', () => {
	const OF_ALL = [ALL, "={{ $('Items').all().map(item => item.json.term) }}", 'kettle\nmug'];

	it.each(OF_ALL)('rows of the values of several items have no fields of the first: %s', async (values) => {
		const { done, links, hints } = await collect(SHEET, { ...BESIDE, values }, ONCE);
		expect(done.map(({ result_value }) => result_value)).toEqual(['kettle', 'mug']);
		for (const row of done) expect(row).not.toHaveProperty('id');
		expect(links).toEqual([{ item: 0 }, { item: 0 }]);
		expect(hints).toContain(HINT);
	});

	it('they are not compared with the prices of the first item, but with one that is meant for all', async () => {
		const prices = { ownPrice: '={{ $json.price }}', previousPrice: '100' };
		const { done } = await collect(SHEET, { ...BESIDE, values: ALL, ...prices }, ONCE);
		const change: unknown = expect.any(Number);
		const row = { price_gap: null, price_rank: null, price_change: change };
		expect(done).toMatchObject([row, row]);
	});

	it('neither have they any where another node waits for the job', async () => {
		sandbox.setOptions({ jobDurationMs: 120_000 });
		const beside = { ...BESIDE, values: ALL };
		const parked = await collectInLoop(
			SHEET,
			beside,
			{ bestPriceOptions: BESIDE.bestPriceOptions },
			ONCE,
		);
		const { done } = await parked.throughTimers();
		expect(done).toHaveLength(2);
		for (const row of done) expect(row).not.toHaveProperty('id');
	});

	it('neither have they any where the service had no room for them', async () => {
		sandbox.setOptions({ maxOpenJobs: 1, jobDurationMs: 11 * 60_000 });
		const { done } = await collect(SHEET, { ...BESIDE, values: ALL }, ONCE, valuesPerJob(1));
		expect(done.map(({ result_value }) => result_value)).toEqual(['kettle', 'mug']);
		expect(done.map((row) => String(row.result_reason).split(':')[0])).toContain(
			'not sent, nothing was paid',
		);
		for (const row of done) expect(row).not.toHaveProperty('id');
	});

	it.each<[string, typeof SHEET, string]>([
		['of the item itself', SHEET, "={{ $json.list.split('\\n') }}"],
		['of the only item', SHEET.slice(0, 1), '={{ $input.all()[0].json.list }}'],
	])('values %s have rows beside it', async (_what, sheet, values) => {
		const { done, hints } = await collect(sheet, { ...BESIDE, values }, ONCE);
		expect(done).toMatchObject([
			{ id: 'a', result_value: 'kettle' },
			{ id: 'a', result_value: 'mug' },
		]);
		expect(hints).not.toContain(HINT);
	});

	it('nothing is said where rows have no input fields anyway', async () => {
		const options = { includeInputFields: false };
		for (const more of [{ options }, { columns: 'raw' }, { output: 'job' }]) {
			const { hints } = await collect(SHEET, { ...BESIDE, values: ALL, ...more }, ONCE);
			expect(hints).not.toContain(HINT);
		}
	});
});

describe('without it', () => {
	const each = Array.from({ length: 101 }, (_, index) => ({ id: `${index}`, term: `term ${index}` }));
	const advice =
		"To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.";

	it('a list that every item asks for again is said', async () => {
		const { hints, done } = await collect(SHEET, { values: ALL });
		expect(hints).toContain(`Each of the 2 items asks for the same 2 values. ${advice}`);
		expect(done).toHaveLength(4);
	});

	it('more than 10,000 rows of it are refused before anything is sent', async () => {
		const { error } = await collect(each, { values: ALL });
		expect(error).toBe(
			`Each of the 101 items asks for the same 101 values, which would make 10201 rows Nothing was sent. ${advice}`,
		);
		expect(sandbox.requests).toEqual([]);
	});
});
