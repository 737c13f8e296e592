import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../useSandbox';
import { errorOf, items, outputItems } from './harness';
import { failureOf, forJob, itemsOf, runNode, seedJob, sent, TERM_PARAMETERS } from './core';
import { locator } from './support';

const sandbox = useSandbox({ autoFinish: false });

const token = () => ({ token: sandbox.apiKey });

describe('create', () => {
	test('sends what is set and nothing else, and gives the reply as it came', async () => {
		const created = await itemsOf(sandbox, TERM_PARAMETERS, { input: [{ term: 'drill' }] });
		expect(sandbox.requests.map(sent)).toEqual([
			{
				method: 'POST',
				path: '/v2/jobs',
				query: token(),
				body: '{"topic":"search","source":"google_shopping","country":"de","key":"term","value":"drill"}',
			},
		]);
		expect(sandbox.requests[0]?.headers).toMatchObject({
			accept: 'application/json',
			'content-type': 'application/json',
		});
		expect(created).toEqual([{ job_id: sandbox.jobs[0]?.job_id, status: 'new', requested: 1 }]);
	});

	test('keeps every field of a whole job object', async () => {
		sandbox.setOptions({ createReply: 'job' });
		const [created] = await itemsOf(sandbox, TERM_PARAMETERS, { input: [{ term: 'drill' }] });
		expect(created).toMatchObject({
			job_id: sandbox.jobs[0]?.job_id,
			topic: 'search',
			parameters: { max_pages: 1 },
			progress: 0,
			terminated_at: null,
		});
	});

	test('sends all options under their wire names', async () => {
		const options = {
			condition: 'new',
			maxAge: 0,
			maxPages: 3,
			shipping: 'any',
			sortBy: 'price_ascending',
			timeout: 5,
			webhookUrl: ' https://n8n.example.test/webhook/x ',
			additionalParameters: { parameter: [{ name: 'min_price', value: '12.90' }] },
		};
		await itemsOf(sandbox, { ...TERM_PARAMETERS, options }, { input: [{ term: 'drill' }] });
		expect(JSON.parse(sandbox.requests[0]?.body ?? '')).toEqual({
			topic: 'search',
			source: 'google_shopping',
			country: 'de',
			key: 'term',
			value: 'drill',
			condition: 'new',
			max_age: 0,
			max_pages: 3,
			shipping: 'any',
			sort_by: 'price_ascending',
			timeout: 5,
			webhook_url: 'https://n8n.example.test/webhook/x',
			min_price: '12.90',
		});
	});

	test('pairs one job to all items that asked, and each value is in it once', async () => {
		const run = await runNode(sandbox, TERM_PARAMETERS, {
			input: [{ term: 'drill' }, { term: 'saw' }, { term: 'drill' }],
		});
		expect(errorOf(run)).toBeUndefined();
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['drill', 'saw']]);
		expect(outputItems(run, 'Prices')[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});
});

describe('every way to speak to the service', () => {
	const AUTHENTICATION = {
		queryParameter: { fields: {}, place: 'query' },
		header: { fields: { authentication: 'header' }, place: 'header' },
		bearer: { fields: { authentication: 'bearer' }, place: 'bearer' },
		basic: {
			fields: { authentication: 'basic', username: 'sandbox', password: 'sandbox-password' },
			place: 'basic',
		},
	} as const;
	const cases = Object.entries(AUTHENTICATION).flatMap(([name, how]) =>
		(['json', 'form'] as const).flatMap((requestBody) =>
			(['json', 'xml'] as const).flatMap((format) =>
				(['single', 'list'] as const).map((lookupValues) => ({
					...{ name, how, requestBody, format, lookupValues },
				})),
			),
		),
	);

	test.each(cases)(
		'$name, $requestBody bodies, $format replies, $lookupValues values',
		async ({ how, requestBody, format, lookupValues }) => {
			sandbox.setOptions({
				authentication: [how.place],
				bodyEncodings: [requestBody],
				lookupValues: lookupValues === 'single' ? 'value' : 'values',
			});
			const credential = { ...how.fields, requestBody, lookupValues, customizeService: true };
			const created = await itemsOf(sandbox, TERM_PARAMETERS, {
				credential,
				input: [{ term: 'drill' }, { term: 'saw' }],
			});
			expect(created).toHaveLength(lookupValues === 'single' ? 2 : 1);
			const jobId = String(created[0]?.job_id);
			const asked = { options: { format } };
			const [job] = await itemsOf(sandbox, forJob('get', jobId, asked), { credential });
			expect(job).toMatchObject({
				job_id: jobId,
				requested: lookupValues === 'single' ? 1 : 2,
			});
			sandbox.finishJob(jobId);
			const rows = await itemsOf(sandbox, forJob('download', jobId, asked), { credential });
			expect(rows.map(({ value, found }) => ({ value, found }))).toEqual(
				(lookupValues === 'single' ? ['drill'] : ['drill', 'saw']).map((value) => ({
					value,
					found: true,
				})),
			);
			expect(
				await itemsOf(sandbox, { resource: 'job', operation: 'getAll' }, { credential }),
			).toHaveLength(created.length);
			expect(
				await itemsOf(sandbox, { resource: 'usage', operation: 'getMonth' }, { credential }),
			).toHaveLength(1);
			const accepts = sandbox.requests.map(({ headers }) => headers.accept);
			expect(new Set(accepts)).toEqual(
				new Set(['application/json', ...(format === 'xml' ? ['application/xml'] : [])]),
			);
			expect(
				sandbox.requests.every(({ query }) => how.place === 'query' || query.token === undefined),
			).toBe(true);
		},
	);

	test.each([
		['acceptHeader', '/v2/jobs/ID/download', 'application/xml', {}],
		['pathSuffix', '/v2/jobs/ID/download.xml', '*/*', {}],
		['queryParameter', '/v2/jobs/ID/download', '*/*', { as: 'xml' }],
	])('asks for XML by %s', async (formatSelection, path, accept, query) => {
		sandbox.setOptions({ formatParameter: 'as' });
		const jobId = await seedJob(sandbox);
		const credential = { formatSelection, formatParameter: 'as', customizeService: true };
		const rows = await itemsOf(sandbox, forJob('download', jobId, { options: { format: 'xml' } }), {
			credential,
		});
		expect(rows).toHaveLength(1);
		const [request] = sandbox.requests;
		expect(request?.url.split('?')[0]).toBe(path.replace('ID', jobId));
		expect(request?.headers.accept).toBe(accept);
		expect(request?.query).toEqual({ ...query, ...token() });
	});

	test('a form carries numbers, signs and several values as the service reads them', async () => {
		await itemsOf(
			sandbox,
			{ ...TERM_PARAMETERS, values: '={{ ["drill & co", "säge+1"] }}', options: { maxPages: 2 } },
			{ credential: { requestBody: 'form', customizeService: true } },
		);
		const [request] = sandbox.requests;
		expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
		expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
			topic: 'search',
			source: 'google_shopping',
			country: 'de',
			key: 'term',
			max_pages: '2',
			values: 'drill & co\nsäge+1',
		});
		expect(sandbox.jobs[0]?.values).toEqual(['drill & co', 'säge+1']);
	});
});

describe('get', () => {
	test('gives the job object as it came, the same for JSON and XML', async () => {
		// However slow the machine is, both see it in the same state.
		sandbox.setOptions({ jobDurationMs: 3_600_000 });
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		const [json] = await itemsOf(sandbox, forJob('get', jobId));
		const [xml] = await itemsOf(sandbox, forJob('get', jobId, { options: { format: 'xml' } }));
		expect(sandbox.requests.map(sent)).toEqual(
			[1, 2].map(() => ({ method: 'GET', path: `/v2/jobs/${jobId}`, query: token(), body: '' })),
		);
		expect(xml).toEqual(json);
		expect(json).toMatchObject({ job_id: jobId, requested: 1 });
	});

	test.each([
		['the ID', (id: string) => id],
		['blanks around it', (id: string) => `  ${id}\n`],
		['its address', (id: string) => `${sandbox.url}/v2/jobs/${id}`],
		[
			'the address of its download',
			(id: string) => `${sandbox.url}/v2/jobs/${id}/download.xml?format=xml`,
		],
		['the path of its cancel', (id: string) => `/v2/jobs/${id}/cancel`],
	])('takes %s', async (_name, written) => {
		const jobId = await seedJob(sandbox);
		expect(await itemsOf(sandbox, forJob('get', written(jobId)))).toMatchObject([{ job_id: jobId }]);
		expect(sandbox.requests.map(({ path }) => path)).toEqual([`/v2/jobs/${jobId}`]);
	});

	test.each(['hex', 'uuid', 'number', 'odd'] as const)(
		'takes a job ID of the kind %s',
		async (jobIdFormat) => {
			sandbox.setOptions({ jobIdFormat });
			const jobId = await seedJob(sandbox);
			const parameters = { ...forJob('get', ''), jobId: locator('id', '={{ $json.job_id }}') };
			const [job] = await itemsOf(sandbox, parameters, { input: [{ job_id: jobId }] });
			expect(String(job?.job_id)).toBe(String(jobId));
		},
	);

	test.each([
		['={{ "" }}', 'Job is empty'],
		['..', '".." is not a job ID'],
		['https://api.example.test/other?token=KEY', '"https://api.example.test/other" is not a job ID'],
	])('refuses %p before anything is sent', async (written, message) => {
		expect(await failureOf(sandbox, forJob('get', written))).toMatchObject({ message });
		expect(sandbox.requests).toEqual([]);
	});

	test('a job ID that is no proper address part is sent encoded, not into another path', async () => {
		await failureOf(sandbox, forJob('get', '%E0%A4%A/../me?x=1'));
		expect(sandbox.requests.map(({ url }) => url.split('?')[0])).toEqual([
			'/v2/jobs/%25E0%25A4%25A%2F..%2Fme%3Fx%3D1',
		]);
	});
});

describe('cancel', () => {
	test.each([
		['minimal', (id: string) => ({ job_id: id, status: 'cancelled' })],
		['success', (id: string) => ({ job_id: id, success: true })],
		['empty', (id: string) => ({ job_id: id })],
	] as const)('gives the job ID and the reply: %s', async (cancelReply, expected) => {
		sandbox.setOptions({ cancelReply });
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		expect(await itemsOf(sandbox, forJob('cancel', jobId))).toEqual([expected(jobId)]);
		expect(sandbox.requests.map(sent)).toEqual([
			{ method: 'POST', path: `/v2/jobs/${jobId}/cancel`, query: token(), body: '' },
		]);
		expect(sandbox.jobs[0]?.status).toBe('cancelled');
	});

	test('gives the whole job where the reply is one', async () => {
		sandbox.setOptions({ cancelReply: 'job', cancelledSpelling: 'canceled' });
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		expect(await itemsOf(sandbox, forJob('cancel', jobId))).toMatchObject([
			{ job_id: jobId, status: 'canceled', requested: 1 },
		]);
	});

	test.each([
		['null', '{"job_id":"ID"}', 'null'],
		['XML', '{"job_id":"ID","status":"cancelled"}', '<hash><status>cancelled</status></hash>'],
		['a mere word', '{"job_id":"ID","reply":true}', 'true'],
	])('takes a reply of %s', async (_name, expected, body) => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		sandbox.faults.add({ fault: { type: 'reply', status: 200, body } });
		expect(await itemsOf(sandbox, forJob('cancel', jobId))).toEqual([
			JSON.parse(expected.replace('ID', jobId)),
		]);
	});

	test('a job that is over is a failure, said as it is', async () => {
		const jobId = await seedJob(sandbox);
		const failure = await failureOf(sandbox, forJob('cancel', jobId));
		expect(failure).toEqual({
			message: 'The job is already over',
			description:
				'It ended before the request came. The Cancel operation takes that for success with Ignore Ended Jobs. The service says: "Job is already finished or canceled". Endpoint: POST /v2/jobs/{job_id}/cancel, HTTP 409.',
			runStatus: 'error',
		});
	});

	test.each([
		['finished', undefined],
		['finished', { type: 'refusal', reason: 'Unable to do this', status: 400 }],
		['cancelled', undefined],
	] as const)('ignores that a job is %s already, whatever it is told: %j', async (status, fault) => {
		const jobId = await seedJob(sandbox, ['drill'], { running: status === 'cancelled' });
		if (status === 'cancelled') await itemsOf(sandbox, forJob('cancel', jobId));
		if (fault) sandbox.faults.add({ match: { method: 'POST' }, fault });
		const parameters = forJob('cancel', jobId, { options: { ignoreEnded: true } });
		expect(await itemsOf(sandbox, parameters)).toEqual([{ job_id: jobId, status, already_over: true }]);
	});

	test('ignoring ended jobs hides no other failure', async () => {
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		const parameters = forJob('cancel', jobId, { options: { ignoreEnded: true } });
		sandbox.faults.add({
			match: { method: 'POST' },
			fault: { type: 'refusal', reason: 'Unable to do this' },
		});
		expect((await failureOf(sandbox, parameters)).message).toBe('The service refused the request');
		expect(
			(await failureOf(sandbox, forJob('cancel', 'unknown', { options: { ignoreEnded: true } })))
				.message,
		).toBe('The service does not know this job');
	});
});

describe('usage', () => {
	test.each([
		['getToday', '/v2/me/usage_today'],
		['getMonth', '/v2/me/usage_month'],
	])('%s gives the reply as it came', async (operation, path) => {
		for (const usageShape of ['flat', 'nested'] as const) {
			sandbox.setOptions({ usageShape });
			const response = await fetch(`${sandbox.url}${path}?token=${sandbox.apiKey}`);
			sandbox.clearRequests();
			expect(await itemsOf(sandbox, { resource: 'usage', operation })).toEqual([await response.json()]);
			expect(sandbox.requests.map(sent)).toEqual([{ method: 'GET', path, query: token(), body: '' }]);
		}
	});

	test('a bare list goes under "reply"', async () => {
		sandbox.setOptions({ usageShape: 'array' });
		const [usage] = await itemsOf(sandbox, { resource: 'usage', operation: 'getMonth' });
		expect(usage).toEqual({ reply: expect.any(Array) });
	});
});

test('each item is asked for on its own, and its output is paired to it', async () => {
	const ids = [await seedJob(sandbox, ['a']), await seedJob(sandbox, ['b', 'c'])];
	const parameters: INodeParameters = {
		...forJob('download', ''),
		jobId: locator('id', '={{ $json.id }}'),
	};
	const run = await runNode(sandbox, parameters, { input: ids.map((id) => ({ id })) });
	expect(items(run, 'Prices').map(({ value }) => value)).toEqual(['a', 'b', 'c']);
	expect(outputItems(run, 'Prices').map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
});
