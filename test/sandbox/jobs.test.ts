import type { SandboxOptions } from './options.ts';
import { useStill } from './support.ts';
import type { Fields } from './support.ts';

const DAY_MS = 24 * 3_600_000;

const client = useStill({ jobDurationMs: 1000, timeoutMinuteMs: 100 });
const set = (options: Partial<SandboxOptions>) => client.sandbox.setOptions(options);
const look = async (id: string) => (await client.send(`/v2/jobs/${id}`)).json;
const download = (id: string) => client.send(`/v2/jobs/${id}/download`);
const cancel = (id: string, init = {}) => client.post(`/v2/jobs/${id}/cancel`, {}, init);

/** The status after each of these times, in milliseconds. */
async function statuses(id: string, ...times: number[]): Promise<unknown[]> {
	const seen: unknown[] = [];
	for (const ms of times) {
		client.sandbox.advance(ms);
		seen.push((await look(id)).status);
	}
	return seen;
}

describe('a job', () => {
	it('goes from new over working and finishing to finished', async () => {
		const words = ['new', 'working', 'finishing', 'finished'];
		expect(await statuses(await client.running(), 0, 200, 650, 200)).toEqual(words);
	});

	it.each<[Partial<SandboxOptions>, number[], string[]]>([
		[
			{ extraStatuses: ['compressing', 'archiving'] },
			[300, 250, 150],
			['working', 'compressing', 'archiving'],
		],
		[{ statusCase: 'upper' }, [0], ['NEW']],
		[{ statusCase: 'capitalised' }, [1000], ['Finished']],
		[{ statusDelayMs: 500 }, [1000, 500], ['finishing', 'finished']],
		[{ autoFinish: false }, [60_000], ['working']],
	])('tells its status with %j', async (options, times, expected) => {
		set(options);
		expect(await statuses(await client.running(), ...times)).toEqual(expected);
	});

	it('counts what is done, with its times, and gives no results with it', async () => {
		set({ clockSkewMs: 3_600_000 });
		const id = await client.running({ values: ['a', 'notfound', 'fail', 'b'] });
		client.sandbox.advance(500);
		expect(await look(id)).toMatchObject({ requested: 4, completed: 2, progress: 50 });
		client.sandbox.advance(500);
		const ended = await look(id);
		expect(ended).toMatchObject({
			...{ completed: 4, successful: 3, not_founds: 1, errors: 1, to_be_searched: 0 },
			...{
				created_at: '2026-10-20T13:00:00Z',
				terminated_at: '2026-10-20T13:00:01Z',
				downloaded_at: null,
			},
		});
		expect(ended).not.toHaveProperty('results');
		await download(id);
		expect((await look(id)).downloaded_at).toBe('2026-10-20T13:00:01Z');
	});

	it('ends at its timeout with the results that it has', async () => {
		const id = await client.running({ values: ['a', 'slow', 'b'], timeout: 20 });
		expect(await statuses(id, 1999, 1)).toEqual(['working', 'finished']);
		expect(await look(id)).toMatchObject({ completed: 2, timeouts: 1 });
		expect((await download(id)).json.results).toMatchObject([
			{ query: { value: 'a' } },
			{ query: { value: 'b' } },
		]);
	});

	it('ends when told to, and is forgotten 72 hours after its creation', async () => {
		expect(client.sandbox.finishJob('none')).toBe(false);
		const id = await client.finished();
		expect(client.sandbox.jobs).toMatchObject([{ answered: ['kettle'], charged: 1, status: 'finished' }]);
		client.sandbox.advance(3 * DAY_MS - 1);
		expect((await download(id)).status).toBe(200);
		client.sandbox.advance(1);
		const { status, json } = await download(id);
		expect([status, json.reason, client.sandbox.jobs]).toEqual([404, 'job not found', []]);
	});

	it('is over at once where the cache has it all', async () => {
		set({ cachedJobs: 'finishedAtOnce' });
		await client.finished();
		expect((await client.create()).json.status).toBe('finished');
		expect((await client.create({ values: ['kettle', 'other'] })).json.status).toBe('new');
	});

	it('is known late, by its ID and in the list', async () => {
		set({ statusLagMs: 200, listLagMs: 300 });
		const id = await client.running();
		const seen = [];
		for (const ms of [0, 200, 100]) {
			client.sandbox.advance(ms);
			const list = (await client.send('/v2/jobs')).json.data as unknown[];
			seen.push([(await client.send(`/v2/jobs/${id}`)).status, list.length]);
		}
		expect(seen).toEqual([
			[404, 0],
			[200, 0],
			[200, 1],
		]);
	});

	it('is that of one account', async () => {
		const id = await client.running();
		const token = client.sandbox.options.secondApiKey;
		const { status, json } = await client.send(`/v2/jobs/${id}`, { token });
		expect([status, json.reason]).toEqual([403, 'job forbidden']);
		expect((await client.send('/v2/jobs', { token })).json).toEqual({ data: [] });
	});

	it.each(['seconds', 'date'] as const)(
		'tells its status so often a minute; come again by %s',
		async (retryAfter) => {
			set({ statusRateLimit: 2, retryAfter });
			const id = await client.running();
			await statuses(id, 0, 0);
			const { status, json, headers } = await client.send(`/v2/jobs/${id}`);
			expect([status, json.reason]).toEqual([429, 'too many requests']);
			const when = headers.get('retry-after') ?? '';
			expect(retryAfter === 'seconds' ? when : new Date(when).toUTCString()).toBe(
				retryAfter === 'seconds' ? '60' : when,
			);
			expect(await statuses(id, 60_000)).toEqual(['finished']);
		},
	);
});

describe('a cancel', () => {
	it.each<[Partial<SandboxOptions>, number, Fields | undefined]>([
		[{}, 200, { job_id: 'ID', status: 'cancelled' }],
		[{ cancelReply: 'job', cancelledSpelling: 'canceled' }, 200, { status: 'canceled', requested: 1 }],
		[{ cancelReply: 'success' }, 200, { success: true }],
		[{ cancelReply: 'empty' }, 204, undefined],
	])('ends a job for good and without credits: %j', async (options, expected, body) => {
		set(options);
		const id = await client.running();
		const { status, text } = await cancel(id);
		expect(status).toBe(expected);
		if (body === undefined) expect(text).toBe('');
		else expect(JSON.parse(text.replace(id, 'ID'))).toMatchObject(body);
		client.sandbox.advance(5000);
		expect((await download(id)).json.reason).toBe('job canceled');
		expect(client.sandbox.jobs[0]?.charged).toBe(0);
	});

	it('of what is over is refused in the phrases of that endpoint', async () => {
		const id = await client.finished();
		const refused = async (answer: ReturnType<typeof cancel>) => [
			(await answer).status,
			(await answer).json.reason,
		];
		expect(await refused(cancel(id))).toEqual([409, 'Job is already finished or canceled']);
		expect(await refused(cancel('none'))).toEqual([404, 'Not found']);
		const stranger = client.send(`/v2/jobs/${id}/cancel`, { method: 'POST', token: false });
		expect(await refused(stranger)).toEqual([401, 'Unauthorized']);
	});
});

describe('the list', () => {
	let ids: string[];
	beforeEach(async () => {
		ids = [];
		for (let index = 0; index < 7; index++) ids.unshift(await client.running());
	});

	const page = async (query: string) => {
		const { json } = await client.send(`/v2/jobs?${query}`);
		return (json.data as Array<{ job_id: string }>).map(({ job_id }) => job_id);
	};

	it.each<[Partial<SandboxOptions>, string, (newest: string[]) => string[]]>([
		[{}, 'page=1&per_page=3', (all) => all.slice(0, 3)],
		[{}, 'page=3&per_page=3', (all) => all.slice(6)],
		[{}, 'page=4&per_page=3', () => []],
		[{ listMaxPageSize: 4 }, 'per_page=100', (all) => all.slice(0, 4)],
		[{ listOrder: 'oldest' }, '', (all) => all.toReversed()],
		[{ listPaging: 'ignored' }, 'page=9&per_page=2', (all) => all],
		[{ listPaging: 'repeatLast' }, 'page=9&per_page=3', (all) => all.slice(6)],
		[{ listPaging: 'capped', listMaxPageSize: 3 }, 'page=2&per_page=100', (all) => all.slice(0, 3)],
		[{ listFirstPage: 0 }, 'page=0&per_page=3', (all) => all.slice(0, 3)],
		[{ listFirstPage: 0 }, 'page=1&per_page=3', (all) => all.slice(3, 6)],
		[{ listPageParameter: 'p', listPageSizeParameter: 'limit' }, 'p=2&limit=3', (all) => all.slice(3, 6)],
	])('comes in pages with %j: %s', async (options, query, expected) => {
		set(options);
		expect(await page(query)).toEqual(expected(ids));
	});

	it('comes in any order, yet whole', async () => {
		set({ listOrder: 'shuffled' });
		expect((await page('')).toSorted()).toEqual(ids.toSorted());
	});

	it.each([
		['data', (json: Fields) => json.data],
		['jobs', (json: Fields) => json.jobs],
		['array', (json: Fields) => json],
		['items', (json: Fields) => json.items],
		['dataJobs', (json: Fields) => (json.data as Fields).jobs],
	] as const)('comes as %s', async (listShape, listIn) => {
		set({ listShape });
		expect(listIn((await client.send('/v2/jobs')).json)).toHaveLength(7);
	});

	it('refuses a page beyond the last one where that is on, and one that is no number', async () => {
		set({ listPaging: 'refuse' });
		const { status, json } = await client.send('/v2/jobs?page=4&per_page=3');
		expect([status, json.reason]).toEqual([404, 'page not found']);
		set({ refusalStatuses: { 'page not found': 400 } });
		expect((await client.send('/v2/jobs?page=4&per_page=3')).status).toBe(400);
		expect((await client.send('/v2/jobs?page=first')).json.parameter).toBe('page');
	});

	it.each(['next_cursor', 'meta.next'])('goes on by a cursor in %s', async (listCursorField) => {
		set({
			listPaging: 'cursor',
			listSays: ['cursor', 'hasMore'],
			listCursorField,
			listCursorParameter: 'after',
		});
		const seen: unknown[] = [];
		let cursor: unknown = '';
		let last: Fields = {};
		for (let count = 0; cursor !== null && count < 9; count++) {
			last = (await client.send(`/v2/jobs?per_page=3&page=9&after=${String(cursor)}`)).json;
			seen.push(...(last.data as Fields[]).map(({ job_id }) => job_id));
			cursor = listCursorField === 'meta.next' ? (last.meta as Fields).next : last.next_cursor;
		}
		expect([seen, last.has_more]).toEqual([ids, false]);
		expect((await client.send('/v2/jobs?after=none')).status).toBe(400);
	});

	it('says how it goes on: totals, whether there is more, and a link without the key', async () => {
		set({ listSays: ['total', 'pages', 'hasMore', 'link'] });
		const { json, headers } = await client.send('/v2/jobs?page=2&per_page=3');
		expect(json).toMatchObject({ total: 7, total_pages: 3, has_more: true });
		expect(headers.get('link')).toBe(`<${client.sandbox.url}/v2/jobs?page=3&per_page=3>; rel="next"`);
		const last = await client.send('/v2/jobs?page=3&per_page=3');
		expect([last.json.has_more, last.headers.get('link')]).toEqual([false, null]);
	});

	it.each<[Partial<SandboxOptions>, Fields, unknown[]]>([
		[
			{ listOddEntries: true, listFields: [] },
			{},
			[{}, null, { job_id: null }, { job_id: 'ID', status: 'new' }],
		],
		[
			{ listFields: ['values', 'webhookUrl'] },
			{ webhook_url: 'http://127.0.0.1:9/x' },
			[{ values: ['kettle'], webhook_url: 'http://127.0.0.1:9/x' }],
		],
		[{ listSpelling: ['capitals', 'pages'] }, {}, [{ source: 'AMAZON', country: 'DE', requested: 10 }]],
		[
			{ listSpelling: ['keyword', 'lowerCase', 'joined'], listFields: ['order', 'values'] },
			{ values: ['Café', 'USB-C'] },
			[{ key: 'keyword', keyword: 'café, usb-c' }],
		],
		[
			{ listSpelling: ['plain', 'cut', 'firstOnly'], listFields: ['values'] },
			{ values: ['Café crème', 'b'] },
			[{ values: ['cafe c'] }],
		],
	])('shows a job with %j', async (options, order, expected) => {
		const id = await client.running(order);
		set(options);
		const { text } = await client.send('/v2/jobs?per_page=1');
		expect((JSON.parse(text.replace(id, 'ID')) as Fields).data).toMatchObject(expected);
	});
});

describe('usage', () => {
	const usage = async (period: string) => (await client.send(`/v2/me/usage_${period}`)).json;

	it('adds up over sources, days and the month, kept jobs or not, and begins anew with each', async () => {
		await client.finished({ values: ['a', 'b', 'notfound', 'fail'] });
		await client.finished({ source: 'test', values: ['a', 'b'] });
		client.sandbox.advance(4 * DAY_MS);
		await client.finished({ source: 'ebay', value: 'c' });
		const figures = { jobs: 1, requested: 1, completed: 1, free_credits: 1, paid_credits: 0, credits: 1 };
		expect(await usage('today')).toEqual({
			...{
				date: '2026-10-24',
				...figures,
				daily_quota: null,
				sources: [{ source: 'ebay', ...figures }],
			},
		});
		const month = await usage('month');
		expect(month).toMatchObject({ month: '2026-10', jobs: 3, requested: 7, credits: 4 });
		const sum = (list: unknown) =>
			(list as Array<{ credits: number }>).reduce((all, { credits }) => all + credits, 0);
		expect([sum(month.sources), sum(month.days)]).toEqual([4, 4]);
		client.sandbox.advance(8 * DAY_MS);
		expect(await usage('month')).toMatchObject({ month: '2026-11', jobs: 0, sources: [], days: [] });
	});

	it.each<[string, Fields, number]>([
		['one credit a value', { values: ['a', 'b'] }, 2],
		['one for what is not found', { value: 'notfound' }, 1],
		['nothing for what failed', { value: 'fail' }, 0],
		['one for every delivered page', { max_pages: 3 }, 3],
		['double for a parameter off its default', { condition: 'new' }, 2],
		['nothing at the test source', { source: 'test' }, 0],
	])('books %s, at the end', async (_name, more, expected) => {
		const id = await client.running(more);
		expect(await usage('today')).toMatchObject({ jobs: 1, credits: 0 });
		client.sandbox.finishJob(id);
		expect([client.sandbox.jobs[0]?.charged, await usage('today')]).toMatchObject([
			expected,
			{ credits: expected },
		]);
	});

	it('refuses what may cost more than is left', async () => {
		set({ freeCredits: 3 });
		await client.finished({ values: ['a', 'b'] });
		const { status, json } = await client.create({ values: ['e', 'f'] });
		expect([status, json.reason]).toEqual([402, 'not enough free credits']);
		expect((await client.create({ source: 'test', values: ['e', 'f'] })).status).toBe(200);
	});

	it.each<[SandboxOptions['usageShape'], unknown]>([
		['nested', { usage: { credits: 1 } }],
		['array', [{ source: 'amazon', credits: 1 }]],
		['counters', { success: 1, error: 0 }],
	])('comes as %s', async (usageShape, expected) => {
		await client.finished();
		set({ usageShape });
		expect(await usage('today')).toMatchObject(expected as Fields);
	});
});
