import type { IHttpRequestOptions } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { DEFAULTS } from '../../../nodes/PriceCollection/service/connection';

const api = new PriceCollectionApi();
const ORIGIN = 'https://api.example.test';
const BASE = { baseUrl: ORIGIN, apiKey: 'KEYKEYKEYKEY' };
const REQUEST: IHttpRequestOptions = { url: `${ORIGIN}/v2/jobs`, method: 'GET' };
/** A redirect to another host must not carry the key along, whichever client follows it. */
const ALWAYS = { sendCredentialsOnCrossOriginRedirect: false };
/** n8n carries a custom header along on redirects, so the request must not go to other hosts at all. */
const PINNED = { allowedDomains: 'api.example.test' };
const IN_QUERY = { qs: { token: 'KEYKEYKEYKEY' } };

const authenticate = async (fields: object, request: object = REQUEST) =>
	await api.authenticate({ ...BASE, ...fields }, request as IHttpRequestOptions);

describe('the key is put', () => {
	const header = { authentication: 'header' };
	const auth = { username: 'me', password: 'secret' };
	test.each<[object, object]>([
		[{}, IN_QUERY],
		[{ parameterName: 'key' }, { qs: { key: 'KEYKEYKEYKEY' } }],
		[header, { headers: { 'X-API-Key': 'KEYKEYKEYKEY' }, ...PINNED }],
		[
			{ ...header, headerName: 'Key' },
			{ headers: { Key: 'KEYKEYKEYKEY' }, ...PINNED },
		],
		// A pasted key may have a line break.
		[
			{ authentication: 'bearer', apiKey: ' KEYKEYKEYKEY\n' },
			{ headers: { Authorization: 'Bearer KEYKEYKEYKEY' } },
		],
		[{ authentication: 'basic', ...auth }, { auth }],
	])('with %j into %j', async (fields, added) => {
		expect(await authenticate(fields)).toEqual({ ...REQUEST, ...ALWAYS, ...added });
	});

	test('beside what the request holds already, which is left as it was', async () => {
		const given = { ...REQUEST, headers: { Accept: 'application/json' }, qs: { page: 2 } };
		const before = structuredClone(given);
		expect(await authenticate({}, given)).toEqual({
			...{ ...given, ...ALWAYS },
			qs: { page: 2, token: 'KEYKEYKEYKEY' },
		});
		expect(given).toEqual(before);
	});

	test.each([
		// The HTTP Request node names the address uri, the credential test has a base URL of its own.
		{ uri: `${ORIGIN}/v2/jobs` },
		{ baseURL: ORIGIN, url: '/v2/me/usage_today' },
		{ url: ORIGIN },
		{ url: `${ORIGIN}/anything?x=1` },
		{ url: `${ORIGIN}:443/v2/jobs` },
	])('into a request to %j', async (address) => {
		expect(await authenticate({}, { method: 'GET', ...address })).toMatchObject(IN_QUERY);
	});
});

describe('the key is kept from', () => {
	test.each([
		{ url: 'https://evil.test/v2/jobs' },
		{ url: 'https://api.example.test:8443/v2/jobs' },
		{ url: 'http://api.example.test/v2/jobs' },
		{ url: 'https://api.example.test.evil.test/' },
		{ url: 'https://api.example.test@evil.test/' },
		{ url: 'https:\\\\evil.example.test' },
		{ url: '//evil.example.test/v2', baseURL: ORIGIN },
		{ url: 'https://evil.example.test/v2', baseURL: ORIGIN },
		{ url: '/v2/jobs', baseURL: 'https://evil.example.test' },
		{ url: '/v2/jobs' },
		{ url: '' },
	])('%j', async (address) => {
		await expect(authenticate({}, address)).rejects.toThrow(
			'This credential sends its key to https://api.example.test only. Use the address of the service.',
		);
	});

	test('any address where the Base URL is none', async () => {
		await expect(authenticate({ baseUrl: 'http://api.example.test' })).rejects.toThrow(/^The Base URL /);
	});
});

test('the fields have the defaults that the service is read by, and secrets are masked', () => {
	const defaults = Object.fromEntries(api.properties.map(({ name, default: value }) => [name, value]));
	expect(defaults).toMatchObject(DEFAULTS);
	const masked = api.properties.filter(({ typeOptions }) => typeOptions?.password === true);
	const secrets = ['apiKey', 'password', 'webhookSecret', 'previousWebhookSecret'];
	expect(masked.map(({ name }) => name)).toEqual(secrets);
});

test('what says how the service is asked is under Customize Service', () => {
	const shown = api.properties.filter(
		({ displayOptions }) => displayOptions?.show?.customizeService?.[0] === true,
	);
	const names = shown.map(({ name }) => name);
	const paging = ['pagination', 'firstPage', 'pageParameter', 'pageSizeParameter', 'cursorParameter'];
	expect(names).toEqual(
		expect.arrayContaining([...paging, 'finishedStatuses', 'failedStatuses', 'lookupValues']),
	);
});
