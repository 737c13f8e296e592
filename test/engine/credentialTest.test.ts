import type { IDataObject } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { failureOf } from './core';
import { usePlainService, type PlainReply } from './plainService';

const service = usePlainService();

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

test.each([
	[{ credits: 3 }],
	[{ success: 120, error: 3 }],
	[[]],
	[[{ day: 1 }]],
	[{}],
	[{ today: { jobs: '3' } }],
	[{ date: '2026-01-15', jobs: [] }],
])('a key that gives the usage %j is good', async (body) => {
	today({ body });
	expect(await tested()).toEqual({ status: 'OK', message: 'The service accepts the key' });
	expect(service.requests).toEqual([USAGE]);
});

const ENDPOINT = 'Endpoint: GET /v2/me/usage_today';
const CHECK_KEY = 'Check the key, and how it is sent (Authentication), in the credential.';
const CHECK_VERSION = 'Check the Base URL of the credential. It must be the address of version 2.';

test.each<[string, PlainReply, string]>([
	[
		'a web page',
		{ body: '<!DOCTYPE html><html>Log in</html>' },
		`The service returned a web page instead of data. Check the Base URL of the credential. If it is right, a proxy or a login page is in between. ${ENDPOINT}, HTTP 200.`,
	],
	[
		'an error',
		{ body: { error: 'unauthorized' } },
		`The service did not accept the key. ${CHECK_KEY} The service says: "unauthorized". ${ENDPOINT}, HTTP 200.`,
	],
	[
		'a refusal in XML',
		{ body: '<hash><success>false</success><reason>unauthorized</reason></hash>' },
		`The service did not accept the key. ${CHECK_KEY} The service says: "unauthorized". ${ENDPOINT}, HTTP 200.`,
	],
	[
		'a refusal in words',
		{ body: { success: 'false', reason: 'quota exceeded' } },
		`There are not enough credits for this job. Ask for fewer values, add credits or quota to the account, or run again tomorrow. This job was not created. The service says: "quota exceeded". ${ENDPOINT}, HTTP 200.`,
	],
	[
		'no content',
		{ status: 204 },
		`The response is empty, or neither JSON nor XML. Check the Base URL of the credential. If it is right, try the other format. ${ENDPOINT}, HTTP 204.`,
	],
	[
		'an empty body',
		{ body: '' },
		`The response is empty, or neither JSON nor XML. Check the Base URL of the credential. If it is right, try the other format. ${ENDPOINT}, HTTP 200.`,
	],
	[
		'a text',
		{ body: '"welcome"' },
		`The response is not what this endpoint returns. ${CHECK_VERSION} Expected usage figures, but the body is text. It begins with: "welcome". ${ENDPOINT}.`,
	],
	[
		'another service',
		{ body: { status: 200, message: 'Welcome', links: { self: '/' } } },
		`The response is not what this endpoint returns. ${CHECK_VERSION} Expected usage figures, but the body holds no figures. It begins with: {"status":200,"message":"Welcome","links":{"self":"/"}}. ${ENDPOINT}.`,
	],
	[
		'a 401',
		{ status: 401, body: { reason: 'unauthorized', parameter: 'token' } },
		`The service did not accept the key. ${CHECK_KEY} The service says: "unauthorized" (parameter token). ${ENDPOINT}, HTTP 401.`,
	],
	[
		'a 404 page',
		{ status: 404, body: '<html></html>' },
		`There is no Price Collection service at this address. Check the Base URL of the credential. It is the part before /v2/jobs. Version 1 and its address are retired. ${ENDPOINT}, HTTP 404.`,
	],
	[
		'a 404 in words',
		{ status: 404, body: { message: 'Not Found' } },
		`There is no Price Collection service at this address. Check the Base URL of the credential. It is the part before /v2/jobs. Version 1 and its address are retired. The service says: "Not Found". ${ENDPOINT}, HTTP 404.`,
	],
	[
		'a redirect to nowhere',
		{ status: 302 },
		`The service redirects to another address. If the service has moved, enter the new address as Base URL in the credential. The key was not sent there. It does not say where to. ${ENDPOINT}, HTTP 302.`,
	],
	[
		'a redirect to a website',
		{ status: 302, headers: { location: '/login' } },
		`The service returned a web page instead of data. Check the Base URL of the credential. If it is right, a proxy or a login page is in between. ${ENDPOINT}, HTTP 200.`,
	],
])(
	'what the node would call a failure fails the test, in the same words: %s',
	async (_name, reply, message) => {
		service.reset({ [USAGE]: reply, 'GET /login': { body: '<!DOCTYPE html><html>Log in</html>' } });
		expect(await tested()).toEqual({ status: 'Error', message });
		const failure = await failureOf(service, { resource: 'usage', operation: 'getToday' });
		expect(message).toBe(`${failure.message}. ${failure.description}`);
	},
);

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

test('an address that cannot be used and a missing key are said without a request, and a dead host as well', async () => {
	service.reset();
	expect(await tested({ baseUrl: 'api.example.test' })).toEqual({
		status: 'Error',
		message: 'The Base URL has no scheme. Put https:// in front of it.',
	});
	expect(await tested({ apiKey: '' })).toEqual({
		status: 'Error',
		message: 'The API Key is empty. Enter the key of your account.',
	});
	expect(service.requests).toEqual([]);
	expect(await tested({ baseUrl: 'http://127.0.0.1:1' })).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('The service does not accept connections.'),
	});
});
