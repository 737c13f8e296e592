import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import {
	DEFAULT_PAGING,
	type JobListRequest,
	type JobPage,
	leftOutText,
	pagingIn,
	readList,
} from '../../../nodes/PriceCollection/service/jobList';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { dialectOf, fakeClient } from '../fakeClient';
import type { CredentialFields } from '../../../nodes/PriceCollection/service/connection';

const page = (ids: string, more: Omit<JobPage, 'jobs'> = {}): JobPage => ({
	jobs: [...ids].map((job_id) => ({ job_id, status: 'finished' })),
	...more,
});
const problem = (more: Partial<Problem>): Problem => ({
	...{ kind: 'refused', endpoint: ENDPOINTS.list, effect: 'none' },
	...more,
});
const size = { per_page: 100 };
const numbered = (...numbers: number[]) => numbers.map((number) => ({ page: number, ...size }));
const END = { goesOn: false };
const TO_P2 = { goesOn: true, next: { query: { p: '2' } } };
const CURSOR = { goesOn: true, next: { cursor: 'x', parameter: 'page_token' } };
const afterCursor = { ...DEFAULT_PAGING, cursorParameter: 'after' };

/** Reads a list of these pages, or of problems in their place; what follows the last one is empty. */
async function read(pages: Array<JobPage | Problem>, request: Partial<JobListRequest> = {}) {
	let count = 0;
	const { client, asked } = fakeClient({
		list: () => {
			const next = pages[count++] ?? { jobs: [] };
			return 'kind' in next ? failure(next) : success(next);
		},
	});
	const list = await readList(client, { limit: Infinity, paging: DEFAULT_PAGING, ...request });
	const queries = asked.map(({ list: query }) => query);
	if (!list.ok) return { ids: undefined, problem: list.problem, queries };
	const { jobs, ...rest } = list.value;
	return { ids: jobs.map(({ job_id }) => job_id).join(''), ...rest, queries };
}

describe('a list goes on', () => {
	const fromZero = { ...DEFAULT_PAGING, firstPage: 0 } as const;
	const to7: JobPage = page('ab', { goesOn: true, next: { page: 7 } });
	const named = [size, { ...size, after: 'x' }];
	it.each<[string, JobPage, JobPage, object[], JobListRequest['paging']?]>([
		['by page numbers', page('ab'), page('c'), numbered(1, 2, 3)],
		['by page numbers from 0', page('ab'), page('c', END), numbered(0, 1), fromZero],
		['by the number of its pages', page('ab', { pages: 2 }), page('c', { pages: 2 }), numbered(1, 2)],
		['by its total', page('ab', { total: 3 }), page('c', { total: 3 }), numbered(1, 2)],
		['where it only says so', page('ab', { goesOn: true }), page('c', END), numbered(1, 2)],
		['by the number that it gives', to7, page('c', END), numbered(1, 7)],
		['by an address', page('ab', { ...TO_P2, pages: 1 }), page('c'), [...numbered(1), { p: '2' }]],
		['by a cursor', page('ab', CURSOR), page('c'), [...numbered(1), { ...size, page_token: 'x' }]],
		['by a cursor that the user names', page('ab', CURSOR), page('c'), named, afterCursor],
	])('%s, to its end and no further', async (_name, one, two, queries, paging = DEFAULT_PAGING) => {
		expect(await read([one, two], { paging })).toMatchObject({ ids: 'abc', complete: true, queries });
	});

	it('beyond a total that may be that of the page', async () => {
		const pages = [page('ab', { total: 2 }), page('cd', { total: 2 }), page('e', { total: 1 })];
		expect(await read(pages)).toMatchObject({ ids: 'abcde', complete: true, total: undefined });
	});

	it('not where no way is known', async () => {
		expect((await read([page('a')], { paging: afterCursor })).queries).toEqual([size]);
	});

	it('for 10,000 pages at the most', async () => {
		let count = 0;
		const endless = () => success({ jobs: [{ job_id: `j${count++}`, status: 'new' }] });
		const { client } = fakeClient({ list: endless });
		const list = await readList(client, { limit: Infinity, paging: DEFAULT_PAGING });
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
		expect(await read([page('a'), problem(more)])).toMatchObject({ ids: 'a', complete, invalid: [] });
		expect((await read([problem(more)])).problem).toEqual(problem(more));
	});

	it.each<[string, Partial<Problem>]>([
		['about the account', { kind: 'unauthorized', status: 401 }],
		['that passes', { kind: 'unavailable', status: 400, reason: 'try again' }],
		['of a broken server', { kind: 'refused', status: 500 }],
		['of a server that says nothing more', { kind: 'refused', status: 599, reason: 'oops' }],
		['that is none', { kind: 'unreadableBody', status: 200 }],
		['that never came', { kind: 'notSent' }],
	])('%s does not: half a list is no list', async (_name, more) => {
		expect((await read([page('a'), problem(more)])).problem).toEqual(problem(more));
	});
});

describe('a list is complete', () => {
	it.each<[string, JobPage[], boolean]>([
		['where a page is empty', [page('a'), page('')], true],
		['not where the first one is: pages may begin with 0', [page('')], false],
		['where that one says that it is the end', [page('', END)], true],
		['not where a page is repeated', [page('ab'), page('ab')], false],
		['not where it is repeated, also among others', [page('ab'), page('cd'), page('ab')], false],
		['where the repeated one is shorter than those before it', [page('ab'), page('c'), page('c')], true],
		['not where that page leads to another', [page('a'), page('a', TO_P2)], false],
		['where it says that there is no more', [page('a', END)], true],
		['not where less than all came', [page('ab', { total: 3 }), page('', { total: 3 })], false],
	])('%s', async (_name, pages, complete) => {
		expect(await read(pages)).toMatchObject({ complete });
	});

	it('not because it was read as far as it was asked for', async () => {
		expect(await read([page('ab')], { limit: 2 })).toMatchObject({
			...{ ids: 'ab', complete: false, queries: [{ page: 1, per_page: 2 }] },
		});
		expect(await read([page('ab', END)], { limit: 2 })).toMatchObject({ complete: true });
		expect(await read([page('abc', END)], { limit: 2 })).toMatchObject({
			...{ ids: 'ab', complete: false, repeats: false, invalid: [] },
		});
		expect(await read([page('', { invalid: ['[0]'] })])).toMatchObject({ ids: '', invalid: ['[0]'] });
	});

	it.each<[Omit<JobPage, 'jobs'>, boolean]>([
		[{}, true],
		[TO_P2, false],
		[{ goesOn: true }, false],
		[{ total: 1 }, true],
		[{ total: 2 }, false],
	])('in one request where it says of itself %j: %s', async (more, complete) => {
		const saysMore = !complete;
		const list = await read([page('a', more)], { paging: undefined });
		expect(list).toMatchObject({ complete, saysMore, queries: [{}] });
	});

	it('not where its total counts entries that are no jobs', async () => {
		const counted = page('ab', { total: 3, invalid: ['[2]'] });
		expect(await read([counted, page('c')])).toMatchObject({ ids: 'abc', total: undefined });
	});

	it('and repeats nothing where its last page is empty, though the first one was', async () => {
		expect(await read([page('a'), page('')])).toMatchObject({ repeats: false, saysMore: false });
		expect(await read([page('ab'), page('ab')])).toMatchObject({ repeats: true, saysMore: false });
	});
});

describe('the jobs of a list', () => {
	it('are those that came first, in that order, each once', async () => {
		const again: JobPage = { jobs: [{ job_id: 'a', status: 'new' }, ...page('b').jobs] };
		const { client } = fakeClient({ pages: [page('a').jobs, again.jobs, page('bc').jobs] });
		const list = await readList(client, { limit: Infinity, paging: DEFAULT_PAGING });
		expect(list).toMatchObject({ value: { jobs: page('abc').jobs } });
	});

	it('are asked for with the parameters of the user, which win', async () => {
		const query = { per_page: '3', status: 'new' };
		expect((await read([page('a')], { query })).queries[0]).toEqual({ page: 1, ...query });
	});

	it('are enough where somebody says so, who sees all of them and those of the page', async () => {
		const seen: string[] = [];
		const names = (jobs: readonly { job_id: string }[]) => jobs.map(({ job_id }) => job_id).join('');
		const { ids } = await read([page('ab'), page('cd'), page('e')], {
			enough: (jobs, latest) => seen.push(`${names(jobs)} ${names(latest)}`) === 2,
		});
		expect([ids, ...seen]).toEqual(['abcd', 'ab ab', 'abcd cd']);
	});

	it('leave what is odd behind, named once and counted', async () => {
		const odd = { invalid: ['[2]'] };
		const pages = [page('ab', odd), page('c'), page('c', odd), page('d')];
		expect(await read(pages)).toMatchObject({ ids: 'abc', invalid: ['[2]'] });
		const counted = [page('ab', { total: 4, invalid: ['[2]'] }), page('c', { total: 4 })];
		expect(await read(counted)).toMatchObject({ ids: 'abc', complete: true, queries: { length: 2 } });
		const start = 'entries of the list of jobs are left out because they are not jobs';
		expect(leftOutText([])).toBeUndefined();
		expect(leftOutText(['a', 'b', 'c'])).toBe(`${start} (3): a; b; c`);
		expect(leftOutText(['a', 'b', 'c', 'd'])).toBe(`${start} (4): a; b; c; …`);
	});
});

describe('page 0', () => {
	const looksForPageZero = true;
	const refusal = problem({ kind: 'wrongAddress', status: 404 });

	it.each<[string, Array<JobPage | Problem>, string]>([
		['nothing is known', [page('b'), page(''), page('a')], 'ab'],
		['the list ended with a refusal', [page('b'), refusal, page('a')], 'ab'],
		['page 1 is empty, and so is it', [page(''), page('')], ''],
		['page 1 is empty', [page(''), page('a')], 'a'],
		['it is refused', [page('b'), page(''), refusal], 'b'],
	])('is asked for, and comes first, where %s', async (_name, pages, ids) => {
		const list = await read(pages, { looksForPageZero });
		expect(list).toMatchObject({ ids, complete: true });
		expect(list.queries.at(-1)).toEqual({ page: 0, ...size });
	});

	it.each([END, { pages: 1 }])('is not where the list says %j', async (more) => {
		expect((await read([page('b', more)], { looksForPageZero })).queries).toHaveLength(1);
	});

	it('proves nothing where pages repeat, and is not asked for where enough jobs came', async () => {
		const repeated = [page('ab'), page('ab'), page('')];
		expect(await read(repeated, { looksForPageZero })).toMatchObject({ ids: 'ab', complete: false });
		for (const ids of ['a', 'ab'])
			expect((await read([page(ids)], { looksForPageZero, limit: 1 })).queries).toHaveLength(1);
	});

	it('is not where pages begin with it, or have no numbers', async () => {
		const zero = { ...DEFAULT_PAGING, firstPage: 0 as const };
		expect((await read([page('b')], { looksForPageZero, paging: zero })).queries).toHaveLength(2);
		expect((await read([page('b')], { looksForPageZero, paging: afterCursor })).queries).toHaveLength(1);
	});
});

const said = (body: unknown, link?: string, fields: CredentialFields = {}) =>
	pagingIn(body, { link }, dialectOf(fields));
const to = (query: object) => ({ goesOn: true, next: { query } });
const NUMBER_2 = { goesOn: true, next: { page: 2 } };
const PAGES = { total: 3, pages: 2 };
const PAGE_2 = to({ page: '2' });
const cursorOf = (text: string, parameter = 'cursor') => ({
	goesOn: true,
	next: { cursor: text, parameter },
});

test('headers say how the list goes on, too', () => {
	const more = { 'x-total-count': '7', 'x-next-page': '2' };
	expect(pagingIn([], more, dialectOf())).toEqual({ total: 7, goesOn: true, next: { page: 2 } });
	const none = { 'x-next-page': '', 'x-request-id': '7', total: '9' };
	expect(pagingIn([], none, dialectOf())).toEqual(END);
});

test.each<[unknown, object]>([
	[[], {}],
	[{ data: { jobs: [], paging: { next_page_token: 'x' } } }, cursorOf('x', 'page_token')],
	[{ meta: { nextCursor: 'x', total: '7' } }, { ...cursorOf('x'), total: 7 }],
	[{ next_cursor: null, has_more: false }, END],
	[{ total_count: 3, total_pages: 2 }, PAGES],
	[{ next_cursor: null, has_more: true }, { goesOn: true }],
	[{ next_cursor: null, next: '/v2/jobs?page=2' }, PAGE_2],
	[{ _links: { next: { href: '/v2/jobs?page=2' } } }, PAGE_2],
	[{ pagination: { page: 1, next: 2 } }, NUMBER_2],
	[{ page: '1', next: '2' }, NUMBER_2],
	[{ next_page: 2 }, NUMBER_2],
	...['currentPage', 'page_number', 'current'].map((name): [unknown, object] => [
		{ [name]: 1, next: 2 },
		NUMBER_2,
	]),
	...['metadata', 'page_info', 'cursor', 'links', 'paging'].map((name): [unknown, object] => [
		{ [name]: { total: 7 } },
		{ total: 7 },
	]),
	[{ next_link: '/v2/jobs?page=2' }, PAGE_2],
	[{ pagination: { page: 2, next: null } }, END],
	[{ current_page: 2, next_page: null }, END],
	// Of several places the outer one counts, and then the first; what is just anywhere says nothing.
	[{ data: { meta: { total: 7 } } }, { total: 7 }],
	[{ data: { meta: { paging: { total: 7 } } } }, {}],
	[{ total: 1, meta: { total: 2 } }, { total: 1 }],
	[{ meta: { total: 1 }, paging: { total: 2 } }, { total: 1 }],
	[{ other: { total: 7 } }, {}],
	[[{ total: 7 }], {}],
])('%j says %j', (body, paging) => {
	expect(said(body)).toEqual(paging);
});

test.each([
	['next_cursor', 'cursor'],
	['nextPageToken', 'page_token'],
	['continuationToken', 'continuation_token'],
	['next_token', 'token'],
	['endCursor', 'cursor'],
	['cursor', 'cursor'],
	['next', 'cursor'],
])('a cursor called %s goes as %s', (name, parameter) => {
	for (const text of [' x ', 'abc/def', 'a?b', 'ahttp://x'])
		expect(said({ [name]: text })).toEqual(cursorOf(text.trim(), parameter));
	expect(said({ [name]: 7 })).toEqual(cursorOf('7', parameter));
	for (const none of [null, '']) expect(said({ [name]: none })).toEqual(END);
	for (const unclear of [' ', true, {}]) expect(said({ [name]: unclear })).toEqual({});
});

const MORE = ['has_more', 'hasNext', 'has_next_page', 'more'];
const TOTALS = ['total', 'totalCount', 'total_items', 'total_entries', 'total-results', 'total_jobs'];
test.each<[string[], unknown, object]>([
	[MORE, 'true', { goesOn: true }],
	[MORE, 'no', END],
	[TOTALS, ' 7 ', { total: 7 }],
	[TOTALS, 0, { total: 0 }],
	[['total_pages', 'pages', 'page_count', 'lastPage'], 3, { pages: 3 }],
	...['', ' ', 'x', -1, 1.5, null, true, [7], {}].map((none): [string[], unknown, object] => [
		TOTALS,
		none,
		{},
	]),
])('%j say by %j how much there is: %j', (names, value, paging) => {
	for (const name of names) expect(said({ [name]: value })).toEqual(paging);
});

describe('the address of the next page', () => {
	const origin = 'https://api.example.test';
	it('is that of the service', () => {
		const whole = { href: `${origin}/v2/jobs?page=2&token=KEYKEYKEY` };
		for (const body of [{ next: '/v2/jobs?page=2' }, { next_url: '?page=2' }, { next: whole }])
			expect(said(body)).toEqual(PAGE_2);
		for (const next of [
			'http://other.test/v2/jobs?page=2',
			'https://',
			'/v2/jobs',
			`${origin}/KEYKEYKEY?page=2`,
		])
			expect(said({ next })).toEqual({ goesOn: true });
	});

	it('is asked without what stands for the key, and with a parameter that only has its name', () => {
		const next = '/v2/jobs?page=2&token=other';
		expect(said({ next })).toEqual(PAGE_2);
		const other = to({ page: '2', token: 'other' });
		expect(said({ next }, undefined, { authentication: 'bearer' })).toEqual(other);
	});

	it.each([
		'</v2/jobs?page=2>;rel=next',
		'</v2/jobs?page=2>; rel = "next"',
		'</v2/jobs?page=2>; title="x"; rel="prev next"',
		'</v2/jobs?page=1>; rel="first", </v2/jobs?page=2>; rel="NEXT"',
		'<https://api.example.test/notes>; rel="sunset"; type="text/html", </v2/jobs?page=2>; rel="next"',
	])('is in the header Link: %s', (link) => {
		expect(said([], link)).toEqual(PAGE_2);
	});

	it('is none where the header leads elsewhere', () => {
		for (const link of ['</v2/jobs?page=1>; rel="prev"', '</v2/jobs?page=1>; rel ="first"']) {
			expect(said([], link)).toEqual(END);
			expect(said({ next: '/v2/jobs?page=2' }, link)).toEqual(PAGE_2);
		}
	});

	it.each([
		'</v2/jobs?page=2>; title="what is next"',
		'</style.css>; as=style',
		'</v2/jobs?page=2>; norel=next',
		'',
		`${'<'.repeat(100_000)}${' '.repeat(100_000)}`,
		...['deprecation', 'sunset', 'help', 'canonical', 'self', 'preload', 'https://rel.test/next'].map(
			(relation) => `<https://api.example.test/notes>; rel="${relation}"`,
		),
	])('is not told by the header Link: %s', (link) => {
		expect(said([], link)).toEqual({});
	});
});
