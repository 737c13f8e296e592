import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import type { LoggedRequest } from '../../fakes/sandbox/http/requestLog';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { errorOf, errorText, items, runWorkflow } from './harness';
import { credentialFor, locator, scenario } from './common';

/** What a run of one node needs besides its parameters. */
export interface RunOptions {
	credential?: IDataObject;
	input?: IDataObject[];
	node?: Partial<INode>;
}

/** Runs Items → Prices → Done with these parameters of the node. */
export async function runNode(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters,
	{ credential = {}, input = [{}], node = {} }: RunOptions = {},
): Promise<IRun> {
	return await runWorkflow(scenario(credentialFor(sandbox, credential), parameters, input, node));
}

/** The items of a run that must succeed. */
export async function itemsOf(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters,
	more: RunOptions = {},
): Promise<IDataObject[]> {
	const run = await runNode(sandbox, parameters, more);
	if (errorOf(run)) throw new Error(errorText(run));
	return items(run, 'Prices');
}

/** Message, description and status of a run that must fail. */
export async function failureOf(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters,
	more: RunOptions = {},
): Promise<{ message: string; description: string; runStatus: string }> {
	const run = await runNode(sandbox, parameters, more);
	const error = errorOf(run);
	if (!error) throw new Error(`No error, but ${JSON.stringify(items(run, 'Prices'))}`);
	const description = 'description' in error ? String(error.description) : '';
	return { message: error.message, description, runStatus: run.status };
}

/** A request without the parts that differ from run to run. */
export function sent(request: LoggedRequest | undefined): IDataObject {
	if (!request) throw new Error('There was no such request');
	const { method, path, query, body } = request;
	return { method, path, query, body };
}

/** Parameters for a creation by search term, which is neither checked nor echoed differently. */
export const TERM_PARAMETERS: INodeParameters = {
	resource: 'job',
	operation: 'create',
	topic: 'search',
	source: locator('name', 'google_shopping'),
	country: locator('code', 'de'),
	lookupKey: 'term',
	values: '={{ $json.term }}',
};

/** Parameters of an operation on one job. */
export function forJob(operation: string, jobId: string, more: INodeParameters = {}): INodeParameters {
	return { resource: 'job', operation, jobId: locator('id', jobId), ...more };
}

/** The service's endpoints, as matches for faults. */
export const ENDPOINTS = {
	any: {},
	create: { method: 'POST', pathPattern: '^/v2/jobs$' },
	list: { method: 'GET', pathPattern: '^/v2/jobs$' },
	status: { method: 'GET', pathPattern: '/jobs/[^/]+$' },
	cancel: { method: 'POST', pathPattern: '/cancel$' },
	download: { pathPattern: '/download' },
};

/** Faults, named by what they mean to a user. */
export const LOST: Fault = { type: 'reset', when: 'after' };
export const NEVER_SENT: Fault = { type: 'reset' };
export const DOWN: Fault = { type: 'serverError' };
export const NO_CREDITS: Fault = { type: 'refusal', reason: 'not enough free credits', status: 402 };
/** How often one try of the node asks before it gives up. */
export const ONE_TRY = 4;

/** A fault that replies with this body: a text as it is, anything else as JSON. */
export function reply(body: unknown, status = 200, headers?: Record<string, string>): Fault {
	return { type: 'reply', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** Makes an endpoint fail: this many times, always, or only at the requests with these numbers. */
export function fail(
	{ faults }: Pick<Sandbox, 'faults'>,
	endpoint: keyof typeof ENDPOINTS | { pathPattern: string },
	fault: Fault,
	when: number | 'always' | { nth: number | number[] } = 1,
) {
	const match = typeof endpoint === 'string' ? ENDPOINTS[endpoint] : endpoint;
	if (typeof when === 'object') return faults.add({ match: { ...match, ...when }, fault });
	return faults.add({ match, times: when, fault });
}

type Account = Pick<Sandbox, 'url' | 'apiKey'>;

/** Creates a running job without the node, as if from elsewhere. */
export async function createJob(account: Account, more: IDataObject = {}): Promise<string> {
	const asked = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'term' };
	const response = await fetch(`${account.url}/v2/jobs?token=${account.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...asked, ...('value' in more ? {} : { values: 'lamp\nchair' }), ...more }),
	});
	if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
	const { job_id: jobId } = (await response.json()) as { job_id: string };
	return jobId;
}

/** Cancels a job without the node. */
export async function cancelJob({ url, apiKey }: Account, jobId: string): Promise<void> {
	await fetch(`${url}/v2/jobs/${jobId}/cancel?token=${apiKey}`, { method: 'POST' });
}

/** A search job, finished unless `running`. Its creation is not among the requests. */
export async function seedJob(
	sandbox: Sandbox,
	values: string[] = ['anything'],
	{ running = false, more = {} }: { running?: boolean; more?: IDataObject } = {},
): Promise<string> {
	const jobId = await createJob(sandbox, { topic: 'search', values: values.join('\n'), ...more });
	if (!running) sandbox.finishJob(jobId);
	sandbox.clearRequests();
	return jobId;
}
