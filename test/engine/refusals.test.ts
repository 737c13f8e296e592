import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../useSandbox';
import { failureOf, forJob, itemsOf, runNode, seedJob, TERM_PARAMETERS } from './core';
import { errorOf, hints } from './harness';
import { time } from './virtualClock';

const sandbox = useSandbox({ autoFinish: false });
beforeEach(() => {
	time.pauses.length = 0;
});

/** Answers every request, or the next ones of an endpoint, with this body. */
function answer(
	body: unknown,
	more: { status?: number; path?: string; times?: number; text?: boolean } = {},
) {
	sandbox.faults.add({
		...(more.path !== undefined && { match: { pathPattern: more.path } }),
		times: more.times ?? 'always',
		fault: {
			...{ type: 'reply', status: more.status ?? 200 },
			body: more.text === true ? String(body) : JSON.stringify(body),
		},
	});
}

const LIST: INodeParameters = { resource: 'job', operation: 'getAll' };
const USAGE: INodeParameters = { resource: 'usage', operation: 'getToday' };
const OPERATIONS: Array<[string, INodeParameters]> = [
	['create', { ...TERM_PARAMETERS, values: 'drill' }],
	['get', forJob('get', 'abc')],
	['cancel', forJob('cancel', 'abc')],
	['download', forJob('download', 'abc')],
	['file', forJob('download', 'abc', { output: 'file' })],
	['getAll', LIST],
	['usage', USAGE],
];

const REFUSALS: Array<[string, object]> = [
	['a status word', { status: 'error', message: 'invalid key' }],
	['fail', { status: 'fail', data: { message: 'invalid key' } }],
	['problem+json', { type: 'about:blank', title: 'invalid key', status: 401 }],
	['ok', { ok: false, error: 'invalid key' }],
	['success', { success: 'false', error: { message: 'invalid key' } }],
	['a code', { code: 4017, msg: 'invalid key' }],
	['a status inside', { meta: { code: 401, error_message: 'invalid key' }, data: null }],
];

describe.each(OPERATIONS)('%s', (_operation, parameters) => {
	test.each(REFUSALS)('is refused with HTTP 200 by %s', async (_name, body) => {
		answer(body);
		const failure = await failureOf(sandbox, parameters);
		expect(failure.message).toBe('The service did not accept the key');
		expect(failure.description).toContain('invalid key');
	});

	test('is refused with HTTP 200 by a status inside alone', async () => {
		answer({ meta: { code: 401 }, data: null });
		expect((await failureOf(sandbox, parameters)).message).toBe('The service did not accept the key');
	});
});

test('a job that merely has an error beside its ID is a job', async () => {
	const jobs = [
		{ job_id: 'abc', status: 'failed', error: 'one of two' },
		{ job_id: 'abc', status: 'working', errors: ['one of two'], code: 500 },
	];
	for (const job of jobs) {
		sandbox.faults.clear();
		answer(job);
		expect(await itemsOf(sandbox, forJob('get', 'abc'))).toEqual([job]);
	}
});

test('a creation that says fail gives no job, whatever stands under id', async () => {
	answer({ status: 'fail', data: { id: 'Not enough credits' } });
	const failure = await failureOf(sandbox, { ...TERM_PARAMETERS, values: 'drill' });
	expect(failure.message).toBe('There are not enough credits for this job');
});

describe('the words of a refusal', () => {
	test('are all that the body says, whatever wrote it', async () => {
		answer(
			{
				...{ type: 'https://example.test/blank', title: 'Constraint Violation', status: 400 },
				violations: [
					{ field: 'country', message: 'must not be blank' },
					{ field: 'term', message: 'size must be between 1 and 80' },
				],
			},
			{ status: 400 },
		);
		const { description } = await failureOf(sandbox, { ...TERM_PARAMETERS, values: 'drill' });
		expect(description).toContain(
			'The service says: "Constraint Violation; field: country; must not be blank; field: term; size must be between 1 and 80".',
		);
	});

	test('stand on one line, without marks that nobody sees', async () => {
		const reason = 'bad\r\n2026-11-22 \u001b[31merror\u001b[0m\u0007 \u202etxet\u2028end';
		answer({ success: false, reason, comment: 'one\ntwo' }, { status: 400 });
		const failure = await failureOf(sandbox, USAGE);
		const text = `${failure.message} ${failure.description}`;
		expect(text).toContain('"bad 2026-11-22 [31merror [0m txet end": one two');
		expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
	});

	test('are cut to a bound', async () => {
		answer({ success: false, reason: 'no '.repeat(100_000) }, { status: 400 });
		expect((await failureOf(sandbox, USAGE)).description.length).toBeLessThan(1_200);
	});
});

test('a job ID with line breaks is shown on one line', async () => {
	answer({ data: [{ status: 'new', note: 'x' }, { job_id: 'a', status: 'new' }, 'x\ny'], has_more: false });
	const run = await runNode(sandbox, LIST);
	expect(
		hints(run, 'Prices')
			.map(({ message }) => message)
			.join(),
	).not.toMatch(/[\r\n]/);
	const failure = await failureOf(sandbox, forJob('get', 'a\nb\u0000c'));
	expect(`${failure.message}${failure.description}`).not.toMatch(/\p{Cc}/u);
});

describe('too early', () => {
	const EARLY: Array<[string, number, string]> = [
		['202', 202, ''],
		['202 with a body', 202, '{"message":"Accepted"}'],
		['202 with a list that is still empty', 202, '{"job_id":"a","status":"finished","results":[]}'],
		['204', 204, ''],
		['an empty 200', 200, ''],
		['null', 200, 'null'],
		['a running job in an envelope', 200, '{"status":"success","data":{"status":"working"}}'],
		['a running job further down', 200, '{"ok":true,"meta":{},"data":{"job":{"status":"queued"}}}'],
	];

	test.each(EARLY)('a download that says %s is waited for', async (_name, status, body) => {
		const jobId = await seedJob(sandbox);
		answer(body, { status, path: '/download$', times: 2, text: true });
		for (const output of ['results', 'file']) {
			const items = await itemsOf(sandbox, forJob('wait', jobId, { output }));
			expect(items).toHaveLength(1);
			answer(body, { status, path: '/download$', times: 1, text: true });
		}
		expect(time.pauses).toEqual(expect.arrayContaining([1_000, 3_000]));
	});

	test.each(EARLY.slice(0, 2).concat(EARLY.slice(3, 6)))(
		'a poll that says %s is made again',
		async (_name, status, body) => {
			const jobId = await seedJob(sandbox);
			answer(body, { status, path: '/jobs/[^/]+$', times: 3, text: true });
			expect(await itemsOf(sandbox, forJob('wait', jobId, { output: 'status' }))).toMatchObject([
				{ job_id: jobId, status: 'finished' },
			]);
		},
	);

	test('is not what an envelope says of itself', async () => {
		answer({ status: 'success', data: { job_id: 'abc', status: 'finished', results: [] } });
		expect(errorOf(await runNode(sandbox, forJob('download', 'abc')))).toBeUndefined();
	});
});

describe('a file', () => {
	test.each<[string, unknown, RegExp]>([
		['a status inside', { status: 410, message: 'gone' }, /does not know this job/],
		['ok: false', { ok: false, error: 'invalid key' }, /did not accept the key/],
		['an empty object', {}, /not what this endpoint returns/],
		['a message', { message: 'Nothing here' }, /not what this endpoint returns/],
		['a list of words', ['no way'], /not what this endpoint returns/],
	])('is never %s', async (_name, body, message) => {
		answer(body);
		const parameters = forJob('download', 'abc', { output: 'file' });
		expect((await failureOf(sandbox, parameters)).message).toMatch(message);
	});

	const REFUSED = 'The service does not offer this format here';

	test.each([
		['an object', '{"job_id":"abc","status":"finished","results":[{"success":true}]}', REFUSED],
		['a list', '[{"success":true,"query":{}}]', REFUSED],
		// Nothing is what a service says that has nothing yet.
		['null', ' null\n', 'The job is not finished, so there is nothing to download yet'],
		['true', 'true', REFUSED],
	])('in CSV is never the JSON %s', async (_name, body, message) => {
		answer(body, { text: true });
		const parameters = forJob('download', 'abc', { output: 'file', options: { format: 'csv' } });
		expect((await failureOf(sandbox, parameters)).message).toBe(message);
	});

	test.each(['value', '"value"', '7', 'null,value'])('in CSV may be %j', async (body) => {
		answer(body, { text: true });
		const parameters = forJob('download', 'abc', { output: 'file', options: { format: 'csv' } });
		expect(await itemsOf(sandbox, parameters)).toMatchObject([{ file_name: 'abc.csv' }]);
	});

	test.each([
		['../../etc/passwd', '_.._.._etc_passwd.json', '.._.._etc_passwd.json'],
		['..\\..\\x', '.._.._x.json', ''],
		['a/b:c*d?"e"<f>|g\n', 'a_b_c_d__e__f__g.json', ''],
	])('is never called by a path: %s', async (jobId) => {
		answer({ job_id: jobId, status: 'finished', results: [{ success: true, query: {} }] });
		const [item] = await itemsOf(sandbox, forJob('download', jobId, { output: 'file' }));
		expect(String(item?.file_name)).toMatch(/^[^./\\:*?"<>|\p{Cc}][^/\\:*?"<>|\p{Cc}]*\.json$/u);
	});
});

describe('a service that asks to be left alone for hours', () => {
	test.each([429, 503])('is told from a key that was used up (%i)', async (status) => {
		const jobId = await seedJob(sandbox);
		sandbox.faults.add({
			fault: {
				type: 'reply',
				status,
				headers: { 'retry-after': '7200' },
				body: '{"reason":"busy now"}',
			},
		});
		const failure = await failureOf(sandbox, forJob('get', jobId));
		expect(failure.description).toContain('The service says: "busy now".');
		expect(failure.description).toContain('The service asks to wait 7200 seconds.');
		expect(failure.description).not.toContain('used up');
		// The next one waits for two minutes at the most.
		expect(await itemsOf(sandbox, forJob('get', jobId))).toMatchObject([{ job_id: jobId }]);
		expect(Math.max(...time.pauses)).toBeLessThanOrEqual(120_000);
	});
});
