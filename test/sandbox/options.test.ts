import { CHOICES, SETS } from './choices.ts';
import { startSandbox } from './sandbox.ts';
import { SETTINGS } from './settings.ts';
import { Client, NOON, ORDER } from './support.ts';
import type { Fields, Options } from './support.ts';

const PRODUCT = { topic: 'product_and_offers', source: 'google_shopping' };
const VALUES = ['Café crème', 'nulls', 'many-5', 'notfound', 'fail', 'notfound-list'];
const HOOK = { webhook_url: 'http://127.0.0.1:1/hook?run=7' };
const GTIN = { ...PRODUCT, key: 'gtin', values: ['0885909666966'], ...HOOK };
const SEARCH = { values: ['kettle', 'lamp'] };

/** All that a client hears of a service with these options, which is asked everything in every way. */
async function heard(options: Options): Promise<string> {
	const client = new Client();
	const sandbox = (client.sandbox = await startSandbox(
		{ manualClock: true, jobDurationMs: 1000 },
		() => NOON,
	));
	const told: unknown[] = [];
	const ask = async (path: string, init: RequestInit = {}, isKeyed = true) => {
		const { authParameter, apiKey } = sandbox.options;
		const key = isKeyed ? `${path.includes('?') ? '&' : '?'}${authParameter}=${apiKey}` : '';
		const answer = await fetch(sandbox.url + path + key, { redirect: 'manual', ...init });
		const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).sort();
		told.push([answer.status, headers, Buffer.from(await answer.arrayBuffer()).toString('latin1')]);
	};
	const get = async (headers: Record<string, string>) =>
		await ask('/v2/me/usage_today', { headers }, false);
	const post = async (body: Fields, isKeyed?: boolean) => {
		const headers = { 'content-type': 'application/json' };
		await ask('/v2/jobs', { method: 'POST', headers, body: JSON.stringify(body) }, isKeyed);
	};
	// Jobs of a service as it is by default, so that there are some whatever it takes.
	const made: string[] = [];
	for (const more of [{ ...PRODUCT, values: VALUES }, GTIN, SEARCH, {}, {}])
		made.push(await client.running(more));
	sandbox.setOptions(options);
	const { apiKey, authParameter } = sandbox.options;
	const [product, gtin, search, running] = made;
	await ask(`/v2/jobs/${running}/download`);
	sandbox.advance(700);
	for (const id of made.slice(0, 3)) sandbox.finishJob(id);
	for (const id of [product, gtin, search, running]) await ask(`/v2/jobs/${id}`);
	for (const id of [product, gtin, search]) await ask(`/v2/jobs/${id}/download`);
	for (const end of ['/download.xml', '.xml', '?format=xml', '?as=xml'])
		await ask(`/v2/jobs/${product}${end}`);
	await ask(`/v2/jobs/${search}`, { headers: { accept: 'application/xml' } });
	for (const query of [
		'',
		'?page=1&per_page=2',
		'?page=9',
		'?p=2&n=2',
		'?cursor=YWZ0ZXIgMg',
		'?after=YWZ0ZXIgMg',
	])
		await ask(`/v2/jobs${query}`);
	for (const encoding of ['gzip', 'deflate', 'br'])
		await ask('/v2/me/usage_today', { headers: { 'accept-encoding': encoding } });
	const basic = Buffer.from('sandbox:sandbox-password').toString('base64');
	for (const way of [`Bearer ${apiKey}`, `Basic ${basic}`]) await get({ authorization: way });
	for (const name of ['x-api-key', 'x-k']) await get({ [name]: apiKey });
	for (const order of [SEARCH, HOOK, { key: 'asin' }, { topic: 'prices' }, { key: undefined }])
		await post({ ...ORDER, ...order });
	await post({ ...ORDER, [authParameter]: apiKey }, false);
	await ask('/v2/jobs', { method: 'POST', body: new URLSearchParams(ORDER) });
	await ask(`/v2/jobs?${new URLSearchParams(ORDER)}`, { method: 'POST' });
	await ask(`/v2/jobs/${running}/cancel`, { method: 'POST' });
	await ask(`/v2/jobs/${running}`);
	for (const ms of [60_000, 1_000]) {
		sandbox.advance(ms);
		while (sandbox.deliveries.some(({ error }) => error === null)) await new Promise(setImmediate);
	}
	told.push(sandbox.jobs, sandbox.deliveries);
	await sandbox.close();
	return JSON.stringify(told)
		.replaceAll(sandbox.url, 'URL')
		.replaceAll(sandbox.otherOriginUrl, 'OTHER')
		.replace(/[0-9a-f]{32}/g, 'TICKET');
}

test('a service is the same each time', async () => {
	for (const options of [{}, { downloadRedirect: 'otherOrigin', webhookDuplicates: 1 } as const])
		expect(await heard(options)).toBe(await heard(options));
});

/** What an option needs to be seen. */
const BESIDE: Partial<Record<keyof Options, Options>> = {
	authHeader: { authentication: ['header'] },
	emptyDownload: { resultsIn: 'status' },
	listCursorField: { listPaging: 'cursor', listSays: ['cursor'] },
	listCursorParameter: { listPaging: 'cursor', listSays: ['cursor'] },
	listPaging: { listMaxPageSize: 2 },
	listSays: { listMaxPageSize: 2 },
	listSpelling: { listFields: ['order', 'values', 'counters'] },
	earlyDownloadStatus: { earlyDownload: 'emptyResults' },
	oddResults: { resultQuery: 'null' },
	ownShop: { offerTraits: ['ownShop'] },
	password: { authentication: ['basic'] },
	retryAfter: { statusRateLimit: 1 },
	ticketPlace: { downloadRedirect: 'sameOrigin' },
	username: { authentication: ['basic'] },
	webhookRetryDelayMs: { webhookRetries: 1 },
};

/** Settings that a client of one service cannot see: what they do is seen elsewhere. */
const UNSEEN = [
	...['host', 'port', 'otherOriginPort', 'pathPrefix', 'manualClock', 'latencyMs', 'requestLogLimit'],
	...['secondApiKey', 'jobDurationMs', 'timeoutMinuteMs', 'webhookTimeoutMs', 'extraStatuses'],
];

/** Other values of settings for which one more, the opposite or the text with an `x` is none. */
const OTHERS: Options = {
	...{ authHeader: 'x-k', contentType: 'text/html', formatParameter: 'as', createStatus: 201 },
	...{
		topics: ['prices'],
		topicEcho: { search: 'found' },
		extraKeys: ['asin'],
		maxValues: 1,
		retentionMs: 1,
	},
	...{ clockSkewMs: 3_600_000, statusDelayMs: 500, statusLagMs: 900, listLagMs: 900, statusRateLimit: 1 },
	...{ refusalStatuses: { 'missing parameter': 422 }, earlyDownloadStatus: 202, freeCredits: 0 },
	...{ listPageParameter: 'p', listPageSizeParameter: 'n', listMaxPageSize: 2, listFirstPage: 0 },
	...{ listCursorParameter: 'after', listCursorField: 'meta.next', webhookUrlParameter: 'notify' },
	...{ webhookDelayMs: 62_000, webhookLossEvery: 1, webhookRetryDelayMs: 2_000 },
};

const settings = Object.entries(SETTINGS).flatMap(([name, usual]): Array<[string, unknown[]]> => {
	if (UNSEEN.includes(name)) return [];
	if (name in OTHERS) return [[name, [OTHERS[name as keyof Options]]]];
	if (typeof usual === 'boolean') return [[name, [!usual]]];
	return [[name, [typeof usual === 'number' ? usual + 1 : `${String(usual)}x`]]];
});

let usual: Promise<string> | undefined;

test.each<[string, readonly unknown[]]>([
	...Object.entries(CHOICES).map(([name, [, ...others]]): [string, unknown[]] => [name, others]),
	...Object.entries(SETS).map(([name, all]): [string, unknown[]] => [name, all.map((one) => [one])]),
	...settings,
])('a client can tell %s: %j', async (name, choices) => {
	const beside = BESIDE[name as keyof Options];
	const told = [await (beside ? heard(beside) : (usual ??= heard({})))];
	for (const choice of choices) {
		const text = await heard({ ...beside, [name]: choice });
		expect([choice, told.includes(text)]).toEqual([choice, false]);
		told.push(text);
	}
});
