import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import { nameOf, nextHop } from '../../../nodes/PriceCollection/service/redirect';
import type { Hop } from '../../../nodes/PriceCollection/service/redirect';
import { dialectOf } from '../fakeClient';

const dialect = dialectOf();
const ORIGIN = 'https://api.example.test';
const at = (method: Hop['method'], withKey = true): Hop => ({
	method,
	url: new URL(`${ORIGIN}/v2/jobs/a/download`),
	withKey,
});

/** The next hop as text, or the kind and effect of the problem. */
function leads(
	location: string | undefined,
	{ method = 'GET' as Hop['method'], status = 302, withKey = true, fields = {} } = {},
): string {
	const endpoint = method === 'GET' ? ENDPOINTS.download : ENDPOINTS.create;
	const next = nextHop(at(method, withKey), { status, headers: { location } }, endpoint, dialectOf(fields));
	if (!next.ok) return `${next.problem.kind}, ${next.problem.effect}`;
	return `${next.value.method} ${next.value.url.href}${next.value.withKey ? ' with the key' : ''}`;
}

test.each([
	['/files/1', `GET ${ORIGIN}/files/1 with the key`],
	['../b', `GET ${ORIGIN}/v2/jobs/b with the key`],
	[`${ORIGIN}/files/1?x=1`, `GET ${ORIGIN}/files/1?x=1 with the key`],
	// A ticket for this address: with the key it would be replaced.
	[`${ORIGIN}/files/1?token=other&x=1`, `GET ${ORIGIN}/files/1?token=other&x=1`],
	[`${ORIGIN}/files/1?token=KEYKEYKEY&x=1`, `GET ${ORIGIN}/files/1?x=1 with the key`],
	['https://cdn.example.test/1?token=ticket', 'GET https://cdn.example.test/1?token=ticket'],
	['https://cdn.example.test/1?token=KEYKEYKEY&x=1', 'GET https://cdn.example.test/1?x=1'],
	['https://cdn.example.test/1?next=%2F%3Ftoken%3DKEYKEYKEY', 'GET https://cdn.example.test/1'],
	['https://cdn.example.test/1?KEYKEYKEY=1', 'GET https://cdn.example.test/1'],
	['http://api.example.test/1', 'GET http://api.example.test/1'],
	['https://api.example.test:8443/1', 'GET https://api.example.test:8443/1'],
	['//cdn.example.test/1', 'GET https://cdn.example.test/1'],
	['https://cdn.example.test/KEYKEYKEY', 'redirectedAway, none'],
	['https://KEYKEYKEY@cdn.example.test/', 'redirectedAway, none'],
	['ftp://cdn.example.test/1', 'redirectedAway, none'],
	['http://', 'redirectedAway, none'],
	['', 'redirectedAway, none'],
	[undefined, 'redirectedAway, none'],
])('a read that is sent to %p: %s', (location, expected) => {
	expect(leads(location)).toBe(expected);
});

test('the key does not come back once it stayed behind', () => {
	expect(leads(`${ORIGIN}/files/1`, { withKey: false })).toBe(`GET ${ORIGIN}/files/1`);
});

test.each([
	[301, '/v2/jobs', 'redirectedAway, none'],
	[302, '/v2/jobs', 'redirectedAway, unknown'],
	[303, '/v2/jobs/a', `GET ${ORIGIN}/v2/jobs/a with the key`],
	[303, 'https://cdn.example.test/a', 'GET https://cdn.example.test/a'],
	[307, '/v2/jobs2', `POST ${ORIGIN}/v2/jobs2 with the key`],
	[308, '/v2/jobs2', `POST ${ORIGIN}/v2/jobs2 with the key`],
	[307, 'https://cdn.example.test/v2/jobs', 'redirectedAway, none'],
	[308, undefined, 'redirectedAway, unknown'],
])('a creation that is answered %i to %p: %s', (status, location, expected) => {
	expect(leads(location, { method: 'POST', status })).toBe(expected);
});

test('texts name an address without its query and without secrets', () => {
	expect(nameOf(new URL('https://h.test/KEYKEYKEY/x?token=1#y'), dialect)).toBe('https://h.test/***/x');
});
