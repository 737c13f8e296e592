import { Expression, Workflow } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions, INodeTypes } from 'n8n-workflow';

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

describe('the test request', () => {
	// Evaluates in process; n8n's default for production needs the native module isolated-vm.
	Expression.setExpressionEngine('legacy');
	const type = { description: { properties: [] } };
	const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
	const node = {
		id: '1',
		name: 'n',
		type: 't',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes as unknown as INodeTypes,
	});

	test.each([
		[base, base],
		[` ${base}/ `, base],
		[`${base}/v2`, base],
		[`${base}/prices/V2//`, `${base}/prices`],
	])('reads the usage of today below %p, which is free', (baseUrl, expected) => {
		const { baseURL, ...rest } = api.test.request;
		const resolved = workflow.expression.getSimpleParameterValue(node, baseURL ?? '', 'internal', {
			$credentials: { baseUrl },
		} as never);
		expect(resolved).toBe(expected);
		expect(rest).toEqual({
			url: '/v2/me/usage_today',
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		});
	});

	test('fails on a refusal with a good status', () => {
		expect(api.test.rules).toEqual([
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'success',
					value: false,
					message:
						'The service did not accept the key. Check the key and how it is sent (Authentication).',
				},
			},
		]);
	});
});

test('the fields have the promised names and defaults, and secrets are masked', () => {
	expect(Object.fromEntries(api.properties.map(({ name, default: value }) => [name, value]))).toEqual({
		baseUrl: '',
		apiKey: '',
		username: '',
		password: '',
		webhookSecret: '',
		customizeService: false,
		allowInsecureHttp: false,
		legacyBaseUrl: '',
		...DEFAULTS,
	});
	const masked = api.properties.filter(({ typeOptions }) => typeOptions?.password === true);
	expect(masked.map(({ name }) => name)).toEqual(['apiKey', 'password', 'webhookSecret']);
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
