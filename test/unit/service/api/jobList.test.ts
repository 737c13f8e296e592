import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import {
	type JobListRequest,
	type JobPage,
	listAllJobs,
	type ListPosition,
	pagingIn,
	readList,
	readPages,
} from '../../../../nodes/PriceCollection/service/api/jobList';
import { failure, success, type Problem } from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { runs } from '../../../support/runs';
import { dialectOf, fakeClient } from '../../fakeClient';

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
const TO_P2: Omit<JobPage, 'jobs'> = { goesOn: true, next: { p: '2' } };
const CURSOR: Omit<JobPage, 'jobs'> = { goesOn: true, next: 'x' };

/** Reads a list of these pages or problems. Pages after the last one are empty. */
async function read(
	pages: Array<JobPage | Problem>,
	fields: CredentialFields = {},
	request: Partial<JobListRequest> = {},
) {
	let count = 0;
	const { client, asked } = fakeClient({
		fields,
		list: () => {
			const next = pages[count++] ?? { jobs: [] };
			return 'kind' in next ? failure(next) : success(next);
		},
	});
	const list = await readList(client, { limit: Infinity, ...request });
	const queries = asked.map(({ list: query }) => query);
	if (!list.ok) return { ids: undefined, problem: list.problem, queries };
	const { jobs, ...rest } = list.value;
	const ids = jobs.map(({ job_id }) => job_id).join('');
	return { total: undefined, unread: undefined, ...rest, ids, queries };
}

describe('a list goes on', () => {
	const offsets = (name: string, ...places: number[]) =>
		places.map((offset) => ({ [name]: offset, ...size }));
	const named: CredentialFields = { pageParameter: 'p', pageSizeParameter: 'n', cursorParameter: 'after' };
	const own = [{}, { p: 1 }, { p: 2 }].map((asked) => ({ ...asked, n: 100 }));
	const automatic = [size, ...numbered(1, 2)];
	it.each<[string, JobPage, JobPage, object[], CredentialFields?]>([
		['by page numbers from anywhere', page('ab'), page('c'), automatic],
		['by page numbers from 0', page('ab'), page('c', END), numbered(0, 1), { firstPage: '0' }],
		['by page numbers from 1', page('ab'), page('c', END), numbered(1, 2), { firstPage: '1' }],
		['by names that the user sets', page('ab'), page('c'), own, named],
		['by its total', page('ab', { total: 3 }), page('c', { total: 3 }), automatic.slice(0, 2)],
		['where it only says so', page('ab', { goesOn: true }), page('c', END), automatic.slice(0, 2)],
		['by an address', page('ab', TO_P2), page('c'), [size, { p: '2' }]],
		['by a cursor', page('ab', CURSOR), page('c'), [size, { ...size, cursor: 'x' }]],
		[
			'by a cursor alone',
			page('ab', CURSOR),
			page('c'),
			[size, { ...size, cursor: 'x' }],
			{ pagination: 'cursor' },
		],
		[
			'by a cursor with its own name',
			page('ab', CURSOR),
			page('c'),
			[{ n: 100 }, { n: 100, after: 'x' }],
			named,
		],
		['by offset', page('ab'), page('c'), offsets('offset', 0, 2, 3), { pagination: 'offset' }],
		[
			'by an offset with its own name',
			page('ab'),
			page('c'),
			offsets('skip', 0, 2, 3),
			{ pagination: 'offset', pageParameter: 'skip' },
		],
		[
			'by an offset that counts what is no job',
			page('a', { invalid: 1 }),
			page('bc'),
			offsets('offset', 0, 2, 4),
			{ pagination: 'offset' },
		],
	])('%s, to its end and no further', async (_name, one, two, queries, fields = {}) => {
		const list = await read([one, two], fields);
		expect(list).toMatchObject({ ids: 'abc', complete: true, unread: undefined, queries });
	});

	it('beyond a total that may be that of the page', async () => {
		const pages = [page('ab', { total: 2 }), page('cd', { total: 2 }), page('e', { total: 1 })];
		expect(await read(pages)).toMatchObject({ ids: 'abcde', complete: true, total: undefined });
	});

	it('not where no way is known, which is no proof that these are all', async () => {
		const list = await read([page('a')], { pagination: 'cursor' });
		expect(list).toMatchObject({ complete: false, saysMore: false, repeats: false, queries: [size] });
	});

	it('without parameters that have no name', async () => {
		const fields = { pageParameter: '', pageSizeParameter: ' ' };
		expect((await read([page('a', END)], fields)).queries).toEqual([{}]);
		const unnamed = await read([page('a', CURSOR), page('a', CURSOR)], { cursorParameter: '' });
		expect(unnamed).toMatchObject({
			queries: [size, size],
			saysMore: true,
			complete: false,
		});
	});

	it('for 10,000 pages at the most', async () => {
		let count = 0;
		const endless = () => success({ jobs: [{ job_id: `j${count++}`, status: 'new' }] });
		const { client } = fakeClient({ list: endless });
		const list = await readList(client, { limit: Infinity });
		expect(count).toBe(10_000);
		expect(list).toMatchObject({ ok: true, value: { complete: false } });
	});
});

describe('a page that did not come', () => {
	const words = 'no such page';
	it.each<[string, Partial<Problem>]>([
		['by its address', { kind: 'wrongAddress', status: 404, reason: words }],
		['as a request', { kind: 'refused', status: 400, reason: words }],
		['as a range', { kind: 'refused', status: 416, reason: words }],
		['as a value', { kind: 'invalidValue', status: 422, reason: words }],
	])('ends the list where the service denies it in its own words: %s', async (_name, more) => {
		expect(await read([page('a'), problem(more)])).toMatchObject({
			ids: 'a',
			complete: true,
			unread: undefined,
		});
		expect((await read([problem(more)])).problem).toEqual(problem(more));
	});

	it.each<[string, Partial<Problem>]>([
		['a web page', { kind: 'wrongAddress', status: 404 }],
		['a status alone', { kind: 'refused', status: 400 }],
		['the words of a broken server', { kind: 'wrongAddress', status: 500, reason: words }],
		['a refusal of access', { kind: 'forbidden', status: 403, reason: 'no access' }],
		['words about the plan', { kind: 'unsupported', status: 422, reason: 'not in your plan' }],
		['words about the key', { kind: 'unauthorized', status: 400, reason: 'key expired' }],
		['too many requests', { kind: 'rateLimited', status: 400, reason: 'too many requests' }],
		[
			'words that do not know the parameter for the page',
			{
				...{ kind: 'refused', status: 400, reason: 'unknown parameter page' },
				faults: [
					{ parameter: 'pageParameter', serviceName: 'page', complaint: 'unknown', isSent: true },
				],
			},
		],
		['something that is no list', { kind: 'unexpectedBody', status: 200 }],
		['a maintenance that calls itself good', { kind: 'refused', status: 200, reason: 'maintenance' }],
		['nothing', { kind: 'notSent' }],
	])(
		'leaves the list incomplete, and is kept with its problem, where there was %s',
		async (_name, more) => {
			expect(await read([page('a'), problem(more), page('b')])).toMatchObject({
				...{ ids: 'a', complete: false, saysMore: false, repeats: false },
				unread: { page: 2, problem: problem(more) },
			});
			expect((await read([problem(more)])).problem).toEqual(problem(more));
		},
	);

	it.each([TO_P2, { goesOn: true }, { total: 2 }])(
		'ends nothing where the list said %j before',
		async (more) => {
			const denied = problem({ kind: 'wrongAddress', status: 404, reason: words });
			const list = await read([page('a', more), denied]);
			expect(list).toMatchObject({
				complete: false,
				saysMore: true,
				unread: { page: 2, problem: denied },
			});
		},
	);
});

describe('a list is complete', () => {
	it.each<[string, JobPage[], boolean, CredentialFields?]>([
		['where a page is empty', [page('a'), page('')], true],
		['where the first one is', [page('')], true],
		['where it is, and the user says which page is the first', [page('')], true, { firstPage: '1' }],
		['where page 1 is the first page again', [page('ab'), page('ab'), page('')], true],
		['not where it is so again', [page('ab'), page('ab'), page('ab')], false],
		['where it is, and pages have no numbers', [page('')], true, { pagination: 'offset' }],
		['where that one says that it is the end', [page('', END)], true],
		['where that one says that there are 0', [page('', { total: 0 })], true],
		['not where an empty page leads to another', [page('a'), page('', TO_P2)], false],
		['not where a page is repeated', [page('ab'), page('ab')], false, { firstPage: '1' }],
		['not where it is repeated, also among others', [page('ab'), page('cd'), page('ab')], false],
		['not where the repeated one is shorter', [page('ab'), page('c'), page('c')], false],
		['not where that page leads to another', [page('a'), page('a', TO_P2), page('a', TO_P2)], false],
		['where it says that there is no more', [page('a', END)], true],
		['not where less than all came', [page('ab', { total: 3 }), page('', { total: 3 })], false],
		['not where it says that it ends before', [page('ab', { ...END, total: 3 })], false],
	])('%s', async (_name, pages, complete, fields = {}) => {
		expect(await read(pages, fields)).toMatchObject({ complete });
	});

	it('not because it was read as far as it was asked for', async () => {
		expect(await read([page('ab')], {}, { limit: 2 })).toMatchObject({
			...{ ids: 'ab', complete: false, queries: [{ per_page: 2 }] },
		});
		expect(await read([page('ab', END)], {}, { limit: 2 })).toMatchObject({ complete: true });
		expect(await read([page('abc', END)], {}, { limit: 2 })).toMatchObject({
			...{ ids: 'ab', complete: false, repeats: false, invalid: 0 },
		});
		expect(await read([page('', { invalid: 1 })])).toMatchObject({ ids: '', invalid: 1 });
	});

	it.each<[Omit<JobPage, 'jobs'>, boolean]>([
		[{}, true],
		[TO_P2, false],
		[{ goesOn: true }, false],
		[{ total: 1 }, true],
		[{ total: 2 }, false],
	])('in one request without paging where it says of itself %j: %s', async (more, complete) => {
		const saysMore = !complete;
		const list = await read([page('a', more)], { pagination: 'none' });
		expect(list).toMatchObject({ complete, saysMore, queries: [{}] });
	});

	it('not where its total counts entries that are no jobs', async () => {
		const counted = page('ab', { total: 3, invalid: 1 });
		expect(await read([counted, page('c')])).toMatchObject({ ids: 'abc', total: undefined });
	});

	it('and repeats nothing where its last page is empty', async () => {
		expect(await read([page('a'), page('')])).toMatchObject({ repeats: false, saysMore: false });
		expect(await read([page('ab'), page('ab'), page('ab')])).toMatchObject({
			repeats: true,
			saysMore: false,
		});
	});

	it('not where its offset is not followed: the total that is not reached is kept', async () => {
		const pages = [page('abcd', { total: 11 }), page('abcd', { total: 11 })];
		expect(await read(pages)).toMatchObject({ ids: 'abcd', complete: false, saysMore: true, total: 11 });
	});
});

describe('a reading is continued', () => {
	it.each<[string, CredentialFields, JobPage, JobPage['next']]>([
		['by numbers', {}, page('c'), undefined],
		['by offset', { pagination: 'offset' }, page('c'), undefined],
		['by cursor', {}, page('c'), 'x'],
		['by address', {}, page('c'), { p: '2' }],
	])('with the page that was read last, %s', async (_name, fields, last, next) => {
		const pages = [page('ab'), last, page('d')].map((one) => ({ ...one, next }));
		const { client, asked } = fakeClient({ fields, list: () => success(pages.shift() ?? page('')) });
		const positions: ListPosition[] = [];
		for await (const step of readPages(client, { limit: Infinity }))
			if (step.ok && positions.push(step.value.position) === 2) break;
		pages.unshift({ ...last, next });
		const from = JSON.parse(JSON.stringify(positions[1])) as ListPosition;
		const list = await readList(client, { limit: Infinity, from });
		expect(list.ok && list.value.jobs.map(({ job_id }) => job_id)).toEqual(['c', 'd']);
		const queries = asked.map(({ list: query }) => query as IDataObject);
		expect(queries[2]).toEqual(queries[1]);
		const offset = { page: 2, ...size };
		const ways = [offset, { offset: 3, ...size }, { cursor: 'x', ...size }, { p: '2' }];
		expect(ways).toContainEqual(queries[3]);
	});

	it('also with the first page, which may come again as page 1', async () => {
		const from = { query: { ...size }, offset: 0 };
		const pages = [page('ab'), page('ab'), page('c')];
		expect(await read(pages, {}, { from })).toMatchObject({ ids: 'abc', complete: true });
		expect(await read(pages, {}, { from: { query: { page: 1 }, offset: 1 } })).toMatchObject({
			ids: 'ab',
		});
	});

	it('without its total, because only all jobs can be compared with that', async () => {
		const from = { query: { page: 7 }, offset: 7 };
		const pages = [page('ab', { total: 4 }), page('cd', { total: 4 }), page('')];
		const list = await read(pages, {}, { from });
		expect(list).toMatchObject({ ids: 'abcd', complete: true, saysMore: false, total: undefined });
	});
});

describe('the jobs of a list', () => {
	it('are those that came first, in that order, each once', async () => {
		const again: JobPage = { jobs: [{ job_id: 'a', status: 'new' }, ...page('b').jobs] };
		const pages = [page('a').jobs, again.jobs, page('bc').jobs];
		const read = async (limit: number) => await listAllJobs(fakeClient({ pages }).client, { limit });
		expect(await read(Infinity)).toEqual(success(page('abc').jobs));
		expect(await read(2)).toEqual(success(page('ab').jobs));
	});

	it('are asked for with the parameters of the user, which win', async () => {
		const query = { per_page: '3', status: 'new' };
		expect((await read([page('a')], {}, { query })).queries[0]).toEqual(query);
	});

	it('are enough where the caller says so, which gets all of them and those of the page', async () => {
		const seen: string[] = [];
		const names = (jobs: readonly { job_id: string }[]) => jobs.map(({ job_id }) => job_id).join('');
		const enough: JobListRequest['enough'] = (jobs, latest) =>
			seen.push(`${names(jobs)} ${names(latest)}`) === 2;
		const { ids } = await read([page('ab'), page('cd'), page('e')], {}, { enough });
		expect([ids, ...seen]).toEqual(['abcd', 'ab ab', 'abcd cd']);
	});

	it('leave what is odd behind, counted once', async () => {
		const odd = { invalid: 1 };
		const pages = [page('ab', odd), page('c'), page('c', odd), page('d')];
		expect(await read(pages)).toMatchObject({ ids: 'abc', invalid: 1 });
		const counted = [page('ab', { total: 4, invalid: 1 }), page('c', { total: 4 })];
		expect(await read(counted)).toMatchObject({ ids: 'abc', complete: true, queries: { length: 2 } });
	});
});

const said = (body: unknown, link?: string) => pagingIn(body, { link }, dialectOf());
const to = (next: IDataObject | string) => ({ goesOn: true, next });
const PAGE_2 = to({ page: '2' });

test.each<[unknown, object]>([
	[[], {}],
	[{ meta: { nextCursor: 'x', total: '7' } }, { ...to('x'), total: 7 }],
	[{ data: { jobs: [], paging: { 'next-cursor': ' x ', has_more: true } } }, to('x')],
	[{ total: 1, pagination: { total: 2 } }, { total: 1 }],
	[
		{ nextCursor: 'x', total: '7' },
		{ ...to('x'), total: 7 },
	],
	[{ data: { jobs: [], 'next-cursor': ' x ' } }, to('x')],
	[{ Next_Cursor: 7 }, to('7')],
	[{ cursor: 'x' }, to('x')],
	// Beside a field for the next page, it may be the cursor of this page.
	[{ cursor: 'x', next_cursor: null }, END],
	[{ cursor: 'x', next_cursor: '' }, END],
	[{ cursor: null }, END],
	[
		{ next_cursor: 'x', has_more: false },
		{ goesOn: false, next: 'x' },
	],
	[{ next_cursor: null, has_more: true }, { goesOn: true }],
	...[' ', true, {}, []].map((unclear): [unknown, object] => [{ next_cursor: unclear }, {}]),
	[{ hasMore: 'true' }, { goesOn: true }],
	[{ 'has-more': 'no' }, END],
	[{ total: ' 7 ' }, { total: 7 }],
	[{ total: 0 }, { total: 0 }],
	...['', ' ', 'x', -1, 1.5, null, true, [7], {}].map((none): [unknown, object] => [{ total: none }, {}]),
	// Outer fields win. Fields elsewhere or with other names say nothing.
	[{ total: 1, data: { total: 2 } }, { total: 1 }],
	[{ other: { total: 7 } }, {}],
	[[{ total: 7 }], {}],
	[{ total_pages: 2, page: 1, more: true, next_page: 2, next: '/v2/jobs?page=2' }, {}],
])('%j says %j', (body, paging) => {
	expect(said(body)).toEqual(paging);
});

test('headers other than Link say nothing', () => {
	expect(pagingIn([], { 'x-total-count': '7', 'x-next-page': '2' }, dialectOf())).toEqual({});
});

describe('the address of the next page', () => {
	const origin = 'https://api.example.test';
	const linkTo = (next: string) => `<${next}>; rel="next"`;
	it('is that of the service', () => {
		expect(said([], linkTo(`${origin}/v2/jobs?page=2`))).toEqual(PAGE_2);
		for (const next of ['http://other.test/v2/jobs?page=2', 'https://', '/v2/jobs'])
			expect(said([], linkTo(next))).toEqual({ goesOn: true });
	});

	it.each([
		'</v2/jobs?page=2>;rel=next',
		'</v2/jobs?page=2>; rel = "next"',
		'</v2/jobs?page=2>; title="x"; rel="prev next"',
		'</v2/jobs?page=1>; rel="first", </v2/jobs?page=2>; rel="NEXT"',
		'</v2/jobs?page=2>; rel=next, </v2/jobs?page=9>; rel=last',
		'<https://api.example.test/notes>; rel="sunset"; type="text/html", </v2/jobs?page=2>; rel="next"',
	])('is in the header Link: %s', (link) => {
		expect(said({ next_cursor: 'x' }, link)).toEqual(PAGE_2);
	});

	it.each([
		'</v2/jobs?page=2>; title="what is next"',
		'</style.css>; as=style',
		'</v2/jobs?page=2>; norel=next',
		'</v2/jobs?page=2>; rel="next-thing"',
		'</v2/jobs?page=1>; rel="prev"',
		'',
		...['deprecation', 'first', 'canonical', 'self', 'preload', 'https://rel.test/next'].map(
			(relation) => `<https://api.example.test/notes>; rel="${relation}"`,
		),
	])('is not in the header Link: %s', (link) => {
		expect(said([], link)).toEqual({});
	});

	it('is used without the key, which every request gets anyway', () => {
		const link = linkTo(`${origin}/v2/jobs?page=2&token=FORMERKEY&api_key=KEYKEYKEY`);
		expect(said([], link)).toEqual(PAGE_2);
		const bearer = dialectOf({ authentication: 'bearer' });
		const own = pagingIn([], { link: linkTo(`${origin}/v2/jobs?token=x&k=KEYKEYKEY`) }, bearer);
		expect(own).toEqual(to({ token: 'x' }));
	});

	it('keeps every value of a repeated parameter', () => {
		const link = linkTo(`${origin}/v2/jobs?f[]=a&page=2&f[]=b&token=FORMERKEY&__proto__=c&__proto__=d`);
		const next = Object.fromEntries<string | string[]>([
			['f[]', ['a', 'b']],
			['page', '2'],
			['__proto__', ['c', 'd']],
		]);
		expect(said([], link)).toEqual(to(next));
	});

	it('is looked for in a long header without delay', () => {
		for (const long of [
			`${'<'.repeat(100_000)}${' '.repeat(100_000)}`,
			`<x>${'; rel=" '.repeat(100_000)}`,
		])
			expect(said([], long)).toEqual({});
	});
});

/** How a service pages its list. */
const WAYS = ['numbers', 'offset', 'cursor', 'link', 'ignored', 'capped', 'repeatLast', 'refuse'] as const;
const FAULTS: Array<Partial<Problem>> = [
	{ kind: 'unavailable', status: 503, reason: 'maintenance' },
	{ kind: 'htmlBody', status: 200 },
	{ kind: 'wrongAddress', status: 404 },
	{ kind: 'forbidden', status: 403, reason: 'not your page' },
	{ kind: 'unexpectedBody', status: 200 },
	{ kind: 'refused', status: 200, reason: 'maintenance' },
	{ kind: 'connectionLost' },
];

const service = fc.record({
	way: fc.constantFrom(...WAYS),
	count: fc.integer({ min: 0, max: 25 }),
	perPage: fc.integer({ min: 1, max: 7 }),
	first: fc.constantFrom(0, 1),
	/** What else its pages say. */
	says: fc.subarray(['total', 'pageTotal', 'more']),
	/** How many jobs appear at the front of the list after each page. */
	shift: fc.constantFrom(0, 0, 1),
	/** The page that fails, and how. */
	fault: fc.option(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(...FAULTS))),
});
type Service = typeof service extends fc.Arbitrary<infer T> ? T : never;

/** A service as described. It does not know how it is read. */
function serving({ way, count, perPage, first, says, shift, fault }: Service) {
	const all = Array.from({ length: count }, (_, index) => ({ job_id: `j${index}`, status: 'finished' }));
	let served = 0;
	return (query: IDataObject) => {
		if (served === fault?.[0]) {
			served++;
			return failure(problem(fault[1]));
		}
		const jobs = [
			...Array.from({ length: shift * Math.min(3, served++) }, (_, index) => ({
				job_id: `new${index}`,
				status: 'new',
			})),
			...all,
		];
		const last = first + Math.max(0, Math.ceil(jobs.length / perPage) - 1);
		const number = Number(query.page ?? first);
		if (way === 'refuse' && number > last)
			return failure(problem({ kind: 'wrongAddress', status: 404, reason: 'page not found' }));
		const byNumber = (Math.min(number, way === 'repeatLast' ? last : Infinity) - first) * perPage;
		const from = {
			...{ offset: Number(query.offset ?? 0), cursor: Number(query.cursor ?? 0) },
			...{
				ignored: 0,
				capped: 0,
				numbers: byNumber,
				link: byNumber,
				repeatLast: byNumber,
				refuse: byNumber,
			},
		}[way];
		const end = way === 'ignored' ? jobs.length : from + perPage;
		const shown = jobs.slice(from, end);
		const isMore = way !== 'capped' && end < jobs.length;
		const total = says.includes('pageTotal') ? shown.length : jobs.length;
		return success({
			jobs: shown,
			...((says.includes('total') || says.includes('pageTotal')) && { total }),
			...(says.includes('more') && way !== 'capped' && { goesOn: isMore }),
			...(way === 'cursor' && (isMore ? to(String(end)) : END)),
			...(way === 'link' && isMore && to({ page: String(number + 1) })),
		});
	};
}

/** How users set the paging: as the service pages, or in any other way. */
const setting = fc.constantFrom('pageNumber', 'cursor', 'offset', 'right');

test('no list is silently short, however it is paged, set, shifted or broken', async () => {
	await fc.assert(
		fc.asyncProperty(service, setting, fc.boolean(), async (like, set, saysFirst) => {
			const right = { offset: 'offset', cursor: 'cursor' }[like.way as 'offset'] ?? 'pageNumber';
			const firstPage = saysFirst ? String(like.first) : 'automatic';
			const fields = { pagination: set === 'right' ? right : set, firstPage } as CredentialFields;
			const { client } = fakeClient({ fields, list: serving(like) });
			const list = await readList(client, { limit: Infinity });
			if (!list.ok) return;
			const { jobs, complete, unread, saysMore, repeats } = list.value;
			const ids = jobs.map(({ job_id }) => job_id);
			expect(new Set(ids).size).toBe(ids.length);
			const isWhole = ids.filter((id) => id.startsWith('j')).length === like.count;
			const isSaid = unread !== undefined || saysMore || repeats;
			// Without a cursor in the list there is no way to go on, which is reported, too.
			const hasNoWay = fields.pagination === 'cursor' && !saysMore && !complete;
			expect({ ...list.value, is: complete ? isWhole : isWhole || isSaid || hasNoWay }).toMatchObject({
				is: true,
			});
		}),
		{ numRuns: runs(5_000) },
	);
});
