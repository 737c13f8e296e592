import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { N8nClient } from '../../../tools/n8n/client.cjs';
import { NODE_TYPE, Outcome, POLLING_TRIGGER_TYPE, TRIGGER_TYPE, n8n, unique } from './e2e';
import type { CredentialReference } from './e2e';

const EXAMPLES = path.resolve(__dirname, '../../../examples');

/** What an example that waits for n8n's timers may take. */
const LONGEST_MS = 420_000;

/** The credential that a node of an example asks for. */
const NEEDED: Record<string, string> = {
	[NODE_TYPE]: 'priceCollectionApi',
	[`${NODE_TYPE}Tool`]: 'priceCollectionApi',
	[TRIGGER_TYPE]: 'priceCollectionApi',
	[POLLING_TRIGGER_TYPE]: 'priceCollectionApi',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'n8n-nodes-base.emailSend': 'smtp',
};

export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

/** Parameters that a user changes after the import, by the node's name. */
export type Edits = Record<string, INodeParameters>;

export const readExample = (name: string): Example =>
	JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as Example;

/** A list of the user's own in the node Products. */
export const withProducts = (products: IDataObject[]): Edits => ({
	Products: { jsonOutput: JSON.stringify({ products }) },
});

/** The nodes with the credential that each of them needs, where there is one: one of each type, by the type's name. */
export const withCredentials = (nodes: INode[], credentials: Record<string, CredentialReference>): INode[] =>
	nodes.map((node) => {
		const type = NEEDED[node.type] ?? '';
		const credential = credentials[type];
		return { ...node, ...(credential && { credentials: { [type]: credential } }) };
	});

/** Imports an example as the editor's menu does, and chooses the credentials. */
export async function importExample(
	name: string,
	credentials: Record<string, CredentialReference>,
	edits: Edits = {},
	client: N8nClient = n8n(),
): Promise<Example & { id: string }> {
	const example = readExample(name);
	const missing = Object.keys(edits).find((edited) => !example.nodes.some((node) => node.name === edited));
	if (missing !== undefined) throw new Error(`The example ${name} has no node ${missing}`);
	const edited = example.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...edits[node.name] },
	}));
	const nodes = withCredentials(edited, credentials);
	const { id } = await client.createWorkflow({ ...example, name: unique(name), nodes });
	return { ...example, nodes, id };
}

/** Imports an example and runs it from its first trigger. */
export async function runExample(
	name: string,
	credentials: Record<string, CredentialReference>,
	edits: Edits = {},
	client: N8nClient = n8n(),
): Promise<Outcome> {
	const { id, nodes } = await importExample(name, credentials, edits, client);
	const trigger = nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '';
	const executionId = await client.startManually(id, trigger);
	return new Outcome(id, await client.waitForExecution(executionId, { timeoutMs: LONGEST_MS }));
}
