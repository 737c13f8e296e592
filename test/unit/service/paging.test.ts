import { pagingIn } from '../../../nodes/PriceCollection/service/paging';
import { dialectOf } from '../fakeClient';

const dialect = dialectOf();

test.each<[unknown, object]>([
	[[], {}],
	[{ data: [] }, {}],
	[{ next_cursor: 'x' }, { cursor: 'x', cursorParameter: 'cursor' }],
	[{ meta: { nextCursor: 'x', total: '7' } }, { cursor: 'x', cursorParameter: 'cursor', total: 7 }],
	[
		{ data: { jobs: [], paging: { next_page_token: 'x' } } },
		{ cursor: 'x', cursorParameter: 'page_token' },
	],
	[
		{ next_cursor: null, has_more: false },
		{ next: null, hasMore: false },
	],
	[{ hasMore: 'true' }, { hasMore: true }],
	[
		{ total_count: 3, total_pages: 2 },
		{ total: 3, pages: 2 },
	],
	[{ next: 'https://api.example.test/v2/jobs?page=2&token=KEYKEYKEY' }, { next: { page: '2' } }],
	[{ _links: { next: { href: '/v2/jobs?page=2' } } }, { next: { page: '2' } }],
	[{ next: 'https://other.test/v2/jobs?page=2' }, {}],
	[{ next_cursor: null, next: '/v2/jobs?page=2' }, { next: { page: '2' } }],
	[{ next_cursor: null, has_more: true }, { hasMore: true }],
])('%j says %j', (body, paging) => {
	expect(pagingIn(body, undefined, dialect)).toEqual(paging);
});

test.each<[string, object]>([
	[
		'<https://api.example.test/v2/jobs?page=2>; rel="next", <https://api.example.test/v2/jobs?page=9>; rel="last"',
		{ next: { page: '2' } },
	],
	['</v2/jobs?cursor=a%2Fb>; rel=next', { next: { cursor: 'a/b' } }],
	['<https://api.example.test/v2/jobs?page=1>; rel="prev"', { next: null }],
	['<https://other.test/v2/jobs?page=2>; rel="next"', {}],
])('the header Link: %s says %j', (header, paging) => {
	expect(pagingIn([], header, dialect)).toEqual(paging);
});
