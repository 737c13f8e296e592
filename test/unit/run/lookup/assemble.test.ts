import fc from 'fast-check';

import { addCounts, assemble } from '../../../../nodes/PriceCollection/run/lookup/assemble';
import type { AnsweredJob } from '../../../../nodes/PriceCollection/run/lookup/assemble';
import { planJobs } from '../../../../nodes/PriceCollection/run/lookup/plan';
import type { PlannedJob, UnsentValue } from '../../../../nodes/PriceCollection/run/lookup/plan';
import type { RowChoice } from '../../../../nodes/PriceCollection/output/rows';
import type { Result } from '../../../../nodes/PriceCollection/service/types';
import { runs } from '../../../runs';

const yieldToEventLoop = jest.fn(async () => {});
const assembleWith = async (
	jobs: AnsweredJob[],
	values: ReadonlyMap<number, string[]>,
	choice: RowChoice,
	unsent: UnsentValue[] = [],
) => await assemble(jobs, { values, unsent }, choice, { yieldToEventLoop });

const CHOICE: RowChoice = {
	output: 'results',
	simplify: true,
	includeNotFound: true,
	onFailedResult: 'include',
};

/** How the service answers a value. */
type Fate = 'found' | 'notFound' | 'failed' | 'silent';

function resultOf(key: string, value: string, fate: Fate): Result[] {
	const query = { key, value, topic: 'product_and_offers' };
	if (fate === 'silent') return [];
	if (fate === 'failed') return [{ query, success: false, reason: 'refused' }];
	return [{ query, success: true, content: fate === 'found' ? { name: `about ${value}` } : null }];
}

function answered(planned: PlannedJob, results: Result[], index = 0): AnsweredJob {
	return { planned, download: { job_id: `job${index}`, status: 'finished', results } };
}

/** Values that do not level to each other, so that every answer has one owner. */
const value = fc.stringMatching(/^[a-z]{1,3}$/);
const scenario = fc.record({
	items: fc.array(fc.uniqueArray(value, { maxLength: 4 }), { minLength: 1, maxLength: 12 }),
	maxValuesPerJob: fc.integer({ min: 1, max: 5 }),
	grouping: fc.constantFrom('combine' as const, 'perItem' as const),
	fates: fc.array(fc.constantFrom<Fate>('found', 'notFound', 'failed', 'silent'), {
		minLength: 1,
		maxLength: 7,
	}),
	order: fc.infiniteStream(fc.nat()),
});

const NOT_ANSWERED = 'not answered: the job ended without a result for this value';

describe('assemble', () => {
	it('loses no item and gives none the result of another', async () => {
		const check = async ({
			items,
			maxValuesPerJob,
			grouping,
			fates,
			order,
		}: typeof scenario extends fc.Arbitrary<infer T> ? T : never) => {
			const parameters = { topic: 'product_and_offers', key: 'term' };
			const requests = items.map((values, item) => ({ item, parameters, values }));
			const plan = planJobs(requests, { grouping, maxValuesPerJob });
			const fateOf = (text: string): Fate => {
				const sum = [...text].reduce((total, letter) => total + letter.charCodeAt(0), 0);
				return fates[sum % fates.length] ?? 'found';
			};
			const jobs = plan.map((planned, index) => {
				const results = planned.values.flatMap((text) => resultOf('term', text, fateOf(text)));
				const shuffled = results
					.map((result) => ({ result, rank: Number(order.next().value) }))
					.sort((a, b) => a.rank - b.rank)
					.map(({ result }) => result);
				return answered(planned, shuffled, index);
			});
			const asked = new Map(items.map((values, item) => [item, values]));
			const assembly = await assembleWith(jobs, asked, CHOICE);
			expect(assembly.items.map(({ item }) => item)).toEqual(items.map((_values, item) => item));
			expect(assembly.items.map(({ rows }) => rows.map((row) => row.value))).toEqual(items);
			for (const row of assembly.items.flatMap(({ rows }) => rows)) {
				const fate = fateOf(String(row.value));
				expect(row.found).toBe(fate === 'found');
				expect(row.success).toBe(fate === 'found' || fate === 'notFound');
				if (fate === 'found') expect(row.name).toBe(`about ${String(row.value)}`);
			}
			const different = plan.flatMap(({ values }) => values);
			const { counts } = assembly;
			expect(counts.found + counts.notFound + counts.failed + counts.unanswered).toBe(different.length);
			expect(assembly.strays).toEqual([]);
		};
		await fc.assert(fc.asyncProperty(scenario, check), { numRuns: runs(500) });
	});

	const planned: PlannedJob = {
		parameters: { topic: 'search', source: 'x' },
		key: 'term',
		values: ['a', 'b'],
		items: [0, 1],
		group: 0,
	};
	const asked = new Map([
		[0, ['a']],
		[1, ['b', 'a']],
	]);

	it('says what a value without an answer was asked for', async () => {
		const { items } = await assembleWith([answered(planned, [])], asked, CHOICE);
		expect(items[0]?.rows).toEqual([
			expect.objectContaining({
				job_id: 'job0',
				topic: 'search',
				source: 'x',
				value: 'a',
				success: false,
				found: false,
				reason: expect.stringContaining('not answered') as string,
			}),
		]);
	});

	it('fails the items whose values failed or stayed unanswered, and only those', async () => {
		const job = answered(planned, resultOf('term', 'a', 'found'));
		const { items } = await assembleWith([job], asked, { ...CHOICE, onFailedResult: 'error' });
		expect(items.map(({ failed }) => failed?.value)).toEqual([undefined, 'b']);
	});

	it('fails no item where failed results are skipped or included, and gives no row for what fails it', async () => {
		const job = answered(planned, resultOf('term', 'a', 'failed'));
		const skipped = await assembleWith([job], asked, { ...CHOICE, onFailedResult: 'skip' });
		expect(skipped.items).toEqual([
			{ item: 0, rows: [] },
			{ item: 1, rows: [] },
		]);
		const included = await assembleWith([job], asked, CHOICE);
		expect(included.items.map(({ rows, failed }) => [rows.length, failed])).toEqual([
			[1, undefined],
			[2, undefined],
		]);
		const error: RowChoice = { ...CHOICE, onFailedResult: 'error' };
		const failing = await assembleWith([answered(planned, [])], asked, error);
		expect(failing.items).toEqual([
			{ item: 0, rows: [], failed: { value: 'a', reason: NOT_ANSWERED, jobId: 'job0' } },
			{ item: 1, rows: [], failed: { value: 'b', reason: NOT_ANSWERED, jobId: 'job0' } },
		]);
	});

	it('fails no item whose values were all found', async () => {
		const results = [...resultOf('term', 'a', 'found'), ...resultOf('term', 'b', 'notFound')];
		const choice: RowChoice = { ...CHOICE, onFailedResult: 'error' };
		const { items } = await assembleWith([answered(planned, results)], asked, choice);
		expect(items.map(({ failed }) => failed)).toEqual([undefined, undefined]);
	});

	it('gives no row for a value that none of the jobs holds', async () => {
		const jobs = [
			answered({ ...planned, values: ['a'], items: [0] }, resultOf('term', 'a', 'found')),
			answered({ ...planned, values: ['c'], items: [0] }, [], 1),
		];
		const { items } = await assembleWith(jobs, new Map([[0, ['a', 'b']]]), CHOICE);
		expect(items[0]?.rows.map((row) => row.value)).toEqual(['a']);
	});

	it('goes by the topic of the job where the results do not echo it', async () => {
		const search = { ...planned, values: ['a'], items: [0] };
		const content = { name: 'a', search_results: [] };
		const result: Result = { query: { term: 'a' }, success: true, content };
		const { counts } = await assembleWith([answered(search, [result])], asked, CHOICE);
		expect(counts).toEqual({ found: 0, notFound: 1, failed: 0, unanswered: 0 });
	});

	it('counts what several runs say together', () => {
		const counts = { found: 1, notFound: 2, failed: 3, unanswered: 4 };
		expect(addCounts(counts, { found: 10, notFound: 20, failed: 30, unanswered: 40 })).toEqual({
			...{ found: 11, notFound: 22, failed: 33, unanswered: 44 },
		});
	});

	it('gives no row for a value whose job is accounted for elsewhere', async () => {
		const { items } = await assembleWith([], asked, CHOICE);
		expect(items.map(({ rows }) => rows)).toEqual([[], []]);
	});

	it('counts a value that two items left unanswered once', async () => {
		const { counts } = await assembleWith([answered(planned, [])], asked, CHOICE);
		expect(counts).toEqual({ found: 0, notFound: 0, failed: 0, unanswered: 2 });
	});

	it('lets the event loop have its turn every fifty values', async () => {
		yieldToEventLoop.mockClear();
		const values = Array.from({ length: 2_000 }, (_, index) => `v${index}`);
		const results = values.flatMap((text) => resultOf('term', text, 'found'));
		await assembleWith(
			[answered({ ...planned, values, items: [0] }, results)],
			new Map([[0, values]]),
			CHOICE,
		);
		expect(yieldToEventLoop).toHaveBeenCalledTimes(40);
	});

	/** The reasons of the rows of all items, and the strays. */
	async function reasonsOf(job: PlannedJob, results: Result[], choice = CHOICE) {
		const values = new Map(job.items.map((item) => [item, [...job.values]]));
		const { items, strays, counts } = await assembleWith([answered(job, results)], values, choice);
		return { reasons: items.map(({ rows }) => rows.map(({ reason }) => reason)), items, strays, counts };
	}
	const one = { ...planned, items: [0] };

	it('says "not answered" only where nothing came that could be the answer', async () => {
		const a = resultOf('term', 'a', 'found');
		expect((await reasonsOf(one, a)).reasons).toEqual([[null, NOT_ANSWERED]]);
		expect((await reasonsOf(one, [])).reasons).toEqual([[NOT_ANSWERED, NOT_ANSWERED]]);
	});

	it.each<[string, Result[], string]>([
		[
			'which do not say',
			[{ query: {}, success: true, content: {} }],
			'1 result, which do not say what they are for',
		],
		[
			'for three others',
			['w', 'x', 'y'].flatMap((text) => resultOf('term', text, 'found')),
			'3 results, for "w", "x", "y"',
		],
		[
			'for others',
			['w', 'x', 'y', 'z', 'w'].flatMap((text) => resultOf('term', text, 'found')),
			'5 results, for "w", "x", "y" and others',
		],
	])('names the results that no value could be matched with: %s', async (_name, strange, what) => {
		const { reasons, strays } = await reasonsOf(one, [...resultOf('term', 'a', 'found'), ...strange]);
		expect(reasons).toEqual([
			[null, `not matched: of what the job brought, ${what}, belongs to none of the values asked for`],
		]);
		expect(strays).toHaveLength(1);
	});

	it('names the results that fit several values', async () => {
		const job = { ...one, key: 'id', values: ['AB', 'ab'] };
		const reason =
			'could not be told apart: the job brought 2 results, for "ab", which fit several of the values asked for';
		const results = ['ab', 'ab'].flatMap((text) => resultOf('id', text, 'found'));
		expect((await reasonsOf(job, results)).reasons).toEqual([[reason, reason]]);
	});

	it('gives results of nobody as rows of their own for all who asked in the job, and counts them', async () => {
		const strange = [...resultOf('term', 'zzz', 'found'), ...resultOf('term', 'yyy', 'failed')];
		const { strays, counts } = await reasonsOf(planned, strange);
		expect(strays).toEqual([
			{
				items: [0, 1],
				results: 2,
				rows: [
					expect.objectContaining({ job_id: 'job0', value: 'zzz', found: true, name: 'about zzz' }),
					expect.objectContaining({ job_id: 'job0', value: 'yyy', success: false }),
				],
			},
		]);
		expect(counts).toEqual({ found: 1, notFound: 0, failed: 1, unanswered: 2 });
	});

	it('leaves out those that the user does not want, and still counts the results', async () => {
		const { strays } = await reasonsOf(planned, resultOf('term', 'yyy', 'failed'), {
			...CHOICE,
			onFailedResult: 'skip',
		});
		expect(strays).toEqual([{ items: [0, 1], results: 1, rows: [] }]);
	});

	describe('values that were not sent', () => {
		const bad = (item: number, place: number, value: string | null): UnsentValue => ({
			...{ item, place, reason: 'not looked up: it is bad' },
			query: { topic: 'product_and_offers', key: 'gtin', source: 'test', value },
		});
		const planned: PlannedJob = {
			...{ parameters: { topic: 'product_and_offers', key: 'gtin' }, key: 'gtin', group: 0 },
			...{ values: ['1', '2'], items: [0, 2] },
		};
		const jobs = [
			answered(planned, [...resultOf('gtin', '1', 'found'), ...resultOf('gtin', '2', 'failed')]),
		];
		const asked = new Map([
			[0, ['1', '2']],
			[1, []],
			[2, ['2']],
		]);
		const unsent = [bad(0, 0, 'x'), bad(0, 1, 'y'), bad(0, 2, 'z'), bad(1, 0, null)];

		it('stand among the others where the item has them, and alone in an item without others', async () => {
			const { items } = await assembleWith(jobs, asked, CHOICE, unsent);
			expect(items.map(({ item, rows }) => [item, rows.map((row) => row.value)])).toEqual([
				[0, ['x', '1', 'y', '2', 'z']],
				[1, [null]],
				[2, ['2']],
			]);
			expect(items[1]?.rows).toEqual([
				{
					...{ value: null, found: false, name: null, job_id: null, topic: 'product_and_offers' },
					...{ source: 'test', country: null, key: 'gtin', success: false },
					...{ reason: 'not looked up: it is bad', from_cache: null, collected_at: null },
				},
			]);
		});

		it('have the structure of the service without Simplify', async () => {
			const { items } = await assembleWith([], asked, { ...CHOICE, simplify: false }, [
				bad(1, 0, null),
			]);
			const query = { topic: 'product_and_offers', key: 'gtin', source: 'test', value: null };
			expect(items[1]?.rows).toEqual([
				{
					...{ job_id: null, status: null, query, success: false, found: false },
					reason: 'not looked up: it is bad',
				},
			]);
		});

		it('are left out with the failed results, or fail their item', async () => {
			const skipped = await assembleWith(jobs, asked, { ...CHOICE, onFailedResult: 'skip' }, unsent);
			expect(skipped.items.map(({ rows }) => rows.map((row) => row.value))).toEqual([['1'], [], []]);
			expect(skipped.items.map((one) => one.failed)).toEqual([undefined, undefined, undefined]);
			const failed = await assembleWith(jobs, asked, { ...CHOICE, onFailedResult: 'error' }, unsent);
			expect(failed.items.map((one) => one.failed)).toEqual([
				{ value: 'x', reason: 'not looked up: it is bad' },
				{ value: null, reason: 'not looked up: it is bad' },
				{ value: '2', reason: 'refused', jobId: 'job0' },
			]);
		});

		it('have rows although no job was answered, and their item is not known otherwise', async () => {
			const { items } = await assembleWith([], new Map(), CHOICE, [bad(4, 0, 'x')]);
			expect(items.map(({ item, rows }) => [item, rows.length])).toEqual([[4, 1]]);
		});
	});
});
