import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { finishedJob } from '../../engine/support/triggerSupport';
import { inParallel } from '../e2e/harness/effects';
import {
	activate,
	callUntilHeard,
	databaseOf,
	executionsIn,
	settle,
	untilKnown,
	useTriggerLab,
	webhookTrigger,
} from '../e2e/harness/triggers';

const lab = useTriggerLab({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1', N8N_EXPRESSION_ENGINE: 'legacy' });

const JOBS = Number(process.env.PRICE_COLLECTION_STORM ?? 1_000);
const CONCURRENCY = 50;
/** The trigger remembers 2,000 jobs. The last ones it handled need not be the last ones in the list. */
const MOST_REPEATED = 1_500;

/** Holds the write lock of n8n's database for a moment, so that n8n has to wait for every row it stores. */
async function holdDatabase(): Promise<void> {
	const database = new DatabaseSync(databaseOf(lab.n8n), { timeout: 50 });
	try {
		database.exec('BEGIN IMMEDIATE');
		await sleep(150);
		database.exec('COMMIT');
	} catch {
		// n8n holds the lock right now.
	} finally {
		database.close();
	}
}

it(`handles each of ${JOBS} jobs once that are called for three times while the database is slow and n8n restarts twice`, async () => {
	const [trigger, path] = webhookTrigger(await lab.credential());
	await activate(lab.n8n.client, [trigger, lab.effects.report()]);
	const url = `${lab.n8n.url}/webhook/${path}`;
	await untilKnown(url);
	const jobIds: string[] = [];
	for (let n = 0; n < JOBS; n++) jobIds.push(await finishedJob(lab.sandbox));
	const calls = jobIds.flatMap((jobId) => [jobId, jobId]);
	let answered = 0;
	let isStarting = false;
	let isOver = false;
	const slow = async () => {
		for (; !isOver; await sleep(100)) {
			// Not while n8n starts: on a slow machine it gives up there, which is not what this tests.
			if (!isStarting) await holdDatabase();
		}
	};
	const restarts = async () => {
		for (const part of [1 / 3, 2 / 3]) {
			while (answered < calls.length * part && !isOver) await sleep(100);
			isStarting = true;
			await lab.n8n.restart();
			isStarting = false;
		}
	};
	const slowness = slow();
	try {
		const storm = inParallel(calls, CONCURRENCY, async (jobId) => {
			await callUntilHeard(url, jobId);
			answered++;
		});
		await Promise.all([storm, restarts()]);
		// Most jobs are now known only from n8n's store: the process that let them in is gone.
		const remembered = jobIds.slice(-MOST_REPEATED);
		await inParallel(remembered, CONCURRENCY, async (jobId) => await callUntilHeard(url, jobId));
	} finally {
		isOver = true;
		await slowness;
	}
	await settle(lab.n8n);
	// n8n had stored these, and answered 200, before its own stop cut them off. Only a retry by hand repeats them.
	const cutOff = executionsIn(lab.n8n, 'crashed');
	const handled = lab.effects.jobIds();
	const crashed = jobIds.filter((jobId) => !handled.includes(jobId));
	// The trigger remembered these jobs: no repeated call started a second execution, which would have succeeded.
	const begun = executionsIn(lab.n8n, 'success');
	expect(crashed.filter((jobId) => begun.some(({ data }) => data.includes(jobId)))).toEqual([]);
	for (const jobId of crashed) {
		const execution = cutOff.findLast(({ data }) => data.includes(jobId));
		await lab.n8n.client.call('POST', `/rest/executions/${execution?.id}/retry`, { loadWorkflow: false });
	}
	await settle(lab.n8n);
	expect(lab.effects.jobIds().sort()).toEqual([...jobIds].sort());
}, 900_000);
