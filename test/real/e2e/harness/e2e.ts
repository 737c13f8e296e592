import { createRequire } from 'node:module';
import path from 'node:path';
import type { IConnections, IDataObject, INode, INodeExecutionData, IPinData } from 'n8n-workflow';
import { N8nClient, itemsOf, type Execution } from '../../../support/n8n/client.cjs';
import { connect, node } from '../../../engine/support/workflow';
import { sharedServers } from './shared';

/** The key of the sandbox's first account. */
export const SANDBOX_KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';

const OUR_NODES = 'n8n-nodes-price-collection.';

export const NODE_TYPE = `${OUR_NODES}priceCollection`;
export const TRIGGER_TYPE = `${OUR_NODES}priceCollectionTrigger`;
export const POLLING_TRIGGER_TYPE = `${OUR_NODES}priceCollectionPollingTrigger`;

/** How nodes refer to a credential. */
export interface CredentialReference {
	id: string;
	name: string;
}

export interface RunOptions {
	/** For every node of this package that has no credential yet. */
	credential?: CredentialReference;
	/** The output of the node `Start`; one empty item if absent. */
	input?: IDataObject[];
	/** `manual`: as in the editor. `production`: activated and started by a webhook call. */
	mode?: 'manual' | 'production';
	/** Statuses to wait for, e.g. `['waiting']`; any end of the execution if absent. */
	until?: string[];
	timeoutMs?: number;
	/** Settings of the workflow. */
	settings?: IDataObject;
	/** The n8n to use instead of the shared one. */
	client?: N8nClient;
}

/** A run up to the moment it was read. */
export class Outcome {
	constructor(
		readonly workflowId: string,
		readonly execution: Execution,
	) {}

	get id(): string {
		return this.execution.id;
	}

	get status(): Execution['status'] {
		return this.execution.status;
	}

	/** The error that ended the run. */
	get error() {
		return this.execution.data.resultData.error;
	}

	/** JSON of the items of one output of one round of a node; `[]` when it did not run. */
	items(name: string, output = 0, round = 0): IDataObject[] {
		return this.outputItems(name, output, round).map((item) => item.json);
	}

	/** The same as whole items, with `pairedItem` and `binary`. */
	outputItems(name: string, output = 0, round = 0): INodeExecutionData[] {
		return itemsOf(this.execution, name, output, round);
	}

	/** The same of all rounds. */
	allItems(name: string, output = 0): IDataObject[] {
		return Array.from({ length: this.rounds(name) }, (_, round) =>
			this.items(name, output, round),
		).flat();
	}

	/** How often the node ran. */
	rounds(name: string): number {
		return this.execution.data.resultData.runData[name]?.length ?? 0;
	}
}

const N8N_FOLDER = process.env.PRICE_COLLECTION_N8N_DIR ?? path.join(__dirname, '../../../install/n8n');

/** Loads a module that is installed with the n8n under test. */
export const ofN8n = createRequire(path.resolve(N8N_FOLDER, 'package.json')) as <T>(name: string) => T;

let shared: N8nClient | undefined;

/** The REST client of the shared n8n, logged in. */
export function n8n(): N8nClient {
	const { n8nUrl, n8nCookie } = sharedServers();
	shared ??= new N8nClient(n8nUrl, n8nCookie);
	return shared;
}

/** A new credential, by default for the shared sandbox with its key. `data` changes or adds fields. */
export async function createCredential(
	data: Record<string, unknown> = {},
	client = n8n(),
): Promise<CredentialReference> {
	const fields = { baseUrl: data.baseUrl ?? sharedServers().sandboxUrl, apiKey: SANDBOX_KEY, ...data };
	const { id, name } = await client.createCredential('Price Collection', fields);
	return { id, name };
}

let counter = 0;

/** Text that no other workflow of this n8n uses. */
export const unique = (prefix: string): string => `${prefix}-${process.pid}-${Date.now()}-${counter++}`;

function withCredential(nodes: INode[], credential?: CredentialReference): INode[] {
	if (!credential) return nodes;
	return nodes.map((entry) =>
		entry.type.startsWith(OUR_NODES) && !entry.credentials
			? { ...entry, credentials: { priceCollectionApi: credential } }
			: entry,
	);
}

interface Parts {
	nodes: INode[];
	connections: IConnections;
}

export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

async function startManually(client: N8nClient, workflow: Parts, input: IDataObject[]) {
	const start = node('Start', MANUAL_TRIGGER);
	const pinData: IPinData = { Start: input.map((json) => ({ json })) };
	const nodes = [start, ...workflow.nodes];
	const { id } = await client.createWorkflow({ ...workflow, nodes, pinData });
	return { workflowId: id, executionId: await client.startManually(id, 'Start') };
}

/** n8n's own webhook, which answers at once. */
export const webhook = (name: string, path: string): INode =>
	node(
		name,
		'n8n-nodes-base.webhook',
		{ path, httpMethod: 'POST', responseMode: 'onReceived' },
		{ typeVersion: 2, webhookId: path },
	);

/** The webhook's body holds the items; `Start` splits it into them. */
async function startProduction(client: N8nClient, workflow: Parts, input: IDataObject[]) {
	const path = unique('start');
	const start = node('Start', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.items' });
	const { id } = await client.createWorkflow({
		...workflow,
		nodes: [webhook('Trigger', path), start, ...workflow.nodes],
		connections: { ...workflow.connections, ...connect({ Trigger: ['Start'] }) },
	});
	await client.activate(id);
	const reply = await client.callWebhook(path, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ items: input }),
	});
	if (!reply.ok) throw new Error(`The webhook answered ${reply.status}: ${await reply.text()}`);
	const [executionId = ''] = await client.waitForExecutions(id);
	return { workflowId: id, executionId };
}

/**
 * Saves and runs a workflow in the real n8n. Adds the node `Start`, which outputs `input`; connect to it by that name.
 */
export async function runWorkflow(
	nodes: INode[],
	connections: IConnections,
	options: RunOptions = {},
): Promise<Outcome> {
	const { client = n8n(), input = [{}], mode = 'manual', settings, until, timeoutMs } = options;
	const workflow = {
		name: unique('e2e'),
		nodes: withCredential(nodes, options.credential),
		connections,
		...(settings && { settings }),
	};
	const start = mode === 'manual' ? startManually : startProduction;
	const { workflowId, executionId } = await start(client, workflow, input);
	const execution = await client.waitForExecution(executionId, { until, timeoutMs });
	return new Outcome(workflowId, execution);
}

/** Retries a run by hand, and waits until the retry has ended. */
export async function retryByHand({ workflowId, id }: Outcome, client = n8n()): Promise<Outcome> {
	const { length } = await client.executionsOf(workflowId);
	// n8n only answers when the retry is over.
	await client.call('POST', `/rest/executions/${id}/retry`, { loadWorkflow: false });
	const ids = await client.waitForExecutions(workflowId, { count: length + 1 });
	const newest = String(Math.max(...ids.map(Number)));
	return new Outcome(workflowId, await client.waitForExecution(newest));
}

/** Keeps waiting for a run that was suspended. */
export async function waitForOutcome(
	outcome: Outcome,
	options: { until?: string[]; timeoutMs?: number } = {},
	client = n8n(),
): Promise<Outcome> {
	return new Outcome(outcome.workflowId, await client.waitForExecution(outcome.id, options));
}
