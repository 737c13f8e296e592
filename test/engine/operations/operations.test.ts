import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';
import {
	cancelJob,
	fail,
	failureOf,
	forJob,
	itemsOf,
	runNode,
	seedJob,
	sent,
	TERM_PARAMETERS,
} from '../support/core';
import { items, linksOf } from '../support/harness';
import { locator } from '../support/common';

const sandbox = useSandbox({ autoFinish: false });

const token = () => ({ token: sandbox.apiKey });
const DRILL = { input: [{ term: 'drill' }] };
const ASKED = { topic: 'search', source: 'google_shopping', country: 'de', key: 'term' };

describe('create', () => {
	test('sends what is set and nothing else, and gives the reply as it came', async () => {
		const created = await itemsOf(sandbox, TERM_PARAMETERS, DRILL);
		expect(sandbox.requests.map(sent)).toEqual([
			{
				...{ method: 'POST', path: '/v2/jobs', query: token() },
				body: '{"topic":"search","source":"google_shopping","country":"de","key":"term","value":"drill"}',
			},
		]);
		expect(sandbox.requests[0]?.headers).toMatchObject({
			...{ accept: 'application/json', 'content-type': 'application/json' },
		});
		expect(created).toEqual([{ job_id: sandbox.jobs[0]?.job_id, status: 'new', requested: 1 }]);
	});

	test('sends all options under their wire names', async () => {
		const webhook = 'https://n8n.example.test/webhook/x';
		const options = {
			...{ condition: 'new', maxAge: 0, maxPages: 3, shipping: 'any', sortBy: 'price_ascending' },
			...{ timeout: 5, webhookUrl: ` ${webhook} ` },
			additionalParameters: { parameter: [{ name: 'min_price', value: '12.90' }] },
		};
		await itemsOf(sandbox, { ...TERM_PARAMETERS, options }, DRILL);
		expect(JSON.parse(sandbox.requests[0]?.body ?? '')).toEqual({
			...{ ...ASKED, value: 'drill', condition: 'new', max_age: 0, max_pages: 3, shipping: 'any' },
			...{ sort_by: 'price_ascending', timeout: 5, webhook_url: webhook, min_price: '12.90' },
		});
	});
});

describe('every way to speak to the service', () => {
	test('a form carries numbers, signs and several values as the service reads them', async () => {
		const values = { values: '={{ ["drill & co", "säge+1"] }}', options: { maxPages: 2 } };
		const credential = { requestBody: 'form', customizeService: true };
		await itemsOf(sandbox, { ...TERM_PARAMETERS, ...values }, { credential });
		const [request] = sandbox.requests;
		expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
		expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
			...{ ...ASKED, max_pages: '2', values: 'drill & co\nsäge+1' },
		});
		expect(sandbox.jobs[0]?.values).toEqual(['drill & co', 'säge+1']);
	});
});

describe('get', () => {
	test.each(['ID', 'URL/v2/jobs/ID', 'URL/v2/jobs/ID/download.xml?format=xml', '/v2/jobs/ID/cancel'])(
		'takes the ID out of %j',
		async (written) => {
			const jobId = await seedJob(sandbox);
			const text = written.replace('URL', sandbox.url).replace('ID', jobId);
			expect(await itemsOf(sandbox, forJob('get', text))).toMatchObject([{ job_id: jobId }]);
			expect(sandbox.requests.map(({ path }) => path)).toEqual([`/v2/jobs/${jobId}`]);
		},
	);

	test('a job ID that is no proper address part is sent encoded, not into another path', async () => {
		await failureOf(sandbox, forJob('get', '%E0%A4%A/../me?x=1'));
		expect(sandbox.requests.map(({ url }) => url.split('?')[0])).toEqual([
			'/v2/jobs/%25E0%25A4%25A%2F..%2Fme%3Fx%3D1',
		]);
	});
});

describe('cancel', () => {
	const running = async () => await seedJob(sandbox, ['drill'], { running: true });
	const ignoring = (jobId: string) => forJob('cancel', jobId, { options: { ignoreEnded: true } });

	test.each([
		['minimal', { status: 'cancelled' }],
		['job', { status: 'canceled', requested: 1 }],
	] as const)('gives the job ID and the reply: %s', async (cancelReply, expected) => {
		sandbox.setOptions({ cancelReply, ...(cancelReply === 'job' && { cancelledSpelling: 'canceled' }) });
		const jobId = await running();
		const given = await itemsOf(sandbox, forJob('cancel', jobId));
		const whole =
			cancelReply === 'job' ? expect.objectContaining(expected) : { job_id: jobId, ...expected };
		expect(given).toEqual([whole]);
		expect(sandbox.requests.map(sent)).toEqual([
			{ method: 'POST', path: `/v2/jobs/${jobId}/cancel`, query: token(), body: '' },
		]);
		expect(sandbox.jobs[0]?.status).toMatch(/^cancell?ed$/);
	});

	test('a job that is over is a failure, said as it is', async () => {
		expect(await failureOf(sandbox, forJob('cancel', await seedJob(sandbox)))).toEqual({
			message: 'The job is already over',
			description:
				'It ended before the request arrived. With Ignore Ended Jobs, the Cancel operation treats that as success. The service says: "Job is already finished or canceled". Endpoint: POST /v2/jobs/{job_id}/cancel, HTTP 409.',
			runStatus: 'error',
		});
	});

	const UNABLE = { type: 'refusal', reason: 'Unable to do this', status: 400 } as const;

	test.each([
		['finished', undefined],
		['finished', UNABLE],
		['cancelled', undefined],
	] as const)('ignores that a job is %s already, whatever it is told: %j', async (status, fault) => {
		const jobId = await (status === 'cancelled' ? running() : seedJob(sandbox));
		if (status === 'cancelled') await cancelJob(sandbox, jobId);
		if (fault) fail(sandbox, 'cancel', fault);
		expect(await itemsOf(sandbox, ignoring(jobId))).toEqual([
			{ job_id: jobId, status, already_over: true },
		]);
	});

	test('ignoring ended jobs hides no other failure', async () => {
		fail(sandbox, 'cancel', UNABLE);
		const [running1, unknown] = [ignoring(await running()), ignoring('unknown')];
		expect((await failureOf(sandbox, running1)).message).toBe('The service refused the request');
		expect((await failureOf(sandbox, unknown)).message).toBe('The service does not know this job');
	});
});

describe('usage', () => {
	test.each([
		['getToday', '/v2/me/usage_today', 'flat'],
		['getMonth', '/v2/me/usage_month', 'array'],
	] as const)('%s gives the reply of %s as it came: %s', async (operation, path, usageShape) => {
		sandbox.setOptions({ usageShape });
		const response = await fetch(`${sandbox.url}${path}?token=${sandbox.apiKey}`);
		const body = (await response.json()) as object;
		sandbox.clearRequests();
		expect(await itemsOf(sandbox, { resource: 'usage', operation })).toEqual([
			Array.isArray(body) ? { reply: body } : body,
		]);
		expect(sandbox.requests.map(sent)).toEqual([{ method: 'GET', path, query: token(), body: '' }]);
	});
});

test('each item is asked for on its own, and its output is paired to it', async () => {
	const input = [{ id: await seedJob(sandbox, ['a']) }, { id: await seedJob(sandbox, ['b', 'c']) }];
	const parameters: INodeParameters = {
		...forJob('download', ''),
		jobId: locator('id', '={{ $json.id }}'),
	};
	const run = await runNode(sandbox, parameters, { input });
	expect(items(run, 'Prices').map(({ value }) => value)).toEqual(['a', 'b', 'c']);
	expect(linksOf(run)).toEqual([{ item: 0 }, { item: 1 }, { item: 1 }]);
});
