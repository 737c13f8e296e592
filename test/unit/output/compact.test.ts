import type { IDataObject } from 'n8n-workflow';

import { compactJob, compactRows } from '../../../nodes/PriceCollection/output/compact';

const ROWS = {
	...({ output: 'results', columns: 'all' } as const),
	bestPrice: { conditions: [], ignoreShops: [], includeShipping: true },
};

/** Offers that get cheaper towards the end; every fifth has no price. */
const offers = (count: number) =>
	Array.from({ length: count }, (_, place) => ({
		place,
		price: place % 5 === 4 ? null : `${100 - place}.00`,
		currency: 'EUR',
	}));
const places = (list: unknown) => (list as IDataObject[]).map(({ place }) => place);

describe('rows for an agent', () => {
	it('leave out what says nothing, and keep what does', () => {
		const row = { a: null, b: '', c: undefined, d: [], e: 0, f: false, g: 'x', h: {} };
		expect(compactRows([row], ROWS, [])).toEqual([{ e: 0, f: false, g: 'x', h: {} }]);
	});

	it('keep fields called __proto__ as mere fields', () => {
		const text = '{"__proto__":{"a":1},"content":{"__proto__":[2],"name":"Pen"}}';
		const row = JSON.parse(text) as IDataObject;
		const lists = JSON.parse('{"__proto__":[1]}') as IDataObject;
		const lean = compactRows([row, lists], ROWS, []);
		expect(lean.map((one) => JSON.stringify(one))).toEqual([text, '{"__proto__":[1]}']);
		expect(lean.map(Object.getPrototypeOf)).toEqual([Object.prototype, Object.prototype]);
		const [whole] = compactRows([row], { ...ROWS, columns: 'raw' }, []);
		expect(JSON.stringify(whole)).toBe(text);
	});

	it('show the ten cheapest offers of a long list, and how many there are', () => {
		const [row] = compactRows(
			[{ topic: 'product_and_offers', value: 'kettle', offers: offers(25) }],
			ROWS,
			[],
		);
		expect(places(row?.offers)).toEqual([23, 22, 21, 20, 18, 17, 16, 15, 13, 12]);
		expect(row?.offers_total).toBe(25);
	});

	it('put offers without a price last', () => {
		const [row] = compactRows([{ topic: 'product_and_offers', offers: offers(6) }], ROWS, []);
		expect(places(row?.offers)).toEqual([5, 3, 2, 1, 0, 4]);
		expect(row).not.toHaveProperty('offers_total');
	});

	it('cut other lists as they come', () => {
		const [row] = compactRows(
			[{ topic: 'reviews', reviews: Array.from({ length: 12 }, (_, i) => i) }],
			ROWS,
			[],
		);
		expect(row).toEqual({
			topic: 'reviews',
			reviews: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
			reviews_total: 12,
		});
	});

	it('give entries in turns: the cheapest of every value first', () => {
		const entry = (value: string, price: string | null) => ({
			topic: 'product_and_offers',
			value,
			price,
		});
		const rows = [
			entry('a', '9.00'),
			entry('a', null),
			entry('a', '3.00'),
			entry('b', '7.00'),
			entry('b', '5.00'),
		];
		const lean = compactRows(rows, { ...ROWS, output: 'entries' }, []);
		expect(lean.map(({ value, price }) => [value, price])).toEqual([
			['a', '3.00'],
			['b', '5.00'],
			['a', '9.00'],
			['b', '7.00'],
			['a', undefined],
		]);
	});

	it('are lean inside the service’s own structure', () => {
		const row = {
			job_id: 'j',
			query: { topic: 'product_and_offers', value: 'kettle' },
			content: { name: 'Kettle', brand: null, offers: offers(12) },
		};
		const [lean] = compactRows([row], { ...ROWS, columns: 'raw' }, []);
		expect(lean).toMatchObject({ job_id: 'j', content: { name: 'Kettle', offers_total: 12 } });
		expect(lean?.content).not.toHaveProperty('brand');
		expect(places((lean?.content as IDataObject).offers).slice(0, 2)).toEqual([11, 10]);
	});
});

it('a job for an agent shows a hundred results at the most', () => {
	const results = Array.from({ length: 101 }, () => ({ query: {}, content: { offers: offers(11) } }));
	const lean = compactJob({ job_id: 'j', status: 'finished', results }, ROWS);
	expect(lean).toMatchObject({ job_id: 'j', results_total: 101 });
	expect(lean.results).toHaveLength(100);
	expect(compactJob({ job_id: 'j', status: 'new' }, ROWS)).toEqual({ job_id: 'j', status: 'new' });
});
