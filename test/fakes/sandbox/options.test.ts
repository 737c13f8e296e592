import { CHOICES, SETS } from './choices.ts';
import type { SandboxOptions } from './options.ts';
import { startSandbox } from './sandbox.ts';
import { someOf } from '../../support/runs.ts';

type Options = Partial<SandboxOptions>;

const ORDER = { topic: 'search', source: 'amazon', country: 'de', key: 'term', value: 'kettle' };
const PRODUCT = { ...ORDER, topic: 'product_and_offers', source: 'google_shopping' };
const VALUES = ['Café crème', 'nulls', 'many-5', 'notfound', 'fail', 'notfound-list'];
const HOOK = { webhook_url: 'http://127.0.0.1:1/hook?run=7' };
const GTIN = { ...PRODUCT, key: 'gtin', values: ['0885909666966'], ...HOOK };
const SEARCH = { ...ORDER, values: ['kettle', 'lamp'], max_pages: 1 };
const BASIC = Buffer.from('sandbox:sandbox-password').toString('base64');

/** Headers of requests that have the key only in a header. */
const KEYLESS = [
	...[`Bearer ${'KEY'}`, `Basic ${BASIC}`].map((authorization) => ({ authorization })),
	...['x-api-key', 'x-k'].map((name) => ({ [name]: 'KEY' })),
];

/** Everything that a service with these options sends to a client that asks everything in every way. */
async function heard(options: Options): Promise<string> {
	const noon = Date.UTC(2026, 9, 20, 12);
	const sandbox = await startSandbox({ manualClock: true, jobDurationMs: 1000 }, () => noon);
	// Created with the default options, so that there are jobs whatever the tested options refuse.
	const made = [{ ...PRODUCT, values: VALUES }, GTIN, SEARCH, ORDER, ORDER].map(sandbox.createJob);
	sandbox.setOptions(options);
	const { apiKey, authParameter } = sandbox.options;
	const told: unknown[] = [];
	const ask = async (path: string, init: RequestInit = {}, isKeyed = true) => {
		const key = isKeyed ? `${path.includes('?') ? '&' : '?'}${authParameter}=${apiKey}` : '';
		const answer = await fetch(sandbox.url + path + key, { redirect: 'manual', ...init });
		const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).sort();
		told.push([answer.status, headers, Buffer.from(await answer.arrayBuffer()).toString('latin1')]);
	};
	const post = async (body: object, isKeyed?: boolean) => {
		const headers = { 'content-type': 'application/json' };
		await ask('/v2/jobs', { method: 'POST', headers, body: JSON.stringify(body) }, isKeyed);
	};
	const [product, gtin, search, running] = made;
	await ask(`/v2/jobs/${running}/download`);
	sandbox.advance(700);
	for (const id of made.slice(0, 3)) sandbox.finishJob(id);
	for (const id of [product, gtin, search, running]) await ask(`/v2/jobs/${id}`);
	for (const id of [product, gtin, search]) await ask(`/v2/jobs/${id}/download`);
	for (const end of ['/download.xml', '.xml', '?format=xml', '?as=xml'])
		await ask(`/v2/jobs/${product}${end}`);
	await ask(`/v2/jobs/${search}`, { headers: { accept: 'application/xml' } });
	for (const query of ['page=1&per_page=2', 'page=9', 'p=2&n=2', 'cursor=YWZ0ZXIgMg', 'after=YWZ0ZXIgMg'])
		await ask(`/v2/jobs?${query}`);
	for (const encoding of ['gzip', 'deflate', 'br'])
		await ask('/v2/me/usage_today', { headers: { 'accept-encoding': encoding } });
	for (const [name, value = ''] of KEYLESS.flatMap(Object.entries<string>))
		await ask('/v2/me/usage_today', { headers: { [name]: value.replace('KEY', apiKey) } }, false);
	const lacking = ['source', 'country', 'key'].map((name) => ({ [name]: undefined }));
	const odd = [{ topic: 'prices' }, ...lacking, { colour: 'red' }, { country: 'DE' }];
	for (const order of [{ ...SEARCH }, HOOK, ...odd]) await post({ ...ORDER, ...order });
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

/** Other options that make the effect of an option visible. */
const BESIDE: Partial<Record<keyof Options, Options>> = {
	authHeader: { authentication: ['header'] },
	earlyDownloadStatus: { earlyDownload: 'emptyResults' },
	emptyDownload: { resultsIn: 'status' },
	endedDownload: { jobEnd: 'failed' },
	failedSpelling: { jobEnd: 'failed' },
	failureReason: { jobEnd: 'failed' },
	listCursorField: { listPaging: 'cursor', listSays: ['cursor'] },
	listCursorParameter: { listPaging: 'cursor', listSays: ['cursor'] },
	listPaging: { listMaxPageSize: 2 },
	listSays: { listMaxPageSize: 2 },
	listSpelling: { listFields: ['order', 'values', 'counters'] },
	oddResults: { resultQuery: 'null' },
	lateResults: { resultsDelayMs: 500 },
	ownShop: { offerTraits: ['ownShop'] },
	statusCase: { workingSpelling: 'in_progress' },
	password: { authentication: ['basic'] },
	reasonField: { jobEnd: 'failed' },
	openJobsReason: { maxOpenJobs: 1 },
	retryAfter: { statusRateLimit: 1 },
	tooManyWords: { maxValues: 1 },
	username: { authentication: ['basic'] },
	formerApiKeys: { apiKey: 'NEW' },
	webhookForCancelled: { jobEnd: 'cancelled' },
	webhookRetryDelayMs: { webhookRetries: 1 },
	zoneMinutes: { jobTimes: 'localWithZ' },
};

/** Other values of the settings whose effect a client can see. */
const SETTINGS: Options = {
	...{ apiKey: 'OTHER', username: 'x', password: 'x', authParameter: 'key', authHeader: 'x-k' },
	formerApiKeys: ['SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM'],
	...{ formatParameter: 'as', contentType: 'text/html', xmlIndent: false },
	...{
		topics: ['prices'],
		topicEcho: { search: 'found' },
		maxValues: 1,
		autoFinish: false,
		retentionMs: 1,
		resultsForMs: 1,
	},
	...{
		workingSpelling: 'busy',
		cancelledSpelling: 'stopped',
		finishedSpelling: 'done',
		failedSpelling: 'aborted',
		failureReason: 'out of paper',
		endReason: 'out of credits',
		partialEnds: true,
		names: { shop: 'seller' },
		webhookForCancelled: true,
		clockSkewMs: 3_600_000,
		statusDelayMs: 500,
		resultsDelayMs: 500,
		statusLagMs: 900,
	},
	...{ listLagMs: 900, metadataExtras: true, extraResults: 1, ownShop: 'x', createStatus: 201 },
	market: { '885909666966': 0.5 },
	...{ dateSkewMs: 3_600_000, zoneMinutes: 120, labelParameter: 'colour', tooManyWords: 'No more than 1' },
	...{ parameterNames: { value: 'query' }, keyNames: { term: 'keyword' } },
	...{ maxOpenJobs: 1, openJobsReason: 'busy', createRateLimit: 1 },
	...{ refusalStatuses: { 'missing parameter': 422 }, earlyDownloadStatus: 202, freeCredits: 0 },
	...{ statusRateLimit: 1, listPageParameter: 'p', listPageSizeParameter: 'n', listMaxPageSize: 2 },
	...{ listFirstPage: 0, listCursorParameter: 'after', listCursorField: 'meta.next', listOddEntries: true },
	...{ webhookUrlParameter: 'notify', webhookDelayMs: 62_000, webhookDuplicates: 1, webhookRetries: 1 },
	...{ webhookRetryDelayMs: 2_000, webhookLossEvery: 1 },
};

let usual: Promise<string> | undefined;

const CASES: Array<[string, readonly unknown[]]> = [
	...Object.entries(CHOICES).map(([name, [, ...others]]): [string, unknown[]] => [name, others]),
	...Object.entries(SETS).map(([name, all]): [string, unknown[]] => [name, all.map((one) => [one])]),
	...Object.entries(SETTINGS).map(([name, other]): [string, unknown[]] => [name, [other]]),
];

test.each(someOf(CASES, 3))('a client can tell %s: %j', async (name, choices) => {
	const beside = BESIDE[name as keyof Options];
	const told = [await (beside ? heard(beside) : (usual ??= heard({})))];
	for (const choice of choices) {
		const text = await heard({ ...beside, [name]: choice });
		expect([choice, told.includes(text)]).toEqual([choice, false]);
		told.push(text);
	}
});
