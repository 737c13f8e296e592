import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../../engine/support/workflow.ts';
import type { Case } from './plan.ts';

const OUR_NODE = 'n8n-nodes-price-collection.priceCollection';

/** The names of the nodes that the audit reads. */
export const ROWS = 'Rows';
export const FAILED = 'Failed';

export interface CredentialReference {
	id: string;
	name: string;
}

const locator = (mode: string, value: string): INodeParameters => ({ __rl: true, mode, value });

/** Adds to each item, as `linked`, the `id` of the row that n8n links it to, or why it finds none. */
function link(name: string): INode {
	const value =
		"={{ (() => { try { return $('Start').item.json.id ?? 'no id'; } catch (error) { return 'no link: ' + error.message; } })() }}";
	const assignments = { assignments: [{ id: '1', name: 'linked', type: 'string', value }] };
	return node(
		name,
		'n8n-nodes-base.set',
		{ mode: 'manual', assignments, includeOtherFields: true, options: {} },
		{ typeVersion: 3.4 },
	);
}

/** The fields that say what to collect, shared by Collect and Create. */
function whatToCollect(one: Case): INodeParameters {
	const { grouping, timeout } = one;
	const given = timeout === undefined ? {} : { timeout };
	const options: INodeParameters = {
		grouping,
		requestTimeout: 15,
		priceFormat: 'text',
		...given,
	};
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

function waiting({ maxWait, pollInterval, isWired }: Case, mode: string): INodeParameters {
	const waitOptions: INodeParameters = {
		...(mode !== 'poll' && { pollInterval }),
		...(mode === 'poll' && isWired && { onDeadline: 'stillRunning' }),
		...(maxWait !== undefined && { maxWait }),
	};
	return { waitMode: mode, waitOptions };
}

const RESULTS: INodeParameters = { output: 'results', columns: 'all' };

/** The nodes before the one that asks, and their connections. A call with the rows in its body starts them. */
function beginning(path: string, asking: string, isQueuedTwice: boolean): [INode[], IConnections] {
	const isFirst = {
		...{ id: '1', leftValue: '={{ $json.id }}', rightValue: 'item 0' },
		operator: { type: 'string', operation: 'equals' },
	};
	const conditions = {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
		...{ conditions: [isFirst], combinator: 'and' },
	};
	const branches = node('If', 'n8n-nodes-base.if', { conditions, options: {} }, { typeVersion: 2.2 });
	const nodes = [
		node(
			'Trigger',
			'n8n-nodes-base.webhook',
			{ path, httpMethod: 'POST', responseMode: 'onReceived' },
			{ typeVersion: 2, webhookId: path },
		),
		node('Start', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items' }),
	];
	if (!isQueuedTwice) return [nodes, connect({ Trigger: ['Start'], Start: [asking] })];
	return [[...nodes, branches], connect({ Trigger: ['Start'], Start: ['If'], If: [asking, asking] })];
}

/**
 * A case's workflow. Rows pass through the node `Rows`, and failed items through `Failed` if there is an error output.
 *
 * @param path of the call that starts it
 */
export function workflowOf(
	one: Case,
	path: string,
	credential: CredentialReference,
): { nodes: INode[]; connections: IConnections } {
	const settings: Partial<INode> = {
		credentials: { priceCollectionApi: credential },
		onError: one.onError,
		...(one.retryOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 2_000 } : {}),
	};
	const ours = (name: string, parameters: INodeParameters) => node(name, OUR_NODE, parameters, settings);
	const failed = one.onError === 'continueErrorOutput' ? [FAILED] : [];
	const asking = one.flow === 'collect' ? 'Collect' : 'Create';
	const [before, connections] = beginning(path, asking, one.isQueuedTwice);
	const nodes = [...before, ...[ROWS, ...failed].map(link)];
	const wait = (mode: string) =>
		ours('Wait', {
			...{ resource: 'job', operation: 'wait', jobId: locator('id', '={{ $json.job_id }}') },
			...waiting({ ...one, maxWait: mode === one.waitMode ? one.maxWait : undefined }, mode),
			...RESULTS,
			options: { requestTimeout: 15, priceFormat: 'text' },
		});
	const loop = [ROWS, 'Wait', ...failed];
	// A node that keeps checking has the output Still Running only if jobs can leave by it.
	const unwired = one.waitMode === 'poll' ? [ROWS, ...failed] : [ROWS, [], ...failed];
	if (one.flow === 'createAndWait') {
		const create = { operation: 'create', ...whatToCollect(one) };
		return {
			nodes: [...nodes, ours('Create', create), wait(one.waitMode)],
			connections: {
				...connections,
				...connect({ Create: ['Wait', ...failed], Wait: one.isWired ? loop : unwired }),
			},
		};
	}
	const waited = waiting(one, one.waitMode);
	const collect = { operation: 'collect', ...whatToCollect(one), ...waited, ...RESULTS };
	return {
		nodes: [...nodes, ours('Collect', collect), ...(one.isWired ? [wait('durable')] : [])],
		connections: {
			...connections,
			...connect({
				Collect: one.isWired ? loop : unwired,
				...(one.isWired ? { Wait: loop } : {}),
			}),
		},
	};
}
