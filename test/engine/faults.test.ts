import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import { startSandbox } from '../sandbox/sandbox';
import type { Sandbox } from '../sandbox/sandbox';
import { errorOf, items, outputItems, startWorkflow } from './harness';
import { failureOf, forJob, itemsOf, runNode, seedJob, TERM_PARAMETERS } from './core';
import { credentialFor, locator, scenario } from './support';
import { now, time } from './virtualClock';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.reset();
	sandbox.setOptions({ autoFinish: false });
	time.pauses.length = 0;
});

const USAGE: INodeParameters = { resource: 'usage', operation: 'getToday' };

describe('reads are repeated', () => {
	const PASSING: Array<[string, Fault]> = [
		['a reset', { type: 'reset' }],
		['a reset after the work', { type: 'reset', when: 'after' }],
		['500', { type: 'serverError' }],
		['502 as text', { type: 'textBadGateway' }],
		['503 as a web page', { type: 'htmlUnavailable' }],
		['504', { type: 'serverError', status: 504 }],
		['408', { type: 'serverError', status: 408 }],
		['429', { type: 'tooManyRequests' }],
		['a truncated body', { type: 'truncate' }],
		['a truncated body without length', { type: 'truncate', length: false }],
		['JSON that stops in the middle', { type: 'brokenJson' }],
	];

	test.each(PASSING)('after %s, with growing pauses', async (_name, fault) => {
		sandbox.faults.add({ match: { nth: [1, 2, 3] }, fault });
		expect(await itemsOf(sandbox, USAGE)).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(4);
		expect(time.pauses).toEqual([375, 750, 1500]);
	});

	test.each(PASSING)('at most four times after %s', async (_name, fault) => {
		sandbox.faults.add({ times: 'always', fault });
		await failureOf(sandbox, USAGE);
		expect(sandbox.requests).toHaveLength(4);
	});

	test('after the time that the service asks for, in seconds', async () => {
		sandbox.faults.add({ fault: { type: 'tooManyRequests', retryAfterSeconds: 7 } });
		await itemsOf(sandbox, USAGE);
		expect(time.pauses).toEqual([7000]);
	});

	test('after the time that the service asks for, as a date', async () => {
		const headers = { 'retry-after': new Date(now() + 30_000).toUTCString() };
		sandbox.faults.add({ fault: { type: 'reply', status: 503, headers } });
		await itemsOf(sandbox, USAGE);
		expect(time.pauses).toHaveLength(1);
		expect(time.pauses[0]).toBeGreaterThan(25_000);
		expect(time.pauses[0]).toBeLessThanOrEqual(30_000);
	});

	test('not when the service asks for a longer wait than two minutes: that is said instead', async () => {
		sandbox.faults.add({ fault: { type: 'tooManyRequests', retryAfterSeconds: 600 } });
		const failure = await failureOf(sandbox, USAGE);
		expect(failure.message).toBe('The service received too many requests');
		expect(failure.description).toContain('The service asks to wait 600 seconds.');
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([
		['401', { type: 'refusal', reason: 'unauthorized', parameter: 'token', status: 401 }],
		['401 with a challenge', { type: 'reply', status: 401, headers: { 'www-authenticate': 'Basic' } }],
		['403', { type: 'refusal', reason: 'job forbidden', status: 403 }],
		['404', { type: 'reply', status: 404 }],
		['a web page', { type: 'html' }],
		['other JSON', { type: 'refusal', reason: 'surprise', status: 200 }],
		['an empty body', { type: 'emptyBody' }],
	] as const)('not after %s, which will not pass', async (_name, fault) => {
		sandbox.faults.add({ times: 'always', fault });
		await failureOf(sandbox, USAGE);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('and a wrong key is sent exactly once', async () => {
		const credential = { apiKey: 'WRONGKEYWRONGKEY' };
		for (const parameters of [USAGE, TERM_PARAMETERS, forJob('cancel', 'x'), forJob('download', 'x')]) {
			sandbox.clearRequests();
			const failure = await failureOf(sandbox, parameters, { credential, input: [{ term: 'a' }] });
			expect(failure.message).toBe('The service did not accept the key');
			expect(sandbox.requests).toHaveLength(1);
		}
	});
});

describe('time limits', () => {
	const timed = async (jobId: string, output = 'results') =>
		await failureOf(sandbox, forJob('download', jobId, { output, options: { requestTimeout: 0.2 } }));

	test.each([
		['no answer comes', { type: 'noAnswer' }],
		['the body stalls at once', { type: 'stall' }],
		['the body stalls in the middle', { type: 'stall', bytes: 40 }],
	] as const)('end a request when %s', async (_name, fault) => {
		const jobId = await seedJob(sandbox, ['drill']);
		sandbox.faults.add({ match: { nth: [1, 2, 3, 4] }, fault });
		const failure = await timed(jobId);
		expect(failure.message).toBe('The service did not answer in time');
		expect(failure.description).toMatch(
			/Try again later, or raise Request Timeout if the operation has that option\./,
		);
		expect(sandbox.requests).toHaveLength(4);
	});

	test('hold for files too', async () => {
		const jobId = await seedJob(
			sandbox,
			Array.from({ length: 30 }, (_, index) => `value ${index}`),
		);
		sandbox.faults.add({ times: 'always', fault: { type: 'stall', bytes: 6000 } });
		expect((await timed(jobId, 'file')).message).toBe('The service did not answer in time');
	});

	test('count silence, not the whole time', async () => {
		const jobId = await seedJob(sandbox, ['notfound']);
		sandbox.faults.add({ fault: { type: 'drip', bytes: 40, intervalMs: 30 } });
		const parameters = forJob('download', jobId, { options: { requestTimeout: 0.2 } });
		expect(await itemsOf(sandbox, parameters)).toHaveLength(1);
	});
});

describe('errors say what happened and what to do', () => {
	const texts: Array<[string, Fault, string, string]> = [
		[
			'a refusal with all words',
			{
				type: 'refusal',
				reason: 'unsupported key',
				parameter: 'key',
				comment: 'Use gtin!',
				status: 400,
			},
			'The service does not support this combination: key',
			'The service says: "unsupported key" (parameter key): Use gtin!',
		],
		[
			'a reason nobody knows',
			{ type: 'refusal', reason: 'moon in wrong house', status: 422 },
			'The service refused the request',
			'Correct what the response names and run again. The service says: "moon in wrong house". Endpoint: GET /v2/jobs/{job_id}, HTTP 422.',
		],
		[
			'a refusal with a good status',
			{ type: 'refusal', reason: 'job forbidden', status: 200 },
			'The key has no access to this',
			'HTTP 200.',
		],
		[
			'an old job',
			{ type: 'refusal', reason: 'job not found', status: 404 },
			'The service does not know this job',
			'72 hours',
		],
		[
			'a web page',
			{ type: 'html' },
			'The service returned a web page instead of data',
			'Check the Base URL',
		],
		[
			'a load balancer',
			{ type: 'htmlUnavailable' },
			'The service is temporarily unavailable',
			'Try again later.',
		],
		[
			'text',
			{ type: 'reply', status: 200, body: 'Hello there' },
			'The response is empty, or neither JSON nor XML',
			'It begins with: Hello there.',
		],
		[
			'no body',
			{ type: 'emptyBody' },
			'The job is not finished, so there is nothing to download yet',
			'The service answered without content.',
		],
		[
			'other JSON',
			{ type: 'wrongJson' },
			'The response is not what this endpoint returns',
			'Expected a job with "job_id" and "status", but the body is an object. It begins with: {"unexpected":{"shape":[1,2,3]}}.',
		],
		[
			'a path that is not there',
			{
				type: 'reply',
				status: 404,
				headers: { 'content-type': 'text/html' },
				body: '<html><h1>Not Found</h1></html>',
			},
			'There is no Price Collection service at this address',
			'Version 1 and its address are retired.',
		],
	];

	test.each(texts)('%s', async (_name, fault, message, description) => {
		sandbox.faults.add({ times: 'always', fault });
		const failure = await failureOf(sandbox, forJob('get', 'abc'));
		expect(failure.message).toBe(message);
		expect(failure.description).toContain(description);
		expect(failure.description).toContain('Endpoint: GET /v2/jobs/{job_id}');
		expect(failure.description).not.toMatch(/<html|undefined|\.\./);
		expect(failure.runStatus).toBe('error');
	});

	test.each([
		['nobody listens', { baseUrl: 'http://127.0.0.1:9' }, 'The service does not accept connections'],
		[
			'the Base URL has no scheme',
			{ baseUrl: 'api.example.test' },
			'The Base URL has no scheme. Put https:// in front of it.',
		],
	])('%s', async (_name, credential, message) => {
		const failure = await failureOf(sandbox, USAGE, { credential });
		expect(failure.message).toContain(message);
		expect(failure.runStatus).toBe('error');
	});

	test.each([
		['gone', 'This address is retired', 'GET /v2/me/usage_today, HTTP 410'],
		[
			'html',
			'There is no Price Collection service at this address',
			'Version 1 and its address are retired',
		],
		['reset', 'The connection to the service was lost', 'Try again later'],
		[
			'redirect',
			'The service redirects to another address',
			'If the service has moved, enter the new address',
		],
	] as const)('the retired address that answers with %s', async (legacyReply, message, description) => {
		sandbox.setOptions({ legacyReply });
		const failure = await failureOf(sandbox, USAGE, { credential: { baseUrl: sandbox.legacyUrl } });
		expect(failure.message).toBe(message);
		expect(failure.description).toContain(description);
	});

	test('the retired address is refused before anything is sent, once the credential knows it', async () => {
		const credential = {
			baseUrl: `${sandbox.legacyUrl}/v2/`,
			legacyBaseUrl: sandbox.legacyUrl,
			customizeService: true,
		};
		const failure = await failureOf(sandbox, USAGE, { credential });
		expect(failure.message).toContain('The Base URL is the legacy address, which is retired.');
		expect(sandbox.legacyRequests).toEqual([]);
	});

	test('a service that still speaks of version 1', async () => {
		const body = '{"success":false,"reason":"version 1 is no longer available"}';
		sandbox.faults.add({ fault: { type: 'reply', status: 410, body } });
		expect((await failureOf(sandbox, forJob('get', 'abc'))).message).toBe('This address is retired');
	});

	test('a cancelled job has no results, which is not "not finished"', async () => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		await itemsOf(sandbox, forJob('cancel', jobId));
		const failure = await failureOf(sandbox, forJob('download', jobId));
		expect(failure.message).toBe('The job was cancelled, so it has no results');
		expect(failure.runStatus).toBe('error');
	});

	test('a cancel whose reply was lost says so of the cancel, and is sent once', async () => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		sandbox.faults.add({ fault: { type: 'reset', when: 'after' } });
		const failure = await failureOf(sandbox, forJob('cancel', jobId));
		expect(failure.message).toBe('The connection to the service was lost');
		expect(failure.description).toBe(
			'It is unclear whether the job was cancelled: check its status (Get) before you continue. Endpoint: POST /v2/jobs/{job_id}/cancel.',
		);
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('going on after failures', () => {
	const each: INodeParameters = { ...forJob('get', ''), jobId: locator('id', '={{ $json.id }}') };
	const failed = {
		error: 'The service does not know this job',
		message: expect.stringContaining('Endpoint: GET /v2/jobs/{job_id}, HTTP 404.'),
	};

	test('Continue gives an error item in its place, paired to its item', async () => {
		const ids = [await seedJob(sandbox), 'unknown', await seedJob(sandbox)];
		const run = await runNode(sandbox, each, {
			input: ids.map((id) => ({ id })),
			node: { onError: 'continueRegularOutput' },
		});
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Prices')).toEqual([
			expect.objectContaining({ job_id: ids[0] }),
			failed,
			expect.objectContaining({ job_id: ids[2] }),
		]);
		expect(outputItems(run, 'Prices').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test('the error output gets the item with what happened and what to do', async () => {
		const ids = [await seedJob(sandbox), 'unknown'];
		const run = await runNode(sandbox, each, {
			input: ids.map((id) => ({ id })),
			node: { onError: 'continueErrorOutput' },
		});
		expect(items(run, 'Prices', 0)).toEqual([expect.objectContaining({ job_id: ids[0] })]);
		expect(items(run, 'Prices', 1)).toEqual([{ id: 'unknown', ...failed }]);
	});

	test('what concerns the whole run reaches every item, and none passes for a success', async () => {
		for (const parameters of [TERM_PARAMETERS, { ...TERM_PARAMETERS, options: { maxValues: 1 } }]) {
			const credential = parameters === TERM_PARAMETERS ? { baseUrl: 'nowhere' } : {};
			const run = await runNode(sandbox, parameters, {
				credential,
				input: [{ term: 'a' }, { term: 'b' }],
				node: { onError: 'continueErrorOutput' },
			});
			expect(items(run, 'Prices', 0)).toEqual([]);
			expect(items(run, 'Prices', 1)).toEqual(
				['a', 'b'].map((term) => ({ term, error: expect.any(String), message: expect.any(String) })),
			);
		}
		expect(sandbox.requests).toEqual([]);
	});

	test('create: items that cannot be asked for do not hold up the others', async () => {
		const run = await runNode(sandbox, TERM_PARAMETERS, {
			input: [{ term: 'a' }, { term: '' }, { term: 'b' }],
			node: { onError: 'continueErrorOutput' },
		});
		expect(items(run, 'Prices', 0)).toEqual([expect.objectContaining({ requested: 2 })]);
		expect(items(run, 'Prices', 1)).toEqual([
			{
				term: '',
				error: 'Search Terms is empty',
				message:
					'Enter what to look up, one value per line, e.g. {{ $json.gtin }}. Nothing was sent for this item.',
			},
		]);
	});
});

test('the stop button ends a wait for the service at once', async () => {
	sandbox.faults.add({ times: 'always', fault: { type: 'noAnswer' } });
	const { run, cancel } = await startWorkflow(scenario(credentialFor(sandbox), USAGE));
	while (sandbox.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
	cancel();
	expect((await run).status).toBe('canceled');
	expect(sandbox.requests).toHaveLength(1);
});
