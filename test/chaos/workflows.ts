import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../engine/workflow.ts';
import type { Case } from './plan.ts';

const OUR_NODE = 'n8n-nodes-price-collection.priceCollection';

/** The names of the nodes that the audit reads. */
export const ROWS = 'Rows';
export const FAILED = 'Failed';

export interface CredentialReference {
	id: string;
	name: string;
}

export interface WorkflowParts {
	nodes: INode[];
	connections: IConnections;
}

const locator = (mode: string, value: string): INodeParameters => ({ __rl: true, mode, value });

/** Adds to each item, as `linked`, the `id` of the row that n8n links it to, or why it finds none. */
function link(name: string, y: number): INode {
	const value =
		"={{ (() => { try { return $('Start').item.json.id ?? 'no id'; } catch (error) { return 'no link: ' + error.message; } })() }}";
	const assignments = { assignments: [{ id: '1', name: 'linked', type: 'string', value }] };
	return node(
		name,
		'n8n-nodes-base.set',
		{ mode: 'manual', assignments, includeOtherFields: true, options: {} },
		{ typeVersion: 3.4, position: [900, y] },
	);
}

/** The fields that say what to collect, shared by Collect and Create. */
function whatToCollect(one: Case): INodeParameters {
	const options: INodeParameters = {
		grouping: one.grouping,
		maxValuesPerJob: one.maxValuesPerJob,
		requestTimeout: 15,
	};
	if (one.timeout !== undefined) options.timeout = one.timeout;
	return {
		resource: 'job',
		topic: one.topic,
		source: locator('name', one.source),
		country: locator('code', one.country),
		lookupKey: one.key,
		values: '={{ $json.values }}',
		options,
	};
}

function waiting({ maxWait, pollInterval }: Case, mode: string): INodeParameters {
	const options: INodeParameters = {};
	if (mode !== 'poll') options.pollInterval = pollInterval;
	if (maxWait !== undefined) options.maxWait = maxWait;
	return { waitMode: mode, waitOptions: options };
}

const RESULTS: INodeParameters = { output: 'results', columns: 'all' };

/** Every case begins alike: a call with the rows in its body. */
function beginning(path: string): INode[] {
	return [
		node(
			'Trigger',
			'n8n-nodes-base.webhook',
			{ path, httpMethod: 'POST', responseMode: 'onReceived' },
			{ typeVersion: 2, webhookId: path },
		),
		node('Start', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items' }, { position: [200, 0] }),
	];
}

/**
 * The workflow of a case. What comes out passes the node `Rows`, what fails the node `Failed`, where it has an output
 * of its own.
 *
 * @param path of the call that starts it
 */
export function workflowOf(one: Case, path: string, credential: CredentialReference): WorkflowParts {
	const settings: Partial<INode> = {
		credentials: { priceCollectionApi: credential },
		onError: one.onError,
		...(one.retryOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 2_000 } : {}),
	};
	const ours = (name: string, parameters: INodeParameters, x: number, y = 0) =>
		node(name, OUR_NODE, parameters, { ...settings, position: [x, y] });
	const hasErrorOutput = one.onError === 'continueErrorOutput';
	const failed = hasErrorOutput ? [FAILED] : [];
	const nodes = [...beginning(path), link(ROWS, 0), ...(hasErrorOutput ? [link(FAILED, 400)] : [])];
	const wait = (mode: string) =>
		ours(
			'Wait',
			{
				...{ resource: 'job', operation: 'wait', jobId: locator('id', '={{ $json.job_id }}') },
				...waiting({ ...one, maxWait: mode === one.waitMode ? one.maxWait : undefined }, mode),
				...RESULTS,
				options: { requestTimeout: 15 },
			},
			700,
			200,
		);
	const loop = [ROWS, 'Wait', ...failed];
	if (one.flow === 'createAndWait') {
		const create = { operation: 'create', ...whatToCollect(one) };
		return {
			nodes: [...nodes, ours('Create', create, 400), wait(one.waitMode)],
			connections: connect({
				...{ Trigger: ['Start'], Start: ['Create'], Create: ['Wait', ...failed] },
				// The second output of Wait may be unwired; the third is its errors.
				Wait: one.isWired ? loop : [ROWS, [], ...failed],
			}),
		};
	}
	const collect = {
		operation: 'collect',
		...whatToCollect(one),
		...waiting(one, one.waitMode),
		...RESULTS,
	};
	return {
		nodes: [...nodes, ours('Collect', collect, 400), ...(one.isWired ? [wait('durable')] : [])],
		connections: connect({
			...{ Trigger: ['Start'], Start: ['Collect'] },
			Collect: [ROWS, one.isWired ? 'Wait' : [], ...failed],
			...(one.isWired ? { Wait: loop } : {}),
		}),
	};
}
