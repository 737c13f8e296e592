import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';

import { startN8n } from '../../support/n8n/instance.cjs';
import type { N8nInstance } from '../../support/n8n/instance.cjs';
import { installPackage } from '../../support/n8n/package.cjs';
import { finishJob, jobsOf, requestsAbout, rowsOf, suspend } from '../e2e/harness/collecting';
import type { Suspended } from '../e2e/harness/collecting';
import { waitForOutcome } from '../e2e/harness/e2e';
import { loadedVersion, THIS_CODE, OTHER_CODE, OTHER_VERSION } from '../e2e/harness/otherBuild';
import { packOtherBuild, withNewerFormats } from '../e2e/harness/otherBuild';

/** One of n8n's timers takes 66 s, and up to twice that if n8n is down when it is due. */
const TIMER_MS = 200_000;

let n8n: N8nInstance;
let durable: Suspended;
let webhook: Suspended;

/** What an admin does: stop n8n, install the other version, start it again. */
async function update(tarball: string): Promise<void> {
	await n8n.stop();
	installPackage(n8n.userFolder, tarball);
	await n8n.restart();
}

const isInstalled = (file: string) =>
	existsSync(path.join(n8n.userFolder, '.n8n/nodes/node_modules/n8n-nodes-price-collection', file));

beforeAll(async () => {
	const other = packOtherBuild(withNewerFormats);
	try {
		n8n = await startN8n();
		durable = await suspend('durable', n8n.client);
		webhook = await suspend('webhook', n8n.client);
		await update(other);
	} finally {
		rmSync(path.dirname(other), { recursive: true, force: true });
	}
});

afterAll(async () => {
	await n8n?.remove();
});

it('replaces the code under suspended executions by another build', async () => {
	expect(await loadedVersion(n8n)).toBe(OTHER_VERSION);
	expect([THIS_CODE, OTHER_CODE].map((folder) => isInstalled(String(folder)))).toEqual([false, true]);
	for (const { outcome } of [durable, webhook]) {
		expect((await n8n.client.statusOf(outcome.id)).status).toBe('waiting');
	}
});

it.each([
	['on a timer', () => durable],
	['until a callback', () => webhook],
])(
	'a run suspended %s gives its rows in the other build and creates nothing anew',
	async (_mode, suspended) => {
		const { outcome, rows, jobId } = suspended();
		await finishJob(jobId);
		const finished = await waitForOutcome(outcome, { timeoutMs: TIMER_MS }, n8n.client);
		expect(finished.error).toBeUndefined();
		expect(finished.status).toBe('success');
		expect(rowsOf(finished)).toEqual(rows);
		expect(await jobsOf(suspended().slow)).toHaveLength(1);
		expect(await requestsAbout(`${String(jobId)}/download`)).toHaveLength(1);
	},
);
