import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import type { LoggedRequest } from '../sandbox/http/requestLog';
import type { Sandbox } from '../sandbox/sandbox';
import { errorOf, items, runWorkflow } from './harness';
import { credentialFor, locator, scenario } from './support';

/** What a run of one node is made of besides its parameters. */
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

/** The items of a run that must have gone well. */
export async function itemsOf(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters,
	more: RunOptions = {},
): Promise<IDataObject[]> {
	const run = await runNode(sandbox, parameters, more);
	const error = errorOf(run);
	if (error)
		throw new Error(`${error.message}\n${'description' in error ? String(error.description) : ''}`);
	return items(run, 'Prices');
}

/** Message, description and status of the error that a run must have ended with. */
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

/** A request without what differs from run to run. */
export function sent(request: LoggedRequest | undefined): IDataObject {
	if (!request) throw new Error('There was no such request');
	const { method, path, query, body } = request;
	return { method, path, query, body };
}

/** Parameters of a creation by search term: nothing is checked or echoed differently. */
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

/** Creates a job over HTTP without the node; finished unless `running`. Gives its ID. */
export async function seedJob(
	sandbox: Sandbox,
	values: string[] = ['anything'],
	{ running = false, more = {} }: { running?: boolean; more?: IDataObject } = {},
): Promise<string> {
	const body = JSON.stringify({
		topic: 'search',
		source: 'google_shopping',
		country: 'de',
		key: 'term',
		values: values.join('\n'),
		...more,
	});
	const response = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
	const { job_id: jobId } = (await response.json()) as { job_id: string };
	if (!running) sandbox.finishJob(jobId);
	sandbox.clearRequests();
	return jobId;
}
