import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

import type { N8nClient } from '../../../tools/n8n/client.cjs';
import { NODE_TYPE, Outcome, n8n, unique } from './e2e';
import type { CredentialReference } from './e2e';

const EXAMPLES = path.resolve(__dirname, '../../../examples');
/** What an example that waits for n8n's timers may take. */
const LONGEST_MS = 420_000;

/** Imports an example, as the editor's menu does, and runs it. */
export async function runExample(
	name: string,
	credentials: Record<string, CredentialReference>,
	client: N8nClient = n8n(),
): Promise<Outcome> {
	const example = JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as {
		nodes: INode[];
		connections: IConnections;
	};
	const needed: Record<string, string> = {
		[NODE_TYPE]: 'priceCollectionApi',
		[`${NODE_TYPE}Tool`]: 'priceCollectionApi',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	};
	const nodes = example.nodes.map((entry) => {
		const type = needed[entry.type] ?? '';
		const credential = credentials[type];
		return credential === undefined ? entry : { ...entry, credentials: { [type]: credential } };
	});
	const { id } = await client.createWorkflow({ ...example, name: unique(name), nodes });
	const trigger = nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '';
	const executionId = await client.startManually(id, trigger);
	return new Outcome(id, await client.waitForExecution(executionId, { timeoutMs: LONGEST_MS }));
}
