import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePorts } from '../../support/n8n/daemon.cjs';
import { N8nInstance } from '../../support/n8n/instance.cjs';
import { packPackage } from '../../support/n8n/package.cjs';
import { finishJob, jobsOf, rowsOf, suspend } from '../e2e/harness/collecting';
import { waitForOutcome } from '../e2e/harness/e2e';
import { loadedVersion, OTHER_VERSION, packOtherBuild, withNewerFormats } from '../e2e/harness/otherBuild';
import { startRegistry } from './registry';

const NAME = 'n8n-nodes-price-collection';
const PACKAGES = '/rest/community-packages';
/** One of n8n's timers takes 66 s, and up to twice that if n8n is down when it is due. */
const TIMER_MS = 200_000;

let registry: Awaited<ReturnType<typeof startRegistry>>;
let n8n: N8nInstance;
const tarballs: string[] = [];

beforeAll(async () => {
	registry = await startRegistry();
	tarballs.push(packPackage(), packOtherBuild(withNewerFormats));
	const userFolder = mkdtempSync(path.join(tmpdir(), 'price-collection-n8n-'));
	const [port = 0, brokerPort = 0] = await freePorts(2);
	const bin = path.resolve(__dirname, '../../install/n8n/node_modules/.bin');
	const PATH = [registry.folder, bin, process.env.PATH].join(path.delimiter);
	n8n = new N8nInstance(userFolder, [port, brokerPort], { PATH });
	await n8n.boot();
	await n8n.client.logIn();
});

afterAll(async () => {
	await n8n?.remove();
	await registry?.close();
	for (const tarball of tarballs) rmSync(path.dirname(tarball), { recursive: true, force: true });
});

it('is installed by n8n, updated while a job is waited for, and removed', async () => {
	registry.publish(String(tarballs[0]));
	expect(await n8n.client.call('POST', PACKAGES, { name: NAME })).toMatchObject({
		packageName: NAME,
		installedVersion: '0.1.0',
	});
	expect(await loadedVersion(n8n)).toBe('0.1.0');

	const suspended = await suspend('durable', n8n.client);
	registry.publish(String(tarballs[1]));
	expect(await n8n.client.call('PATCH', PACKAGES, { name: NAME })).toMatchObject({
		installedVersion: OTHER_VERSION,
	});
	expect(await loadedVersion(n8n)).toBe(OTHER_VERSION);
	await finishJob(suspended.jobId);
	const finished = await waitForOutcome(suspended.outcome, { timeoutMs: TIMER_MS }, n8n.client);
	expect([finished.status, rowsOf(finished)]).toEqual(['success', suspended.rows]);
	expect(await jobsOf(suspended.slow)).toHaveLength(1);

	await n8n.client.call('DELETE', `${PACKAGES}?name=${NAME}`);
	expect(await loadedVersion(n8n)).toBeUndefined();
	expect(existsSync(path.join(n8n.userFolder, '.n8n/nodes/node_modules', NAME))).toBe(false);
});
