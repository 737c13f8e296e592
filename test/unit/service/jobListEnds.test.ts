import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import {
	DEFAULT_PAGING,
	readList,
	type JobListRequest,
} from '../../../nodes/PriceCollection/service/jobList';
import type { JobPage } from '../../../nodes/PriceCollection/service/paging';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';

const page = (ids: string, more: Omit<JobPage, 'jobs'> = {}): JobPage => ({
	jobs: [...ids].map((job_id) => ({ job_id, status: 'finished' })),
	...more,
});
const problem = (more: Partial<Problem>): Problem => ({
	...{ kind: 'refused', endpoint: ENDPOINTS.list, effect: 'none' },
	...more,
});
const size = { per_page: 100 };

/** Reads a list of these pages, or of problems in their place; what follows the last one is empty. */
async function read(pages: Array<JobPage | Problem>, request: Partial<JobListRequest> = {}) {
	let count = 0;
	const { client, asked } = fakeClient({
		page: () => {
			const next = pages[count++] ?? { jobs: [] };
			return 'kind' in next ? failure(next) : success(next);
		},
	});
	const list = await readList(client, { limit: Infinity, paging: DEFAULT_PAGING, ...request });
	const queries = asked.map(({ list: query }) => query);
	const { jobs, ...rest } = list.ok
		? list.value
		: { jobs: [], odd: [], complete: false, repeats: false, goesBackTo: undefined };
	return {
		...{ ids: jobs.map(({ job_id }) => job_id).join(''), ...rest, queries },
		problem: list.ok ? undefined : list.problem,
	};
}

describe('a list goes on', () => {
	it('by page numbers where its cursor has ended and it says that there is more', async () => {
		const { ids, queries } = await read([
			page('a', { next: null, hasMore: true }),
			page('b', { hasMore: false }),
		]);
		expect([ids, queries]).toEqual([
			'ab',
			[
				{ page: 1, ...size },
				{ page: 2, ...size },
			],
		]);
	});

	it('by an address although its pages have ended', async () => {
		const { ids, queries } = await read([
			page('a', { next: { p: '2' }, pages: 1 }),
			page('b', { next: null }),
		]);
		expect([ids, queries]).toEqual(['ab', [{ page: 1, ...size }, { p: '2' }]]);
	});

	it('by the number that it gives to the next page', async () => {
		const { ids, queries } = await read([page('a', { nextPage: 7 }), page('b', { next: null })]);
		expect([ids, queries]).toEqual([
			'ab',
			[
				{ page: 1, ...size },
				{ page: 7, ...size },
			],
		]);
	});

	it('beyond a total that may be that of the page', async () => {
		const pages = [page('ab', { total: 2 }), page('cd', { total: 2 }), page('e', { total: 1 })];
		expect(await read(pages)).toMatchObject({ ids: 'abcde', complete: true, total: undefined });
	});

	it('by a cursor of no name', async () => {
		const { queries } = await read([page('a', { cursor: 'x' }), page('b', { next: null })]);
		expect(queries).toEqual([
			{ page: 1, ...size },
			{ ...size, cursor: 'x' },
		]);
	});

	it('without page numbers where the user names the cursor', async () => {
		const paging = { ...DEFAULT_PAGING, cursorParameter: 'after' };
		expect((await read([page('a')], { paging })).queries).toEqual([size]);
		const pages = [page('a', { cursor: 'x', cursorParameter: 'cursor' }), page('b', { next: null })];
		expect((await read(pages, { paging })).queries).toEqual([size, { ...size, after: 'x' }]);
	});

	it('to its last page', async () => {
		expect((await read([page('a', { pages: 2 }), page('b', { pages: 2 })])).queries).toHaveLength(2);
	});

	it('for 10,000 pages at the most', async () => {
		let count = 0;
		const { client } = fakeClient({
			page: () => success({ jobs: [{ job_id: `j${count++}`, status: 'new' }] }),
		});
		const list = await readList(client, {
			...{ limit: Infinity, paging: DEFAULT_PAGING },
		});
		expect(count).toBe(10_000);
		expect(list).toMatchObject({ ok: true, value: { complete: false } });
	});
});

describe('a refusal beyond a page that came', () => {
	it.each<[string, Partial<Problem>, boolean]>([
		['of the address', { kind: 'wrongAddress', status: 404 }, true],
		['of the address, by a broken server', { kind: 'wrongAddress', status: 500 }, true],
		['in words', { kind: 'invalidValue', status: 200, reason: 'no such page' }, true],
		// May be a page that the plan does not include.
		['by its status', { kind: 'refused', status: 400 }, false],
		['by its status alone', { kind: 'jobNotFound', status: 499 }, false],
	])('%s ends the list', async (_name, more, complete) => {
		expect(await read([page('a'), problem(more)])).toMatchObject({ ids: 'a', complete, odd: [] });
		expect((await read([problem(more)])).problem).toEqual(problem(more));
	});

	it.each<[string, Partial<Problem>]>([
		['about the account', { kind: 'unauthorized', status: 401 }],
		['that passes', { kind: 'unavailable', status: 400, reason: 'try again' }],
		['of a broken server', { kind: 'refused', status: 500 }],
		['of a server that says nothing more', { kind: 'refused', status: 599, reason: 'oops' }],
		['that is none', { kind: 'unreadableBody', status: 200 }],
		['that never came', { kind: 'notSent' }],
	])('%s does not', async (_name, more) => {
		expect((await read([page('a'), problem(more)])).problem).toEqual(problem(more));
	});
});

describe('a list is complete', () => {
	it.each<[string, JobPage[], boolean]>([
		['where a page is empty', [page('a'), page('')], true],
		['not where the first one is: pages may begin with 0', [page('')], false],
		['not where a page is repeated', [page('ab'), page('ab')], false],
		['not where it is repeated, also among others', [page('ab'), page('cd'), page('ab')], false],
		['where the repeated one is shorter than those before it', [page('ab'), page('c'), page('c')], true],
		['not where that page leads to another', [page('a'), page('a', { next: { p: '3' } })], false],
		['not where that page has a cursor', [page('a'), page('a', { cursor: 'x' })], false],
		['not where that page says that there is more', [page('a'), page('a', { hasMore: true })], false],
		['where it says that there is no more', [page('a', { hasMore: false, next: { p: '2' } })], true],
		['where all came', [page('ab', { total: 3 }), page('c', { total: 3 })], true],
		['not where less than all came', [page('ab', { total: 3 }), page('', { total: 3 })], false],
	])('%s', async (_name, pages, complete) => {
		expect(await read(pages)).toMatchObject({ complete });
	});

	it('not because it was read as far as it was asked for', async () => {
		const { ids, complete, queries } = await read([page('ab')], { limit: 2 });
		expect([ids, complete, queries]).toEqual(['ab', false, [{ page: 1, per_page: 2 }]]);
		expect(await read([page('ab', { next: null })], { limit: 2 })).toMatchObject({ complete: true });
		expect(await read([page('abc', { next: null })], { limit: 2 })).toMatchObject({ complete: false });
	});

	it('where neither page 1 nor page 0 holds anything, or page 0 all', async () => {
		const request = { looksForPageZero: true };
		expect(await read([page(''), page('')], request)).toMatchObject({ ids: '', complete: true });
		expect(await read([page(''), page('a')], request)).toMatchObject({ ids: 'a', complete: true });
		expect(await read([page('', { hasMore: false })])).toMatchObject({ complete: true });
	});

	it.each<[Omit<JobPage, 'jobs'>, boolean]>([
		[{}, true],
		[{ next: { p: '2' } }, false],
		[{ cursor: 'x' }, false],
		[{ hasMore: true }, false],
		[{ total: 1 }, true],
		[{ total: 2 }, false],
	])('in one request where it says of itself %j: %s', async (more, complete) => {
		expect(await read([page('a', more)], { paging: undefined })).toMatchObject({
			complete,
			queries: [{}],
		});
	});
});

describe('the jobs of a list', () => {
	it('are those that came first, in that order', async () => {
		const again: JobPage = { jobs: [{ job_id: 'a', status: 'new' }, ...page('b').jobs] };
		const { client } = fakeClient({ pages: [page('a').jobs, again.jobs] });
		const list = await readList(client, { limit: Infinity, paging: DEFAULT_PAGING });
		expect(list).toMatchObject({ value: { jobs: page('ab').jobs } });
	});

	it('are enough where somebody says so, who sees all of them and those of the page', async () => {
		const seen: string[][] = [];
		const names = (jobs: readonly { job_id: string }[]) => jobs.map(({ job_id }) => job_id).join('');
		const { ids } = await read([page('ab'), page('cd'), page('e')], {
			enough: (jobs, latest) => {
				seen.push([names(jobs), names(latest)]);
				return seen.length === 2;
			},
		});
		expect([ids, seen]).toEqual([
			'abcd',
			[
				['ab', 'ab'],
				['abcd', 'cd'],
			],
		]);
	});

	it('leave what is odd behind, named once', async () => {
		const odd = ['entry 2 is no job'];
		expect(await read([page('a', { odd }), page('b'), page('b', { odd: ['x'] })])).toMatchObject({
			ids: 'ab',
			odd,
		});
	});
});

describe('how far back a list goes', () => {
	const dated = (...times: Array<string | undefined>): JobPage => ({
		jobs: times.map((time, at) => ({ job_id: `${time} ${at}`, status: 'finished', created_at: time })),
	});
	const [first, second, third] = ['2026-11-20T10:00:00Z', '2026-11-21T10:00:00Z', '2026-11-22T10:00:00Z'];

	it('is the time of its oldest job, where the newest come first', async () => {
		const pages = [dated(third, second), dated(second, first), dated(second, first)];
		const known = { looksForPageZero: true };
		expect(await read(pages, known)).toMatchObject({ complete: false, goesBackTo: Date.parse(first) });
	});

	it.each<[string, JobPage[]]>([
		['the oldest come first', [dated(first, second), dated(third)]],
		['they come in no order', [dated(third, first, second)]],
		['a time is missing', [dated(third, undefined, first)]],
		['one job does not show it', [dated(first)]],
		['there are none', [page('')]],
	])('is not known where %s', async (_name, pages) => {
		expect((await read(pages, { looksForPageZero: true })).goesBackTo).toBeUndefined();
	});

	it('is not known where newer ones may stand on a page 0', async () => {
		for (const request of [{}, { limit: 2, looksForPageZero: true }]) {
			expect((await read([dated(third, second)], request)).goesBackTo).toBeUndefined();
		}
	});
});

describe('page 0', () => {
	const looksForPageZero = true;

	it('is asked for where the list says nothing of itself', async () => {
		const { ids, queries } = await read([page('b'), page(''), page('a')], { looksForPageZero });
		expect([ids, queries]).toEqual(['ab', [1, 2, 0].map((number) => ({ page: number, ...size }))]);
	});

	it.each<Omit<JobPage, 'jobs'>>([{ next: null }, { next: null }, { hasMore: false }, { pages: 1 }])(
		'is not where it says %j',
		async (more) => {
			expect((await read([page('b', more)], { looksForPageZero })).queries).toHaveLength(1);
		},
	);

	it('is not where pages begin with it, or have no numbers', async () => {
		const zero = { ...DEFAULT_PAGING, firstPage: 0 as const };
		expect((await read([page('b')], { looksForPageZero, paging: zero })).queries).toHaveLength(2);
		const cursor = { ...DEFAULT_PAGING, cursorParameter: 'after' };
		expect((await read([page('b')], { looksForPageZero, paging: cursor })).queries).toHaveLength(1);
	});

	it('that is refused changes nothing', async () => {
		const { ids, complete } = await read([page('b'), page(''), problem({ status: 400 })], {
			looksForPageZero,
		});
		expect([ids, complete]).toEqual(['b', true]);
	});
});
