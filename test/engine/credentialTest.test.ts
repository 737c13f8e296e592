import type { IDataObject } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { failureOf } from './core';
import { PlainService, type PlainReply } from './plainService';

jest.mock('../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./fastClock'));

let service: PlainService;
beforeAll(async () => {
	service = await PlainService.start();
});
afterAll(async () => await service.close());

const NODES = [new PriceCollection(), new PriceCollectionTrigger(), new PriceCollectionPollingTrigger()];

/** What n8n does for the button behind a credential: runs the method that a node names. */
async function tested(fields: IDataObject = {}) {
	const data = { baseUrl: service.url, apiKey: service.apiKey, ...fields };
	const credential = { id: '1', name: 'Test', type: 'priceCollectionApi', data } as never;
	return await new PriceCollection().methods.credentialTest.priceCollectionApiTest.call(
		new CredentialTestContext() as never,
		credential,
	);
}

const USAGE = 'GET /v2/me/usage_today';
const today = (reply: PlainReply) => service.reset({ [USAGE]: reply });

test('every node that takes the credential names the test', () => {
	for (const node of NODES) {
		const [credential] = node.description.credentials ?? [];
		expect(credential?.testedBy).toBe('priceCollectionApiTest');
		expect(node.methods.credentialTest).toHaveProperty('priceCollectionApiTest');
	}
});

test.each([[{ credits: 3 }], [{ success: 120, error: 3 }], [[]], [[{ day: 1 }]]])(
	'a key that gives the usage %j is good',
	async (body) => {
		today({ body });
		expect(await tested()).toEqual({ status: 'OK', message: 'The service accepts the key' });
		expect(service.requests).toEqual([USAGE]);
	},
);

test.each<[string, PlainReply, string]>([
	['a web page', { body: '<!DOCTYPE html><html>Log in</html>' }, 'A web page came instead of data.'],
	['an error', { body: { error: 'unauthorized' } }, 'The service did not accept the key.'],
	[
		'a refusal in XML',
		{ body: '<hash><success>false</success></hash>' },
		'The service refused the request.',
	],
	['a refusal in words', { body: { success: 'false', reason: 'unauthorized' } }, 'did not accept the key.'],
	['no content', { status: 204 }, 'The service answered without content.'],
	['an empty body', { body: '' }, 'The service answered without content.'],
	['a text', { body: '"welcome"' }, 'is not what this endpoint gives.'],
	[
		'a 401',
		{ status: 401, body: { reason: 'unauthorized', parameter: 'token' } },
		'did not accept the key.',
	],
	[
		'a 404 page',
		{ status: 404, body: '<html></html>' },
		'There is no Price Collection service at this address.',
	],
	['a redirect elsewhere', { status: 302, headers: { location: 'https://other.invalid/' } }, ''],
])('what the node would call a failure fails the test: %s', async (_name, reply, message) => {
	today(reply);
	const { status, message: said } = await tested();
	expect(status).toBe('Error');
	expect(said).toContain(message);
	expect(said).not.toContain(service.apiKey);
	const failure = await failureOf(service, { resource: 'usage', operation: 'getToday' });
	expect(said).toContain(failure.message);
});

test('the key is sent as the credential says', async () => {
	const seen: unknown[] = [];
	today({
		byHand: ({ headers, url }, response) => {
			seen.push([headers.authorization, headers['x-key'], new URL(url ?? '', service.url).search]);
			response.end('{"credits":1}');
		},
	});
	await tested({ authentication: 'bearer' });
	await tested({ authentication: 'header', headerName: 'X-Key' });
	await tested({ authentication: 'basic', apiKey: '', username: 'me', password: 'pw' });
	await tested({ parameterName: 'api_key', baseUrl: `${service.url}/v2/jobs` });
	expect(seen).toEqual([
		[`Bearer ${service.apiKey}`, undefined, ''],
		[undefined, service.apiKey, ''],
		[`Basic ${Buffer.from('me:pw').toString('base64')}`, undefined, ''],
		[undefined, undefined, `?api_key=${service.apiKey}`],
	]);
});

test('an address that cannot be used is said without a request, and one without a service as well', async () => {
	service.reset();
	expect(await tested({ baseUrl: 'api.example.test' })).toEqual({
		status: 'Error',
		message: 'The Base URL has no scheme. Put https:// in front of it.',
	});
	expect(service.requests).toEqual([]);
	expect(await tested({ baseUrl: 'http://127.0.0.1:1' })).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('The service does not accept connections.'),
	});
});
