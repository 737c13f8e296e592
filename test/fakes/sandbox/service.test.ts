import sample from '../../fixtures/service/download_v2_test_search_results.json';
import missingParameter from '../../fixtures/service/error_missing_parameter.json';
import unauthorized from '../../fixtures/service/error_unauthorized.json';
import type { Fault } from './faults.ts';
import type { SandboxOptions } from './options.ts';
import { startSandbox } from './sandbox.ts';
import type { Sandbox } from './sandbox.ts';

type Fields = Record<string, unknown>;

const DAY_MS = 24 * 3_600_000;
const ORDER = { topic: 'search', source: 'amazon', country: 'de', key: 'term', value: 'kettle' };

/** A service whose clock starts at noon and moves only by `advance`. */
let sandbox: Sandbox;
beforeEach(async () => {
	const options = { manualClock: true, jobDurationMs: 1000, timeoutMinuteMs: 100 };
	sandbox = await startSandbox(options, () => Date.UTC(2026, 9, 20, 12));
});
afterEach(() => sandbox.close());

type Token = string | false;

/** Sends a request with the key in the query, unless `token` is false. */
async function send(path: string, token: Token = sandbox.apiKey, init: RequestInit = {}): Promise<Response> {
	const url = new URL(sandbox.url + path);
	if (token !== false) url.searchParams.set('token', token);
	return await fetch(url, init);
}
async function ask(path: string, token?: Token, init?: RequestInit) {
	const answer = await send(path, token, init);
	return { status: answer.status, json: (await answer.json()) as Fields };
}
/** Status and body of the answer to a GET; a body that is not JSON stays a text. */
async function hear(path: string): Promise<[number, unknown]> {
	const answer = await send(path);
	const text = await answer.text();
	return [answer.status, /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text];
}
const post = (path: string, body: unknown, token?: Token) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return ask(path, token, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
};
const create = (more: Fields) => post('/v2/jobs', { ...ORDER, ...more });
const running = (more: Fields = {}) => sandbox.createJob({ ...ORDER, ...more });
function finished(more?: Fields): string {
	const id = running(more);
	sandbox.finishJob(id);
	return id;
}
const look = async (id: string) => (await ask(`/v2/jobs/${id}`)).json;
const download = (id: string) => ask(`/v2/jobs/${id}/download`);
const cancel = (id: string, token?: false) => post(`/v2/jobs/${id}/cancel`, {}, token);
/** Status and reason of a refusal. */
async function refusal(answer: ReturnType<typeof ask>): Promise<unknown[]> {
	const { status, json } = await answer;
	return [status, json.reason];
}

describe('a create', () => {
	it('takes values as text and as a list; id and term stand for key and value', async () => {
		await create({ values: 'a\r\nb\n\n' });
		await create({ values: ['a', 'b'] });
		await create({ topic: 'product_and_offers', key: undefined, value: undefined, id: 'B01' });
		expect(sandbox.jobs.map(({ key, values }) => [key, ...values])).toEqual([
			['term', 'a', 'b'],
			['term', 'a', 'b'],
			['id', 'B01'],
		]);
	});

	const INVALID = 'parameter value invalid';
	it.each<[Fields, number, string, string]>([
		[{ topic: 'prices' }, 400, INVALID, 'topic'],
		[{ source: 'shop' }, 400, 'unknown source', 'source'],
		[{ source: 'google-shopping' }, 400, 'unknown source', 'source'],
		[{ country: 'uk' }, 400, 'unsupported country', 'country'],
		[{ source: 'idealo', country: 'us' }, 400, 'unsupported country', 'country'],
		[{ topic: 'reviews' }, 400, 'unsupported key', 'key'],
		[{ source_id: '1' }, 400, 'unknown parameter', 'source_id'],
		[{ max_pages: 'many' }, 400, INVALID, 'max_pages'],
		[{ timeout: 0 }, 400, INVALID, 'timeout'],
		[{ max_age: 'old' }, 400, INVALID, 'max_age'],
		[{ webhook_url: 'ftp://x' }, 400, INVALID, 'webhook_url'],
		[{ key: 'gtin', value: '1'.repeat(15) }, 400, 'invalid value', 'value'],
		[{ value: 'disabled' }, 403, 'value disabled', 'value'],
		[{ value: 'noproduct' }, 400, 'no product found', 'value'],
		[{ values: [{}] }, 400, INVALID, 'values'],
		[{ values: 'a\n'.repeat(1001) }, 400, 'too many values', 'values'],
	])('with %j is refused', async (more, status, reason, parameter) => {
		const answer = await create(more);
		expect([answer.status, answer.json]).toMatchObject([status, { reason, parameter }]);
		expect(sandbox.jobs).toEqual([]);
	});

	it('without a parameter, or without a JSON object, is refused in the words of the document', async () => {
		for (const parameter of ['topic', 'source', 'country', 'key', 'value']) {
			const { status, json } = await create({ [parameter]: undefined });
			const comment = missingParameter.comment.replace(missingParameter.parameter, parameter);
			expect([status, json]).toEqual([400, { ...missingParameter, parameter, comment }]);
		}
		for (const body of ['{"topic":', '[1]'])
			expect(await refusal(post('/v2/jobs', body))).toEqual([400, 'invalid request body']);
	});
});

test.each([false, 'WRONG'] as const)(
	'a key that is %s is refused in the words of the document',
	async (token) => {
		const { status, json } = await ask('/v2/me/usage_month', token);
		expect([status, json]).toEqual([401, unauthorized]);
	},
);

test.each(['/jobs', '/jobs/1', '/products/bulk/1'])('%s of version 1 is gone', async (path) => {
	expect((await ask(path)).status).toBe(410);
});

describe('a job', () => {
	/** The status after each of these advances, in milliseconds. */
	async function statuses(id: string, ...times: number[]): Promise<unknown[]> {
		const seen: unknown[] = [];
		for (const ms of times) {
			sandbox.advance(ms);
			seen.push((await look(id)).status);
		}
		return seen;
	}

	it.each<[Partial<SandboxOptions>, number[], string[]]>([
		[{}, [0, 200, 650, 200], ['new', 'working', 'finishing', 'finished']],
		[{ workingSpelling: 'compressing' }, [0, 200, 650], ['new', 'compressing', 'finishing']],
		[{ autoFinish: false }, [60_000], ['working']],
		[{ statusDelayMs: 500 }, [1000, 500], ['finishing', 'finished']],
	])('goes its way with %j', async (options, times, expected) => {
		sandbox.setOptions(options);
		expect(await statuses(running(), ...times)).toEqual(expected);
	});

	it('counts what is done, with its times, and gives no results with it', async () => {
		const id = running({ values: ['a', 'notfound', 'fail', 'b'] });
		sandbox.advance(500);
		expect(await look(id)).toMatchObject({ requested: 4, completed: 2, progress: 50 });
		sandbox.advance(500);
		const ended = await look(id);
		expect(ended).toMatchObject({
			...{ completed: 4, successful: 3, not_founds: 1, errors: 1, to_be_searched: 0 },
			...{ created_at: '2026-10-20T12:00:00Z', terminated_at: '2026-10-20T12:00:01Z' },
			downloaded_at: null,
		});
		expect(ended).not.toHaveProperty('results');
		await download(id);
		expect((await look(id)).downloaded_at).toBe('2026-10-20T12:00:01Z');
	});

	it('ends at its timeout with the results that it has', async () => {
		const id = running({ values: ['a', 'slow', 'b'], timeout: 20 });
		expect(await statuses(id, 1999, 1)).toEqual(['working', 'finished']);
		expect(await look(id)).toMatchObject({ completed: 2, timeouts: 1 });
		const { results } = (await download(id)).json as { results: unknown };
		expect(results).toMatchObject([{ query: { value: 'a' } }, { query: { value: 'b' } }]);
	});

	it('is refused an early download, and forgotten 72 hours after its creation', async () => {
		const id = running();
		expect((await download(id)).json).toMatchObject({ success: false, reason: 'not finished' });
		sandbox.finishJob(id);
		expect(sandbox.finishJob('none')).toBe(false);
		expect(sandbox.jobs).toMatchObject([{ answered: ['kettle'], charged: 1, status: 'finished' }]);
		sandbox.advance(3 * DAY_MS - 1);
		expect((await download(id)).status).toBe(200);
		sandbox.advance(1);
		expect(await refusal(download(id))).toEqual([404, 'job not found']);
		expect(sandbox.jobs).toEqual([]);
	});

	it('is that of one account', async () => {
		const id = running();
		const token = sandbox.options.secondApiKey;
		expect(await refusal(ask(`/v2/jobs/${id}`, token))).toEqual([403, 'job forbidden']);
		expect((await ask('/v2/jobs', token)).json).toEqual({ data: [] });
	});

	it.each([
		['failed', 'job failed', 410],
		['cancelled', 'job canceled', 409],
	] as const)(
		'that ended %s says so, costs nothing, and gives what it has if it may',
		async (jobEnd, reason, code) => {
			sandbox.setOptions({ jobEnd, partialEnds: true });
			const id = finished({ values: ['a', 'b', 'c'] });
			const why = jobEnd === 'failed' ? { reason: 'the source blocked the job' } : {};
			expect(await look(id)).toMatchObject({ job_id: id, status: jobEnd, completed: 2, ...why });
			expect(await refusal(download(id))).toEqual([code, reason]);
			expect(sandbox.resultsOf(id)).toEqual([]);
			sandbox.setOptions({ endedDownload: 'serve' });
			const { results } = (await download(id)).json as { results: unknown };
			expect(results).toMatchObject([{ query: { value: 'a' } }, { query: { value: 'b' } }]);
			expect(sandbox.jobs).toMatchObject([{ state: jobEnd, charged: 0 }]);
		},
	);

	it('that is cancelled ends for good and without credits; one that is over is refused that', async () => {
		const id = running();
		expect((await cancel(id)).json).toEqual({ job_id: id, status: 'cancelled' });
		sandbox.advance(5000);
		expect((await download(id)).json.reason).toBe('job canceled');
		expect(sandbox.jobs[0]?.charged).toBe(0);
		expect(await refusal(cancel(id))).toEqual([409, 'Job is already finished or canceled']);
		expect(await refusal(cancel('none'))).toEqual([404, 'Not found']);
		expect(await refusal(cancel(id, false))).toEqual([401, 'Unauthorized']);
	});
});

describe('a service with names of its own', () => {
	const OWN: Partial<SandboxOptions> = {
		parameterNames: { source: 'marketplace', key: 'idType', value: 'query' },
		keyNames: { gtin: 'ean' },
	};
	const order = { ...ORDER, source: undefined, key: undefined, value: undefined };
	const own = { ...order, marketplace: 'amazon', idType: 'ean', query: '00885909666966' };
	const echo = { source: 'amazon', country: 'de', topic: 'search', key: 'ean' };

	it('takes them, and repeats its words for keys under the names of the document', async () => {
		sandbox.setOptions({ ...OWN, createReply: 'job' });
		const { status, json } = await post('/v2/jobs', own);
		expect([status, json]).toMatchObject([200, echo]);
		expect((await ask('/v2/jobs')).json).toMatchObject({ data: [echo] });
		const [job] = sandbox.jobs;
		expect(job).toMatchObject({ key: 'gtin', values: [own.query] });
		const id = String(job?.job_id);
		sandbox.finishJob(id);
		const { results } = (await download(id)).json as { results: Fields[] };
		expect(results[0]?.query).toMatchObject({ ...echo, value: own.query, max_pages: 1 });
		sandbox.setOptions({ valueEcho: 'underKey' });
		expect((await download(id)).json).toMatchObject({ results: [{ query: { ean: own.query } }] });
	});

	it.each<[Fields, Fields]>([
		[
			{ source: 'amazon' },
			{ reason: 'unknown parameter', parameter: 'source', comment: "There is no parameter 'source'." },
		],
		[{ value: 'x' }, { reason: 'unknown parameter', parameter: 'value' }],
		[
			{ marketplace: undefined },
			{
				...missingParameter,
				parameter: 'marketplace',
				comment: expect.stringMatching(/'marketplace'!$/),
			},
		],
		[{ marketplace: 'shop' }, { reason: 'unknown source', parameter: 'marketplace' }],
		[
			{ idType: 'gtin' },
			{
				...{ reason: 'unsupported key', parameter: 'idType' },
				comment: "The topic 'search' supports the keys ean, term.",
			},
		],
		[{ query: undefined }, { reason: 'missing parameter', parameter: 'query' }],
		[{ query: 'x' }, { reason: 'invalid value', parameter: 'query' }],
	])('refuses %j', async (more, expected) => {
		sandbox.setOptions(OWN);
		const { status, json } = await post('/v2/jobs', { ...own, ...more });
		expect([status, json]).toEqual([400, expect.objectContaining(expected)]);
		expect(sandbox.jobs).toEqual([]);
	});

	it('may take a label, and shows it under the name of the parameter', async () => {
		expect(await refusal(create({ my_label: 'a' }))).toEqual([400, 'unknown parameter']);
		sandbox.setOptions({ labelParameter: 'my_label', createReply: 'job', fieldSpelling: 'camel' });
		expect((await create({ my_label: 'n8n 7' })).json).toMatchObject({ my_label: 'n8n 7' });
		expect((await create({})).json).toMatchObject({ my_label: null });
		expect(await look(sandbox.jobs[0]!.job_id)).toMatchObject({ my_label: 'n8n 7' });
		expect((await ask('/v2/jobs')).json).toMatchObject({
			data: [{ my_label: null }, { my_label: 'n8n 7' }],
		});
		expect(sandbox.jobs.map(({ label }) => label)).toEqual(['n8n 7', null]);
		expect(await refusal(create({ my_label: {} }))).toEqual([400, 'parameter value invalid']);
	});

	it.each<[SandboxOptions['countryCase'], Record<string, boolean>]>([
		['lower', { de: true, DE: false, De: false, UK: false }],
		['any', { de: true, DE: true, De: true, UK: false }],
		['upper', { de: false, DE: true, De: false, UK: false }],
	])('takes countries in %s case, and repeats them as sent', async (countryCase, expected) => {
		sandbox.setOptions({ countryCase, createReply: 'job' });
		for (const [country, isTaken] of Object.entries(expected)) {
			const { json } = await create({ country });
			expect(json).toMatchObject(isTaken ? { country } : { reason: 'unsupported country' });
		}
		sandbox.setOptions({ requiredParameters: [] });
		const { json } = await create({ country: undefined });
		expect(json).toMatchObject({ country: countryCase === 'upper' ? 'DE' : 'de' });
	});

	it('has the same content for a country in capitals', async () => {
		sandbox.setOptions({ countryCase: 'any' });
		const contents = await Promise.all(
			['de', 'DE'].map(async (country) => {
				const { results } = (await download(finished({ country }))).json as { results: Fields[] };
				return results[0]?.content;
			}),
		);
		expect(contents[1]).toEqual(contents[0]);
	});
});

describe('times', () => {
	it.each<[Partial<SandboxOptions>, string]>([
		[{}, 'Tue, 20 Oct 2026 12:00:00 GMT'],
		[{ dateSkewMs: 360_000 }, 'Tue, 20 Oct 2026 12:06:00 GMT'],
		[{ dateSkewMs: -3_600_000 }, 'Tue, 20 Oct 2026 11:00:00 GMT'],
		[{ dateSkewMs: 360_000, dateHeader: 'dayBehind' }, 'Mon, 19 Oct 2026 12:06:00 GMT'],
	])('of replies with %j', async (options, date) => {
		sandbox.setOptions(options);
		expect((await send('/v2/jobs')).headers.get('date')).toBe(date);
		expect((await send('/v2/jobs', false)).headers.get('date')).toBe(date);
	});

	it.each<[Partial<SandboxOptions>, string]>([
		[{ jobTimes: 'utc' }, '2026-10-20T12:00:00Z'],
		[{ jobTimes: 'localWithZ' }, '2026-10-20T07:00:00Z'],
		[{ jobTimes: 'withoutZone' }, '2026-10-20T07:00:00'],
		[{ jobTimes: 'withoutZone', zoneMinutes: 330, clockSkewMs: 1000 }, '2026-10-20T17:30:01'],
	])('of jobs with %j', async (options, time) => {
		sandbox.setOptions({ ...options, createReply: 'job' });
		const fresh = { created_at: time, terminated_at: null, downloaded_at: null };
		expect((await create({})).json).toMatchObject(fresh);
		const id = finished();
		await download(id);
		const times = { created_at: time, terminated_at: time, downloaded_at: time };
		expect(await look(id)).toMatchObject(times);
		expect((await ask('/v2/jobs')).json).toMatchObject({ data: [times, fresh] });
		const xml = await (await send(`/v2/jobs/${id}.xml`)).text();
		expect(xml).toContain(`<created-at type="dateTime">${time}</created-at>`);
	});

	it('of jobs may be absent', async () => {
		sandbox.setOptions({ jobTimes: 'absent', createReply: 'job' });
		const { json: created } = await create({});
		const { data } = (await ask('/v2/jobs')).json as { data: Fields[] };
		for (const job of [created, data[0], await look(String(created.job_id))])
			expect(Object.keys(job ?? {}).filter((name) => name.endsWith('_at'))).toEqual([]);
	});
});

describe('the list', () => {
	const listed = async () => ((await ask('/v2/jobs')).json as { data: Fields[] }).data;

	it.each<[SandboxOptions['listSpelling'], Fields]>([
		[[], { source: 'amazon', topic: 'search', country: 'de' }],
		[['numbers'], { source: 17, topic: 3, country: 49 }],
		[['shortSource'], { source: 'AMZ', topic: 'search', country: 'de' }],
		[['shortSource', 'capitals'], { source: 'AMZ', topic: 'SEARCH', country: 'DE' }],
		[['shortSource', 'numbers'], { source: 'AMZ', topic: 3, country: 49 }],
	])('spells with %j', async (listSpelling, expected) => {
		sandbox.setOptions({ listSpelling });
		const id = running();
		expect(await listed()).toMatchObject([expected]);
		expect(await look(id)).toMatchObject({ source: 'amazon', topic: 'search', country: 'de' });
	});

	it('has a number of its own for each source, topic and country', async () => {
		sandbox.setOptions({ topics: ['search', 'prices'], listSpelling: ['numbers'] });
		for (const more of [{ topic: 'prices' }, { source: 'ebay' }, { country: 'ca' }, { country: 'us' }])
			running({ source: 'test', ...more });
		const all = await listed();
		expect(all.map(({ source, topic, country }) => [source, topic, country])).toEqual([
			[90, 3, 1],
			[90, 3, 11],
			[18, 3, 49],
			[90, expect.any(Number), 49],
		]);
		expect(await listed()).toEqual(all);
		sandbox.setOptions({ listSpelling: ['shortSource'] });
		const sources = (await listed()).map(({ source }) => source);
		expect(sources).toEqual(['TES', 'TES', 'EBA', 'TES']);
	});

	const DEFAULTS = {
		...{ max_pages: 1, max_age: 1200, sort_by: 'ranking_descending', condition: 'any', shipping: 'any' },
		timeout: 1440,
	};

	it.each<[SandboxOptions['listDefaults'], Fields, Fields]>([
		['all', {}, DEFAULTS],
		['all', { max_pages: 5, tag: 'x' }, { ...DEFAULTS, max_pages: 5, tag: 'x' }],
		['sentOnly', {}, {}],
		['sentOnly', { max_pages: 1, condition: 'new', shipping: '' }, { max_pages: 1, condition: 'new' }],
		['sentOnly', { timeout: 1440, tag: 'x' }, { timeout: 1440, tag: 'x' }],
		['changedOnly', { max_pages: 1, condition: 'new' }, { condition: 'new' }],
		['changedOnly', { timeout: 1440, max_age: 1200, tag: 'x' }, { tag: 'x' }],
		['changedOnly', { timeout: 20 }, { timeout: 20 }],
	])('shows with %s of %j the parameters %j', async (listDefaults, more, expected) => {
		sandbox.setOptions({ listDefaults });
		const id = running(more);
		expect((await listed())[0]?.parameters).toEqual(expected);
		expect((await look(id)).parameters).toMatchObject({ ...DEFAULTS, ...expected });
		sandbox.setOptions({ listFields: [] });
		expect(await listed()).toEqual([{ job_id: id, status: 'new' }]);
	});
});

describe('a creation', () => {
	/** Gives pending work time to get as far as it can. */
	const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

	/** Starts a creation and waits for its request, but not for the answer. */
	async function begun(more: Fields = {}) {
		const told: unknown[] = [];
		const before = sandbox.requests.length;
		const answer = create(more).then(({ status, json }) => told.push(status, json.status ?? json.reason));
		while (sandbox.requests.length === before || sandbox.requests.at(-1)?.body === '')
			await new Promise(setImmediate);
		await settled();
		return { answer, told };
	}

	it('is answered when its time has come; the job exists from the start', async () => {
		sandbox.setOptions({ createDelayMs: 90_000 });
		const { answer, told } = await begun();
		expect(sandbox.jobs).toMatchObject([{ values: ['kettle'], status: 'new' }]);
		expect((await ask('/v2/jobs')).json).toMatchObject({ data: [{ status: 'new' }] });
		sandbox.advance(89_999);
		await settled();
		expect(told).toEqual([]);
		sandbox.advance(1);
		await answer;
		expect(told).toEqual([200, 'new']);
		expect(sandbox.jobs).toMatchObject([{ status: 'finished' }]);
	});

	it('that is refused, or whose reply is lost, takes the same time', async () => {
		sandbox.setOptions({ createDelayMs: 1000 });
		const refused = await begun({ source: 'shop' });
		sandbox.faults.add({ fault: { type: 'refusal', reason: 'lost', status: 500, when: 'after' } });
		const lost = await begun();
		expect(sandbox.jobs).toHaveLength(1);
		expect([...refused.told, ...lost.told]).toEqual([]);
		sandbox.advance(1000);
		await Promise.all([refused.answer, lost.answer]);
		expect([refused.told, lost.told]).toEqual([
			[400, 'unknown source'],
			[500, 'lost'],
		]);
	});

	it('is never answered after a reset', async () => {
		sandbox.setOptions({ createDelayMs: 1000 });
		const { answer, told } = await begun();
		sandbox.reset();
		sandbox.advance(1000);
		await expect(answer).rejects.toThrow();
		expect(told).toEqual([]);
	});

	/** Status, reason and Retry-After of a creation with the first key or another. */
	async function tried(token?: string): Promise<unknown[]> {
		const answer = await send('/v2/jobs', token, { method: 'POST', body: new URLSearchParams(ORDER) });
		const { reason } = (await answer.json()) as Fields;
		return [answer.status, reason, answer.headers.get('retry-after')];
	}
	const taken = [200, undefined, null];

	it('is refused while too many jobs of the account run', async () => {
		sandbox.setOptions({ maxOpenJobs: 2, jobDurationMs: 5000, retryAfter: 'seconds' });
		expect([await tried(), await tried()]).toEqual([taken, taken]);
		expect(await tried()).toEqual([429, 'too many open jobs', '5']);
		sandbox.setOptions({ openJobsReason: 'busy', retryAfter: 'none' });
		expect(await tried()).toEqual([429, 'busy', null]);
		expect(await tried(sandbox.options.secondApiKey)).toEqual(taken);
		expect(sandbox.jobs).toHaveLength(3);
		sandbox.advance(5000);
		sandbox.setOptions({ autoFinish: false, timeoutMinuteMs: 60_000, retryAfter: 'seconds' });
		expect([await tried(), await tried()]).toEqual([taken, taken]);
		expect(await tried()).toEqual([429, 'busy', '60']);
		sandbox.setOptions({ retryAfter: 'date', refusalStatuses: { busy: 503 } });
		expect(await tried()).toEqual([503, 'busy', expect.stringMatching(/ GMT$/)]);
		await cancel(sandbox.jobs.at(-1)!.job_id);
		expect(await tried()).toEqual(taken);
	});

	it('is refused beyond so many of a key in a minute', async () => {
		sandbox.setOptions({ createRateLimit: 2, retryAfter: 'seconds' });
		expect((await create({ source: 'shop' })).status).toBe(400);
		sandbox.advance(20_000);
		expect([await tried(), await tried()]).toEqual([taken, [429, 'too many requests', '40']]);
		expect(await tried(sandbox.options.secondApiKey)).toEqual(taken);
		expect((await send('/v2/jobs')).status).toBe(200);
		sandbox.advance(40_000);
		expect([await tried(), await tried()]).toEqual([taken, [429, 'too many requests', '20']]);
	});

	it('of too many values may be refused in other words', async () => {
		const error = 'A job takes at most 2 items';
		sandbox.setOptions({ maxValues: 2, tooManyWords: error });
		expect(await create({ values: ['a', 'b'] })).toMatchObject({ status: 200 });
		const refused = { status: 422, json: { success: false, error } };
		expect(await create({ values: ['a', 'b', 'c'] })).toEqual(refused);
		sandbox.setOptions({ refusalStatuses: { 'too many values': 413 } });
		expect(await create({ values: 'a\nb\nc' })).toEqual({ ...refused, status: 413 });
	});
});

describe('results before their time', () => {
	const head = (status: string) => ({ job_id: expect.any(String) as unknown, status });
	const root = (status: string, free_credits = 0) => ({ ...head(status), free_credits, paid_credits: 0 });
	/** Results of exactly these values. */
	const about = (...values: string[]): unknown =>
		values.map((value): unknown =>
			expect.objectContaining({ query: expect.objectContaining({ value }) as unknown, success: true }),
		);
	const refused = (reason: string) => ({
		...{ success: false, reason, parameter: 'job_id' },
		comment: expect.any(String) as unknown,
	});

	it.each<[Partial<SandboxOptions>, number, unknown]>([
		[{ earlyDownload: 'soFar' }, 206, { ...root('working'), results: about('a', 'b') }],
		[{ earlyDownload: 'soFarBare' }, 206, { results: about('a', 'b') }],
		[{ earlyDownload: 'soFarBare', fieldSpelling: 'pascal' }, 206, { Results: { length: 2 } }],
		[{ earlyDownload: 'noContent' }, 204, ''],
		[{ earlyDownload: 'notFound' }, 404, refused('not found')],
		[{ earlyDownload: 'emptyArray' }, 200, []],
	])('answer an early download with %j', async (options, status, body) => {
		sandbox.setOptions({ ...options, earlyDownloadStatus: 206 });
		const id = running({ values: ['a', 'b', 'c'] });
		sandbox.advance(200);
		const [code, text] = await hear(`/v2/jobs/${id}/download`);
		expect(code).toBe(status);
		if (options.fieldSpelling) expect(text).toMatchObject(body as Fields);
		else expect(text).toEqual(body);
	});

	it.each<Partial<SandboxOptions>>([
		{ statusReply: 'minimal' },
		{ statusReply: 'withResults', resultsIn: 'both' },
		{ statusReply: 'minimal', resultsIn: 'status' },
	])('are in the status of a running job with %j', async (options) => {
		sandbox.setOptions({ ...options, runningResults: 'soFar' });
		const id = running({ values: ['a', 'b', 'c'] });
		expect(await look(id)).toEqual({ ...head('new'), results: about('a', 'b') });
		expect(await look(running())).toEqual({ ...head('new'), results: about('kettle') });
		sandbox.setOptions({ statusReply: 'job', jobFields: [] });
		expect(await look(id)).toEqual({ ...head('new'), results: about('a', 'b') });
		sandbox.setOptions({ resultsIn: 'download' });
		sandbox.finishJob(id);
		expect(await look(id)).toEqual(head('finished'));
	});

	it.each<[SandboxOptions['lateResults'], number, unknown]>([
		['refuse', 409, refused('not finished')],
		['emptyResults', 200, { ...root('finished', 1), results: [] }],
		['notFound', 404, refused('not found')],
		['noContent', 204, ''],
		['conflict', 409, refused('results are being written')],
		['noResults', 200, head('finished')],
	])('of a finished job are late, which its download says with %s', async (lateResults, ...expected) => {
		sandbox.setOptions({ lateResults, resultsDelayMs: 500, jobFields: [] });
		const path = `/v2/jobs/${finished()}`;
		for (const resultsIn of ['download', 'status', 'both'] as const) {
			sandbox.setOptions({ resultsIn });
			expect(await hear(`${path}/download`)).toEqual(expected);
		}
		expect(sandbox.jobs).toMatchObject([{ status: 'finished', downloadedAt: null }]);
		expect(await hear(path)).toEqual([200, { ...head('finished'), results: [] }]);
		sandbox.setOptions({ resultsIn: 'download', statusReply: 'withResults' });
		expect(await hear(path)).toEqual([200, { ...head('finished'), results: [] }]);
		sandbox.advance(499);
		expect(await hear(`${path}/download`)).toEqual(expected);
		sandbox.advance(1);
		const whole = { ...root('finished', 1), results: about('kettle') };
		expect(await hear(`${path}/download`)).toEqual([200, whole]);
		expect(await hear(path)).toEqual([200, { ...head('finished'), results: about('kettle') }]);
	});

	it('are never late where the job failed; its callback is not late either', async () => {
		sandbox.setOptions({ resultsDelayMs: 500, endedDownload: 'serve', jobEnd: 'failed' });
		const id = finished({ webhook_url: 'http://127.0.0.1:1/hook' });
		sandbox.advance(0);
		expect(sandbox.deliveries).toMatchObject([{ jobId: id }]);
		expect((await download(id)).json).toEqual({ ...root('failed'), results: about('kettle') });
	});
});

describe('the reason of an end', () => {
	it.each<[Partial<SandboxOptions>, Fields]>([
		[{}, {}],
		[{ reasonField: 'failure' }, {}],
		[{ endReason: 'out of credits' }, { reason: 'out of credits' }],
		[{ endReason: 'out of credits', reasonField: 'failure' }, { failure: { detail: 'out of credits' } }],
		[{ jobEnd: 'failed', endReason: 'out of credits' }, { reason: 'the source blocked the job' }],
		[{ jobEnd: 'failed', reasonField: 'failure' }, { failure: { detail: 'the source blocked the job' } }],
		[{ jobEnd: 'finished', endReason: 'out of credits' }, {}],
	])('with %j is in the status and the list', async (options, why) => {
		sandbox.setOptions({ jobEnd: 'cancelled', ...options, jobFields: [], listFields: [] });
		const id = finished();
		const job = { job_id: id, status: sandbox.options.jobEnd, ...why };
		expect(await look(id)).toEqual(job);
		expect((await ask('/v2/jobs')).json).toEqual({ data: [job] });
		sandbox.setOptions({ statusReply: 'minimal' });
		expect(await look(id)).toEqual(job);
	});

	it('is that of a cancel too', async () => {
		sandbox.setOptions({ endReason: 'out of credits', jobFields: [], cancelReply: 'job' });
		const id = running();
		const { json } = await cancel(id);
		expect(json).toEqual({ job_id: id, status: 'cancelled', reason: 'out of credits' });
	});
});

describe('a fault', () => {
	const DOWNLOAD = '/v2/jobs/7/download.json';
	const message = 'not enough credits';
	const page = '<!DOCTYPE html><html><head><title>Request blocked</title></head>';

	it.each<[Fault, number, unknown]>([
		[{ type: 'gatewayJson', shape: 'route' }, 404, { message: 'no Route matched with those values' }],
		[{ type: 'gatewayJson', shape: 'cannot' }, 404, { message: `Cannot GET ${DOWNLOAD}` }],
		[
			{ type: 'gatewayJson', shape: 'framework' },
			404,
			{ timestamp: '2026-01-01T00:00:00.000Z', status: 404, error: 'Not Found', path: DOWNLOAD },
		],
		[{ type: 'gatewayJson', shape: 'detail' }, 404, { detail: 'Not Found' }],
		[{ type: 'pageRefusal' }, 403, expect.stringContaining(page)],
		[{ type: 'pageRefusal', status: 406 }, 406, expect.stringContaining(page)],
		[{ type: 'nullList', shape: 'jobs' }, 200, { message: 'maintenance', jobs: null }],
		[{ type: 'nullList', shape: 'data' }, 200, { meta: { code: 503 }, data: null }],
		[{ type: 'errorHead', shape: 'meta' }, 200, { meta: { code: 402, message }, data: { id: 'req-19' } }],
		[{ type: 'errorHead', shape: 'head' }, 200, { head: { status: 402, message }, data: null }],
		[{ type: 'errorHead', shape: 'status', code: 9 }, 200, { status: { code: 9, message }, data: null }],
	])('%j is sent', async (fault, ...expected) => {
		sandbox.faults.add({ fault });
		expect(await hear(DOWNLOAD)).toEqual(expected);
		expect(sandbox.requests).toMatchObject([{ fault: fault.type }]);
	});

	it.each<[Fault, number, string]>([
		[{ type: 'gatewayJson', shape: 'cannot', when: 'after' }, 404, 'Cannot POST /v2/jobs"'],
		[{ type: 'pageRefusal', when: 'after' }, 403, 'Request blocked'],
		[{ type: 'nullList', shape: 'jobs', when: 'after' }, 200, 'maintenance'],
		[{ type: 'errorHead', shape: 'meta', when: 'after' }, 200, message],
	])('%j lets the service do its work', async (fault, status, words) => {
		sandbox.faults.add({ fault });
		const answer = await send('/v2/jobs', undefined, {
			method: 'POST',
			body: new URLSearchParams(ORDER),
		});
		expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
		expect(sandbox.jobs).toMatchObject([{ values: ['kettle'] }]);
	});
});

describe('a job costs', () => {
	it.each<[string, Fields, number]>([
		['one credit a value', { values: ['a', 'b'] }, 2],
		['one for what is not found', { value: 'notfound' }, 1],
		['nothing for what failed', { value: 'fail' }, 0],
		['one for every delivered page', { max_pages: 3 }, 3],
		['double for a parameter off its default', { condition: 'new' }, 2],
		['nothing at the test source', { source: 'test' }, 0],
	])('%s, at the end', async (_name, more, expected) => {
		const id = running(more);
		const credits = async (period: string) => (await ask(`/v2/me/usage_${period}`)).json.credits;
		expect(await credits('today')).toBe(0);
		sandbox.finishJob(id);
		const booked = [sandbox.jobs[0]?.charged, await credits('today'), await credits('month')];
		expect(booked).toEqual([expected, expected, expected]);
	});
});

describe('results', () => {
	const product = { topic: 'product_and_offers', source: 'google_shopping' };
	const some: unknown = expect.anything();
	const first = async (more: Fields = {}) => {
		const { results } = (await download(finished({ ...product, ...more }))).json;
		return (results as Fields[])[0] ?? {};
	};

	it('are the example of the document at the test source, but for its times', async () => {
		sandbox.setOptions({ metadataExtras: true, topics: ['search_results'] });
		const timeless = (value: unknown) =>
			JSON.parse(JSON.stringify(value).replace(/"(updated_at|tag)":"[^"]*"/g, '"$1":"?"')) as Fields;
		const id = finished(sample.results[0]?.query);
		const { json } = await download(id);
		expect(timeless(json)).toMatchObject(timeless({ ...sample, job_id: id }));
		expect(Object.keys(json)).toEqual(Object.keys(sample));
		expect(sandbox.jobs[0]?.charged).toBe(0);
	});

	it('are the same again for the same value, from the cache where it is young enough', async () => {
		const one = await first();
		sandbox.advance(3_600_000);
		const young = await first();
		expect(young.content).toEqual(one.content);
		const cached = { from_cache: true, page_count_live: 0, updated_at: '2026-10-20T12:00:00Z' };
		expect(young.metadata).toMatchObject(cached);
		expect((await first({ max_age: 59 })).metadata).toMatchObject({ from_cache: false });
	});

	it('have the names, the objects and the spelling that are switched on, and so have jobs and refusals', async () => {
		sandbox.setOptions({
			...{ fieldSpelling: 'camel', nesting: ['price', 'shop', 'product'] },
			names: {
				jobId: 'id',
				reason: 'error',
				shop: 'seller',
				total: 'total_price',
				condition: 'condition',
			},
		});
		const id = finished({ ...product, value: 'many-1' });
		expect(await look(id)).toMatchObject({ id, createdAt: some, status: 'finished' });
		expect((await ask('/v2/jobs')).json).toMatchObject({ data: [{ id, createdAt: some }] });
		expect((await ask('/v2/jobs/none')).json).toMatchObject({ success: false, error: 'job not found' });
		const { results } = (await download(id)).json as { results: Fields[] };
		expect(results[0]).toMatchObject({
			query: { maxPages: 1 },
			metadata: { fromCache: false },
			content: { product: { offerCount: 1 } },
		});
		const { product: sold } = results[0]?.content as { product: { offers: Fields[] } };
		const amount = { amount: some, currency: 'EUR' };
		expect(sold.offers).toMatchObject([
			{
				price: amount,
				totalPrice: amount,
				shippingCosts: amount,
				seller: { name: some },
				condition: some,
			},
		]);
		for (const gone of ['currency', 'shopName', 'shop_name', 'conditionCode', 'condition_code'])
			expect(sold.offers[0]).not.toHaveProperty(gone);
	});

	it.each<[Fields, Fields]>([
		[{ value: 'many-3' }, { content: { offer_count: 3, offers: { length: 3 } } }],
		[{ source: 'amazon' }, { content: { buybox: { min_price: some }, offers: some } }],
		[{ topic: 'reviews', key: 'id' }, { content: { reviews: some } }],
		[{ topic: 'bestsellers' }, { content: { bestsellers: some } }],
		[{ topic: 'search' }, { content: { search_results: some } }],
		[{ value: 'notfound' }, { success: true, content: null }],
		[{ value: 'notfound-reason' }, { success: false, reason: 'not found', content: null }],
		[{ value: 'fail' }, { success: false, reason: 'failed to access source', content: null }],
		[{ value: 'fail-source-timed-out' }, { success: false, reason: 'source timed out' }],
		[{ key: 'gtin', value: '2500123456789' }, { success: false }],
		[{ key: 'gtin', value: '0885909666966' }, { query: { value: '00885909666966' } }],
		[{ condition: 'new' }, { query: { condition: 'new', shipping: 'any', max_pages: 1 } }],
	])('of %j are %j', async (more, expected) => {
		expect(await first(more)).toMatchObject(expected);
	});
});
