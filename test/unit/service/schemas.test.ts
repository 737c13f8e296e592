import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import {
	isOfRunningJob,
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
const NEW = { job_id: 'a1', status: 'new' };
const expected = (problem: string) => ({ ok: false, problem: `Expected ${problem}` });

describe('readJob', () => {
	it.each<[string, object]>([
		['{"job_id":"a1","status":"new","a":null,"b":{"c":[1]}}', { ...NEW, a: null, b: { c: [1] } }],
		['{"data":{"job_id":"a1","status":"new"}}', NEW],
		['[{"job_id":"a1","status":"new"}]', NEW],
		['{"job":{"job_id":"a1","status":"new"},"credits":4}', { ...NEW, credits: 4 }],
		['{"success":true,"job":{"id":7,"status":"new"}}', { id: 7, job_id: '7', status: 'new' }],
		['{"job_id":12,"status":"new"}', { job_id: '12', status: 'new' }],
		['{"id":"request","data":{"job_id":"a1","status":"new"}}', NEW],
		['{"job_id":null,"id":"a1","status":"new"}', { id: 'a1', ...NEW }],
	])('finds in %s the job %j', (body, job) => {
		expect(readJob(JSON.parse(body))).toStrictEqual({ ok: true, value: job });
	});

	it('takes a bare list of results for that of a job that is known', async () => {
		const xml = '<results type="array"><result><query/><success>true</success></result></results>';
		expect(readJob(await decode(xml), 'a1')).toStrictEqual({
			ok: true,
			value: { job_id: 'a1', status: 'finished', results: [{ query: '', success: 'true' }] },
		});
		expect(readJob([], 'a1')).toMatchObject({ ok: false });
	});

	it.each([
		[{ status: 'working' }],
		[{ job_id: 'A1', status: 'working' }],
		[{ job_id: ' a1', status: 'working' }],
		[{ id: 'request', job: { id: 'a1', status: 'working' } }],
		[{ id: 'request', data: { status: 'working' } }],
		[{ id: 'a1', status: 'ok', data: { status: 'working' } }],
		[{ status: 'success', data: { job_id: 'a1', status: 'working' } }],
		[{ id: 'request', status: 'success', data: { status: 'working' } }],
		[{ data: { id: 'a1', type: 'jobs', attributes: { status: 'working' } } }],
		[{ found: [{ status: 'working' }] }],
		[{ a1: { status: 'working' } }],
		[{ state: { status: 'working' } }],
	])('takes %j for the job that was asked for', (body) => {
		expect(readJob(body, 'a1')).toMatchObject({
			ok: true,
			value: { job_id: expect.stringMatching(/^ ?a1$/i) as string, status: 'working' },
		});
	});

	it.each([
		[{ job_id: 'b2', status: 'finished' }],
		[{ id: 'b2', status: 'finished' }],
		[{ status: 'success', data: { job_id: 'b2', status: 'finished' } }],
		[[{ job_id: 'b2', status: 'finished' }]],
	])('says of %j that it is about another job', (body) => {
		const misread = expected('job "a1", but the body is about job "b2"');
		expect(readJob(body, 'a1')).toEqual(misread);
		expect(readAnything(body, 'a1')).toEqual(misread);
		expect(readResults({ ...[body].flat()[0], results: [] }, 'a1')).toEqual(misread);
	});

	it('takes a missing status from the caller only', () => {
		expect(readJob({ job_id: 'a1' }, undefined, 'new')).toStrictEqual({ ok: true, value: NEW });
		expect(readJob(JOB, undefined, 'new')).toMatchObject({ value: JOB });
	});

	it.each([
		[{ job_id: 'a1' }, 'status is missing'],
		[{ status: 'new' }, 'the body is an object'],
		[[JOB, JOB], 'the body is a list'],
		['x', 'the body is text'],
		[null, 'the body is null'],
		[{ job_id: { $oid: '1' }, status: 'new' }, 'job_id is an object'],
		[{ job_id: 'a1', status: ['new'] }, 'status is a list'],
	])('refuses %j', (body, detail) => {
		expect(readJob(body)).toEqual(expected(`a job with "job_id" and "status", but ${detail}`));
	});
});

describe('readCreated', () => {
	it.each<[unknown, string, string?]>([
		[{ id: 'req-7', job: { id: 'abc' } }, 'abc'],
		[{ id: 'req-7', data: { id: 'abc' } }, 'abc'],
		[{ id: 'req-7', status: 'success', data: { id: 'abc' } }, 'abc'],
		[{ id: 'abc', status: 'new', data: { id: 'x' } }, 'abc'],
		[{ id: 'req-7', ticket: { job_id: 'abc' } }, 'abc'],
		[[{ id: 'abc' }], 'abc'],
		[{ job_id: 'abc' }, 'abc', '/v2/jobs/xyz'],
		[{ id: 'req-7', job: { id: 'abc' } }, 'abc', '/v2/jobs/xyz'],
		[{ id: 'req-7' }, 'abc', 'https://x.test/v2/jobs/abc.json?a=b'],
		[{}, 'a/b', '/v2/jobs/a%2Fb/'],
		['', '%', '/v2/jobs/%'],
	])('finds in %j the job %j, with %s', (body, job_id, location = undefined) => {
		const value = { job_id, status: expect.anything() as string };
		expect(readCreated(body, location)).toMatchObject({ ok: true, value });
	});

	it('finds none where nothing names it', () => {
		expect(readCreated({ ok: 1 }, '/v2/usage')).toMatchObject({ ok: false });
	});
});

describe('readJobList', () => {
	const entry = '<job><job-id>a1</job-id><status type="symbol">working</status></job>';

	it.each<[unknown]>([
		[[JOB]],
		[{ data: [JOB], total: 1 }],
		[{ jobs: [JOB] }],
		[{ data: { jobs: [JOB] } }],
		[`<jobs type="array">${entry}</jobs>`],
		[`<jobs>${entry}</jobs>`],
		[`<hash><jobs type="array">${entry}</jobs></hash>`],
		[`<hash><data><job>${entry.slice(5, -6)}</job></data></hash>`],
		[{ data: [{ job: JOB }] }],
		[{ id: 'request', status: 'ok', data: [JOB] }],
		[{ my_jobs: [JOB], errors: [{ message: 'x' }] }],
		[{ data: [], jobs: [JOB] }],
		[{ jobs: { 0: JOB } }],
		[JOB],
	])('finds the one job in %j', async (body) => {
		const value = typeof body === 'string' ? await decode(body) : body;
		expect(readJobList(value)).toStrictEqual({ ok: true, value: { jobs: [JOB] } });
	});

	it.each<[unknown, object]>([
		[[JOB, {}, null, { job_id: null }], { jobs: [JOB], invalid: ['[1]', '[2]', '[3]'] }],
		[{ jobs: { '5f1e2d': { status: 'new' } } }, { jobs: [{ job_id: '5f1e2d', status: 'new' }] }],
		[[{ id: 5 }], { jobs: [{ id: 5, job_id: '5', status: '' }] }],
	])('finds in %j what is a job', (body, list) => {
		expect(readJobList(body)).toStrictEqual({ ok: true, value: list });
	});

	it.each([
		...['[]', '{"data":[]}', '{"jobs":null}', '<jobs/>', '<jobs>\n</jobs>'],
		...['<hash><jobs/></hash>', '<nil-classes type="array"/>'],
	])('takes %s for no jobs', async (body) => {
		expect(readJobList(await decode(body))).toEqual({ ok: true, value: { jobs: [] } });
	});

	it.each([
		[{ total: 0 }, 'a list of jobs, but the body is an object'],
		[null, 'a list of jobs, but the body is null'],
		['none', 'a list of jobs, but the body is text'],
		[[{ status: 'new' }], 'a job with "job_id" and "status", but [0].job_id is missing'],
		[{ data: ['a1'] }, 'a job with "job_id" and "status", but the body is text'],
	])('refuses %j', (body, detail) => {
		expect(readJobList(body)).toEqual(expected(detail));
	});
});

describe('readResults', () => {
	const result = {
		...{ query: { source: 'test', value: '00885909666966', max_pages: 1 }, success: true, extra: 1 },
		...{ metadata: { from_cache: false, tag: 'x' }, content: { offers: [{ price: '12.90' }] } },
	};
	const DONE = { job_id: 'a1', status: 'finished' };

	it('does not copy contents', () => {
		const read = readResults({ results: [result] }, 'a1');
		expect(read.ok && read.value.results[0]?.content).toBe(result.content);
	});

	const bare = { success: true, content: [1] };
	const NAMED = { ...bare, query: { value: '4006381333931' } };
	it.each<[unknown, unknown[], object?]>([
		[{ job_id: 'a1', free_credits: 2, results: [result] }, [result], { free_credits: 2 }],
		[[result], [result]],
		...[null, '', { result: [] }].map((none): [unknown, unknown[]] => [{ results: none }, []]),
		[{ results: { result } }, [result]],
		[{ results: { result: [result, result] } }, [result, result]],
		[{ result }, [result]],
		[{ results: { result: bare } }, [{ ...bare, query: {} }]],
		[{ id: 'request', results: [result] }, [result], { id: 'request' }],
		[{ job_id: 'a1', data: [result] }, [result]],
		[{ data: { status: 'x', items: [result] }, credits: 1 }, [result], { status: 'x', credits: 1 }],
		[{ job_id: 'a1', results: { 0: result, 1: result } }, [result, result]],
		[{ results: { '4006381333931': bare } }, [NAMED]],
		[{ data: { results: [], status: 'finished' } }, []],
		[[], []],
		['', []],
	])('gives %j a root', (body, results, more = {}) => {
		expect(readResults(body, 'a1')).toStrictEqual({ ok: true, value: { ...DONE, results, ...more } });
	});

	const misread = { query: {}, success: false };
	const reason = [{ code: 17, message: 'no' }, 'gone'];
	const unreadable = (why: string) => ({ ...misread, reason: `unreadable result: ${why}` });
	it.each<[string, unknown, object]>([
		['texts', { success: 'true', reason: null }, { query: {}, success: true, reason: null }],
		[
			'blanks',
			{ success: ' False', query: '', reason: 404, metadata: '\n', content: '\n  ' },
			{ ...misread, reason: '404', metadata: {}, content: {} },
		],
		['a number for the value', { ...result, query: { value: 4 } }, { ...result, query: { value: '4' } }],
		[
			'null for query',
			{ ...result, query: null, metadata: null },
			{ ...result, query: {}, metadata: null },
		],
		['an empty list for metadata', { ...result, metadata: [] }, { ...result, metadata: {} }],
		['a text for query', { ...result, query: 'B00X' }, { ...result, query: { value: 'B00X' } }],
		['an object for a value', { ...result, query: { value: {} } }, { ...result, query: { value: {} } }],
		['no success', { query: {}, content: [1] }, { query: {}, content: [1], success: true }],
		['1 for success', { ...result, success: 1 }, result],
		[
			'null for success',
			{ ...result, success: null, reason: 'x' },
			{ ...result, success: false, reason: 'x' },
		],
		['a word for success', { ...result, success: 'partly' }, { ...result, success_as_given: 'partly' }],
		['a list', { success: false, reason }, { ...misread, reason: 'no; gone', reason_details: reason }],
		['nothing', {}, unreadable('it has neither content nor success, reason or query')],
		['a text in its place', 'what', { ...unreadable('text instead of an object'), content: 'what' }],
	])('loses no job for one result with %s', (_name, odd, read) => {
		const value = { ...DONE, results: [result, read] };
		expect(readResults([result, odd], 'a1')).toStrictEqual({ ok: true, value });
	});

	it.each([
		[{ job_id: 'a1', status: 'working' }, 'results is missing'],
		[{ results: 'soon' }, 'results is text'],
		[{ results: {} }, 'results is an object'],
		[null, 'the body is null'],
	])('refuses %j', (body, detail) => {
		expect(readResults(body, 'a1')).toEqual(expected(`a job with its "results", but ${detail}`));
	});
});

describe('readResult', () => {
	const query = { value: 'pen' };
	const content = { name: 'Pen', offers: [{ price: '1.20' }] };

	it.each<[string, object, object?]>([
		['flat', { query, ...content }],
		['flat, beside what says null', { query, content: null, ...content }],
		['flat, with its echo', { value: 'pen', topic: 'search', metadata: {}, ...content }],
		['under data', { query, data: content }],
		['under Content', { query, Content: content }],
		['in an envelope', { query, data: { content } }],
		['under a name that nobody knows', { query, blob: 'x' }, { blob: 'x' }],
	])('finds the content %s', (_name, result, found = content) => {
		const from = { content: found, content_from: expect.any(String) as string };
		expect(readResult({ ...result, success: true })).toMatchObject({ query, success: true, ...from });
	});

	it('finds it in the attributes of XML', async () => {
		const attributes = 'success="true" value="pen" name="Pen" price="1.20"';
		const xml = `<results type="array"><result ${attributes}/></results>`;
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

	it.each<[object, boolean, string | undefined]>([
		[{ query, status: 'failed', error: 'source down' }, false, 'source down'],
		[{ query, error: { message: 'source down' }, content: null }, false, 'source down'],
		[{ query, status: 404 }, false, 'status 404'],
		[{ query, error: 0, content }, true, undefined],
		[{ query, error: 'none', content }, true, undefined],
		[{ query, success: true, error: 'a part is missing', content }, true, 'a part is missing'],
	])('says of %j whether it succeeded: %s', (result, success, reason) => {
		const read = readResult(result);
		expect([read.success, read.reason]).toEqual([success, reason]);
	});
});

describe('readUsage', () => {
	it('takes objects for the figures of an account, and puts others into one', () => {
		const figures = [{ credits: 3, by_source: { test: 1 } }, {}, { usage: [] }, { credits: null }];
		for (const value of [...figures, { status: 'ok', paid: '1,200.50' }])
			expect(readUsage(value)).toStrictEqual({ ok: true, value });
		for (const reply of [[{ credits: 3 }], [], 42, '42 credits'])
			expect(readUsage(reply)).toStrictEqual({ ok: true, value: { reply } });
	});

	it.each([
		[null, 'the body is null'],
		[' ', 'the body is empty'],
		['ok', 'the body is text'],
		[{ message: 'Welcome 2 all' }, 'the body holds no figures'],
		[{ status: 200, ok: true, links: { self: '/' } }, 'the body holds no figures'],
	])('refuses %j', (body, detail) => {
		expect(readUsage(body)).toEqual(expected(`usage figures, but ${detail}`));
	});
});

const results = [{ query: {}, success: true }];

describe('a job that runs', () => {
	test.each<[unknown]>([
		[{ status: 'working' }],
		// Partial results of a job that says that it runs are not its results.
		[{ status: 'finishing', results }],
		[{ data: { job: { status: 'queued' } } }],
		[{ status: 'success', data: { status: 'working' } }],
		[{ status: { status: 'new' } }],
		[[{ status: 'new' }]],
		// A status that nobody knows, and no results.
		[{ status: 'odd' }],
	])('is %j', (value) => {
		expect(isOfRunningJob(value)).toBe(true);
	});

	test.each<[unknown]>([
		[{ status: 'finished' }],
		[{ status: 'success', data: { status: 'finished', results: [] } }],
		[{ status: 'working', data: { status: 'Canceled' } }],
		[{ status: 'ok', data: [] }],
		[{ status: 'odd', results }],
		[{ results: [{ status: 'working' }] }],
		[[{ status: 'new' }, { status: 'new' }]],
		[{}],
		[null],
		['working'],
	])('is not %j', (value) => {
		expect(isOfRunningJob(value)).toBe(false);
	});
});
