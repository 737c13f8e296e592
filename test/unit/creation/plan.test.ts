import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readValues } from '../../../nodes/PriceCollection/values/cells';
import { identityOf } from '../../../nodes/PriceCollection/values/identity';
import { planJobs, splitIntoSingles } from '../../../nodes/PriceCollection/creation/plan';
import type { ItemLookups, PlannedJob } from '../../../nodes/PriceCollection/creation/plan';
import { runs } from '../../support/runs';
import { shown } from './shownJobs';

const base = { topic: 'product_and_offers', source: 'test', country: 'de', key: 'gtin' };
const ask = (item: number, values: string[], parameters: IDataObject = base): ItemLookups => ({
	...{ item, parameters },
	lookups: values.map((value, place) => [place, value]),
});
const plan = (requests: ItemLookups[], maxValuesPerJob = 1000, grouping: 'combine' | 'perItem' = 'combine') =>
	planJobs(requests, grouping, maxValuesPerJob);

describe('combine', () => {
	test('puts equal parameters into one job, whatever the order of their names', () => {
		const nested = { ...base, extra: { a: [1, 2], b: { c: 1, d: undefined } } };
		const { key, ...others } = base;
		const reordered = { extra: { b: { c: '1' }, a: [1, '2'] }, key, ...others };
		const jobs = plan([ask(0, ['1'], nested), ask(1, ['2'], reordered)]);
		expect(jobs).toMatchObject([{ request: { parameters: nested, key: 'gtin' } }]);
		expect(shown(jobs)).toEqual([['1 2', ['0: 0=1', '1: 0=2']]]);
	});

	test('asks for each value once, spelt as it was first asked for where it is no GTIN; each item keeps its own spelling', () => {
		expect(shown(plan([ask(0, ['0012', '7']), ask(1, ['12']), ask(2, ['7', '0012', '012'])]))).toEqual([
			['0012 7', ['0: 0=0012 1=7', '1: 0=12', '2: 0=7 1=0012 2=012']],
		]);
	});

	test.each([
		[['84123458184', '084123458184'], '084123458184'],
		[['084123458184', '84123458184'], '084123458184'],
		[['84123458184', '00084123458184', '0084123458184'], '00084123458184'],
		[['84123458184'], '084123458184'],
		[['0000096385074', '4006381333931'], '0000096385074 4006381333931'],
	])('of the spellings %j of GTINs the longest is sent, filled up with zeros: %s', (asked, sent) => {
		const jobs = plan(asked.map((value, item) => ask(item, [value])));
		expect(shown(jobs)).toEqual([[sent, asked.map((value, item) => `${item}: 0=${value}`)]]);
	});

	test('leaves other keys, and what the parameters bring themselves, as they are', () => {
		const sent = (parameters: IDataObject) => shown(plan([ask(0, ['84123458184'], parameters)]))[0]?.[0];
		expect(sent({ ...base, key: 'id' })).toBe('84123458184');
		expect(sent({ ...base, values: '84123458184' })).toBe('84123458184');
	});

	test('has no key where the parameters bring their value themselves, and never cuts that', () => {
		const jobs = plan([ask(0, ['a', 'b'], { topic: 'search', value: 'a\nb' })], 1);
		expect(jobs).toMatchObject([{ request: { key: '', values: ['a', 'b'] } }]);
		expect(splitIntoSingles(jobs[0] as PlannedJob)).toEqual(jobs);
	});

	test('cuts at the limit, for those who asked in each job; a limit is whole, and at least one', () => {
		const requests = [ask(0, ['1', '2', '3']), ask(1, ['3', '1']), ask(2, ['2'])];
		expect(shown(plan(requests, 2))).toEqual([
			['1 2', ['0: 0=1 1=2', '1: 1=1', '2: 0=2']],
			['3', ['0: 2=3', '1: 0=3']],
		]);
		for (const most of [0, 1.9])
			expect(shown(plan([ask(0, ['1', '2'])], most)).map(([values]) => values)).toEqual(['1', '2']);
	});
});

describe('values that a service may echo alike', () => {
	const byTerm = { ...base, key: 'term' };
	const values = (jobs: PlannedJob[]) => jobs.map(({ request }) => request.values);

	test.each<[string, string[], number, string[][]]>([
		['are in different jobs', ['Tea', 'x', 'tea', 'TEA', 'y'], 9, [['Tea', 'x', 'y'], ['tea'], ['TEA']]],
		[
			'by punctuation and accents',
			['café', 'a-b', 'Cafe', 'a b'],
			9,
			[
				['café', 'a-b'],
				['Cafe', 'a b'],
			],
		],
		['by zeros', ['0123', '123', '00123'], 9, [['0123'], ['123'], ['00123']]],
		['by invisible characters', ['a\u200bb', 'ab'], 9, [['a\u200bb'], ['ab']]],
		[
			'fill the first job that has room',
			['a', 'A', 'b', 'c', 'B', 'd'],
			3,
			[
				['a', 'b', 'c'],
				['A', 'B', 'd'],
			],
		],
		[
			'and no job beyond its limit',
			['a', 'A', 'b', 'B', 'c', 'C'],
			2,
			[['a', 'b'], ['A', 'B'], ['c'], ['C']],
		],
		['not where nothing else is left of them', ['?', '!', 'x'], 9, [['?', '!', 'x']]],
	])('%s', (_name, asked, most, wanted) => {
		expect(values(plan([ask(0, asked, byTerm)], most))).toEqual(wanted);
	});

	test('share a job where the parameters bring them', () => {
		const own = { topic: 'search', values: 'Tea\ntea' };
		expect(values(plan([ask(0, ['Tea', 'tea'], own)]))).toEqual([['Tea', 'tea']]);
	});

	test('share jobs with those of other items, each once', () => {
		const requests = [ask(0, ['Tea'], byTerm), ask(1, ['tea'], byTerm), ask(2, ['x', 'tea'], byTerm)];
		expect(shown(plan(requests))).toEqual([
			['Tea x', ['0: 0=Tea', '2: 0=x']],
			['tea', ['1: 0=tea', '2: 1=tea']],
		]);
	});

	test('take no more time each, however many there are', () => {
		const spellings = Array.from({ length: 4_096 }, (_one, index) =>
			[...'abcdefghijkl'].map((one, bit) => (index & (1 << bit) ? one.toUpperCase() : one)).join(''),
		);
		expect(values(plan([ask(0, spellings, byTerm)]))).toEqual(spellings.map((one) => [one]));
	});
});

test('single jobs belong to exactly the items that asked for their value', () => {
	const [job] = plan([ask(0, ['01', '2']), ask(1, ['2', '1', '02'])]);
	expect(shown(splitIntoSingles(job as PlannedJob))).toEqual([
		['01', ['0: 0=01', '1: 1=1']],
		['2', ['0: 1=2', '1: 0=2 2=02']],
	]);
});

describe('any items', () => {
	const digits = fc.stringMatching(/^0{0,3}[1-9]\d{0,12}$/);
	const value = fc.oneof(fc.constantFrom('a', 'A', 'tea pot', 'Tea  Pot', '12', '012'), digits);
	const wires = fc.record({
		topic: fc.constantFrom('offers', 'search'),
		key: fc.constantFrom('gtin', 'id'),
	});
	const rows = fc.array(fc.tuple(fc.array(value, { maxLength: 6 }), wires), { maxLength: 12 });
	const grouping = fc.constantFrom('combine' as const, 'perItem' as const);
	const foldsOf = ({ request }: PlannedJob) =>
		request.values.map((one) => one.toLowerCase().replace(/ +/g, ' ').replace(/^0+/, ''));

	test('make no purchase twice and each once, in as few jobs as the limit allows, split or not', () => {
		fc.assert(
			fc.property(rows, grouping, fc.integer({ min: 1, max: 5 }), (all, chosen, most) => {
				const texts = (raw: unknown) => readValues(raw).map(({ text }) => text);
				const requests = all.map(([raw, wire], item) => ask(item, texts(raw), wire));
				const jobs = plan(requests, most, chosen);
				const groupOf = ({ request, requesters }: PlannedJob) =>
					JSON.stringify([chosen === 'perItem' ? requesters[0]?.item : '', request.parameters]);
				const wanted = requests.flatMap(({ item, parameters, lookups }) =>
					lookups.map(([place, text]) => JSON.stringify([item, place, text, parameters])),
				);
				for (const some of [jobs, jobs.flatMap(splitIntoSingles)]) {
					const purchases = some.flatMap((job) =>
						job.request.values.map((text) => groupOf(job) + identityOf(job.request.key, text)),
					);
					expect(new Set(purchases).size).toBe(purchases.length);
					const asked = some.flatMap(({ request, requesters }) =>
						requesters.flatMap(({ item, lookups = [] }) =>
							lookups.map(([place, text]) => {
								const held = request.values.map((one) => identityOf(request.key, one));
								expect(held).toContain(identityOf(request.key, text));
								return JSON.stringify([item, place, text, request.parameters]);
							}),
						),
					);
					expect(asked.sort()).toEqual([...wanted].sort());
				}
				for (const [index, job] of jobs.entries()) {
					const own = foldsOf(job);
					expect(own.length > 0 && own.length <= most).toBe(true);
					expect(new Set(own).size).toBe(own.length);
					// While a job has room, later jobs hold only values that look like one of its own.
					const later = jobs.slice(index).filter((one) => groupOf(one) === groupOf(job));
					if (own.length < most)
						expect(own).toEqual(expect.arrayContaining(later.flatMap(foldsOf)));
				}
			}),
			{ numRuns: runs(500) },
		);
	});
});
