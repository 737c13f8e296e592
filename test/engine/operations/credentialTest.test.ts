import type { IDataObject } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { failureOf } from '../support/core';
import { usePlainService, type PlainReply } from '../support/plainService';

const service = usePlainService();

const NODES = [new PriceCollection(), new PriceCollectionTrigger(), new PriceCollectionPollingTrigger()];

/** Does what n8n does for the credential's test button: runs the method that a node names. */
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

test.each([
	[{ credits: 3 }],
	[{ success: 120, error: 3 }],
	[[]],
	[[{ day: 1 }]],
	[{}],
	[{ today: { jobs: '3' } }],
	[{ date: '2026-01-15', jobs: [] }],
	[17],
	['17'],
	['"12 of 100"'],
])('a key that gives the usage %j is good', async (body) => {
	today({ body });
	expect(await tested()).toEqual({ status: 'OK', message: 'The service accepts the key' });
	expect(service.requests).toEqual([USAGE]);
});

const LOGIN = '<!DOCTYPE html><html>Log in</html>';
test.each<[PlainReply, string]>([
	[{ body: LOGIN }, 'The service returned a web page instead of data. Check the Base URL'],
	[
		{ body: { error: 'unauthorized' } },
		'The service did not accept the key. Check the key, and how it is sent',
	],
	[{ status: 204 }, 'The response is empty. '],
	[
		{ body: { status: 200, message: 'Welcome', links: { self: '/' } } },
		'The response is not what this endpoint returns. Check the Base URL of the credential. It must be the address of version 2. Expected usage figures, but the body holds no figures.',
	],
	[
		{ body: { meta: { code: 401, message: 'no key' }, data: null } },
		'The service did not accept the key. ',
	],
	[{ body: { head: { status: 401 }, data: null } }, 'The service did not accept the key. '],
	[{ body: { status: { code: 401 }, data: null } }, 'The service did not accept the key. '],
	[{ body: { message: 'maintenance', data: null } }, 'The response is not what this endpoint returns. '],
	[{ status: 404, body: '<html></html>' }, 'There is no Price Collection service at this address. '],
	[{ status: 302 }, 'The service redirects to another address. '],
	[{ status: 302, headers: { location: '/login' } }, 'The service returned a web page instead of data. '],
])('what the node would call a failure fails the test, in the same words: %j', async (reply, beginning) => {
	service.reset({ [USAGE]: reply, 'GET /login': { body: LOGIN } });
	const { status, message } = await tested();
	expect([status, message.slice(0, beginning.length)]).toEqual(['Error', beginning]);
	const failure = await failureOf(service, { resource: 'usage', operation: 'getToday' });
	expect(message).toBe(`${failure.message}. ${failure.description}`);
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

test.each([
	[{ baseUrl: 'api.example.test' }, 'The Base URL must begin with https://.'],
	[{ apiKey: '' }, 'The API Key is empty. Enter the key of your account.'],
	[
		{ requestNames: { names: [{ meaning: 'colour', fields: 'farbe' }] } },
		'The line "colour: farbe" of Request Names must begin with one of these: topic, source, ',
	],
	[{ requestNamesText: 'gtin ean' }, 'The line "gtin ean" of Request Names has no colon.'],
	[{ maxValuesPerJob: 0 }, 'Max Values per Job cannot be 0. Enter a whole number of at least 1.'],
	[{ baseUrl: 'http://127.0.0.1:1' }, 'The service does not accept connections.'],
])('what cannot be asked is said without a request: %j', async (fields, message) => {
	service.reset();
	expect(await tested(fields)).toEqual({ status: 'Error', message: expect.stringContaining(message) });
	expect(service.requests).toEqual([]);
});
