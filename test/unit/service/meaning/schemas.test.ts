import { decodeBody } from '../../../../nodes/PriceCollection/service/http/decode/body';
import {
	readCancelled,
	readCreated,
	readJob,
	readJobList,
	readResults,
	readUsage,
	statusIn,
} from '../../../../nodes/PriceCollection/service/meaning/schemas';

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
		['{"job":{"job_id":"a1","status":"new"},"credits":4}', { ...NEW, credits: 4 }],
		['{"success":true,"job":{"id":7,"status":"new"}}', { success: true, id: 7, ...NEW, job_id: '7' }],
		['{"job_id":12,"status":"new"}', { job_id: '12', status: 'new' }],
		['{"id":"request","data":{"job_id":"a1","status":"new"}}', { id: 'request', ...NEW }],
		['{"status":"ok","response":{"id":"a1","state":"new"}}', { ...NEW, id: 'a1', state: 'new' }],
		['{"job_id":null,"id":"a1","status":"new"}', { id: 'a1', ...NEW }],
		['{"JobId":"a1","Status":"new"}', { JobId: 'a1', Status: 'new', ...NEW }],
		// As XML has it with attributes.
		['{"job_id":{"kind":"x","text":"a1"},"status":{"since":"7","text":"new"}}', NEW],
	])('finds in %s the job %j', (body, job) => {
		expect(readJob(JSON.parse(body))).toStrictEqual({ ok: true, value: job });
	});

	it('takes a bare list of results, the document\u2019s XML, for that of the job that was asked for', async () => {
		const xml = '<results type="array"><result><query/><success>true</success></result></results>';
		expect(readJob(await decode(xml), 'a1')).toStrictEqual({
			ok: true,
			value: { job_id: 'a1', status: 'finished', results: [{ query: '', success: 'true' }] },
		});
		expect(readJob([], 'a1')).toMatchObject({ ok: false });
	});

	it.each([
		[{ status: 'working' }],
		[{ state: 'working' }],
		[{ job_id: 'A1', status: 'working' }],
		[{ job_id: ' a1', status: 'working' }],
		[{ id: 'request', job: { id: 'a1', status: 'working' } }],
		[{ id: 'request', data: { status: 'working' } }],
		[{ id: 'a1', status: 'ok', data: { status: 'working' } }],
		[{ status: 'success', data: { job_id: 'a1', status: 'working' } }],
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
	])('says of %j that it is about another job', (body) => {
		const misread = expected('job "a1", but the body is about job "b2"');
		expect(readJob(body, 'a1')).toEqual(misread);
		expect(readCancelled(body, 'a1')).toEqual(misread);
		expect(readResults({ ...body, results: [] }, 'a1')).toEqual(misread);
	});

	it.each<[unknown, string]>([
		[{ job_id: 'a1' }, 'status is missing'],
		[{ status: 'success', data: { job_id: 'a1' } }, 'status is missing'],
		[{ status: 'new' }, 'job_id is missing'],
		[{ state: { status: 'new' } }, 'job_id is missing'],
		[{ id: 'req-19', status: 'error', message: 'no' }, 'job_id is text'],
		[{ found: [JOB] }, 'the body is an object'],
		[[JOB], 'the body is a list'],
		['x', 'the body is text'],
		[null, 'the body is null'],
		[{ job_id: { $oid: '1' }, status: 'new' }, 'job_id is an object'],
		[{ job_id: 'a1', status: ['new'] }, 'status is a list'],
	])('refuses %j', (body, detail) => {
		expect(readJob(body)).toEqual(expected(`a job with "job_id" and "status", but ${detail}`));
	});
});

describe('readCreated', () => {
	it.each<[unknown, string, string]>([
		[{ id: 'req-7', job: { id: 'abc' } }, 'abc', 'new'],
		[{ id: 'req-7', status: 'success', data: { id: 'abc' } }, 'abc', 'new'],
		[{ id: 'req-7', status: 'success', data: { job: { job_id: 'abc' } } }, 'abc', 'new'],
		[{ id: 'abc', status: 'queued', data: null }, 'abc', 'queued'],
		[{ job_id: 'abc', status: 'queued' }, 'abc', 'queued'],
		[{ id: 'abc' }, 'abc', 'new'],
	])('finds in %j the job %j with the status %j', (body, job_id, status) => {
		expect(readCreated(body)).toMatchObject({ ok: true, value: { job_id, status } });
	});

	it.each([
		[{ ok: 1 }],
		['abc'],
		[[{ id: 'abc' }]],
		[{ status: 'error', message: 'bad', id: 'req-19' }],
		[{ title: 'Bad Request', status: 400, detail: 'bad', id: 'req-19' }],
		[{ id: 'req-7', status: 'success', data: [{ job_id: 'abc' }] }],
		[{ id: 'req-7', status: 'success', data: { ticket: { job_id: 'abc' } } }],
	])('takes %j for no job', (body) => {
		expect(readCreated(body)).toMatchObject({ ok: false });
	});
});

describe('readJobList', () => {
	const entry = '<job><job-id>a1</job-id><status type="symbol">working</status></job>';

	it.each<[unknown]>([
		[[JOB]],
		[{ data: [JOB], total: 1 }],
		[{ jobs: [JOB] }],
		[{ results: [JOB] }],
		[{ Items: [JOB] }],
		[{ data: { jobs: [JOB] } }],
		[`<jobs type="array">${entry}</jobs>`],
		[`<hash><jobs type="array">${entry}</jobs></hash>`],
		[{ data: [{ job: JOB }] }],
		[{ id: 'request', status: 'ok', data: [JOB] }],
	])('finds the one job in %j', async (body) => {
		const value = typeof body === 'string' ? await decode(body) : body;
		expect(readJobList(value)).toStrictEqual({ ok: true, value: { jobs: [JOB], invalid: 0 } });
	});

	it.each<[unknown, object]>([
		[[JOB, {}, null, { job_id: null }], { jobs: [JOB], invalid: 3 }],
		[[{ id: 5 }], { jobs: [{ id: 5, job_id: '5', status: '' }], invalid: 0 }],
		[
			[{ id: 'a1', status: 'failed', error: 'x' }],
			{ jobs: [{ id: 'a1', job_id: 'a1', status: 'failed', error: 'x' }], invalid: 0 },
		],
	])('finds in %j what is a job', (body, list) => {
		expect(readJobList(body)).toStrictEqual({ ok: true, value: list });
	});

	it.each([...['[]', '{"data":[]}', '{"jobs":[]}', '<nil-classes type="array"/>']])(
		'takes %s for no jobs',
		async (body) => {
			expect(readJobList(await decode(body))).toEqual({ ok: true, value: { jobs: [], invalid: 0 } });
		},
	);

	it.each<[unknown, string]>([
		[{ total: 0 }, 'a list of jobs, but the body is an object'],
		[{ message: 'maintenance', jobs: null }, 'a list of jobs, but the body is an object'],
		[{ data: null }, 'a list of jobs, but the body is an object'],
		[{ my_jobs: [JOB] }, 'a list of jobs, but the body is an object'],
		[{ jobs: { 0: JOB } }, 'a list of jobs, but the body is an object'],
		[JOB, 'a list of jobs, but the body is an object'],
		[null, 'a list of jobs, but the body is null'],
		['none', 'a list of jobs, but the body is text'],
		[[{ status: 'new' }], 'a job with "job_id" and "status", but job_id is missing'],
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

	it.each<[unknown, unknown[], object?]>([
		[{ job_id: 'a1', free_credits: 2, results: [result] }, [result], { free_credits: 2 }],
		[[result], [result]],
		...[null, []].map((none): [unknown, unknown[]] => [{ results: none }, []]),
		[
			{ data: { results: [result], status: 'partial' }, credits: 1 },
			[result],
			{ status: 'partial', credits: 1 },
		],
		[{ Results: [result], State: 'done' }, [result], { status: 'done', State: 'done' }],
		[[], []],
	])('gives %j a root', (body, results, more = {}) => {
		const read = readResults(body, 'a1');
		expect(read).toMatchObject({ ok: true, value: { ...DONE, ...more } });
		expect(read.ok && read.value.results).toStrictEqual(results);
	});

	const misread = { query: {}, success: false };
	const reason = [{ code: 17, message: 'no' }, 'gone'];
	const UNSAID = 'the service does not say whether it succeeded';
	it.each<[string, unknown, object]>([
		['texts', { success: 'true', reason: null }, { query: {}, success: true, reason: null }],
		[
			'blanks',
			{ success: ' False', query: '', reason: 404, metadata: '\n', content: '\n  ' },
			{ ...misread, reason: '404', metadata: '\n', content: '\n  ' },
		],
		['a number for the value', { ...result, query: { value: 4 } }, { ...result, query: { value: '4' } }],
		[
			'null for query',
			{ ...result, query: null, metadata: null },
			{ ...result, query: {}, metadata: null },
		],
		['a text for query', { ...result, query: 'B00X' }, { ...result, query: {} }],
		['no success', { query: {}, content: [1] }, { query: {}, content: [1], success: true }],
		['1 for success', { ...result, success: 1 }, result],
		[
			'null for success',
			{ ...result, success: null, reason: 'x' },
			{ ...result, success: false, reason: 'x' },
		],
		['a list', { success: false, reason }, { ...misread, reason: 'no; gone' }],
		[
			'another name for the reason',
			{ success: false, message: 'sold' },
			{ ...misread, message: 'sold', reason: 'sold' },
		],
		['a remark beside success', { ...result, comment: 'slow' }, { ...result, comment: 'slow' }],
		...['comment', 'message', 'detail', 'Detail'].map((name): [string, unknown, object] => [
			`filled content and a ${name}`,
			{ query: {}, content: { price: '12.90' }, [name]: 'price incl. VAT' },
			{ query: {}, success: true, content: { price: '12.90' }, [name]: 'price incl. VAT' },
		]),
		...['error', 'errors', 'failure', 'reason'].map((name): [string, unknown, object] => [
			`filled content, a comment and a word under ${name}`,
			{ query: {}, content: [1], comment: 'incl. VAT', [name]: 'sold' },
			{ ...misread, content: [1], comment: 'incl. VAT', [name]: 'sold', reason: 'sold' },
		]),
		[
			'a comment, and nothing found',
			{ content: [], comment: 'gone' },
			{ ...misread, content: [], comment: 'gone', reason: 'gone' },
		],
		[
			'a comment, and an unclear word for success',
			{ success: 'partly', content: [1], comment: 'gone' },
			{ ...misread, content: [1], comment: 'gone', reason: 'gone' },
		],
		[
			'attributes of XML at success',
			{ success: { checked: 'today', text: true }, content: [1] },
			{ query: {}, success: true, content: [1] },
		],
		[
			'a name in capitals',
			{ Success: true, Content: [1] },
			{ Success: true, Content: [1], query: {}, success: true, content: [1] },
		],
		[
			'a word for success',
			{ ...result, success: 'partly' },
			{ ...result, success: false, reason: UNSAID },
		],
		['no word of success', { query: {}, content: [] }, { ...misread, content: [], reason: UNSAID }],
		[
			'content under a name of its own',
			{ success: true, blob: 'x' },
			{ query: {}, success: true, blob: 'x' },
		],
		[
			'a text in its place',
			'what',
			{ ...misread, reason: 'unreadable result: text instead of an object', content: 'what' },
		],
	])('loses no job for one result with %s', (_name, odd, read) => {
		const value = { ...DONE, results: [result, read] };
		expect(readResults([result, odd], 'a1')).toStrictEqual({ ok: true, value });
	});

	it.each<[unknown, string]>([
		[{ job_id: 'a1', status: 'working' }, 'results is missing'],
		[{ results: 'soon' }, 'results is text'],
		[{ results: {} }, 'results is an object'],
		[{ results: { 0: result } }, 'results is an object'],
		[{ data: [result] }, 'results is missing'],
		[[{ anything: 1 }], 'results is a list'],
		[null, 'results is null'],
	])('refuses %j', (body, detail) => {
		expect(readResults(body, 'a1')).toEqual(expected(`a job with its "results", but ${detail}`));
	});
});

describe('readCancelled', () => {
	it.each([
		[{}],
		[{ success: true, message: 'Job cancelled' }],
		[{ success: 'true' }],
		[{ response: { success: true }, took: 3 }],
		[{ job_id: 'a1', status: 'cancelled' }],
		[{ data: { id: 'A1', status: 'working' } }],
		[{ status: 'cancelling' }],
	])('takes %j for an answer, as it came', (body) => {
		expect(readCancelled(body, 'a1')).toEqual({ ok: true, value: body });
	});

	it.each([
		[{ message: 'maintenance' }, 'the body is an object'],
		[{ success: 'maybe' }, 'the body is an object'],
		['maintenance', 'the body is text'],
		[[{ job_id: 'a1', status: 'cancelled' }], 'the body is a list'],
	])('does not take %j for a word that the job is cancelled', (body, what) => {
		expect(readCancelled(body, 'a1')).toEqual(expected(`that the job is cancelled, but ${what}`));
	});

	it('names a job that was not meant', () => {
		expect(readCancelled({ job_id: ` ${'b'.repeat(120)}` }, ' a1 ')).toEqual(
			expected(`job " a1 ", but the body is about job "${'b'.repeat(100)}"`),
		);
	});
});

describe('readUsage', () => {
	it('takes objects for the figures of an account, and puts others into one', () => {
		const figures = [{ credits: 3, by_source: { test: 1 } }, {}, { usage: [] }, { credits: null }];
		for (const value of [...figures, { status: 'ok', paid: '1200.50' }])
			expect(readUsage(value)).toStrictEqual({ ok: true, value });
		for (const reply of [[{ credits: 3 }], [], 42, '42', '12 of 100'])
			expect(readUsage(reply)).toStrictEqual({ ok: true, value: { reply } });
	});

	it.each([
		[null, 'the body is null'],
		['ok', 'the body holds no figures'],
		[true, 'the body holds no figures'],
		[{ message: 'maintenance', data: null }, 'the body holds no figures'],
		[{ message: 'Welcome 2 all' }, 'the body holds no figures'],
		[{ status: 200, ok: true, links: { self: '/' } }, 'the body holds no figures'],
	])('refuses %j', (body, detail) => {
		expect(readUsage(body)).toEqual(expected(`usage figures, but ${detail}`));
	});
});

test.each<[unknown, string | undefined]>([
	[{ status: 'working' }, 'working'],
	[{ status: 'success', data: { status: 'working' } }, 'working'],
	[{ State: 'queued' }, 'queued'],
	[{ status: 'finishing', results: [{ query: {}, success: true }] }, 'finishing'],
	[{ results: [{ status: 'working' }] }, undefined],
	[[{ status: 'new' }], undefined],
	[null, undefined],
])('the status in %j is %j', (value, status) => {
	expect(statusIn(value)).toBe(status);
});
