import { planJobs, type ItemRequest } from '../../../../nodes/PriceCollection/run/lookup/plan';

const base = { topic: 'product_and_offers', source: 'test', country: 'de', key: 'gtin' };
const ask = (item: number, values: string[], parameters: ItemRequest['parameters'] = base): ItemRequest => ({
	item,
	parameters,
	values,
});
const combine = { grouping: 'combine', maxValuesPerJob: 1000 } as const;

describe('combine', () => {
	test('puts equal parameters into one job, whatever the order of their names', () => {
		const nested = { ...base, extra: { a: [1, 2], b: { c: 1, d: undefined } } };
		const reordered = {
			extra: { b: { c: 1 }, a: [1, 2] },
			key: 'gtin',
			country: 'de',
			source: 'test',
			topic: 'product_and_offers',
		};
		expect(planJobs([ask(0, ['1'], nested), ask(1, ['2'], reordered)], combine)).toEqual([
			{ parameters: nested, key: 'gtin', values: ['1', '2'], items: [0, 1], group: 0 },
		]);
	});

	test('asks for each value once, spelt as it was first asked for', () => {
		expect(
			planJobs([ask(0, ['0012', '7']), ask(1, ['12']), ask(2, ['7', '0012', '012'])], combine),
		).toEqual([{ parameters: base, key: 'gtin', values: ['0012', '7'], items: [0, 1, 2], group: 0 }]);
	});

	test('takes parameters that every item makes anew for equal where something stands for them', () => {
		const made = (item: number) => ({ ...base, webhook_url: `https://n8n.example.test/${item}` });
		const requests = [ask(0, ['1'], made(0)), ask(1, ['2'], made(1))];
		expect(planJobs(requests, { ...combine, stoodFor: { webhook_url: 'ours' } })).toEqual([
			{ parameters: made(0), key: 'gtin', values: ['1', '2'], items: [0, 1], group: 0 },
		]);
		expect(planJobs(requests, combine)).toHaveLength(2);
	});

	test('has no key where the parameters bring their value themselves', () => {
		expect(planJobs([ask(0, ['a'], { topic: 'search', value: 'a' })], combine)).toMatchObject([
			{ key: '' },
		]);
	});

	test('keeps different parameters apart, in the order of first asking', () => {
		const french = { ...base, country: 'fr' };
		expect(planJobs([ask(0, ['1']), ask(1, ['1'], french), ask(2, ['2'])], combine)).toEqual([
			{ parameters: base, key: 'gtin', values: ['1', '2'], items: [0, 2], group: 0 },
			{ parameters: french, key: 'gtin', values: ['1'], items: [1], group: 1 },
		]);
	});

	test('does not take lists in another order, or what is absent and a text, for equal', () => {
		const variants = [{ list: [1, 2] }, { list: [2, 1] }, { list: null }, { list: 'null' }, {}];
		const requests = variants.map((extra, item) => ask(item, ['1'], { ...base, ...extra }));
		expect(planJobs(requests, combine)).toHaveLength(variants.length);
	});

	test('takes a number and its text for equal, at any depth', () => {
		const variants = [
			{ max_age: 60, list: [1, 2] },
			{ max_age: '60', list: ['1', 2] },
		];
		const requests = variants.map((extra, item) => ask(item, ['1'], { ...base, ...extra }));
		expect(planJobs(requests, combine)).toHaveLength(1);
	});

	test('cuts at the limit and names every item that asked in each job', () => {
		const jobs = planJobs([ask(0, ['1', '2', '3']), ask(1, ['3', '1']), ask(2, ['2'])], {
			grouping: 'combine',
			maxValuesPerJob: 2,
		});
		expect(jobs).toEqual([
			{ parameters: base, key: 'gtin', values: ['1', '2'], items: [0, 1, 2], group: 0 },
			{ parameters: base, key: 'gtin', values: ['3'], items: [0, 1], group: 0 },
		]);
	});

	test('creates no job for items without values', () => {
		expect(planJobs([ask(0, []), ask(1, [])], combine)).toEqual([]);
	});
});

describe('perItem', () => {
	test('gives each item its own jobs, cut at the limit', () => {
		const jobs = planJobs([ask(0, ['1', '2', '3']), ask(1, ['1'])], {
			grouping: 'perItem',
			maxValuesPerJob: 2,
		});
		expect(jobs).toEqual([
			{ parameters: base, key: 'gtin', values: ['1', '2'], items: [0], group: 0 },
			{ parameters: base, key: 'gtin', values: ['3'], items: [0], group: 0 },
			{ parameters: base, key: 'gtin', values: ['1'], items: [1], group: 1 },
		]);
	});
});

test('never plans jobs of no values, however small the limit', () => {
	const jobs = planJobs([ask(0, ['1', '2'])], { grouping: 'combine', maxValuesPerJob: 0 });
	expect(jobs.map((job) => job.values)).toEqual([['1'], ['2']]);
});

test('lists items in ascending order also when they come in another one', () => {
	const requests = [ask(2, ['1']), ask(0, ['2'])];
	expect(planJobs(requests, combine)).toEqual([
		{ parameters: base, key: 'gtin', values: ['2', '1'], items: [0, 2], group: 0 },
	]);
	expect(requests.map(({ item }) => item)).toEqual([2, 0]);
});
