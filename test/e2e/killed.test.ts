import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { until } from '../../tools/until.cjs';
import { connect } from '../engine/workflow';
import {
	collect,
	creationsOf,
	finishJob,
	linked,
	refuseNextCreation,
	rowsOf,
	sandbox,
} from './harness/collecting';
import { Outcome, createCredential, runWorkflow, unique, waitForOutcome } from './harness/e2e';

/** An n8n of its own, because it is killed. */
let n8n: N8nInstance;
beforeAll(async () => {
	n8n = await startN8n();
});
afterAll(async () => {
	await n8n?.remove();
});

/** A list that proves whose job is whose. */
const setListFields = async (listFields: string[]) => await sandbox('POST', 'options', { listFields });

beforeAll(async () => await setListFields(['order', 'times', 'values']));
afterAll(async () => await setListFields(['order', 'counters', 'times']));

const inOrder = (one: string, other: string) => Number(one) - Number(other);

/** n8n's own record of what its executions have come to, which goes into the items of one that it recovers. */
function deleteEventLogs() {
	const folder = path.join(n8n.userFolder, '.n8n');
	const logs = readdirSync(folder).filter((name) => name.startsWith('n8nEventLog'));
	expect(logs).not.toEqual([]);
	for (const name of logs) rmSync(path.join(folder, name));
}

/** Ends the job of a slow value, which runs until then. */
async function finishJobOf(term: string): Promise<void> {
	const jobs = await sandbox<Array<{ job_id: string; values: string[] }>>('GET', 'jobs');
	await finishJob(jobs.find(({ values }) => values.includes(term))?.job_id);
}

it.each([
	['', () => undefined],
	[', also where it has lost its event log', deleteEventLogs],
])('a run that polls when n8n is killed is retried by hand without paying again%s', async (_, meanwhile) => {
	const term = unique('slow');
	const started = await runWorkflow(
		[collect({ waitMode: 'poll', waitOptions: { pollInterval: 30 } }), linked],
		connect({ Start: ['Collect'], Collect: ['Linked'] }),
		{
			client: n8n.client,
			credential: await createCredential({}, n8n.client),
			mode: 'production',
			until: ['running'],
			input: [
				{ id: 'a', term: 'kettle' },
				{ id: 'b', term },
			],
		},
	);
	await until(`a job of ${term}`, async () => (await creationsOf(term)) > 0);
	await n8n.kill9();
	meanwhile();
	await n8n.restart();
	await finishJobOf(term);
	await waitForOutcome(started, { until: ['crashed'] }, n8n.client);
	// n8n answers when the retry is over.
	await n8n.client.call('POST', `/rest/executions/${started.id}/retry`, { loadWorkflow: false });
	const [retry = ''] = await n8n.client.waitForExecutions(started.workflowId, { count: 2 });
	const outcome = new Outcome(started.workflowId, await n8n.client.waitForExecution(retry));
	expect(outcome.error).toBeUndefined();
	expect(rowsOf(outcome)).toEqual(['a kettle true', `b ${term} false`]);
	expect(await creationsOf(term)).toBe(1);
});

it('a retry by hand that is killed itself is retried without paying again', async () => {
	const term = unique('slow');
	await refuseNextCreation();
	const failed = await runWorkflow(
		[collect({ waitMode: 'poll', waitOptions: { pollInterval: 30 } }), linked],
		connect({ Start: ['Collect'], Collect: ['Linked'] }),
		{
			client: n8n.client,
			credential: await createCredential({}, n8n.client),
			mode: 'production',
			input: [{ id: 'a', term }],
		},
	);
	expect(failed.error?.message).toContain('not enough credits');
	expect(await creationsOf(term)).toBe(0);
	const retry = async (id: string) =>
		await n8n.client.call('POST', `/rest/executions/${id}/retry`, { loadWorkflow: false });
	const killed = retry(failed.id).catch(() => undefined);
	await until(`a job of ${term}`, async () => (await creationsOf(term)) > 0);
	await n8n.kill9();
	await killed;
	await n8n.restart();
	await finishJobOf(term);
	const [, crashed = ''] = (await n8n.client.waitForExecutions(failed.workflowId, { count: 2 })).sort(
		inOrder,
	);
	await retry(crashed);
	const executions = await n8n.client.waitForExecutions(failed.workflowId, { count: 3 });
	const [, , last = ''] = executions.sort(inOrder);
	const outcome = new Outcome(failed.workflowId, await n8n.client.waitForExecution(last));
	expect(outcome.error).toBeUndefined();
	expect(rowsOf(outcome)).toEqual([`a ${term} false`]);
	expect(await creationsOf(term)).toBe(1);
});
