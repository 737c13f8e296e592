import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { sandbox } from './collecting';
import { createCredential, NODE_TYPE, Outcome, POLLING_TRIGGER_TYPE, TRIGGER_TYPE, n8n, unique } from './e2e';
import type { CredentialReference } from './e2e';
import { officeCredentials, onDay } from './office';

const EXAMPLES = path.resolve(__dirname, '../../../examples');

/** The sheet in the examples, until a user pastes the address of another one. */
export const SHEET = 'PASTE-THE-ADDRESS-OF-YOUR-SHEET-HERE';

/** What an example that waits for n8n's timers may take. */
const LONGEST_MS = 420_000;

/** The credential that a node of an example asks for. */
const NEEDED: Record<string, string> = {
	[NODE_TYPE]: 'priceCollectionApi',
	[`${NODE_TYPE}Tool`]: 'priceCollectionApi',
	[TRIGGER_TYPE]: 'priceCollectionApi',
	[POLLING_TRIGGER_TYPE]: 'priceCollectionApi',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'n8n-nodes-base.gmail': 'gmailOAuth2',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.wooCommerce': 'wooCommerceApi',
};

export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

/** What a user changes after the import. */
export interface Choices {
	/** By the type of the credential. */
	credentials: Record<string, CredentialReference>;
	/** Parameters, by the name of the node. */
	edits?: Record<string, INodeParameters>;
	/**
	 * Stand-ins for nodes that need an account elsewhere, by their names: n8n gives these rows out for them, and what they
	 * get is what the node before gives.
	 */
	pinned?: Record<string, IDataObject[]>;
}

export const readExample = (name: string): Example =>
	JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as Example;

/** Imports an example as the editor's menu does, and chooses the credentials. */
export async function importExample(
	name: string,
	{ credentials, edits = {}, pinned = {} }: Choices,
): Promise<Example & { id: string }> {
	const example = readExample(name);
	const missing = Object.keys(edits).find((edited) => !example.nodes.some((node) => node.name === edited));
	if (missing !== undefined) throw new Error(`The example ${name} has no node ${missing}`);
	const nodes = example.nodes.map((node) => {
		const type = NEEDED[node.type] ?? '';
		const credential = credentials[type];
		return {
			...node,
			parameters: { ...node.parameters, ...edits[node.name] },
			...(credential && { credentials: { [type]: credential } }),
		};
	});
	const rows = Object.entries(pinned).map(([node, all]) => [node, all.map((json) => ({ json }))]);
	const pinData = Object.fromEntries(rows) as object;
	const { id } = await n8n().createWorkflow({ ...example, name: unique(name), nodes, pinData });
	return { ...example, nodes, id };
}

/**
 * Runs a workflow from one of its triggers.
 *
 * @param until the statuses to wait for; any end when absent
 */
export async function runFrom(workflowId: string, start: string, until?: string[]): Promise<Outcome> {
	const executionId = await n8n().startManually(workflowId, start);
	const execution = await n8n().waitForExecution(executionId, { until, timeoutMs: LONGEST_MS });
	return new Outcome(workflowId, execution);
}

/** What the sandbox's products are on a day: a content, nothing found (null), a reason why it fails, a factor of prices. */
export type Market = Record<string, number | object | string | null>;

/**
 * Imports an example with all accounts that it needs, as it is, and runs it once a day from its first trigger.
 *
 * @param look what is there after each run
 * @param until the statuses that end a run; any end when absent
 */
export async function playDays<T>(
	name: string,
	days: readonly Market[],
	look: (outcome: Outcome) => Promise<T>,
	edits: Choices['edits'] = {},
	until?: string[],
): Promise<T[]> {
	const credentials = { ...(await officeCredentials()), priceCollectionApi: await createCredential() };
	const { id, nodes } = await importExample(name, { credentials, edits });
	const start = nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '';
	const seen: T[] = [];
	try {
		for (const [day, market] of days.entries()) {
			await sandbox('POST', 'options', { market });
			await onDay(day);
			const outcome = await runFrom(id, start, until);
			if (outcome.error)
				throw new Error(
					`${name}, day ${day + 1}: ${outcome.error.description ?? outcome.error.message}`,
				);
			seen.push(await look(outcome));
		}
	} finally {
		await sandbox('POST', 'options', { market: {} });
		await onDay(0);
	}
	return seen;
}
