import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { finishedJob } from '../engine/triggerSupport';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { createCredential } from './harness/e2e';
import { inParallel, startEffects, type Effects } from './harness/effects';
import {
	activate,
	callUntilHeard,
	databaseOf,
	executionsIn,
	settle,
	webhookTrigger,
} from './harness/triggers';

/** `PRICE_COLLECTION_STORM=5000` for the whole of it; each job is called for twice. */
const JOBS = Number(process.env.PRICE_COLLECTION_STORM ?? 200);
const CONCURRENCY = 50;

let n8n: N8nInstance;
let sandbox: Sandbox;
let effects: Effects;
beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
	effects = await startEffects();
	n8n = await startN8n({
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1', N8N_EXPRESSION_ENGINE: 'legacy' },
	});
});
afterAll(async () => {
	await n8n?.remove();
	await sandbox.close();
	effects.close();
});

/** Holds the write lock of n8n's database for a moment, so that n8n has to wait for every row it stores. */
async function holdDatabase(): Promise<void> {
	const database = new DatabaseSync(databaseOf(n8n), { timeout: 50 });
	try {
		database.exec('BEGIN IMMEDIATE');
		await sleep(150);
		database.exec('COMMIT');
	} catch {
		// n8n holds it just now.
	} finally {
		database.close();
	}
}

it(`handles each of ${JOBS} jobs once that are called for twice while the database is slow and n8n restarts twice`, async () => {
	const credential = await createCredential({ baseUrl: sandbox.url }, n8n.client);
	const [trigger, path] = webhookTrigger(credential);
	await activate(n8n.client, [trigger, effects.report()]);
	const url = `${n8n.url}/webhook/${path}`;
	const jobIds: string[] = [];
	for (let n = 0; n < JOBS; n++) jobIds.push(await finishedJob(sandbox));
	sandbox.clearRequests();
	const calls = jobIds.flatMap((jobId) => [jobId, jobId]);
	let answered = 0;
	let isStarting = false;
	let isOver = false;
	const slow = async () => {
		for (; !isOver; await sleep(100)) {
			// Not while n8n starts: on a slow machine it gives up there, which is no matter of ours.
			if (!isStarting) await holdDatabase();
		}
	};
	const restarts = async () => {
		for (const part of [1 / 3, 2 / 3]) {
			while (answered < calls.length * part && !isOver) await sleep(100);
			isStarting = true;
			await n8n.restart();
			isStarting = false;
		}
	};
	const began = Date.now();
	const slowness = slow();
	try {
		const storm = inParallel(calls, CONCURRENCY, async (jobId) => {
			await callUntilHeard(url, jobId);
			answered++;
		});
		await Promise.all([storm, restarts()]);
	} finally {
		isOver = true;
		await slowness;
	}
	await settle(n8n);
	const asked = sandbox.requests.map((request) => request.path);
	const statusCalls = asked.filter((one) => /\/v2\/jobs\/[^/]+$/.test(one)).length;
	const seconds = Math.round((Date.now() - began) / 1000);
	// n8n had stored them, and answered 200, when its own stop cut them off; nothing repeats them but a retry by hand.
	const cutOff = executionsIn(n8n, 'crashed');
	const handled = effects.jobIds();
	const crashed = jobIds.filter((jobId) => !handled.includes(jobId));
	// Had it been none of these, the repeat would have begun another execution: here no call began a second one.
	const begun = executionsIn(n8n, 'success');
	expect(crashed.filter((jobId) => begun.some(({ data }) => data.includes(jobId)))).toEqual([]);
	for (const jobId of crashed) {
		const execution = cutOff.findLast(({ data }) => data.includes(jobId));
		await n8n.client.call('POST', `/rest/executions/${execution?.id}/retry`, { loadWorkflow: false });
	}
	await settle(n8n);
	expect(effects.jobIds().sort()).toEqual([...jobIds].sort());
	expect(statusCalls).toBeLessThanOrEqual(Math.ceil(seconds / 60 + 3) * 60);
}, 900_000);
