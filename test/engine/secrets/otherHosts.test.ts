import nock from 'nock';

import { errorOf, items, runWorkflow } from '../support/harness';
import { locator, scenario } from '../support/common';

/** HTTPS hosts on the open internet; a sandbox on this machine cannot be one. */
const SERVICE = 'https://api.example.test';
const STORE = 'https://store.example.test';
const KEY = 'KEYKEYKEYKEY';
const RESULTS = {
	job_id: 'a',
	status: 'finished',
	results: [{ query: { value: 'pen' }, success: true, content: null }],
};
const DOWNLOAD = { resource: 'job', operation: 'download', jobId: locator('id', 'a') };

beforeAll(() => nock.disableNetConnect());
afterEach(() => nock.cleanAll());
afterAll(() => {
	nock.enableNetConnect();
	nock.restore();
});

const WAYS = [
	['queryParameter', { apiKey: KEY }, {}, { token: KEY }],
	['header', { apiKey: KEY }, { 'x-api-key': KEY }, {}],
	['bearer', { apiKey: KEY }, { authorization: `Bearer ${KEY}` }, {}],
	[
		'basic',
		{ username: 'me', password: 'secret' },
		{ authorization: `Basic ${Buffer.from('me:secret').toString('base64')}` },
		{},
	],
] as const;

describe.each(WAYS)('with the key by %s', (authentication, secrets, headers, query) => {
	const credential = { baseUrl: `${SERVICE}/v2/`, authentication, ...secrets };
	const names = ['authorization', 'x-api-key', 'cookie'];

	test('a download that lies elsewhere is fetched there without it', async () => {
		const sent = nock(SERVICE, { reqheaders: headers })
			.get('/v2/jobs/a/download')
			.query(query)
			.reply(302, '', {
				location: `${STORE}/a.json?signed=1&as=${authentication === 'basic' ? 'secret' : KEY}`,
			});
		const stored = nock(STORE, { badheaders: names })
			.get('/a.json')
			.query({ signed: '1' })
			.reply(200, RESULTS);
		const run = await runWorkflow(scenario(credential, DOWNLOAD));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Prices')).toMatchObject([{ value: 'pen', found: false }]);
		expect([sent.isDone(), stored.isDone()]).toEqual([true, true]);
	});

	test('a redirect back to the service goes there without it, once another host was asked', async () => {
		nock(SERVICE)
			.get('/v2/jobs/a/download')
			.query(query)
			.reply(302, '', { location: `${STORE}/a` });
		nock(STORE)
			.get('/a')
			.reply(302, '', { location: `${SERVICE}/public/a` });
		const back = nock(SERVICE, { badheaders: names }).get('/public/a').reply(200, RESULTS);
		const run = await runWorkflow(scenario(credential, DOWNLOAD));
		expect(errorOf(run)).toBeUndefined();
		expect(back.isDone()).toBe(true);
	});
});
