import type { CredentialFields } from '../../../nodes/PriceCollection/service/dialect';
import { pagingIn } from '../../../nodes/PriceCollection/service/paging';
import { dialectOf } from '../fakeClient';

const said = (body: unknown, link?: string, fields: CredentialFields = {}) =>
	pagingIn(body, link, dialectOf(fields));

describe('a cursor', () => {
	it.each([
		['next_cursor', 'cursor'],
		['nextPageToken', 'page_token'],
		['next-token', 'token'],
		['continuationToken', 'continuation_token'],
		['continuation', 'continuation'],
		['end_cursor', 'cursor'],
		['cursor', 'cursor'],
		['next', 'cursor'],
	])('called %s goes as %s', (name, parameter) => {
		expect(said({ [name]: ' x ' })).toEqual({ cursor: 'x', cursorParameter: parameter });
		expect(said({ [name]: 7 })).toEqual({ cursor: '7', cursorParameter: parameter });
		for (const none of [null, '']) expect(said({ [name]: none })).toEqual({ next: null });
		for (const unclear of [' ', true, {}]) expect(said({ [name]: unclear })).toEqual({});
	});

	it('may look like a part of an address', () => {
		for (const cursor of ['abc/def', 'a?b', 'ahttp://x']) {
			expect(said({ next: cursor })).toEqual({ cursor, cursorParameter: 'cursor' });
		}
	});
});

describe('how much there is', () => {
	it.each(['has_more', 'hasNext', 'has_next_page', 'more'])('%s says whether there is more', (name) => {
		expect(said({ [name]: true })).toEqual({ hasMore: true });
		expect(said({ [name]: 'no' })).toEqual({ hasMore: false, next: null });
	});

	it.each(['total', 'totalCount', 'total_items', 'total_entries', 'total-results', 'total_jobs'])(
		'%s is the number of jobs',
		(name) => {
			expect(said({ [name]: ' 7 ' })).toEqual({ total: 7 });
			expect(said({ [name]: 0 })).toEqual({ total: 0 });
		},
	);

	it.each(['total_pages', 'pages', 'page_count', 'lastPage'])('%s is the number of pages', (name) => {
		expect(said({ [name]: 3 })).toEqual({ pages: 3 });
	});

	it.each([[''], [' '], ['x'], [-1], [1.5], [NaN], [null], [true], [[7]], [{}]])(
		'is not told by %j',
		(value) => {
			expect(said({ total: value })).toEqual({});
		},
	);
});

describe('where a list says it', () => {
	it.each(['meta', 'metadata', 'paging', 'pagination', 'page_info', '_links', 'cursor', 'data'])(
		'is %s as well',
		(place) => {
			expect(said({ [place]: { total: 7 } })).toEqual({ total: 7 });
		},
	);

	it('is not just anywhere', () => {
		expect(said({ other: { total: 7 } })).toEqual({});
		expect(said([{ total: 7 }])).toEqual({});
	});

	it('is three levels at the most, of which the outer one counts, and of several places the first', () => {
		expect(said({ data: { meta: { total: 7 } } })).toEqual({ total: 7 });
		expect(said({ data: { meta: { paging: { total: 7 } } } })).toEqual({});
		expect(said({ total: 1, meta: { total: 2 } })).toEqual({ total: 1 });
		expect(said({ meta: { total: 1 }, paging: { total: 2 } })).toEqual({ total: 1 });
	});
});

describe('the address of the next page', () => {
	it.each([
		[{ next: '/v2/jobs?page=2' }],
		[{ next_url: '?page=2' }],
		[{ next: { href: 'https://api.example.test/v2/jobs?page=2' } }],
	])('is that of %j', (body) => {
		expect(said(body)).toEqual({ next: { page: '2' } });
	});

	it.each([
		['http://other.test/v2/jobs?page=2'],
		['https://'],
		['/v2/jobs'],
		['https://api.example.test/KEYKEYKEY/jobs?page=2'],
	])('is not %s', (next) => {
		expect(said({ next })).toEqual({});
	});

	it('is asked without what stands for the key, and with a parameter that only has its name', () => {
		const next = '/v2/jobs?page=2&token=other';
		expect(said({ next })).toEqual({ next: { page: '2' } });
		expect(said({ next }, undefined, { authentication: 'bearer' })).toEqual({
			next: { page: '2', token: 'other' },
		});
	});

	it.each([
		'</v2/jobs?page=2>;rel=next',
		'</v2/jobs?page=2>; rel = "next"',
		'</v2/jobs?page=2>; title="x"; rel="prev next"',
		'</v2/jobs?page=1>; rel="first", </v2/jobs?page=2>; rel="NEXT"',
	])('is in the header Link: %s', (link) => {
		expect(said([], link)).toEqual({ next: { page: '2' } });
	});

	it.each(['</v2/jobs?page=1>; rel="prev"', '</v2/jobs?page=1>; rel ="first"'])(
		'is none where the header leads elsewhere: %s',
		(link) => {
			expect(said([], link)).toEqual({ next: null });
			expect(said({ next: '/v2/jobs?page=2' }, link)).toEqual({ next: { page: '2' } });
		},
	);

	it.each([
		'</v2/jobs?page=2>; title="what is next"',
		'</style.css>; as=style',
		'',
		...[
			'deprecation',
			'sunset',
			'help',
			'canonical',
			'self',
			'preload',
			'describedby',
			'https://rel.test/next',
		].map((relation) => `<https://api.example.test/notes>; rel="${relation}"`),
	])('is not told by the header Link: %s', (link) => {
		expect(said([], link)).toEqual({});
	});

	it('is found beside other relations, in a header of any length', () => {
		const other = '<https://api.example.test/notes>; rel="sunset"; type="text/html"';
		expect(said([], `${other}, </v2/jobs?page=2>; rel="next"`)).toEqual({ next: { page: '2' } });
		expect(said([], `${'<'.repeat(100_000)}${' '.repeat(100_000)}`)).toEqual({});
	});
});

describe('the number of the next page', () => {
	it.each<[unknown]>([
		[{ pagination: { page: 1, next: 2 } }],
		[{ meta: { current_page: 1, next_page: 2 } }],
		[{ page: '1', next: '2' }],
		[{ next_page: 2 }],
	])('is that of %j', (body) => {
		expect(said(body)).toEqual({ nextPage: 2 });
	});

	it('says that there is none', () => {
		expect(said({ pagination: { page: 2, next: null } })).toEqual({ next: null });
		expect(said({ current_page: 2, next_page: null })).toEqual({ next: null });
	});

	it('is a cursor where no page is counted', () => {
		expect(said({ next: 7 })).toEqual({ cursor: '7', cursorParameter: 'cursor' });
	});
});
