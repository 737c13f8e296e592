import type { IDataObject } from 'n8n-workflow';

import { finishJob } from './harness/collecting';
import { createCredential, n8n, Outcome, TRIGGER_TYPE } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { importExample, readExample, withProducts } from './harness/examples';
import { sharedServers } from './harness/shared';

/** The example workflows of the triggers, imported as they are and started as their notes say. */
let credentials: Record<string, CredentialReference>;
beforeAll(async () => {
	credentials = { priceCollectionApi: await createCredential() };
});

/** The trigger's URL, pasted where an example asks for it. */
const pasted = (webhookUrl: string) => ({ 'Create job': { options: { webhookUrl } } });

/** The production URL of the webhook trigger in an example. */
function urlOf(name: string): string {
	const trigger = readExample(name).nodes.find(({ type }) => type === TRIGGER_TYPE);
	return `${sharedServers().n8nUrl}/webhook/${trigger?.webhookId}/price-collection`;
}

/** What the test source knows of the products in the examples; it repeats GTINs with 14 digits. */
const BEST_PRICES = [
	['04006381333931', 40.79, 'BuyMore "24"'],
	['05901234123457', 858.85, 'BuyMore "24"'],
	['09780201379624', 116.85, 'Müller & Söhne'],
];

/** Value, best price and shop of each row. */
const bestPrices = (rows: IDataObject[]) =>
	rows.map(({ value, best_price, best_shop }) => [value, best_price, best_shop]);

/** Runs a workflow from one of its triggers and gives the run. */
async function runFrom(workflowId: string, start: string): Promise<Outcome> {
	const executionId = await n8n().startManually(workflowId, start);
	return new Outcome(workflowId, await n8n().waitForExecution(executionId));
}

/** Creates jobs that call the trigger of this workflow back, and gives the run that the callback started. */
async function calledBack(name: string, workflowId: string): Promise<Outcome> {
	const creator = await importExample('create-jobs', credentials, pasted(urlOf(name)));
	const created = await runFrom(creator.id, 'When clicking ‘Execute workflow’');
	expect(created.error).toBeUndefined();
	const [executionId = ''] = await n8n().waitForExecutions(workflowId);
	return new Outcome(workflowId, await n8n().waitForExecution(executionId));
}

test('create-jobs and handle-finished-jobs: jobs of one workflow start the other', async () => {
	const { id } = await importExample('handle-finished-jobs', credentials);
	await n8n().activate(id);
	const run = await calledBack('handle-finished-jobs', id);
	expect(run.error).toBeUndefined();
	expect(run.items('Job ended')).toMatchObject([{ status: 'finished' }]);
	expect(run.items('Your own steps')).toEqual(
		BEST_PRICES.map(([gtin, best_price, best_shop]) => ({
			gtin,
			found: true,
			best_price,
			best_shop,
			reason: null,
		})),
	);
	await n8n().deactivate(id);
});

test('webhook-and-polling-together: an end that is called back is handled once', async () => {
	const { id } = await importExample('webhook-and-polling-together', credentials);
	await n8n().activate(id);
	const run = await calledBack('webhook-and-polling-together', id);
	expect(run.error).toBeUndefined();
	expect(run.items('Each job once')).toHaveLength(1);
	expect(bestPrices(run.items('Your own steps'))).toEqual(BEST_PRICES);
	await n8n().deactivate(id);
});

test('nightly-batch-with-alert: the batch of the night gives its prices, and one message about what is below its limit or fails', async () => {
	const { id } = await importExample('nightly-batch-with-alert', credentials, {
		...pasted(urlOf('nightly-batch-with-alert')),
		...withProducts([
			{ sku: 'A-100', gtin: '4006381333931' },
			{ sku: 'A-101', gtin: '5901234123457' },
			{ sku: 'is not found', gtin: '2404000000011' },
			{ sku: 'fails', gtin: '2500000000010' },
		]),
	});
	await n8n().activate(id);
	const started = await runFrom(id, 'Every night');
	expect(started.error).toBeUndefined();
	const runs = await n8n().waitForExecutions(id, { count: 2 });
	const outcomes = await Promise.all(
		runs.map(async (executionId) => new Outcome(id, await n8n().waitForExecution(executionId))),
	);
	const ended = outcomes.find((outcome) => outcome.rounds('Batch ended') > 0);
	expect(ended?.error).toBeUndefined();
	expect(ended?.items('Best price')).toEqual([
		{ gtin: '04006381333931', best_price: 40.79, limit: 45, reason: '' },
		{ gtin: '05901234123457', best_price: 858.85, limit: 800, reason: '' },
		{ gtin: '02404000000011', best_price: null, limit: null, reason: '' },
		{ gtin: '02500000000010', best_price: null, limit: null, reason: 'failed to access source' },
	]);
	expect(ended?.items('Send message')).toEqual([
		{ text: '04006381333931: 40.79, below 45\n02500000000010: failed to access source' },
	]);
	await n8n().deactivate(id);
});

test('polling-behind-a-firewall: a test run of the trigger shows the latest job with its results', async () => {
	const { id } = await importExample('polling-behind-a-firewall', credentials);
	const created = await runFrom(id, 'When clicking ‘Execute workflow’');
	const [job] = created.items('Create job');
	await finishJob(job?.job_id);
	const run = await runFrom(id, 'Job ended');
	expect(run.error).toBeUndefined();
	expect(run.items('Job ended')).toMatchObject([{ job_id: job?.job_id, status: 'finished' }]);
	expect(bestPrices(run.items('Your own steps'))).toEqual(BEST_PRICES);
});
