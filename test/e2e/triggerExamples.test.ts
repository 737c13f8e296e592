import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import { createCredential, n8n, Outcome } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { sharedServers } from './harness/shared';

/** The example workflows of the triggers, imported as they are and started as their notes say. */
const EXAMPLES = path.resolve(__dirname, '../../examples');
const OURS = 'n8n-nodes-price-collection.';

interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: object;
}

let credential: CredentialReference;
beforeAll(async () => {
	credential = await createCredential();
});

/** Imports an example: chooses the credential, and pastes the trigger's URL where the example asks for it. */
async function importExample(name: string, webhookUrl = ''): Promise<Example & { id: string }> {
	const example = JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as Example;
	const nodes = example.nodes.map((node) => {
		if (!node.type.startsWith(OURS)) return node;
		const options = node.parameters.options as IDataObject | undefined;
		const pasted = options?.webhookUrl === undefined ? options : { ...options, webhookUrl };
		const parameters = pasted === undefined ? node.parameters : { ...node.parameters, options: pasted };
		return { ...node, parameters, credentials: { priceCollectionApi: credential } } as INode;
	});
	const { id } = await n8n().createWorkflow({
		name: example.name,
		nodes,
		connections: example.connections,
	});
	return { ...example, id };
}

/** The production URL of the webhook trigger in an example. */
function urlOf(name: string): string {
	const { nodes } = JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as Example;
	const trigger = nodes.find(({ type }) => type === `${OURS}priceCollectionTrigger`);
	return `${sharedServers().n8nUrl}/webhook/${trigger?.webhookId}/price-collection`;
}

/** Runs a workflow from one of its triggers and gives the run. */
async function runFrom(workflowId: string, start: string): Promise<Outcome> {
	const executionId = await n8n().startManually(workflowId, start);
	return new Outcome(workflowId, await n8n().waitForExecution(executionId));
}

/** Creates jobs that call the trigger of this workflow back, and gives the run that the callback started. */
async function calledBack(name: string, workflowId: string): Promise<Outcome> {
	const creator = await importExample('create-jobs', urlOf(name));
	const created = await runFrom(creator.id, 'When clicking ‘Execute workflow’');
	expect(created.error).toBeUndefined();
	const [executionId = ''] = await n8n().waitForExecutions(workflowId);
	return new Outcome(workflowId, await n8n().waitForExecution(executionId));
}

test('create-jobs and handle-finished-jobs: jobs of one workflow start the other', async () => {
	const { id } = await importExample('handle-finished-jobs');
	await n8n().activate(id);
	const run = await calledBack('handle-finished-jobs', id);
	expect(run.error).toBeUndefined();
	expect(run.items('Job ended')).toMatchObject([{ status: 'finished' }]);
	expect(run.items('Prices').length).toBeGreaterThan(0);
	await n8n().deactivate(id);
});

test('webhook-and-polling-together: an end that is called back is handled once', async () => {
	const { id } = await importExample('webhook-and-polling-together');
	await n8n().activate(id);
	const run = await calledBack('webhook-and-polling-together', id);
	expect(run.error).toBeUndefined();
	expect(run.items('Each job once')).toHaveLength(1);
	expect(run.items('Download').every(({ success }) => success === true)).toBe(true);
	await n8n().deactivate(id);
});

test('nightly-batch-with-alert: the batch of the night gives its prices and at most one message', async () => {
	const { id } = await importExample('nightly-batch-with-alert', urlOf('nightly-batch-with-alert'));
	await n8n().activate(id);
	const started = await runFrom(id, 'Every night');
	expect(started.error).toBeUndefined();
	const runs = await n8n().waitForExecutions(id, { count: 2 });
	const outcomes = await Promise.all(
		runs.map(async (executionId) => new Outcome(id, await n8n().waitForExecution(executionId))),
	);
	const ended = outcomes.find((outcome) => outcome.rounds('Batch ended') > 0);
	expect(ended?.error).toBeUndefined();
	expect(ended?.items('Lowest price').length).toBeGreaterThan(0);
	expect(ended?.items('One message').length).toBeLessThanOrEqual(1);
	await n8n().deactivate(id);
});

test('polling-behind-a-firewall: a test run of the trigger shows the latest job with its results', async () => {
	const { id } = await importExample('polling-behind-a-firewall');
	const run = await runFrom(id, 'Job ended');
	expect(run.error).toBeUndefined();
	expect(run.items('Job ended')).toMatchObject([{ status: 'finished' }]);
	expect(run.items('Download').length).toBeGreaterThan(0);
});
