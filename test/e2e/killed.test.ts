import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { until } from '../../tools/until.cjs';
import {
	collectWorkflow,
	finishJob,
	jobsOf,
	refuseNextCreation,
	requestsAbout,
	rowsOf,
	sandbox,
	suspend,
} from './harness/collecting';
import type { Suspended } from './harness/collecting';
import { Outcome, createCredential, retryByHand, runWorkflow, unique, waitForOutcome } from './harness/e2e';

const TIMERS_MS = 420_000;
/** Long enough to kill n8n between two of its timers. */
const UNDISTURBED_MS = 15_000;

/** An n8n of its own, because it is killed, and two runs that sleep all the while. */
let n8n: N8nInstance;
let durable: Suspended;
let webhook: Suspended;

/** A list that proves whose job is whose. */
const setListFields = async (listFields: string[]) => await sandbox('POST', 'options', { listFields });

beforeAll(async () => {
	await setListFields(['order', 'times', 'values']);
	n8n = await startN8n();
	durable = await suspend('durable', n8n.client);
	webhook = await suspend('webhook', n8n.client);
});
afterAll(async () => {
	await n8n?.remove();
	await setListFields(['order', 'counters', 'times']);
});

/** Waits until both runs sleep for long enough: what n8n is killed under has crashed. */
async function untilAsleep(): Promise<void> {
	let seen: unknown;
	await until(
		() => `both runs sleep for long enough: ${JSON.stringify(seen)}`,
		async () => {
			const both = [durable, webhook].map(({ outcome }) => n8n.client.statusOf(outcome.id));
			const runs = (seen = await Promise.all(both));
			return runs.every(
				({ status, waitTill }) =>
					status === 'waiting' && Date.parse(waitTill ?? '') - Date.now() >= UNDISTURBED_MS,
			);
		},
	);
}

async function killAndRestart(meanwhile: () => unknown = () => undefined): Promise<void> {
	await n8n.kill9();
	await meanwhile();
	await n8n.restart();
}

/** A run that polls for a job of this value, which goes on until it is ended. */
async function polling(term: string, status: string): Promise<Outcome> {
	return await runWorkflow(...collectWorkflow('poll', { waitOptions: { pollInterval: 30 } }), {
		client: n8n.client,
		credential: await createCredential({}, n8n.client),
		mode: 'production',
		until: [status],
		input: [{ id: 'a', term }],
	});
}

/** The job of a value, once it is there. */
async function jobOf(term: string): Promise<string> {
	return (await until(`a job of ${term}`, async () => (await jobsOf(term))[0])).job_id;
}

async function expectPaidOnce(outcome: Outcome, term: string): Promise<void> {
	expect(outcome.error).toBeUndefined();
	expect(rowsOf(outcome)).toEqual([`a ${term} false`]);
	expect(await jobsOf(term)).toHaveLength(1);
}

/** n8n's own record of what its executions have come to, which goes into the items of one that it recovers. */
function deleteEventLogs() {
	const folder = path.join(n8n.userFolder, '.n8n');
	const logs = readdirSync(folder).filter((name) => name.startsWith('n8nEventLog'));
	expect(logs).not.toEqual([]);
	for (const name of logs) rmSync(path.join(folder, name));
}

/** Has n8n killed under a run that polls, and retries that by hand. */
async function retryKilled(kill: () => Promise<void>): Promise<void> {
	const term = unique('slow');
	const started = await polling(term, 'running');
	const jobId = await jobOf(term);
	await kill();
	await finishJob(jobId);
	const crashed = await waitForOutcome(started, { until: ['crashed'] }, n8n.client);
	await expectPaidOnce(await retryByHand(crashed, n8n.client), term);
}

it('a run that polls when n8n is killed is retried by hand without paying again', async () => {
	await retryKilled(async () => {
		await untilAsleep();
		await killAndRestart();
	});
});

it('a run that sleeps until its callback has outlived that, and goes on at it', async () => {
	const [job] = await jobsOf(webhook.slow);
	await finishJob(webhook.jobId);
	const woken = await waitForOutcome(webhook.outcome, {}, n8n.client);
	expect([woken.status, rowsOf(woken)]).toEqual(['success', webhook.rows]);
	expect((await fetch(job?.webhookUrl ?? '', { method: 'POST' })).status).toBe(409);
});

it(
	'a run that sleeps on a timer has outlived that, and goes on at one of the next',
	async () => {
		await finishJob(durable.jobId);
		const finished = await waitForOutcome(durable.outcome, { timeoutMs: TIMERS_MS }, n8n.client);
		expect([finished.status, rowsOf(finished)]).toEqual(['success', durable.rows]);
		expect(finished.rounds('Wait')).toBeGreaterThanOrEqual(1);
		expect(await requestsAbout(`${String(durable.jobId)}/download`)).toHaveLength(1);
	},
	TIMERS_MS,
);

it('a run that polls when n8n is killed and loses its event log is retried without paying again', async () => {
	await retryKilled(async () => await killAndRestart(deleteEventLogs));
});

it('a retry by hand that is killed itself is retried without paying again', async () => {
	const term = unique('slow');
	await refuseNextCreation();
	const failed = await polling(term, 'error');
	expect(failed.error?.message).toContain('not enough credits');
	expect(await jobsOf(term)).toEqual([]);
	const killed = retryByHand(failed, n8n.client).catch(() => undefined);
	const jobId = await jobOf(term);
	await killAndRestart();
	await killed;
	await finishJob(jobId);
	const [newest = ''] = await n8n.client.waitForExecutions(failed.workflowId, { count: 2 });
	const crashed = new Outcome(failed.workflowId, await n8n.client.waitForExecution(newest));
	await expectPaidOnce(await retryByHand(crashed, n8n.client), term);
});
