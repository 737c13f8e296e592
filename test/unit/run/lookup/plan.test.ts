import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	identityOfRequest,
	planJobs,
	splitIntoSingles,
	type PlannedJob,
} from '../../../../nodes/PriceCollection/run/lookup/plan';
import type { ItemRequest } from '../../../../nodes/PriceCollection/run/lookup/request';
import { identityOf, readValues } from '../../../../nodes/PriceCollection/run/lookup/values';
import { runs } from '../../../runs';

const base = { topic: 'product_and_offers', source: 'test', country: 'de', key: 'gtin' };
const ask = (item: number, values: string[], parameters: IDataObject = base): ItemRequest => ({
	...{ item, parameters, unsent: [] },
	asks: values.map((value, place) => [place, value]),
});
const plan = (requests: ItemRequest[], maxValuesPerJob = 1000, grouping: 'combine' | 'perItem' = 'combine') =>
	planJobs(requests, { grouping, maxValuesPerJob });
/** The values of each job, and who asks for which of them at which place. */
const shown = (jobs: PlannedJob[]) =>
	jobs.map(({ request: { values }, requesters }) => [
		values.join(' '),
		requesters.map(({ item, asks = [] }) => `${item}: ${asks.map((one) => one.join('=')).join(' ')}`),
	]);

describe('combine', () => {
	test('puts equal parameters into one job, whatever the order of their names', () => {
		const nested = { ...base, extra: { a: [1, 2], b: { c: 1, d: undefined } } };
		const { key, ...others } = base;
		const reordered = { extra: { b: { c: '1' }, a: [1, '2'] }, key, ...others };
		expect(plan([ask(0, ['1'], nested), ask(1, ['2'], reordered)])).toMatchObject([
			{
				job: { job_id: '', status: '' },
				request: { parameters: nested, key: 'gtin', values: ['1', '2'] },
				requesters: [
					{ item: 0, asks: [[0, '1']] },
					{ item: 1, asks: [[0, '2']] },
				],
				...{ since: 0, deadline: 0, givenUpBy: [] },
			},
		]);
	});

	test('asks for each value once, spelt as it was first asked for; each item keeps its own spelling', () => {
		expect(shown(plan([ask(0, ['0012', '7']), ask(1, ['12']), ask(2, ['7', '0012', '012'])]))).toEqual([
			['0012 7', ['0: 0=0012 1=7', '1: 0=12', '2: 0=7 1=0012 2=012']],
		]);
	});

	test('has no key where the parameters bring their value themselves, and never cuts that', () => {
		const jobs = plan([ask(0, ['a', 'b'], { topic: 'search', value: 'a\nb' })], 1);
		expect(jobs).toMatchObject([{ request: { key: '', values: ['a', 'b'] } }]);
		expect(splitIntoSingles(jobs[0] as PlannedJob)).toEqual(jobs);
	});

	test('keeps different parameters apart, in the order of first asking', () => {
		const french = { ...base, country: 'fr' };
		expect(shown(plan([ask(0, ['1']), ask(1, ['1'], french), ask(2, ['2'])]))).toEqual([
			['1 2', ['0: 0=1', '2: 0=2']],
			['1', ['1: 0=1']],
		]);
	});

	test('cuts at the limit, for those who asked in each job; a limit of nothing is one', () => {
		const requests = [ask(0, ['1', '2', '3']), ask(1, ['3', '1']), ask(2, ['2'])];
		expect(shown(plan(requests, 2))).toEqual([
			['1 2', ['0: 0=1 1=2', '1: 1=1', '2: 0=2']],
			['3', ['0: 2=3', '1: 0=3']],
		]);
		expect(shown(plan([ask(0, ['1', '2'])], 0)).map(([values]) => values)).toEqual(['1', '2']);
	});

	test('gives an item without values no job', () => {
		expect(plan([ask(0, [])])).toEqual([]);
	});
});

test('an item has jobs of its own where it is to, and so the same value is asked for twice', () => {
	expect(shown(plan([ask(0, ['1', '2', '3']), ask(1, ['1'])], 2, 'perItem'))).toEqual([
		['1 2', ['0: 0=1 1=2']],
		['3', ['0: 2=3']],
		['1', ['1: 0=1']],
	]);
});

test('single jobs belong to exactly the items that asked for their value', () => {
	const [job] = plan([ask(0, ['01', '2']), ask(1, ['2', '1', '02'])]);
	expect(shown(splitIntoSingles(job as PlannedJob))).toEqual([
		['01', ['0: 0=01', '1: 1=1']],
		['2', ['0: 1=2', '1: 0=2 2=02']],
	]);
});

describe('a request', () => {
	const stored = { topic: 'search', options: { maxAge: '={{ $now }}' } };
	const [planned] = plan([ask(0, ['a', 'b'], { key: 'term' }), ask(1, ['b'], { key: 'term' })]);
	const identity = (values: string[], items: number[], what: IDataObject = { stored }) =>
		identityOfRequest(
			{
				...(planned as PlannedJob),
				request: { parameters: { max_age: Math.random() }, key: 'term', values },
				requesters: items.map((item) => ({ item })),
			},
			what,
		);
	const usual = identityOfRequest(planned as PlannedJob, { stored });

	test('is the same whatever its expressions give, and in whatever order its values stand', () => {
		expect(identity(['b', 'a'], [0, 1])).toBe(usual);
		const reordered = { options: { maxAge: '={{ $now }}' }, topic: 'search' };
		expect(identity(['a', 'b'], [0, 1], { stored: reordered })).toBe(usual);
	});

	test.each<[string, string[], number[], IDataObject?]>([
		['another value', ['a', 'c'], [0, 1]],
		['a value less', ['a'], [0, 1]],
		['its values in one', ['a\nb'], [0, 1]],
		['other items', ['a', 'b'], [0, 2]],
		['an item less', ['a', 'b'], [0]],
		['another field of the node', ['a', 'b'], [0, 1], { stored: { ...stored, topic: 'reviews' } }],
		['resolved parameters of its own', ['a', 'b'], [0, 1], { stored, resolved: { country: 'fr' } }],
	])('is another one with %s', (_name, values, items, what = { stored }) => {
		expect(identity(values, items, what)).not.toBe(usual);
	});
});

describe('any items', () => {
	const digits = fc.stringMatching(/^0{0,3}[1-9]\d{0,12}$/);
	const value = fc.oneof(fc.constantFrom('a', 'A', 'tea pot', 'Tea  Pot', '12', '012'), digits);
	const rows = fc.array(
		fc.tuple(
			fc.array(value, { maxLength: 6 }),
			fc.record({
				topic: fc.constantFrom('product_and_offers', 'search'),
				key: fc.constantFrom('gtin', 'id'),
			}),
		),
		{ maxLength: 12 },
	);
	const grouping = fc.constantFrom('combine' as const, 'perItem' as const);

	test('make no purchase twice and each once, in as few jobs as the limit allows, split or not', () => {
		fc.assert(
			fc.property(rows, grouping, fc.integer({ min: 1, max: 5 }), (all, chosen, most) => {
				const requests = all.map(([raw, wire], item) =>
					ask(
						item,
						readValues(raw).map(({ text }) => text),
						wire,
					),
				);
				const jobs = plan(requests, most, chosen);
				const groupOf = ({ request, requesters }: PlannedJob) =>
					JSON.stringify([chosen === 'perItem' ? requesters[0]?.item : '', request.parameters]);
				const wanted = requests.flatMap(({ item, parameters, asks }) =>
					asks.map(([place, text]) => JSON.stringify([item, place, text, parameters])),
				);
				for (const some of [jobs, jobs.flatMap(splitIntoSingles)]) {
					const purchases = some.flatMap((job) =>
						job.request.values.map((text) => groupOf(job) + identityOf(job.request.key, text)),
					);
					expect(new Set(purchases).size).toBe(purchases.length);
					const asked = some.flatMap(({ request, requesters }) =>
						requesters.flatMap(({ item, asks = [] }) =>
							asks.map(([place, text]) => {
								const held = request.values.map((one) => identityOf(request.key, one));
								expect(held).toContain(identityOf(request.key, text));
								return JSON.stringify([item, place, text, request.parameters]);
							}),
						),
					);
					expect(asked.sort()).toEqual([...wanted].sort());
				}
				for (const job of jobs) {
					const { length } = job.request.values;
					const isLast = jobs.findLast((one) => groupOf(one) === groupOf(job)) === job;
					expect(isLast ? length > 0 && length <= most : length === most).toBe(true);
				}
			}),
			{ numRuns: runs(500) },
		);
	});
});
