import type { INodeParameters } from 'n8n-workflow';

import { connect, node } from '../engine/workflow';
import { startSandbox } from '../sandbox/sandbox';
import type { Sandbox } from '../sandbox/sandbox';
import { createCredential, NODE_TYPE, runWorkflow } from './harness/e2e';

/**
 * Every endpoint through the real n8n, against services that accept one way only: of sending the key, of encoding
 * a job and of naming its values.
 */
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ jobDurationMs: 50 });
});
afterAll(async () => await sandbox.close());

const WAYS = [
	['queryParameter', 'query', {}],
	['header', 'header', {}],
	['bearer', 'bearer', {}],
	['basic', 'basic', { username: 'sandbox', password: 'sandbox-password' }],
] as const;
const BODIES = ['json', 'form'] as const;
const LOOKUPS = [
	['value', 'single', 'Kaffee'],
	['values', 'list', 'Kaffee\nTee'],
] as const;
const CASES = WAYS.flatMap(([authentication, accepted, secrets]) =>
	BODIES.flatMap((body) =>
		LOOKUPS.map(
			([parameter, lookupValues, values]) =>
				[authentication, body, parameter, { accepted, secrets, lookupValues, values }] as const,
		),
	),
);

const locator = (mode: string, value: string): INodeParameters => ({ __rl: true, mode, value });
const JOB_ID = locator('id', "={{ $('Create').first().json.job_id }}");
const job = (name: string, parameters: INodeParameters) =>
	node(name, NODE_TYPE, { resource: 'job', ...parameters }, { executeOnce: true });

function nodesFor(values: string) {
	return [
		job('Create', {
			operation: 'create',
			topic: 'search',
			source: locator('name', 'ebay'),
			country: locator('code', 'de'),
			lookupKey: 'term',
			values,
		}),
		job('Wait', { operation: 'wait', jobId: JOB_ID, output: 'status' }),
		job('Get', { operation: 'get', jobId: JOB_ID, options: { format: 'xml' } }),
		job('Get Many', { operation: 'getAll' }),
		job('JSON', { operation: 'download', jobId: JOB_ID, options: { format: 'json' } }),
		job('XML', { operation: 'download', jobId: JOB_ID, options: { format: 'xml' } }),
		job('Cancel', { operation: 'cancel', jobId: JOB_ID, options: { ignoreEnded: true } }),
		node('Today', NODE_TYPE, { resource: 'usage', operation: 'getToday' }, { executeOnce: true }),
		node('Month', NODE_TYPE, { resource: 'usage', operation: 'getMonth' }, { executeOnce: true }),
	];
}

/** One after the other, in the order given. */
function inARow(names: string[]) {
	const all = ['Start', ...names];
	return connect(Object.fromEntries(all.slice(0, -1).map((name, index) => [name, [all[index + 1]!]])));
}

test.each(CASES)(
	'every endpoint answers with the key by %s, a %s body and %s',
	async (authentication, requestBody, parameter, { accepted, secrets, lookupValues, values }) => {
		sandbox.reset();
		sandbox.setOptions({
			jobDurationMs: 50,
			authentication: [accepted],
			bodyEncodings: [requestBody],
			lookupValues: parameter,
		});
		const credential = await createCredential({
			baseUrl: sandbox.url,
			authentication,
			apiKey: sandbox.apiKey,
			...secrets,
			customizeService: true,
			requestBody,
			lookupValues,
		});
		const nodes = nodesFor(values);
		const run = await runWorkflow(nodes, inARow(nodes.map(({ name }) => name)), { credential });
		expect(run.error).toBeUndefined();

		const count = values.split('\n').length;
		expect(run.items('Create')).toHaveLength(parameter === 'value' ? count : 1);
		const [{ job_id: jobId }] = run.items('Create') as [{ job_id: string }];
		expect(run.items('Wait')).toMatchObject([{ job_id: jobId, status: 'finished' }]);
		expect(run.items('Get')).toMatchObject([{ job_id: jobId, status: 'finished', requested: count }]);
		expect(run.items('Get Many').map((item) => item.job_id)).toEqual([jobId]);
		expect(run.items('JSON').map((item) => [item.value, item.found])).toEqual(
			values.split('\n').map((value) => [value, true]),
		);
		expect(run.items('XML')).toEqual(run.items('JSON'));
		expect(run.items('Cancel')).toEqual([{ job_id: jobId, status: 'finished', already_over: true }]);
		expect(run.items('Today')).toMatchObject([{ jobs: 1, requested: count }]);
		expect(run.items('Month')).toMatchObject([{ jobs: 1, requested: count }]);

		const created = sandbox.requests.filter(
			({ method, path }) => method === 'POST' && path === '/v2/jobs',
		);
		expect(created.map(({ replyStatus }) => replyStatus)).toEqual([200]);
		expect(
			sandbox.requests.every(({ replyStatus }) => (replyStatus ?? 500) < 400 || replyStatus === 409),
		).toBe(true);
	},
);
