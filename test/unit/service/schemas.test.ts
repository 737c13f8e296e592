import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import {
	readAnything,
	readCreated,
	readJob,
	readJobList,
	readResult,
	readResults,
	readUsage,
} from '../../../nodes/PriceCollection/service/schemas';

const decode = async (text: string) => {
	const decoded = await decodeBody(Buffer.from(text), undefined, async () => {});
	return decoded.ok ? decoded.value : undefined;
};

const JOB = { job_id: 'a1', status: 'working' };

describe('readJob', () => {
	it('keeps what it does not know, as it came', () => {
		const job = { ...JOB, requested: 2, progress: null, parameters: { a: [1] }, __x: true };
		expect(readJob(job)).toStrictEqual({ ok: true, value: job });
	});

	it.each([
		[{ job: JOB }, JOB],
		[{ data: JOB }, JOB],
		[
			{ success: true, job: { id: 7, status: 'new' } },
			{ id: 7, job_id: '7', status: 'new' },
		],
		[
			{ id: 'a1', status: 'new' },
			{ id: 'a1', job_id: 'a1', status: 'new' },
		],
		[
			{ job_id: 12, status: 'new' },
			{ job_id: '12', status: 'new' },
		],
		[
			{ id: 'request', data: { job_id: 'a1', status: 'new' } },
			{ job_id: 'a1', status: 'new' },
		],
		[
			{ job_id: null, id: 'a1', status: 'new' },
			{ job_id: 'a1', id: 'a1', status: 'new' },
		],
	])('finds the job in %j', (body, job) => {
		expect(readJob(body)).toStrictEqual({ ok: true, value: job });
	});

	it('keeps what stands beside a job, and takes a list of one for it', () => {
		const job = { job_id: 'a1', status: 'new' };
		expect(readJob({ job, credits: 4 })).toStrictEqual({ ok: true, value: { ...job, credits: 4 } });
		expect(readJob([job])).toStrictEqual({ ok: true, value: job });
	});

	it('takes a bare list of results for that of a job that is known', async () => {
		const xml = '<results type="array"><result><query/><success>true</success></result></results>';
		expect(readJob(await decode(xml), 'a1')).toStrictEqual({
			ok: true,
			value: { job_id: 'a1', status: 'finished', results: [{ query: '', success: 'true' }] },
		});
		expect(readJob([], 'a1')).toMatchObject({ ok: false });
	});

	it('fills in the id of a known job', () => {
		expect(readJob({ status: 'working' }, 'a1')).toStrictEqual({ ok: true, value: JOB });
		expect(readJob({ data: { status: 'working' } }, 'a1')).toStrictEqual({ ok: true, value: JOB });
	});

	it.each([
		[{ job_id: 'A1', status: 'working' }],
		[{ job_id: ' a1', status: 'working' }],
		[{ id: 'request', job: { id: 'a1', status: 'working' } }],
		[{ id: 'request', data: { status: 'working' } }],
		[{ id: 'a1', status: 'ok', data: { status: 'working' } }],
		[{ status: 'success', data: { job_id: 'a1', status: 'working' } }],
		[{ id: 'request', status: 'success', data: { status: 'working' } }],
		[{ a1: { status: 'working' } }],
		[{ state: { status: 'working' } }],
	])('takes %j for the job that was asked for', (body) => {
		expect(readJob(body, 'a1')).toMatchObject({ ok: true, value: { status: 'working' } });
	});

	it.each([
		[{ job_id: 'b2', status: 'finished' }],
		[{ id: 'b2', status: 'finished' }],
		[{ status: 'success', data: { job_id: 'b2', status: 'finished' } }],
		[[{ job_id: 'b2', status: 'finished' }]],
	])('says of %j that it is about another job', (body) => {
		const expected = { ok: false, problem: 'Expected job "a1", but the body is about job "b2"' };
		expect(readJob(body, 'a1')).toEqual(expected);
		expect(readAnything(body, 'a1')).toEqual(expected);
		expect(readResults({ ...[body].flat()[0], results: [] }, 'a1')).toEqual(expected);
	});

	it('takes a missing status from the caller only', () => {
		expect(readJob({ job_id: 'a1' }, undefined, 'new')).toStrictEqual({
			ok: true,
			value: { job_id: 'a1', status: 'new' },
		});
		expect(readJob({ job_id: 'a1', status: 'queued' }, undefined, 'new')).toMatchObject({
			value: { status: 'queued' },
		});
		expect(readJob({ job_id: 'a1' }, 'a1')).toEqual({
			ok: false,
			problem: 'Expected a job with "job_id" and "status", but status is missing',
		});
	});

	it.each([
		[{ status: 'new' }, 'the body is an object'],
		[[JOB, JOB], 'the body is a list'],
		['x', 'the body is text'],
		[null, 'the body is null'],
		[{ job_id: { $oid: '1' }, status: 'new' }, 'job_id is an object'],
		[{ job_id: 'a1', status: ['new'] }, 'status is a list'],
	])('refuses %j', (body, detail) => {
		expect(readJob(body)).toEqual({
			ok: false,
			problem: `Expected a job with "job_id" and "status", but ${detail}`,
		});
	});
});

describe('readCreated', () => {
	it.each<[unknown, string | undefined, string]>([
		[{ id: 'req-7', job: { id: 'abc' } }, undefined, 'abc'],
		[{ id: 'req-7', data: { id: 'abc' } }, undefined, 'abc'],
		[{ id: 'req-7', status: 'success', data: { id: 'abc' } }, undefined, 'abc'],
		[{ id: 'abc', status: 'new', data: { id: 'x' } }, undefined, 'abc'],
		[{ id: 'req-7', result: { job_id: 'abc' } }, undefined, 'abc'],
		[{ id: 'req-7', ticket: { job_id: 'abc' } }, undefined, 'abc'],
		[[{ id: 'abc' }], undefined, 'abc'],
		[{ job_id: 'abc' }, '/v2/jobs/xyz', 'abc'],
		[{ id: 'req-7', job: { id: 'abc' } }, '/v2/jobs/xyz', 'abc'],
		[{ id: 'req-7' }, 'https://x.test/v2/jobs/abc.json?a=b', 'abc'],
		[{}, '/v2/jobs/a%2Fb/', 'a/b'],
		['', '/v2/jobs/%', '%'],
	])('finds in %j with %j the job %j', (body, location, id) => {
		expect(readCreated(body, location)).toMatchObject({
			ok: true,
			value: { job_id: id, status: expect.anything() },
		});
	});

	it('finds none where nothing names it', () => {
		expect(readCreated({ ok: 1 }, '/v2/usage')).toMatchObject({ ok: false });
	});
});

describe('readJobList', () => {
	const entry = '<job><job-id>a1</job-id><status type="symbol">working</status></job>';

	it.each([
		[JSON.stringify([JOB])],
		[JSON.stringify({ data: [JOB], total: 1 })],
		[JSON.stringify({ jobs: [JOB] })],
		[JSON.stringify({ results: [JOB] })],
		[JSON.stringify({ data: { jobs: [JOB] } })],
		[`<jobs type="array">${entry}</jobs>`],
		[`<jobs>${entry}</jobs>`],
		[`<hash><jobs type="array">${entry}</jobs></hash>`],
		[`<hash><data><job>${entry.slice(5, -6)}</job></data></hash>`],
	])('finds the one job in %s', async (body) => {
		expect(readJobList(await decode(body))).toStrictEqual({ ok: true, value: { jobs: [JOB] } });
	});

	it('reads untyped XML lists of several', async () => {
		expect(readJobList(await decode(`<jobs>${entry}${entry}</jobs>`))).toStrictEqual({
			ok: true,
			value: { jobs: [JOB, JOB] },
		});
	});

	it.each([
		'[]',
		'{"data":[]}',
		'{"jobs":null}',
		'<jobs/>',
		'<jobs>\n</jobs>',
		'<hash><jobs/></hash>',
		'<nil-classes type="array"/>',
	])('takes %s for no jobs', async (body) => {
		expect(readJobList(await decode(body))).toEqual({ ok: true, value: { jobs: [] } });
	});

	it.each([
		[[JOB, {}, null, { job_id: null }]],
		[{ items: [JOB] }],
		[{ data: { jobs: [JOB], total: 1 } }],
		[{ data: [{ job: JOB }] }],
		[{ id: 'request', status: 'ok', data: [JOB] }],
		[{ my_jobs: [JOB], errors: [{ message: 'x' }] }],
		[{ data: [], jobs: [JOB] }],
		[{ jobs: { 0: JOB } }],
		[{ jobs: { any: JOB } }],
		[{ data: JOB }],
		[JOB],
	])('finds the one job in %j', (body) => {
		expect(readJobList(body)).toMatchObject({ ok: true, value: { jobs: [JOB] } });
	});

	it('finds jobs by the IDs that they are keyed by', () => {
		const body = { jobs: { '5f1e2d': { status: 'new' }, '5f1e2e': { status: 'finished' } } };
		expect(readJobList(body)).toMatchObject({
			value: { jobs: [{ job_id: '5f1e2d' }, { job_id: '5f1e2e' }] },
		});
	});

	it('accepts entries with mere ids', () => {
		expect(readJobList([{ id: 5 }])).toStrictEqual({
			ok: true,
			value: { jobs: [{ id: 5, job_id: '5', status: '' }] },
		});
	});

	it.each([
		[{ total: 0 }, 'a list of jobs, but the body is an object'],
		[null, 'a list of jobs, but the body is null'],
		['none', 'a list of jobs, but the body is text'],
		[[{ status: 'new' }], 'a job with "job_id" and "status", but [0].job_id is missing'],
		[{ data: ['a1'] }, 'a job with "job_id" and "status", but the body is text'],
	])('refuses %j', (body, detail) => {
		expect(readJobList(body)).toEqual({ ok: false, problem: `Expected ${detail}` });
	});
});

describe('readResults', () => {
	const result = {
		query: { source: 'test', value: '00885909666966', max_pages: 1 },
		success: true,
		metadata: { from_cache: false, tag: 'x' },
		content: { offers: [{ price: '12.90' }] },
		extra: 1,
	};

	it('keeps the root and the results as they came', () => {
		const root = { job_id: 'a1', status: 'finished', free_credits: 2, results: [result] };
		expect(readResults(root, 'a1')).toStrictEqual({ ok: true, value: root });
	});

	it('does not copy contents', () => {
		const read = readResults({ results: [result] }, 'a1');
		expect(read.ok && read.value.results[0]?.content).toBe(result.content);
	});

	it.each([
		[[result], { job_id: 'a1', status: 'finished', results: [result] }],
		[{ results: [result] }, { job_id: 'a1', status: 'finished', results: [result] }],
		[
			{ job_id: 'a1', status: 'cancelled', results: null },
			{ job_id: 'a1', status: 'cancelled', results: [] },
		],
		[{ results: '' }, { job_id: 'a1', status: 'finished', results: [] }],
		[{ results: { result } }, { job_id: 'a1', status: 'finished', results: [result] }],
		[
			{ results: { result: [result, result] } },
			{ job_id: 'a1', status: 'finished', results: [result, result] },
		],
		[{ result }, { job_id: 'a1', status: 'finished', results: [result] }],
		[
			{ id: 'request', results: [result] },
			{ id: 'request', job_id: 'a1', status: 'finished', results: [result] },
		],
		[
			{ job_id: 'a1', status: 'finished', data: [result] },
			{ job_id: 'a1', status: 'finished', results: [result] },
		],
		[
			{ data: { status: 'cancelled', items: [result] }, credits: 1 },
			{ job_id: 'a1', status: 'cancelled', credits: 1, results: [result] },
		],
		[
			{ job_id: 'a1', results: { 0: result, 1: result } },
			{ job_id: 'a1', status: 'finished', results: [result, result] },
		],
		[
			{ results: { '4006381333931': { success: true, content: [1] } } },
			{
				...{ job_id: 'a1', status: 'finished' },
				results: [{ query: { value: '4006381333931' }, success: true, content: [1] }],
			},
		],
		[{ data: { results: [], status: 'finished' } }, { job_id: 'a1', status: 'finished', results: [] }],
		[[], { job_id: 'a1', status: 'finished', results: [] }],
		['', { job_id: 'a1', status: 'finished', results: [] }],
	])('gives %j a root', (body, value) => {
		expect(readResults(body, 'a1')).toStrictEqual({ ok: true, value });
	});

	it('mends what XML or a loose server leaves open', () => {
		const loose = [
			{ success: 'true', query: { value: 4006381333931, country: null }, reason: null },
			{ success: ' False', query: '', reason: 404, metadata: '\n', content: '\n  ' },
			{ success: true, query: null, metadata: null, content: null },
		];
		expect(readResults(loose, 'a1')).toStrictEqual({
			ok: true,
			value: {
				job_id: 'a1',
				status: 'finished',
				results: [
					{ success: true, query: { value: '4006381333931', country: null }, reason: null },
					{ success: false, query: {}, reason: '404', metadata: {}, content: {} },
					{ success: true, query: {}, metadata: null, content: null },
				],
			},
		});
	});

	it.each<[string, unknown, object]>([
		['an empty list for metadata', { ...result, metadata: [] }, { ...result, metadata: {} }],
		['a flag for metadata', { ...result, metadata: true }, { ...result, metadata: true }],
		['an empty list for query', { ...result, query: [] }, { ...result, query: {} }],
		['a text for query', { ...result, query: 'B00X' }, { ...result, query: { value: 'B00X' } }],
		['an object for a value', { ...result, query: { value: {} } }, { ...result, query: { value: {} } }],
		['no success', { query: {}, content: [1] }, { query: {}, content: [1], success: true }],
		['1 for success', { ...result, success: 1 }, result],
		['null for success', { ...result, success: null }, result],
		[
			'null for success beside a reason',
			{ ...result, success: null, reason: 'not found' },
			{ ...result, success: false, reason: 'not found' },
		],
		['a word for success', { ...result, success: 'partly' }, { ...result, success_as_given: 'partly' }],
		[
			'an object for the reason',
			{ success: false, reason: { code: 17, message: 'not found' } },
			{
				query: {},
				success: false,
				reason: 'not found',
				reason_details: { code: 17, message: 'not found' },
			},
		],
		[
			'a list for the reason',
			{ success: false, reason: ['not found', 'gone'] },
			{ query: {}, success: false, reason: 'not found; gone', reason_details: ['not found', 'gone'] },
		],
		[
			'nothing',
			{},
			{
				query: {},
				success: false,
				reason: 'unreadable result: it has neither content nor success, reason or query',
			},
		],
		[
			'a text in the place of a result',
			'what',
			{
				query: {},
				success: false,
				reason: 'unreadable result: text instead of an object',
				content: 'what',
			},
		],
	])('loses no job for one result with %s', (_name, odd, expected) => {
		expect(readResults([result, odd], 'a1')).toStrictEqual({
			ok: true,
			value: { job_id: 'a1', status: 'finished', results: [result, expected] },
		});
	});

	it.each([
		[{ job_id: 'a1', status: 'working' }, 'results is missing'],
		[{ results: 'soon' }, 'results is text'],
		[{ results: {} }, 'results is an object'],
		[null, 'the body is null'],
	])('refuses %j', (body, detail) => {
		expect(readResults(body, 'a1')).toEqual({
			ok: false,
			problem: `Expected a job with its "results", but ${detail}`,
		});
	});
});

describe('readResult', () => {
	const query = { value: 'pen' };
	const content = { name: 'Pen', offers: [{ price: '1.20' }] };

	it.each<[string, object, unknown]>([
		['flat', { query, success: true, ...content }, content],
		['flat, beside what says null', { query, success: true, content: null, ...content }, content],
		[
			'flat, with its echo',
			{ value: 'pen', topic: 'search', success: true, metadata: {}, ...content },
			content,
		],
		['under data', { query, success: true, data: content }, content],
		['under Content', { query, success: true, Content: content }, content],
		['in an envelope', { query, success: true, data: { content } }, content],
		['in a list', { query, success: true, data: [content] }, [content]],
		['under a name that nobody knows', { query, success: true, blob: 'x' }, { blob: 'x' }],
	])('finds the content %s', (_name, result, found) => {
		expect(readResult(result)).toMatchObject({
			query,
			success: true,
			content: found,
			content_from: expect.any(String),
		});
	});

	it('finds it in the attributes of XML', async () => {
		const xml =
			'<results type="array"><result success="true" value="pen" name="Pen" price="1.20"/></results>';
		expect(readResults(await decode(xml), 'a1')).toMatchObject({
			value: { results: [{ query, success: true, content: { name: 'Pen', price: '1.20' } }] },
		});
	});

	it.each([
		[{ query, success: true, content: null, tag: 'x', id: 7, updated_at: 'y' }],
		[{ query, success: true, content: [], price_count: 1 }],
		[{ query, success: true, tag: 'x', metadata: { request_count: 1 } }],
	])('takes the word of the service that %j found nothing', (result) => {
		expect(readResult(result)).toEqual({ ...result });
	});

	it.each<[object, string]>([
		[{ query, status: 'failed', error: 'source down' }, 'source down'],
		[{ query, status: 'error', message: 'source down' }, 'source down'],
		[{ query, error: { message: 'source down' }, content: null }, 'source down'],
		[{ query, status: 404 }, 'status 404'],
	])('takes %j for a failure', (result, reason) => {
		expect(readResult(result)).toMatchObject({ success: false, reason });
	});

	it.each([
		[{ query, error: 0, content }],
		[{ query, error: 'none', content }],
		[{ query, status: 'ok', content }],
		[{ query, success: true, error: 'a part is missing', content }],
	])('takes %j for a success', (result) => {
		expect(readResult(result)).toMatchObject({ success: true, content });
	});
});

describe('readUsage', () => {
	it('gives the reply as it came', () => {
		expect(readUsage({ credits: 3, by_source: { test: 1 } })).toStrictEqual({
			ok: true,
			value: { credits: 3, by_source: { test: 1 } },
		});
	});

	it.each([
		[{}],
		[{ usage: [] }],
		[{ credits: null }],
		[{ hash: { credits: '3' } }],
		[{ status: 'ok', paid: '1,200.50' }],
	])('takes %j for the figures of an account', (value) => {
		expect(readUsage(value)).toStrictEqual({ ok: true, value });
	});

	it.each([[[{ credits: 3 }]], [[]], [42], ['42 credits']])('puts %j into an object', (reply) => {
		expect(readUsage(reply)).toStrictEqual({ ok: true, value: { reply } });
	});

	it.each([
		[null, 'the body is null'],
		[' ', 'the body is empty'],
		['ok', 'the body is text'],
		[true, 'the body is a boolean'],
		[{ message: 'Welcome 2 all' }, 'the body holds no figures'],
		[{ status: 200, ok: true, links: { self: '/' } }, 'the body holds no figures'],
	])('refuses %j', (body, detail) => {
		expect(readUsage(body)).toEqual({ ok: false, problem: `Expected usage figures, but ${detail}` });
	});
});
