import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { compactJob, compactRows, fitAnswer } from '../../../nodes/PriceCollection/output/answer';

const CAP = 20_000;

/** A price row with as many offers, which cost 1, 2, 3, … */
function row(value: string, offers: number): IDataObject {
	const offer = (_: unknown, index: number) => ({
		...{ price: `${index + 1}.00`, currency: 'EUR', shop_name: `Shop ${index}`, shop_review_count: 4711 },
		url: `https://shop.example/${'o'.repeat(100)}/${index}`,
	});
	return {
		...{ job_id: 'd2a50f23095270955791dcb1', ...mainOf(value), description: 'word '.repeat(200) },
		offers: Array.from({ length: offers }, offer),
	};
}
/** What of it is kept longest. */
const mainOf = (value: string) => ({
	...{ value, found: true, best_price: 1, best_total: 1, best_currency: 'EUR', best_shop: 'Shop 0' },
});

const rows = (count: number, offers: number) =>
	Array.from({ length: count }, (_, index) => row(`value ${index}`, offers));

describe('an answer', () => {
	it('keeps fields called __proto__ as mere fields, hidden or shortened', () => {
		const odd = '{"__proto__":{"a":1,"list":[1]}';
		const long = JSON.parse(`${odd},"key":1,"list":[${'"word",'.repeat(5_000)}1]}`) as IDataObject;
		const [shortened] = fitAnswer([long], CAP, ['key']);
		expect(JSON.stringify({ ...shortened, list: null })).toBe(`${odd},"list":null,"list_total":5001}`);
		expect(Object.getPrototypeOf(shortened)).toBe(Object.prototype);
	});

	it('is what it is where everything fits, and shortens lists and texts before it drops a column', () => {
		expect(fitAnswer(rows(3, 10), CAP)).toEqual(rows(3, 10));
		const answer = fitAnswer(rows(10, 10), CAP);
		expect(answer).toHaveLength(11);
		expect(answer[0]).toMatchObject({ value: 'value 0', offers_total: 10, job_id: expect.any(String) });
		expect(answer[0]?.offers).toHaveLength(5);
		const compacted = rows(10, 10).map((one) => ({ offers_total: 25, ...one }));
		expect(fitAnswer(compacted, CAP)[0]).toMatchObject({ offers_total: 25 });
		expect(String(answer[0]?.description)).toMatch(/^word .*…$/);
		expect(answer[10]).toEqual({
			note: 'Shortened, because an answer has 20000 characters at the most: long lists show their first entries, offers the cheapest ones, and a field ending in _total says how many there are. Ask for fewer values at a time to see more.',
		});
	});

	it('keeps the main columns of rows that are too many for all of theirs', () => {
		const [{ description, ...main } = {}] = rows(1, 0);
		const long = { description, brand: 'x'.repeat(250), model: 'y'.repeat(250) };
		const wide = Array.from({ length: 40 }, () => ({ ...main, ...long, best_url: 'https://a.example' }));
		const answer = fitAnswer(wide, CAP);
		expect(answer).toHaveLength(41);
		expect(answer[0]).toEqual({ ...main, best_url: 'https://a.example', offers: undefined });
	});

	it('keeps the best price of every row before it drops a row', () => {
		const answer = fitAnswer(rows(140, 10), CAP);
		expect(answer).toHaveLength(141);
		expect(answer[139]).toEqual(mainOf('value 139'));
	});

	it('keeps the price of rows that do not name their value', () => {
		const chosen = Array.from({ length: 400 }, () => ({ best_price: 1, best_url: 'x'.repeat(200) }));
		expect(fitAnswer(chosen, CAP)[399]).toEqual({ best_price: 1 });
	});

	it('counts the rows that are left out, and says how to see them', () => {
		const answer = fitAnswer(rows(1000, 10), CAP);
		const shown = answer.length - 1;
		expect(shown).toBeGreaterThan(100);
		expect(answer.at(-1)).toEqual({
			note: `${1000 - shown} more rows are left out, and the others show their main columns only, because an answer has 20000 characters at the most. Ask for fewer values at a time to see them all; a new question may cost credits.`,
		});
	});

	it('names what still runs and what failed first, and with its job', () => {
		const running = { job_id: 'a', status: 'working', still_running: true, note: 'Ask again.' };
		const failed = { value: 'kettle', error: 'The key is wrong. Correct it.' };
		const answer = fitAnswer([...rows(1000, 10), running, failed], CAP);
		expect(answer.slice(0, 2)).toEqual([running, failed]);
	});

	it('leaves out an address that does not fit, and no half of one', () => {
		const long = `https://shop.example/${'p'.repeat(2_000)}`;
		const [item] = fitAnswer([{ url: long, text: 'x'.repeat(30_000) }], CAP);
		expect(item).toEqual({ text: `${'x'.repeat(999)}…` });
	});

	it('is never longer than it may be, whatever the items', () => {
		const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<
			IDataObject[string]
		>;
		const name = fc.oneof(fc.string(), fc.constantFrom('value', 'error', 'offers', 'note', 'best_url'));
		const item = fc.dictionary(name, fc.oneof(json, fc.string({ maxLength: 3_000 })), { maxKeys: 40 });
		const cap = fc.integer({ min: 0, max: 5_000 });
		fc.assert(
			fc.property(fc.array(item, { maxLength: 40 }), cap, (items, most) => {
				const { length } = JSON.stringify(fitAnswer(items, most));
				expect(length).toBeLessThanOrEqual(Math.max(1_000, most));
			}),
		);
	});
});

describe('rows for an agent', () => {
	const ROWS = {
		...({ output: 'results', columns: 'all' } as const),
		bestPrice: { conditions: [], ignoreShops: [], includeShipping: true },
	};
	/** Offers that get cheaper towards the end; every fifth has no price. */
	const offers = (count: number) =>
		Array.from({ length: count }, (_, place) => ({
			...{ place, price: place % 5 === 4 ? null : `${100 - place}.00`, currency: 'EUR' },
		}));
	const places = (list: unknown) => (list as IDataObject[]).map(({ place }) => place);

	it('leave out what says nothing, and keep what does, at any depth', () => {
		const row = { a: null, b: '', c: undefined, d: [], e: 0, f: false, g: 'x', h: {}, i: { j: null } };
		expect(compactRows([row], ROWS, [])).toEqual([{ e: 0, f: false, g: 'x', h: {}, i: {} }]);
	});

	it('keep fields called __proto__ as mere fields', () => {
		const text = '{"__proto__":{"a":1},"content":{"__proto__":[2],"name":"Pen"}}';
		const [row] = compactRows([JSON.parse(text) as IDataObject], ROWS, []);
		expect(JSON.stringify(row)).toBe(text);
		expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
	});

	it('show the ten cheapest offers of a long list, and how many there are', () => {
		const ten = [23, 22, 21, 20, 18, 17, 16, 15, 13, 12];
		const [row, raw] = compactRows(
			[{ offers: offers(25) }, { content: { offers: offers(25) } }],
			ROWS,
			[],
		);
		for (const { offers: shown, offers_total: total } of [row, raw?.content] as IDataObject[])
			expect([places(shown), total]).toEqual([ten, 25]);
	});

	it('put offers without a price, or in another condition than the job asked for, last', () => {
		const [row] = compactRows([{ offers: offers(6) }], ROWS, []);
		expect(places(row?.offers)).toEqual([5, 3, 2, 1, 0, 4]);
		expect(row).not.toHaveProperty('offers_total');
		const two = ['used', 'new'].map((place) => ({ price: 1, condition_code: place, place }));
		const bestPrice = { ignoreShops: [], includeShipping: true };
		const shown = [{ query: { condition: 'used' } }, {}].map((result) =>
			places(compactRows([{ two }], { ...ROWS, bestPrice }, [result])[0]?.two).join(' '),
		);
		expect(shown).toEqual(['used new', 'new used']);
	});

	it('cut other lists as they come', () => {
		const reviews = Array.from({ length: 12 }, (_, i) => i);
		const cut = { reviews: reviews.slice(0, 10), reviews_total: 12 };
		expect(compactRows([{ reviews }], ROWS, [])).toEqual([cut]);
	});

	it('give entries in turns: the cheapest of every value first', () => {
		const prices = ['a 9.00', 'a', 'a 3.00', 'b 7.00', 'b 5.00'];
		const rows = prices.map((text) => {
			const [value = '', price = null] = text.split(' ');
			return { value, price };
		});
		const compact = compactRows(rows, { ...ROWS, output: 'entries' }, []);
		expect(compact.map(({ value, price = '' }) => `${String(value)} ${String(price)}`.trim())).toEqual([
			...['a 3.00', 'b 5.00', 'a 9.00', 'b 7.00', 'a'],
		]);
		const raw = compactRows(rows, { ...ROWS, output: 'entries', columns: 'raw' }, []);
		expect(raw.map(({ value }) => value)).toEqual([...'aaabb']);
	});

	it('show a hundred results of a whole job at the most', () => {
		const results = Array.from({ length: 101 }, () => ({ query: {}, content: { offers: offers(11) } }));
		const compact = compactJob({ job_id: 'j', status: 'finished', results }, ROWS.bestPrice);
		expect(compact).toMatchObject({ job_id: 'j', results_total: 101 });
		const [first, ...others] = compact.results as Array<{ content: IDataObject }>;
		expect([others.length, places(first?.content.offers).slice(0, 2)]).toEqual([99, [10, 8]]);
		expect(compactJob({ job_id: 'j' }, ROWS.bestPrice)).toEqual({ job_id: 'j' });
	});
});
