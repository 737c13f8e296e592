import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { callsOf, useCollecting } from '../support/collecting';

/** Runs that could only erase or falsify yesterday's values in the sheet. */

const { sandbox, collect } = useCollecting();

const SHEET = [
	{ sku: 'A', 'EAN, 13': '4006381333931', price: 45, best_price: 40 },
	{ sku: 'B', 'EAN, 13': '9780201379624', price: 12, best_price: 11 },
];
const FIELDS = 'id, term, sku, "EAN, 13", price, best_price';
const sheet = (rows: IDataObject[] = SHEET) => rows.map((row, n) => ({ id: 'ab'[n], term: 'x', ...row }));

describe('values that no item has, as after a heading was renamed', () => {
	const text = (expression: string) =>
		`${expression} is undefined for every item The fields of the items are: ${FIELDS}. Nothing was sent. Correct the expression, or the heading in your sheet.`;

	it.each([
		['={{ $json.gtin }}', '{{ $json.gtin }}'],
		['={{ $json["EAN"] }}', '{{ $json["EAN"] }}'],
		['={{ $json.gtin.trim() }}', '{{ $json.gtin.trim() }}'],
		['={{ String($json.gtin) }}', '{{ String($json.gtin) }}'],
		['={{ [$json.gtin, $json.ean] }}', '{{ [$json.gtin, $json.ean] }}'],
		['={{ $json["EAN, 13"] }}\n{{ $json.second }}', '{{ $json.second }}'],
		['=EAN: {{ $json.gtin }}', '{{ $json.gtin }}'],
	])('stop the run before anything is sent: %s', async (values, expression) => {
		for (const operation of ['collect', 'create']) {
			const run = await collect(sheet(), { operation, lookupKey: 'gtin', values });
			expect([run.error, run.done]).toEqual([text(expression), []]);
		}
		expect(callsOf(sandbox)).toEqual({});
	});

	it('give every item that error where the node goes on', async () => {
		const more: Partial<INode> = { onError: 'continueErrorOutput' };
		const { failed } = await collect(sheet(), { lookupKey: 'gtin', values: '={{ $json.gtin }}' }, more);
		const error = '{{ $json.gtin }} is undefined for every item';
		expect(failed).toMatchObject([
			{ sku: 'A', error },
			{ sku: 'B', error },
		]);
	});

	it('name the only field that there is', async () => {
		const { error } = await collect([{ id: 'a' }], { lookupKey: 'gtin', values: '={{ $json.gtin }}' });
		expect(error).toContain('is undefined for every item The fields of the items are: id.');
	});

	it.each<[string, IDataObject[], string]>([
		['one item has it', [{ sku: 'A' }, { sku: 'B', gtin: '4006381333931' }], '={{ $json.gtin }}'],
		['a cell says just that', [{ gtin: 'undefined' }, { gtin: 'undefined' }], '={{ $json["gtin"] }}'],
		['its cells are blank', [{ gtin: '' }, { gtin: null }], '={{ $json.gtin }}'],
		['there is another one in its place', SHEET, '={{ $json.gtin ?? $json["EAN, 13"] }}'],
		['it is a list without any', SHEET, '={{ [] }}'],
		['nothing of the item is meant', SHEET, '={{ $now.year }}'],
	])('do not stop it where %s', async (_why, rows, values) => {
		const { error, done } = await collect(sheet(rows), { lookupKey: 'gtin', values });
		expect([error, done.length]).toEqual(['', 2]);
	});
});

describe('the previous price of a run of the test source', () => {
	const PRICES: INodeParameters = {
		...{ values: 'kettle', columns: 'main', options: { includeInputFields: true } },
		previousPrice: '={{ $json.best_price }}',
	};
	const yesterday = (result_reason: string | null) => [{ id: 'a', best_price: 10, result_reason }];
	const change = async (reason: string | null, more: INodeParameters = {}) => {
		const { done, hints } = await collect(yesterday(reason), { ...PRICES, ...more });
		const said = hints.filter((hint) => hint.includes('is no change'));
		return [typeof done[0]?.price_change, said];
	};
	const HINT =
		'In 1 row there is no change, because a price from the test source is not compared with a real one.';

	it.each(['test data', 'test data; price not readable: "ab"'])(
		'is not compared with a real one: %s',
		async (reason) => expect(await change(reason)).toEqual(['object', [HINT]]),
	);

	it.each([null, 'not found', 'test database'])('is compared where it is real: %s', async (reason) =>
		expect(await change(reason)).toEqual(['number', []]),
	);

	it('is compared with another one of the test source, which is not compared with a real one', async () => {
		expect(await change('test data', { useTestSource: true })).toEqual(['number', []]);
		expect(await change(null, { useTestSource: true })).toEqual(['object', [HINT]]);
	});

	it('is one where nothing says what it is', async () => {
		const run = await collect([{ id: 'a', best_price: 10 }], { ...PRICES, useTestSource: true });
		expect(typeof run.done[0]?.price_change).toBe('number');
	});

	it('is a fixed one where it is not the item’s', async () => {
		expect(await change('test data', { previousPrice: '10' })).toEqual(['number', []]);
	});
});

describe('a country', () => {
	const written = (value: string, mode = 'code') => ({ country: { __rl: true, mode, value } });
	const sent = () =>
		sandbox.requests.flatMap(({ method, body }) =>
			method === 'POST' ? [(JSON.parse(String(body)) as IDataObject).country] : [],
		);

	it.each([
		['Germany', 'de'],
		[' united kingdom ', 'gb'],
		['={{ "Türkiye" }}', 'tr'],
	])('by its name is refused with its code: %s', async (name, code) => {
		const { message, error } = await collect(['kettle'], written(name));
		const plain = name.replace(/^=\{\{ "|" \}\}$/g, '').trim();
		expect(message).toBe(`Country is "${plain}", not a two-letter code`);
		const extent = name.startsWith('=') ? ' for this item' : '';
		expect(error).toContain(`Write ${code} for ${plain}. Nothing was sent${extent}.`);
		expect(sent()).toEqual([]);
	});

	it.each([
		['DE', 'code', 'de'],
		['uk', 'code', 'gb'],
		['atlantis', 'code', 'atlantis'],
		// The service's word, taken from its jobs.
		['germany', 'list', 'germany'],
	])('is sent as services write it: %s by %s', async (value, mode, wire) => {
		await collect(['kettle'], written(value, mode), { onError: 'continueErrorOutput' });
		expect(sent()).toEqual([wire]);
	});
});

it('a Webhook URL that is one of n8n’s for tests gets a word, and no other does', async () => {
	const word =
		'Webhook URL is a test URL of n8n, which works only while the trigger listens for a test event. After you publish the workflow of the trigger, use its production URL.';
	for (const [path, isSaid] of [
		['webhook-test/1/price-collection', true],
		['webhook/1/price-collection?from=/webhook-test/', false],
	] as const) {
		const options = { webhookUrl: `https://n8n.example.com/${path}` };
		const { hints } = await collect(['kettle'], { operation: 'create', options });
		expect(hints.includes(word)).toBe(isSaid);
	}
});

it('a value longer than a cell may be is sent as it is, and comes back shortened', async () => {
	const long = 'kettle '.repeat(8_000).trim();
	const { done } = await collect([{ id: 'a', long }], { values: '={{ $json.long }}' });
	expect(sandbox.jobs[0]?.values).toEqual([long]);
	expect(String(done[0]?.value)).toHaveLength(200);
});
