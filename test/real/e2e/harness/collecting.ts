import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../../../engine/support/workflow';
import type { LoggedRequest } from '../../../fakes/sandbox/http/requestLog';
import type { InspectedJob } from '../../../fakes/sandbox/inspection';
import { NODE_TYPE, createCredential, n8n, runWorkflow, unique } from './e2e';
import type { Outcome } from './e2e';
import { sharedServers } from './shared';

/** Calls a control address of the shared sandbox, which is not part of the service. */
export async function sandbox<T>(method: string, route: string, body?: object): Promise<T> {
	const reply = await fetch(`${sharedServers().sandboxUrl}/_sandbox/${route}`, {
		method,
		...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
	});
	return (await reply.json()) as T;
}

export const finishJob = async (jobId: unknown) => await sandbox('POST', `jobs/${String(jobId)}/finish`);

/** The requests whose address or body holds the text, oldest first. */
export async function requestsAbout(text: string): Promise<LoggedRequest[]> {
	const all = await sandbox<LoggedRequest[]>('GET', 'requests');
	return all.filter((request) => request.path.includes(text) || request.body.includes(text));
}

/** The jobs that were created for a value: each was paid for. */
export async function jobsOf(value: string): Promise<InspectedJob[]> {
	const jobs = await sandbox<InspectedJob[]>('GET', 'jobs');
	return jobs.filter(({ values }) => values.includes(value));
}

/** Makes the service refuse the next creation for lack of credits. */
export async function refuseNextCreation(): Promise<void> {
	await sandbox('POST', 'faults', {
		match: { method: 'POST', pathPattern: '^/v2/jobs$' },
		times: 1,
		fault: { type: 'refusal', reason: 'not enough free credits', status: 402 },
	});
}

export const locator = (mode: string, value: string): INodeParameters => ({ __rl: true, mode, value });

/** The node `Collect`: looks up the `term` of each item. */
export function collect(more: INodeParameters): INode {
	return node('Collect', NODE_TYPE, {
		resource: 'job',
		operation: 'collect',
		topic: 'product_and_offers',
		source: locator('name', 'google_shopping'),
		country: locator('code', 'de'),
		lookupKey: 'term',
		values: '={{ $json.term }}',
		...more,
	});
}

/** Reduces each row to its value, whether it was found, and the `id` of the Start item that n8n links it to. */
export const linked = node(
	'Linked',
	'n8n-nodes-base.set',
	{
		mode: 'manual',
		assignments: {
			assignments: [
				{ id: '1', name: 'linked', type: 'string', value: "={{ $('Start').item.json.id }}" },
				{ id: '2', name: 'value', type: 'string', value: '={{ $json.result_value }}' },
				{ id: '3', name: 'found', type: 'boolean', value: '={{ $json.result_found }}' },
			],
		},
		options: {},
	},
	{ typeVersion: 3.4 },
);

/** The rows of a run as texts: the linked item, the value, whether it was found. */
export const rowsOf = (outcome: Outcome) =>
	outcome.allItems('Linked').map((row) => `${row.linked} ${row.value} ${row.found}`);

/** A Wait operation behind Still Running that is wired to itself. n8n runs the lowest branch last, so rows go first. */
export const WAIT = node(
	'Wait',
	NODE_TYPE,
	{
		resource: 'job',
		operation: 'wait',
		jobId: locator('id', '={{ $json.job_id }}'),
		waitMode: 'durable',
	},
	{ position: [0, 100] },
);

export type Mode = 'poll' | 'durable' | 'webhook';

/** Collect with `Linked` behind it and, for a timer, the loop with Wait. */
export function collectWorkflow(waitMode: Mode, more: INodeParameters = {}): [INode[], IConnections] {
	const collecting = collect({ waitMode, ...more });
	if (waitMode !== 'durable')
		return [[collecting, linked], connect({ Start: ['Collect'], Collect: ['Linked'] })];
	const wires = { Start: ['Collect'], Collect: ['Linked', 'Wait'], Wait: ['Linked', 'Wait'] };
	return [[collecting, linked, WAIT], connect(wires)];
}

/** A suspended run, and the rows that it must have in the end. */
export interface Suspended {
	outcome: Outcome;
	rows: string[];
	/** The value whose job goes on until the test ends it; no other run asks for it. */
	slow: string;
	jobId: unknown;
}

/** Starts a run of three items with two values, one of which keeps its job going. */
export async function suspend(waitMode: 'durable' | 'webhook', client = n8n()): Promise<Suspended> {
	const slow = unique('slow');
	const input = ['kettle', slow, 'kettle'].map((term, index) => ({ id: 'abc'[index] ?? '', term }));
	const outcome = await runWorkflow(...collectWorkflow(waitMode), {
		client,
		credential: await createCredential({}, client),
		mode: 'production',
		until: ['waiting'],
		input,
	});
	const rows = ['a kettle true', `b ${slow} false`, 'c kettle true'];
	return { outcome, rows, slow, jobId: outcome.items('Collect', 1)[0]?.job_id };
}
