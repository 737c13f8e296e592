import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import { readJob, readJobList, readResults, readUsage } from '../../../nodes/PriceCollection/service/schemas';

const decode = async (text: string) => {
	const decoded = await decodeBody(text, async () => {});
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

	it('fills in the id of a known job', () => {
		expect(readJob({ status: 'working' }, 'a1')).toStrictEqual({ ok: true, value: JOB });
		expect(readJob({ data: { status: 'working' } }, 'a1')).toStrictEqual({ ok: true, value: JOB });
		expect(readJob({ job_id: 'b2', status: 'working' }, 'a1')).toMatchObject({ value: { job_id: 'b2' } });
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
			expected: 'a job with "job_id" and "status"',
			path: 'status',
			detail: 'status is missing',
		});
	});

	it.each([
		[{ status: 'new' }, '', 'the body has none'],
		[[JOB], '', 'the body is a list'],
		['x', '', 'the body is text'],
		[null, '', 'the body is null'],
		[{ job_id: { $oid: '1' }, status: 'new' }, 'job_id', 'job_id is an object'],
		[{ job_id: 'a1', status: ['new'] }, 'status', 'status is a list'],
	])('refuses %j', (body, path, detail) => {
		expect(readJob(body)).toEqual({
			ok: false,
			expected: 'a job with "job_id" and "status"',
			path,
			detail,
		});
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
		expect(readJobList(await decode(body))).toStrictEqual({ ok: true, value: [JOB] });
	});

	it('reads untyped XML lists of several', async () => {
		expect(readJobList(await decode(`<jobs>${entry}${entry}</jobs>`))).toStrictEqual({
			ok: true,
			value: [JOB, JOB],
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
		expect(readJobList(await decode(body))).toEqual({ ok: true, value: [] });
	});

	it('accepts entries with mere ids', () => {
		expect(readJobList([{ id: 5 }])).toStrictEqual({
			ok: true,
			value: [{ id: 5, job_id: '5', status: '' }],
		});
	});

	it.each([
		[{ total: 0 }, '', 'the body has none'],
		[null, '', 'the body is null'],
		['none', '', 'the body is text'],
		[[JOB, { status: 'new' }], '[1].job_id', '[1].job_id is missing'],
		[{ data: ['a1'] }, '[0]', '[0] is text'],
	])('refuses %j', (body, path, detail) => {
		expect(readJobList(body)).toEqual({ ok: false, expected: 'a list of jobs', path, detail });
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
			{ job_id: 7, status: 'cancelled', results: null },
			{ job_id: '7', status: 'cancelled', results: [] },
		],
		[{ results: '' }, { job_id: 'a1', status: 'finished', results: [] }],
		[{ results: { result } }, { job_id: 'a1', status: 'finished', results: [result] }],
		[
			{ results: { result: [result, result] } },
			{ job_id: 'a1', status: 'finished', results: [result, result] },
		],
		[{ result }, { job_id: 'a1', status: 'finished', results: [result] }],
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

	it.each([
		[{ job_id: 'a1', status: 'working' }, 'results', 'results is missing'],
		[{ results: 'soon' }, 'results', 'results is text'],
		[{ results: {} }, 'results', 'results is an object'],
		[null, '', 'the body is null'],
		[[{}], 'results[0].success', 'results[0].success is missing'],
		[[result, { ...result, success: 'maybe' }], 'results[1].success', 'results[1].success is text'],
		[[result, ''], 'results[1]', 'results[1] is empty'],
		[[{ ...result, query: [] }], 'results[0].query', 'results[0].query is a list'],
		[
			[{ ...result, query: { value: {} } }],
			'results[0].query.value',
			'results[0].query.value is an object',
		],
		[[{ ...result, metadata: true }], 'results[0].metadata', 'results[0].metadata is a boolean'],
	])('refuses %j', (body, path, detail) => {
		expect(readResults(body, 'a1')).toEqual({
			ok: false,
			expected: 'a job with its "results"',
			path,
			detail,
		});
	});
});

describe('readUsage', () => {
	it('gives the reply as it came', () => {
		expect(readUsage({ credits: 3, by_source: { test: 1 } })).toStrictEqual({
			ok: true,
			value: { credits: 3, by_source: { test: 1 } },
		});
		expect(readUsage({})).toStrictEqual({ ok: true, value: {} });
	});

	it.each([[[{ credits: 3 }]], [42], ['ok']])('puts %j into an object', (reply) => {
		expect(readUsage(reply)).toStrictEqual({ ok: true, value: { reply } });
	});

	it.each([
		[null, 'the body is null'],
		[' ', 'the body is empty'],
	])('refuses %j', (body, detail) => {
		expect(readUsage(body)).toEqual({ ok: false, expected: 'an object', path: '', detail });
	});
});
