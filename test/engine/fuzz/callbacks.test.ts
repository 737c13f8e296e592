import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { useSandbox } from '../../support/useSandbox';
import type { IncomingRequest } from '../support/requests';
import { callTrigger } from '../support/trigger';
import { createJob } from '../support/core';
import { finishedJob, SECRET, signedQuery, triggerScenario } from '../support/triggerSupport';
import { anyBody } from './bodies';
import { anyJson, fuzz } from './fuzz';

const sandbox = useSandbox({ autoFinish: false });
let ended = '';
let running = '';
beforeEach(async () => {
	ended = await finishedJob(sandbox);
	running = await createJob(sandbox);
});

const NAMES = 'job_id job-id jobId id job data payload status download_url __proto__'.split(' ');
const TEXTS = 'ENDED RUNNING finished FAILED ../ENDED ENDED?x=1 https://a.example/jobs/ENDED/download'.split(
	' ',
);

/** The fields of any JSON call, which may name a job as services do, or not quite. */
const anyFields = fc.dictionary(
	fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 8 })),
	fc.oneof(
		fc.constantFrom<unknown>(...TEXTS, '{"job_id":"ENDED"}', ['ENDED'], { _: 'ENDED' }),
		fc.constant<unknown>({ id: 'ENDED', status: 'finished' }),
		anyJson,
	),
	{ maxKeys: 6 },
);

const SIGNATURE = signedQuery();
const anyQuery = fc.oneof(
	fc.constant({}),
	fc.record({
		pc_expires: fc.oneof(fc.constantFrom<unknown>(SIGNATURE.pc_expires, '0', ['1', '2']), anyJson),
		pc_nonce: fc.oneof(fc.constantFrom<unknown>(SIGNATURE.pc_nonce), anyJson),
		pc_signature: fc.oneof(fc.constantFrom<unknown>('f'.repeat(64), 'A', ['a', 'b']), anyJson),
	}),
	fc.dictionary(fc.string({ maxLength: 6 }), anyJson, { maxKeys: 3 }),
);

const anyCall = fc
	.tuple(
		fc.oneof(
			anyFields.map((body) => ({ body, rawBody: Buffer.from(JSON.stringify(body)) })),
			anyJson.map((body) => ({ body, rawBody: Buffer.from(JSON.stringify(body) ?? '') })),
			anyBody.map((rawBody) => ({ body: rawBody.toString('latin1'), rawBody })),
		),
		anyQuery,
		fc.constantFrom(
			undefined,
			'',
			...['json', 'x-www-form-urlencoded', 'xml', 'b+xml'].map((one) => `application/${one}`),
		),
		fc.constantFrom('POST', 'GET', 'PUT'),
	)
	.map(([content, query, contentType, method]) => {
		const headers = contentType === undefined ? {} : { 'content-type': contentType };
		return { ...content, query, headers, method } as unknown as IncomingRequest;
	});

/** The call with the IDs of the existing jobs filled in. */
function naming(request: IncomingRequest): IncomingRequest {
	const named = (text: string) => text.replaceAll('ENDED', ended).replaceAll('RUNNING', running);
	const { body, rawBody = Buffer.alloc(0) } = request;
	const text = JSON.stringify(body);
	return {
		...request,
		body: text === undefined ? body : (JSON.parse(named(text)) as IDataObject),
		rawBody: Buffer.from(named(rawBody.toString('latin1')), 'latin1'),
	};
}

/** Statuses that a caller may get: each explains itself, and none is a program error. */
const ANSWERS: readonly number[] = [200, 202, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503];

async function call(request: IncomingRequest, webhookSecret: string) {
	sandbox.clearRequests();
	const type = new PriceCollectionTrigger();
	const scenario = triggerScenario(sandbox, type, { events: ['any'] }, { webhookSecret });
	const { reply, response } = await callTrigger(scenario, 'Ends', request);
	const jobs = (reply.workflowData?.flat() ?? []).map(({ json }) => json.job_id);
	const { status = 200 } = response;
	return { jobs, status, requests: sandbox.requests.length, memory: scenario.staticData };
}

fuzz(
	'no call starts a workflow whose credential has a secret, and none costs a request',
	0.1,
	[anyCall],
	async (request) => {
		const told = await call(naming(request), SECRET);
		expect(told).toEqual({ jobs: [], requests: 0, memory: {}, status: 401 });
	},
);

let started = 0;
fuzz(
	'any call of a trigger without a secret starts the workflow for a job that has ended, or not at all',
	0.2,
	[anyCall],
	async (request) => {
		const { jobs, status, requests, memory } = await call(naming(request), '');
		started += jobs.length;
		expect([[], [ended]]).toContainEqual(jobs);
		expect(ANSWERS).toContain(status);
		// A status call, and the results if the job starts the workflow.
		expect(requests).toBeLessThanOrEqual(4);
		expect(JSON.stringify(memory).length).toBeLessThan(500);
	},
);
afterAll(() => expect(started).toBeGreaterThan(0));
