import type { CredentialFields } from '../../../nodes/PriceCollection/service/connection';
import { pagingIn } from '../../../nodes/PriceCollection/service/paging';
import { dialectOf } from '../fakeClient';

const said = (body: unknown, link?: string, fields: CredentialFields = {}) =>
	pagingIn(body, link, dialectOf(fields));
const END = { goesOn: false };
const to = (query: object) => ({ goesOn: true, next: { query } });
const PAGE_2 = to({ page: '2' });
const cursor = (text: string, parameter = 'cursor') => ({ goesOn: true, next: { cursor: text, parameter } });

test.each<[unknown, object]>([
	[[], {}],
	[{ data: { jobs: [], paging: { next_page_token: 'x' } } }, cursor('x', 'page_token')],
	[{ meta: { nextCursor: 'x', total: '7' } }, { ...cursor('x'), total: 7 }],
	[{ next_cursor: null, has_more: false }, END],
	[{ next_cursor: null, has_more: true }, { goesOn: true }],
	[{ next_cursor: null, next: '/v2/jobs?page=2' }, PAGE_2],
	[{ _links: { next: { href: '/v2/jobs?page=2' } } }, PAGE_2],
	[
		{ total_count: 3, total_pages: 2 },
		{ total: 3, pages: 2 },
	],
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

test.each(['meta', 'metadata', 'paging', 'pagination', 'page_info', '_links', 'cursor', 'data'])(
	'a list says it in %s as well',
	(place) => {
		expect(said({ [place]: { total: 7 } })).toEqual({ total: 7 });
	},
);

test.each([
	['next_cursor', 'cursor'],
	['nextPageToken', 'page_token'],
	['next-token', 'token'],
	['continuationToken', 'continuation_token'],
	['end_cursor', 'cursor'],
	['cursor', 'cursor'],
	['next', 'cursor'],
])('a cursor called %s goes as %s', (name, parameter) => {
	for (const text of [' x ', 'abc/def', 'a?b', 'ahttp://x'])
		expect(said({ [name]: text })).toEqual(cursor(text.trim(), parameter));
	expect(said({ [name]: 7 })).toEqual(cursor('7', parameter));
	for (const none of [null, '']) expect(said({ [name]: none })).toEqual(END);
	for (const unclear of [' ', true, {}]) expect(said({ [name]: unclear })).toEqual({});
});

test.each<[string, object]>([
	...['has_more', 'hasNext', 'has_next_page', 'more'].flatMap((name): Array<[string, object]> => [
		[`{"${name}":"true"}`, { goesOn: true }],
		[`{"${name}":"no"}`, END],
	]),
	...['total', 'totalCount', 'total_items', 'total_entries', 'total-results', 'total_jobs'].map(
		(name): [string, object] => [`{"${name}":" 7 "}`, { total: 7 }],
	),
	...['total_pages', 'pages', 'page_count', 'lastPage'].map((name): [string, object] => [
		...([`{"${name}":3}`, { pages: 3 }] as const),
	]),
	['{"total":0}', { total: 0 }],
	...['""', '" "', '"x"', '-1', '1.5', 'null', 'true', '[7]', '{}'].map((none): [string, object] => [
		...([`{"total":${none}}`, {}] as const),
	]),
])('%s says how much there is: %j', (body, paging) => {
	expect(said(JSON.parse(body))).toEqual(paging);
});

describe('the address of the next page', () => {
	it.each([
		[{ next: '/v2/jobs?page=2' }],
		[{ next_url: '?page=2' }],
		[{ next: { href: 'https://api.example.test/v2/jobs?page=2&token=KEYKEYKEY' } }],
	])('is that of %j', (body) => {
		expect(said(body)).toEqual(PAGE_2);
	});

	it.each([
		'http://other.test/v2/jobs?page=2',
		'https://',
		'/v2/jobs',
		'https://api.example.test/KEYKEYKEY/jobs?page=2',
	])('is not asked at %s, although there is one', (next) => {
		expect(said({ next })).toEqual({ goesOn: true });
	});

	it('is asked without what stands for the key, and with a parameter that only has its name', () => {
		const next = '/v2/jobs?page=2&token=other';
		expect(said({ next })).toEqual(PAGE_2);
		expect(said({ next }, undefined, { authentication: 'bearer' })).toEqual(
			to({ page: '2', token: 'other' }),
		);
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

	it.each(['</v2/jobs?page=1>; rel="prev"', '</v2/jobs?page=1>; rel ="first"'])(
		'is none where the header leads elsewhere: %s',
		(link) => {
			expect(said([], link)).toEqual(END);
			expect(said({ next: '/v2/jobs?page=2' }, link)).toEqual(PAGE_2);
		},
	);

	it.each([
		'</v2/jobs?page=2>; title="what is next"',
		'</style.css>; as=style',
		'',
		`${'<'.repeat(100_000)}${' '.repeat(100_000)}`,
		...['deprecation', 'sunset', 'help', 'canonical', 'self', 'preload', 'https://rel.test/next'].map(
			(relation) => `<https://api.example.test/notes>; rel="${relation}"`,
		),
	])('is not told by the header Link: %s', (link) => {
		expect(said([], link)).toEqual({});
	});
});

test.each<[unknown]>([
	[{ pagination: { page: 1, next: 2 } }],
	[{ meta: { current_page: 1, next_page: 2 } }],
	[{ page: '1', next: '2' }],
	[{ next_page: 2 }],
])('the number of the next page is that of %j', (body) => {
	expect(said(body)).toEqual({ goesOn: true, next: { page: 2 } });
});

test('a number of the next page that is none is the end', () => {
	expect(said({ pagination: { page: 2, next: null } })).toEqual(END);
	expect(said({ current_page: 2, next_page: null })).toEqual(END);
});
