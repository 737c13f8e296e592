import type { IHttpRequestOptions } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';

const BASE = { baseUrl: 'https://api.example.test', apiKey: 'KEYKEYKEYKEY' };
/** A redirect elsewhere must not take the key along, whoever follows it. */
const ALWAYS = { sendCredentialsOnCrossOriginRedirect: false };
/** n8n takes a header of its own name along on redirects, so it must not go elsewhere at all. */
const PINNED = { allowedDomains: 'api.example.test' };
const REQUEST: IHttpRequestOptions = { url: 'https://api.example.test/v2/jobs', method: 'GET' };

const authenticate = async (fields: object, request: object = REQUEST) =>
	await new PriceCollectionApi().authenticate({ ...BASE, ...fields }, request as IHttpRequestOptions);

describe('the credential puts the key', () => {
	test.each([
		['into the query by default', {}, { qs: { token: 'KEYKEYKEYKEY' } }],
		[
			'into a query parameter of another name',
			{ authentication: 'queryParameter', parameterName: 'key' },
			{ qs: { key: 'KEYKEYKEYKEY' } },
		],
		[
			'into a header',
			{ authentication: 'header' },
			{ headers: { 'X-API-Key': 'KEYKEYKEYKEY' }, ...PINNED },
		],
		[
			'into a header of another name',
			{ authentication: 'header', headerName: 'Key' },
			{ headers: { Key: 'KEYKEYKEYKEY' }, ...PINNED },
		],
		[
			'behind Bearer',
			{ authentication: 'bearer' },
			{ headers: { Authorization: 'Bearer KEYKEYKEYKEY' } },
		],
		[
			'into Basic authentication',
			{ authentication: 'basic', username: 'me', password: 'secret' },
			{ auth: { username: 'me', password: 'secret' } },
		],
	])('%s', async (_where, fields, added) => {
		expect(await authenticate(fields)).toEqual({ ...REQUEST, ...ALWAYS, ...added });
	});

	test('beside what the request holds already', async () => {
		expect(await authenticate({}, { ...REQUEST, qs: { page: 2 } })).toEqual({
			...REQUEST,
			...ALWAYS,
			qs: { page: 2, token: 'KEYKEYKEYKEY' },
		});
	});

	test('into requests of the HTTP Request node, which names the address uri', async () => {
		const request = { uri: 'https://api.example.test/v2/jobs', method: 'GET' };
		expect(await authenticate({}, request)).toEqual({
			...request,
			...ALWAYS,
			qs: { token: 'KEYKEYKEYKEY' },
		});
	});

	test('into requests with a base URL of their own, as the credential test has', async () => {
		const request = { baseURL: 'https://api.example.test', url: '/v2/me/usage_today' };
		expect(await authenticate({}, request)).toEqual({
			...request,
			...ALWAYS,
			qs: { token: 'KEYKEYKEYKEY' },
		});
	});
});

describe('the credential keeps the key from', () => {
	test.each([
		['another host', 'https://evil.test/v2/jobs'],
		['another port', 'https://api.example.test:8443/v2/jobs'],
		['plain http', 'http://api.example.test/v2/jobs'],
		['a host that only begins like it', 'https://api.example.test.evil.test/'],
		['no address at all', ''],
	])('%s', async (_where, url) => {
		await expect(authenticate({}, { url })).rejects.toThrow(
			'This credential sends its key to https://api.example.test only. Use the address of the service.',
		);
	});

	test('an address that is refused', async () => {
		await expect(authenticate({ baseUrl: 'api.example.test' })).rejects.toThrow(
			'The Base URL has no scheme. Put https:// in front of it.',
		);
	});
});
