import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { DEFAULTS } from '../../../nodes/PriceCollection/service/dialect';

const api = new PriceCollectionApi();
const base = 'https://api.example.test';
const request: IHttpRequestOptions = {
	url: `${base}/v2/jobs`,
	method: 'GET',
	headers: { Accept: 'application/json' },
	qs: { page: 1 },
};
const withFields = (fields: ICredentialDataDecryptedObject) => ({
	baseUrl: base,
	apiKey: 'KEYKEY',
	...fields,
});
const authenticated = async (
	fields: ICredentialDataDecryptedObject,
	more: Partial<IHttpRequestOptions> = {},
) => await api.authenticate(withFields(fields), { ...request, ...more });

describe('the key', () => {
	test('a pasted key loses the line break that no header may hold', async () => {
		expect(await authenticated({ authentication: 'bearer', apiKey: ' KEYKEY\n' })).toMatchObject({
			headers: { Authorization: 'Bearer KEYKEY' },
		});
	});

	test('the request that n8n gave is left as it was', async () => {
		const given = structuredClone(request);
		await api.authenticate(withFields({}), given);
		expect(given).toEqual(request);
	});
});

describe('the key goes to the origin of the Base URL only', () => {
	test.each([
		[base, undefined],
		[`${base}/anything?x=1`, undefined],
		['/v2/jobs', base],
		[`${base}:443/v2/jobs`, undefined],
	])('also to %s', async (url, baseURL) => {
		expect(await authenticated({}, { url, baseURL })).toMatchObject({ qs: { token: 'KEYKEY' } });
	});

	test.each([
		['https://api.example.test@evil.test/', undefined],
		['https:\\\\evil.example.test', undefined],
		['//evil.example.test/v2', base],
		['https://evil.example.test/v2', base],
		['/v2/jobs', 'https://evil.example.test'],
		['/v2/jobs', undefined],
	])('never to %p with the base %p', async (url, baseURL) => {
		await expect(authenticated({}, { url, baseURL })).rejects.toThrow(
			'This credential sends its key to https://api.example.test only. Use the address of the service.',
		);
	});

	test('never anywhere when the Base URL is refused', async () => {
		for (const baseUrl of [
			'',
			'api.example.test',
			'http://api.example.test',
			'https://me:pw@api.example.test',
		]) {
			await expect(authenticated({ baseUrl })).rejects.toThrow(/^The Base URL /);
		}
	});
});

test('the fields have the promised names and defaults, and secrets are masked', () => {
	expect(Object.fromEntries(api.properties.map(({ name, default: value }) => [name, value]))).toEqual({
		baseUrl: '',
		apiKey: '',
		username: '',
		password: '',
		webhookSecret: '',
		previousWebhookSecret: '',
		customizeService: false,
		allowInsecureHttp: false,
		legacyBaseUrl: '',
		...DEFAULTS,
	});
	const masked = api.properties.filter(({ typeOptions }) => typeOptions?.password === true);
	expect(masked.map(({ name }) => name)).toEqual([
		'apiKey',
		'password',
		'webhookSecret',
		'previousWebhookSecret',
	]);
});

test('each way to authenticate shows its own fields only', () => {
	const shown = (how: string) =>
		api.properties
			.filter(({ displayOptions }) => displayOptions?.show?.authentication?.includes(how))
			.map(({ name }) => name);
	expect(['queryParameter', 'header', 'bearer', 'basic'].map(shown)).toEqual([
		['parameterName', 'apiKey'],
		['headerName', 'apiKey'],
		['apiKey'],
		['username', 'password'],
	]);
});
