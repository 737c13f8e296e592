import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import {
	DEFAULT_PAGING,
	leftOutText,
	listAllJobs,
	readList,
	type ListPaging,
} from '../../../nodes/PriceCollection/service/jobList';
import type { JobPage } from '../../../nodes/PriceCollection/service/paging';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';

const job = (id: string, more = {}) => ({ job_id: id, status: 'finished', ...more });
const pages = (...lists: string[][]) => lists.map((list) => list.map((id) => job(id)));

async function listed(lists: string[][], limit = Infinity) {
	const { client, asked } = fakeClient({ pages: pages(...lists) });
	const jobs = await listAllJobs(client, { limit, paging: DEFAULT_PAGING });
	return { ids: jobs.ok ? jobs.value.map(({ job_id }) => job_id) : undefined, asked };
}

test('reads until a page is empty', async () => {
	const { ids, asked } = await listed([['a', 'b'], ['c'], []]);
	expect(ids).toEqual(['a', 'b', 'c']);
	expect(asked).toEqual([1, 2, 3].map((page) => ({ list: { page, per_page: 100 } })));
});

test('reads until a page brings nothing new', async () => {
	expect(
		await listed([
			['a', 'b'],
			['a', 'b'],
		]),
	).toMatchObject({ ids: ['a', 'b'], asked: { length: 2 } });
});

test('gives each job once when pages shift between requests', async () => {
	expect((await listed([['a', 'b'], ['b', 'c'], ['c', 'd'], []])).ids).toEqual(['a', 'b', 'c', 'd']);
});

test('stops at the limit, and asks for no larger pages than that', async () => {
	const { ids, asked } = await listed([['a', 'b', 'c']], 2);
	expect(ids).toEqual(['a', 'b']);
	expect(asked).toEqual([{ list: { page: 1, per_page: 2 } }]);
});

test('asks once without paging', async () => {
	const { client, asked } = fakeClient({ pages: pages(['a'], ['b']) });
	await listAllJobs(client, { limit: Infinity, query: { status: 'new' } });
	expect(asked).toEqual([{ list: { status: 'new' } }]);
});

test('parameters of the user win over those of paging', async () => {
	const { client, asked } = fakeClient({ pages: pages(['a'], ['a']) });
	await listAllJobs(client, { limit: 5, paging: DEFAULT_PAGING, query: { per_page: '3' } });
	expect(asked[0]).toEqual({ list: { page: 1, per_page: '3' } });
});

test('half a list is no list', async () => {
	let page = 0;
	const problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' } as const;
	const { client } = fakeClient({ list: () => (++page === 1 ? success([job('a')]) : failure(problem)) });
	expect(await listAllJobs(client, { limit: 9, paging: DEFAULT_PAGING })).toEqual(failure(problem));
});

describe('a list that says how it goes on', () => {
	/** Reads a list whose pages say things about themselves. */
	async function read(pages: JobPage[], paging: ListPaging | undefined = DEFAULT_PAGING, limit = Infinity) {
		let count = 0;
		const { client, asked } = fakeClient({ page: () => success(pages[count++] ?? { jobs: [] }) });
		const list = await readList(client, { limit, paging });
		if (!list.ok) throw new Error(list.problem.kind);
		const { jobs, ...rest } = list.value;
		return {
			ids: jobs.map(({ job_id }) => job_id).join(''),
			...rest,
			asked: asked.map(({ list: query }) => query),
		};
	}
	const page = (ids: string, more: Omit<JobPage, 'jobs'> = {}): JobPage => ({
		jobs: [...ids].map((id) => job(id)),
		...more,
	});
	const size = { per_page: 100 };

	test.each<[string, JobPage[], ListPaging | undefined, object[]]>([
		[
			'a cursor',
			[page('ab', { cursor: 'x' }), page('c', { next: null })],
			{ ...DEFAULT_PAGING, cursorParameter: 'after' },
			[size, { ...size, after: 'x' }],
		],
		[
			'a cursor that nobody announced',
			[page('ab', { cursor: 'x', cursorParameter: 'cursor' }), page('c', { next: null })],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ ...size, cursor: 'x' },
			],
		],
		[
			'a page token',
			[page('ab', { cursor: 'x', cursorParameter: 'page_token' }), page('c', { hasMore: false })],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ ...size, page_token: 'x' },
			],
		],
		[
			'an address',
			[page('ab', { next: { p: '2' } }), page('c', { next: null })],
			DEFAULT_PAGING,
			[{ page: 1, ...size }, { p: '2' }],
		],
		[
			'an address that the last page is without',
			[page('ab', { next: { p: '2' } }), page('c')],
			DEFAULT_PAGING,
			[{ page: 1, ...size }, { p: '2' }],
		],
		[
			'a cursor that the last page is without',
			[page('ab', { cursor: 'x' }), page('c')],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ ...size, cursor: 'x' },
			],
		],
		[
			'has_more',
			[page('ab', { hasMore: true }), page('c', { hasMore: false })],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ page: 2, ...size },
			],
		],
		[
			'a total',
			[page('ab', { total: 3 }), page('c', { total: 3 })],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ page: 2, ...size },
			],
		],
		[
			'a number of pages',
			[page('ab', { pages: 2 }), page('c', { pages: 2 })],
			DEFAULT_PAGING,
			[
				{ page: 1, ...size },
				{ page: 2, ...size },
			],
		],
		[
			'pages from 0',
			[page('ab', { pages: 2 }), page('c', { pages: 2 })],
			{ ...DEFAULT_PAGING, firstPage: 0 },
			[
				{ page: 0, ...size },
				{ page: 1, ...size },
			],
		],
	])('is read to its end by %s, and no further', async (_name, pages, paging, queries) => {
		expect(await read(pages, paging)).toMatchObject({ ids: 'abc', complete: true, asked: queries });
	});

	test.each<[string, JobPage[], ListPaging | undefined, object]>([
		[
			'less than the total came',
			[page('ab', { total: 7 }), page('ab', { total: 7 })],
			DEFAULT_PAGING,
			{ ids: 'ab', total: 7 },
		],
		[
			'has_more goes on and nothing new comes',
			[page('ab', { hasMore: true }), page('ab', { hasMore: true })],
			DEFAULT_PAGING,
			{ ids: 'ab' },
		],
		[
			'no way is known to ask for more',
			[page('ab', { hasMore: true })],
			{ ...DEFAULT_PAGING, cursorParameter: 'cursor' },
			{ ids: 'ab' },
		],
		['only one request was wanted', [page('ab', { total: 3 })], undefined, { ids: 'ab', total: 3 }],
	])('is not complete where %s', async (_name, pages, paging, expected) => {
		expect(await read(pages, paging)).toMatchObject({ ...expected, complete: false });
	});

	describe('names its entries that are no jobs', () => {
		const odd = (...texts: string[]) => ({ odd: texts });

		test.each<[string, JobPage[], object]>([
			[
				'beside jobs, once where a page is repeated',
				[page('ab', odd('[2] is null')), page('c'), page('c', odd('[1] is null')), page('d')],
				{ ids: 'abc', odd: ['[2] is null'] },
			],
			[
				'on a first page that holds nothing else',
				[page('', odd('[0] is null', '[1] is text'))],
				{ ids: '', odd: ['[0] is null', '[1] is text'] },
			],
			[
				'on such a page that comes again and again',
				[page('', odd('[0] is null')), page('', odd('[0] is null')), page('a')],
				{ ids: '', odd: ['[0] is null'], asked: { length: 2 } },
			],
			[
				'and goes on behind a page that holds nothing else',
				[page('a'), page('', odd('[0] is null')), page('b'), page('')],
				{ ids: 'ab', odd: ['[0] is null'] },
			],
			[
				'and counts them, as the service does',
				[page('ab', { total: 4, ...odd('[2] is null') }), page('c', { total: 4 })],
				{ ids: 'abc', odd: ['[2] is null'], complete: true, asked: { length: 2 } },
			],
		])('%s', async (_name, pages, expected) => {
			expect(await read(pages)).toMatchObject(expected);
		});

		test.each([
			['only there', 'c', ['[0] is null', '[1] is text']],
			['as on page 1', 'ab', ['[1] is text']],
		])('on page 0: %s', async (_name, first, named) => {
			const lists: Record<string, JobPage> = {
				0: page('ab', odd(first === 'c' ? '[0] is null' : '[1] is text')),
				1: page(first, odd('[1] is text')),
			};
			const { client } = fakeClient({
				page: ({ page: number }) => success(lists[String(number)] ?? page('')),
			});
			const request = { limit: Infinity, paging: DEFAULT_PAGING, looksForPageZero: true };
			const list = await readList(client, request);
			expect(list.ok && list.value.odd).toEqual(named);
		});

		test('three of them at the most', () => {
			const start = 'entries of the list of jobs are left out because they are no jobs';
			expect(leftOutText([])).toBeUndefined();
			expect(leftOutText(['a', 'b', 'c'])).toBe(`${start} (3): a; b; c`);
			expect(leftOutText(['a', 'b', 'c', 'd'])).toBe(`${start} (4): a; b; c; …`);
		});
	});

	test.each([400, 404, 422])('a refusal beyond a page that came (%i) ends it', async (status) => {
		let count = 0;
		const refused = failure({
			kind: status === 404 ? 'wrongAddress' : 'invalidValue',
			status,
			endpoint: ENDPOINTS.list,
			effect: 'none',
		});
		const { client } = fakeClient({ page: () => (++count === 1 ? success(page('ab')) : refused) });
		expect(await readList(client, { limit: 9, paging: DEFAULT_PAGING })).toMatchObject({
			ok: true,
			value: { jobs: [{ job_id: 'a' }, { job_id: 'b' }], complete: status === 404 },
		});
		count = 1;
		expect(await readList(client, { limit: 9, paging: DEFAULT_PAGING })).toEqual(refused);
	});

	test('page 0 is looked for where nothing is known, and comes first', async () => {
		const lists: Record<string, string> = { 0: 'ab', 1: 'c' };
		const { client } = fakeClient({
			page: ({ page: number }) => success(page(lists[String(number)] ?? '')),
		});
		const list = await readList(client, {
			limit: Infinity,
			paging: DEFAULT_PAGING,
			looksForPageZero: true,
		});
		expect(list.ok && list.value.jobs.map(({ job_id }) => job_id)).toEqual(['a', 'b', 'c']);
	});

	test('page 0 is looked for as well where the list ended with a refusal', async () => {
		const lists: Record<string, string> = { 0: 'ab', 1: 'c' };
		const refusal: Problem = {
			kind: 'wrongAddress',
			endpoint: ENDPOINTS.list,
			status: 404,
			effect: 'none',
		};
		const { client } = fakeClient({
			page: ({ page: number }) => {
				const jobs = lists[String(number)];
				return jobs === undefined ? failure(refusal) : success(page(jobs));
			},
		});
		const request = { limit: Infinity, paging: DEFAULT_PAGING, looksForPageZero: true };
		const list = await readList(client, request);
		expect(list.ok && list.value.jobs.map(({ job_id }) => job_id)).toEqual(['a', 'b', 'c']);
	});
});
