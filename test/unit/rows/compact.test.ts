import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	compactJob as compactJobInSteps,
	compactRows as compactRowsInSteps,
	fitAnswer,
} from '../../../nodes/PriceCollection/rows/compact';
import { atOnce } from '../atOnce';
import { readerOf } from './reader';

type Rows = Parameters<typeof compactRowsInSteps>;
const compactRows = (rows: Rows[0], choice: Rows[1], results: Rows[2], parameters?: IDataObject) =>
	atOnce(compactRowsInSteps)(rows, choice, results, readerOf(), parameters);
const compactJob = (job: IDataObject, prices: Rows[1]['bestPrice'], parameters?: IDataObject) =>
	atOnce(compactJobInSteps)(job, prices, readerOf(), parameters);

const CAP = 20_000;

/** A price row with this many offers, which cost 1, 2, 3, … */
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
/** The part of a row that is kept longest. */
const mainOf = (value: string) => ({
	...{ value, found: true, best_price: 1, best_total: 1, best_currency: 'EUR', best_shop: 'Shop 0' },
});

const rows = (count: number, offers: number) =>
	Array.from({ length: count }, (_, index) => row(`value ${index}`, offers));

describe('an answer', () => {
	const LIMIT = 'because an answer is limited to 20000 characters';

	it('keeps fields called __proto__ as mere fields, hidden or shortened', () => {
		const odd = '{"__proto__":{"a":1,"list":[1]}';
		const long = JSON.parse(`${odd},"key":1,"list":[${'"word",'.repeat(5_000)}1]}`) as IDataObject;
		const [shortened] = fitAnswer([long], CAP, ['key']);
		expect(JSON.stringify({ ...shortened, list: null })).toBe(`${odd},"list":null,"list_total":5001}`);
		expect(Object.getPrototypeOf(shortened)).toBe(Object.prototype);
	});

	it('hides a field in any spelling, at any depth', () => {
		const job = {
			job_id: 'a',
			webhookUrl: 'x',
			parameters: { 'Webhook-URL': 'x', webhook_url: 'x', url: 'y' },
		};
		expect(fitAnswer([job], CAP, ['webhook_url'])).toEqual([{ job_id: 'a', parameters: { url: 'y' } }]);
	});

	it('is what it is where everything fits', () => {
		expect(fitAnswer(rows(3, 10), CAP)).toEqual(rows(3, 10));
	});

	it('has whole rows until it is full, and says how many are left out', () => {
		const answer = fitAnswer(rows(1000, 10), CAP);
		const shown = answer.length - 1;
		expect(shown).toBe(5);
		expect(answer.slice(0, -1)).toEqual(rows(shown, 10));
		const more = 'Ask for fewer values at a time to see them all; a new question may cost credits.';
		expect(answer.at(-1)).toEqual({ note: `${1000 - shown} more rows are left out ${LIMIT}. ${more}` });
		const one = fitAnswer([...rows(shown, 10), row('long', 60)], CAP).at(-1);
		expect(one).toEqual({ note: `1 more row is left out ${LIMIT}. ${more}` });
	});

	it('shortens only a row that is too long by itself: whole fields, and the first entries of lists', () => {
		const long = { ...row('kettle', 200), url: `https://a.example/${'p'.repeat(30_000)}`, last: 1 };
		const [shown, note, ...others] = fitAnswer([long], CAP);
		const { offers } = shown as { offers: IDataObject[] };
		expect(offers.length).toBeGreaterThan(50);
		const { offers: all } = row('kettle', offers.length);
		expect({ ...shown, url: long.url }).toEqual({ ...long, offers: all, offers_total: 200 });
		expect(shown).not.toHaveProperty('url');
		expect([note, others]).toEqual([
			{
				note: `A row is shortened ${LIMIT}: a field ending in _total says how many entries a list has.`,
			},
			[],
		]);
		expect(fitAnswer([{ ...long, offers_total: 300 }], CAP)[0]).toMatchObject({ offers_total: 300 });
	});

	it('names what still runs and what failed first, and with its job', () => {
		const running = { job_id: 'a', status: 'working', still_running: true, note: 'Ask again.' };
		const failed = { value: 'kettle', error: 'The key is wrong. Correct it.' };
		const answer = fitAnswer([...rows(1000, 10), running, failed], CAP);
		expect(answer.slice(0, 2)).toEqual([running, failed]);
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
		bestPrice: { conditions: ['any'], ignoreShops: [], includeShipping: true },
	};
	const NO_CONDITIONS = { ...ROWS, bestPrice: { ignoreShops: [], includeShipping: true } };
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
		const shown = [{ query: { condition: 'used' } }, {}].map((result) =>
			places(compactRows([{ two }], NO_CONDITIONS, [result])[0]?.two).join(' '),
		);
		expect(shown).toEqual(['used new', 'new used']);
	});

	it.each<[string, IDataObject, object]>([
		['used', { condition: 'used' }, {}],
		['used', { condition: 'used' }, { query: { condition: 'new' } }],
		['new', {}, { query: { condition: 'used' } }],
	])(
		'begin with those that are %s where the job asked for %j, whatever is echoed: %j',
		(first, ...facts) => {
			const [parameters, result] = facts;
			const offers = ['new', 'used', 'new'].map((place) => ({
				price: 1,
				condition_code: place,
				place,
			}));
			const [row] = compactRows([{ offers }], NO_CONDITIONS, [result], parameters);
			expect(places(row?.offers)[0]).toBe(first);
			const job = { job_id: 'j', results: [{ ...result, content: { offers } }] };
			const { results } = compactJob(job, NO_CONDITIONS.bestPrice, parameters);
			const [inJob] = results as Array<{ content: IDataObject }>;
			expect(places(inJob?.content.offers)[0]).toBe(first);
		},
	);

	it('cut other lists as they come', () => {
		const reviews = Array.from({ length: 12 }, (_, i) => i);
		const cut = { reviews: reviews.slice(0, 10), reviews_total: 12 };
		expect(compactRows([{ reviews }], ROWS, [])).toEqual([cut]);
	});

	it('give the cheapest entries first', () => {
		const rows = ['9.00', null, '3.00', '5.00'].map((price) => ({ value: 'a', price }));
		const shown = (columns: 'main' | 'raw') =>
			compactRows(rows, { ...ROWS, columns, output: 'entries' }, []).map(({ price }) => price);
		expect(shown('main')).toEqual(['3.00', '5.00', '9.00', undefined]);
		expect(shown('raw')).toEqual(['9.00', undefined, '3.00', '5.00']);
	});

	it('of a whole job are in it', () => {
		const results = [{ query: {}, content: { offers: offers(11) } }, 'odd'];
		const compact = compactJob({ job_id: 'j', status: 'finished', results }, ROWS.bestPrice);
		const [first, ...others] = compact.results as Array<{ content: IDataObject }>;
		expect([compact.job_id, others, places(first?.content.offers).slice(0, 2)]).toEqual([
			'j',
			[],
			[10, 8],
		]);
		expect(compactJob({ job_id: 'j' }, ROWS.bestPrice)).toEqual({ job_id: 'j' });
	});
});
