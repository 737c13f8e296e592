import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { finishedJob } from '../engine/triggerSupport';
import { connect, node } from '../engine/workflow';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { TRIGGER_TYPE, unique } from './harness/e2e';
import { inParallel, startEffects, type Effects } from './harness/effects';

/** `PRICE_COLLECTION_STORM=5000` for the whole of it; each job is called for twice. */
const JOBS = Number(process.env.PRICE_COLLECTION_STORM ?? 200);
const CONCURRENCY = 50;
/** A call is repeated for so long; two starts of n8n on a slow machine are in it. */
const LONGEST_CALL_MS = 5 * 60_000;

let n8n: N8nInstance;
let sandbox: Sandbox;
let effects: Effects;
beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
	effects = await startEffects();
	n8n = await startN8n({
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1', N8N_EXPRESSION_ENGINE: 'legacy' },
	});
}, 200_000);
afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
	effects.server.close();
}, 60_000);

const sleep = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
const databaseFile = () => path.join(n8n.userFolder, '.n8n/database.sqlite');

/**
 * Takes the write lock of n8n's database for most of the time, so that n8n has to wait for every row it stores. Not
 * while n8n starts: on a slow machine it gives up there, which is no matter of ours.
 */
function slowDown(isStarting: () => boolean): { stop: () => Promise<void> } {
	let isOn = true;
	const holding = (async () => {
		while (isOn) {
			if (isStarting()) {
				await sleep(100);
				continue;
			}
			const database = new DatabaseSync(databaseFile(), { timeout: 50 });
			try {
				database.exec('BEGIN IMMEDIATE');
				await sleep(150);
				database.exec('COMMIT');
			} catch {
				// n8n holds it just now.
			} finally {
				database.close();
			}
			await sleep(100);
		}
	})();
	return {
		async stop() {
			isOn = false;
			await holding;
		},
	};
}

/** The executions that are in one of these states, with their data as text. */
function executions(...states: string[]): Array<{ id: string; data: string }> {
	const database = new DatabaseSync(databaseFile(), { readOnly: true, timeout: 10_000 });
	const rows = database
		.prepare(
			`SELECT id, data FROM execution_data JOIN execution_entity ON id = executionId WHERE status IN (${states.map(() => '?').join()})`,
		)
		.all(...states);
	database.close();
	return rows.map(({ id, data }) => ({ id: String(id), data: String(data) }));
}
const untilQuiet = async () => {
	for (let tries = 0; executions('new', 'running').length > 0 && tries < 120; tries++) await sleep(1_000);
	await sleep(1_000);
};
/** How often the workflow did its work for each job. */
const timesHandled = () => {
	const times = new Map<string, number>();
	for (const { job_id: jobId } of effects.received) {
		times.set(String(jobId), (times.get(String(jobId)) ?? 0) + 1);
	}
	return times;
};

it(`handles each of ${JOBS} jobs once that are called for twice while the database is slow and n8n restarts twice`, async () => {
	const webhookId = unique('hook');
	const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
	const { id: credentialId, name } = await n8n.client.createCredential(unique('credential'), data);
	const credentials = { priceCollectionApi: { id: credentialId, name } };
	const { id } = await n8n.client.createWorkflow({
		nodes: [node('Ends', TRIGGER_TYPE, {}, { webhookId, credentials }), effects.report()],
		connections: connect({ Ends: ['Report'] }),
	});
	await n8n.client.activate(id);
	const url = `${n8n.url}/webhook/${webhookId}/price-collection`;
	const jobIds: string[] = [];
	await inParallel(
		Array.from({ length: JOBS }, (_, n) => n),
		20,
		async () => {
			jobIds.push(await finishedJob(sandbox));
		},
	);
	sandbox.clearRequests();
	const calls = jobIds.flatMap((jobId) => [jobId, jobId]);
	const answers = new Map<string, number>();
	let answered = 0;
	let isStarting = false;
	let isLost = false;
	/** As a service does it that repeats until it is told 200. */
	const call = async (jobId: string) => {
		const deadline = Date.now() + LONGEST_CALL_MS;
		while (!isLost) {
			if (Date.now() > deadline) {
				isLost = true;
				throw new Error(`Job ${jobId} got no 200: ${JSON.stringify(Object.fromEntries(answers))}`);
			}
			const reply = await fetch(url, {
				method: 'POST',
				signal: AbortSignal.timeout(60_000),
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ job_id: jobId }),
			}).then(
				async (response) => `${response.status} ${(await response.text()).slice(0, 60)}`,
				() => 'no answer',
			);
			answers.set(reply, (answers.get(reply) ?? 0) + 1);
			// While it starts, n8n itself answers 200 to every call, and hands none of them on.
			if (reply.startsWith('200') && !reply.includes('n8n is starting up')) break;
			await sleep(1_000);
		}
		answered++;
	};
	const began = Date.now();
	const slow = slowDown(() => isStarting);
	const restarts = (async () => {
		for (const part of [1 / 3, 2 / 3]) {
			while (answered < calls.length * part && !isLost) await sleep(100);
			isStarting = true;
			await n8n.restart();
			isStarting = false;
		}
	})();
	// Without n8n, the calls would be repeated for ever.
	restarts.catch(() => {
		isLost = true;
	});
	try {
		await inParallel(calls, CONCURRENCY, call);
		await restarts;
	} finally {
		await slow.stop();
	}
	await untilQuiet();
	const statusCalls = sandbox.requests.filter(({ path: asked }) => /\/v2\/jobs\/[^/]+$/.test(asked)).length;
	const lists = sandbox.requests.filter(({ path: asked }) => asked.endsWith('/v2/jobs')).length;
	const seconds = Math.round((Date.now() - began) / 1000);
	console.log(
		JSON.stringify({ seconds, statusCalls, lists, answers: Object.fromEntries(answers) }, null, '\t'),
	);
	// n8n had stored them, and answered 200, when its own stop cut them off; nothing repeats them but a retry by hand.
	const cutOff = executions('crashed');
	const handled = timesHandled();
	const crashed = jobIds.filter((jobId) => !handled.has(jobId));
	const repeated = [...handled].filter(([, count]) => count > 1);
	console.log(
		JSON.stringify({
			handled: handled.size,
			cutOff: cutOff.length,
			onlyCrashed: crashed.length,
			repeated: repeated.length,
		}),
	);
	// Had it been none of these, the repeat would have begun another execution: here no call began a second one.
	const begun = executions('success');
	expect(crashed.filter((jobId) => begun.some(({ data }) => data.includes(jobId)))).toEqual([]);
	for (const jobId of crashed) {
		const execution = cutOff.findLast(({ data }) => data.includes(jobId));
		await n8n.client.call('POST', `/rest/executions/${execution?.id}/retry`, { loadWorkflow: false });
	}
	await untilQuiet();
	const times = timesHandled();
	expect(jobIds.filter((jobId) => times.get(jobId) !== 1)).toEqual([]);
	expect(effects.received).toHaveLength(JOBS);
	expect(statusCalls).toBeLessThanOrEqual(Math.ceil(seconds / 60 + 3) * 60);
}, 900_000);
