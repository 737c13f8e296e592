import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { startN8n } from '../../support/n8n/instance.cjs';
import type { N8nInstance } from '../../support/n8n/instance.cjs';
import { until } from '../../support/until.cjs';
import { collectWorkflow, finishJob, jobsOf, rowsOf, sandbox } from '../e2e/harness/collecting';
import { createCredential, retryByHand, runWorkflow, unique, waitForOutcome } from '../e2e/harness/e2e';

/** Not the shared n8n, because this one is killed. */
let n8n: N8nInstance;

/** With the values of jobs, the list proves whose job is whose. */
const setListFields = async (listFields: string[]) => await sandbox('POST', 'options', { listFields });

beforeAll(async () => {
	await setListFields(['order', 'times', 'values']);
	n8n = await startN8n();
});
afterAll(async () => {
	await n8n?.remove();
	await setListFields(['order', 'counters', 'times']);
});

/** Deletes n8n's record of its executions, with which it fills the items of one that it recovers. */
function deleteEventLogs() {
	const folder = path.join(n8n.userFolder, '.n8n');
	const logs = readdirSync(folder).filter((name) => name.startsWith('n8nEventLog'));
	expect(logs).not.toEqual([]);
	for (const name of logs) rmSync(path.join(folder, name));
}

it.each([
	['is killed', () => undefined],
	['is killed and loses its event log', deleteEventLogs],
])('a run that polls when n8n %s is retried by hand without paying again', async (_what, meanwhile) => {
	const { client } = n8n;
	const term = unique('slow');
	const started = await runWorkflow(...collectWorkflow('poll', { waitOptions: { pollInterval: 30 } }), {
		client,
		credential: await createCredential({}, client),
		mode: 'production',
		until: ['running'],
		input: [{ id: 'a', term }],
	});
	const { job_id: jobId } = await until(`a job of ${term}`, async () => (await jobsOf(term))[0]);
	await n8n.kill9();
	meanwhile();
	await n8n.restart();
	await finishJob(jobId);
	const crashed = await waitForOutcome(started, { until: ['crashed'] }, client);
	const retried = await retryByHand(crashed, client);
	expect(retried.error).toBeUndefined();
	expect(rowsOf(retried)).toEqual([`a ${term} false`]);
	expect(await jobsOf(term)).toHaveLength(1);
});
