import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import { useSandbox } from '../../support/useSandbox';
import {
	cancelJob,
	fail,
	failureOf,
	forJob,
	itemsOf,
	LOST,
	NEVER_SENT,
	ONE_TRY,
	reply,
	runNode,
	seedJob,
	TERM_PARAMETERS,
} from '../support/core';
import { items, linksOf, startWorkflow, until } from '../support/harness';
import { credentialFor, locator, scenario } from '../support/common';
import { now, time } from '../support/virtualClock';

const sandbox = useSandbox({ autoFinish: false });
beforeEach(() => {
	time.pauses.length = 0;
});

const USAGE: INodeParameters = { resource: 'usage', operation: 'getToday' };

describe('reads are repeated', () => {
	test.each<[string, Fault]>([
		['a reset', { type: 'reset' }],
		['a reset after the work', LOST],
		['500', { type: 'serverError' }],
		['429', { type: 'tooManyRequests' }],
		['a truncated body', { type: 'truncate' }],
		['JSON that stops in the middle', { type: 'brokenJson' }],
	])('after %s, with growing pauses, and four times at the most', async (_name, fault) => {
		fail(sandbox, 'any', fault, 3);
		expect(await itemsOf(sandbox, USAGE)).toHaveLength(1);
		expect(time.pauses).toEqual([375, 750, 1500]);
		sandbox.clearRequests();
		fail(sandbox, 'any', fault, 'always');
		await failureOf(sandbox, USAGE);
		expect(sandbox.requests).toHaveLength(4);
	});

	test('after the time that the service asks for, in seconds or as a date', async () => {
		fail(sandbox, 'any', { type: 'tooManyRequests', retryAfterSeconds: 7 });
		await itemsOf(sandbox, USAGE);
		fail(sandbox, 'any', reply('', 503, { 'retry-after': new Date(now() + 30_000).toUTCString() }));
		await itemsOf(sandbox, USAGE);
		expect(time.pauses).toHaveLength(2);
		// A millisecond may pass between the reply and the wait.
		expect(Math.round((time.pauses[0] ?? 0) / 1_000)).toBe(7);
		expect(Math.abs(Number(time.pauses[1]) - 27_500)).toBeLessThanOrEqual(2_500);
	});

	test('not when the service asks for a longer wait than two minutes: that is said instead', async () => {
		fail(sandbox, 'any', { type: 'tooManyRequests', retryAfterSeconds: 600 });
		const failure = await failureOf(sandbox, USAGE);
		expect(failure.message).toBe('The service received too many requests');
		expect(failure.description).toContain('The service asks to wait 600 seconds.');
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([USAGE, TERM_PARAMETERS, forJob('cancel', 'x'), forJob('download', 'x')])(
		'and a wrong key is sent exactly once: %j',
		async (parameters) => {
			const more = { credential: { apiKey: 'WRONGKEYWRONGKEY' }, input: [{ term: 'a' }] };
			expect((await failureOf(sandbox, parameters, more)).message).toBe(
				'The service did not accept the key',
			);
			expect(sandbox.requests).toHaveLength(1);
		},
	);
});

describe('time limits', () => {
	const timed = (jobId: string, output = 'results') =>
		forJob('download', jobId, { output, options: { requestTimeout: 0.2 } });

	test.each<[string, Fault, string]>([
		['no answer comes', { type: 'noAnswer' }, 'results'],
		['the body stalls at once', { type: 'stall' }, 'results'],
		['the body stalls in the middle', { type: 'stall', bytes: 40 }, 'results'],
		['a file stalls', { type: 'stall', bytes: 6000 }, 'file'],
		['the body trickles', { type: 'drip', bytes: 1, intervalMs: 20 }, 'results'],
		['a file trickles', { type: 'drip', bytes: 1, intervalMs: 20 }, 'file'],
	])('end a request when %s', async (_name, fault, output) => {
		const jobId = await seedJob(
			sandbox,
			Array.from({ length: 30 }, (_, index) => `value ${index}`),
		);
		fail(sandbox, 'download', fault, ONE_TRY);
		expect(await itemsOf(sandbox, timed(jobId, output))).not.toEqual([]);
		const downloads = sandbox.requests.filter(({ path }) => path.endsWith('/download'));
		expect(downloads.filter((one) => one.fault !== null)).toHaveLength(ONE_TRY);
	});

	test('are said where they end an operation', async () => {
		fail(sandbox, 'any', { type: 'noAnswer' }, 'always');
		const failure = await failureOf(sandbox, forJob('get', 'x', { options: { requestTimeout: 0.2 } }));
		expect(failure.message).toBe('The service did not answer in time');
		expect(failure.description).toContain(
			'Try again later, or raise Request Timeout if the operation has that option.',
		);
		expect(sandbox.requests).toHaveLength(ONE_TRY);
	});

	test('count silence, not the whole time', async () => {
		const jobId = await seedJob(sandbox, ['notfound']);
		fail(sandbox, 'any', { type: 'drip', bytes: 40, intervalMs: 30 });
		expect(await itemsOf(sandbox, timed(jobId))).toHaveLength(1);
	});

	test('do not hold up the stop button', async () => {
		fail(sandbox, 'any', { type: 'noAnswer' }, 'always');
		const { run, cancel } = await startWorkflow(scenario(credentialFor(sandbox), USAGE));
		await until(() => sandbox.requests.length > 0);
		cancel();
		expect((await run).status).toBe('canceled');
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('errors say what happened and what to do', () => {
	const PAGE = reply('<html><h1>Not Found</h1></html>', 404, { 'content-type': 'text/html' });

	test('a web page with 404 is no service', async () => {
		fail(sandbox, 'any', PAGE, 'always');
		expect(await failureOf(sandbox, USAGE)).toEqual({
			message: 'There is no Price Collection service at this address',
			description:
				'Check the Base URL of the credential. It is the part before /v2/jobs. The Migration resource converts workflows of version 1. Endpoint: GET /v2/me/usage_today, HTTP 404.',
			runStatus: 'error',
		});
	});

	test.each(['get', 'cancel', 'download'])(
		'a web page with 404 leaves open whether the job or the address is wrong: %s',
		async (operation) => {
			fail(sandbox, 'any', PAGE, 'always');
			const { message, description } = await failureOf(sandbox, forJob(operation, 'abc'));
			expect(message).toBe('Nothing was found at this address');
			expect(description).toContain(
				'Either the service does not know the job, or the Base URL of the credential is wrong: check both.',
			);
			expect(description).not.toMatch(/<html|undefined|\.\./);
		},
	);

	test("a 5xx is the service's trouble whatever its words are, and a creation may have begun", async () => {
		fail(sandbox, 'create', { type: 'refusal', reason: 'context canceled', status: 500 }, 'always');
		fail(sandbox, 'list', { type: 'serverError' }, 'always');
		const { message, description } = await failureOf(sandbox, TERM_PARAMETERS, {
			input: [{ term: 'pen' }],
		});
		expect(message).toBe('The service is temporarily unavailable');
		expect(description).toContain('the job may exist');
		expect(description).toContain('The service says: "context canceled"');
	});

	test('a cancelled job has no results, which is not "not finished"', async () => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		await cancelJob(sandbox, jobId);
		expect(await failureOf(sandbox, forJob('download', jobId))).toMatchObject({
			message: 'The job was cancelled, so it has no results',
			runStatus: 'error',
		});
	});

	test('a cancel whose reply was lost is sent once, and the job says whether it took effect', async () => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		fail(sandbox, 'cancel', LOST);
		expect(await itemsOf(sandbox, forJob('cancel', jobId))).toEqual([
			{ job_id: jobId, status: 'cancelled' },
		]);
		const running = await seedJob(sandbox, ['drill'], { running: true });
		fail(sandbox, 'cancel', NEVER_SENT);
		expect(await failureOf(sandbox, forJob('cancel', running))).toMatchObject({
			message: 'The connection to the service was lost',
			description:
				'It is unclear whether the job was cancelled: check its status (Get) before you continue. The Base URL begins with http://. A service that expects https:// may close such connections. Endpoint: POST /v2/jobs/{job_id}/cancel.',
		});
		expect(sandbox.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
	});
});

describe('going on after failures', () => {
	const each: INodeParameters = { ...forJob('get', ''), jobId: locator('id', '={{ $json.id }}') };
	const failed = {
		error: 'The service does not know this job',
		message: expect.stringContaining('Endpoint: GET /v2/jobs/{job_id}, HTTP 404.'),
	};

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'gives an item of the error in its place, paired, or the item itself with it: %s',
		async (onError) => {
			const ids = [await seedJob(sandbox), 'unknown', await seedJob(sandbox)];
			const run = await runNode(sandbox, each, { input: ids.map((id) => ({ id })), node: { onError } });
			const [first, last] = [ids[0], ids[2]].map((job_id) => expect.objectContaining({ job_id }));
			const isApart = onError === 'continueErrorOutput';
			expect(items(run, 'Prices', 0)).toEqual(isApart ? [first, last] : [first, failed, last]);
			expect(items(run, 'Prices', 1)).toEqual(isApart ? [{ id: 'unknown', ...failed }] : []);
			expect(linksOf(run)).toEqual((isApart ? [0, 2] : [0, 1, 2]).map((item) => ({ item })));
		},
	);

	test.each([
		[TERM_PARAMETERS, { baseUrl: 'nowhere' }],
		[{ ...TERM_PARAMETERS, options: { maxValues: 1 } }, {}],
	])(
		'what concerns the whole run reaches every item, and none passes for a success',
		async (parameters, credential) => {
			const input = [{ term: 'a' }, { term: 'b' }];
			const node = { onError: 'continueErrorOutput' } as const;
			const run = await runNode(sandbox, parameters, { credential, input, node });
			const [error, message] = [expect.any(String), expect.any(String)];
			expect(items(run, 'Prices', 0)).toEqual([]);
			expect(items(run, 'Prices', 1)).toEqual(input.map((item) => ({ ...item, error, message })));
			expect(sandbox.requests).toEqual([]);
		},
	);
});
