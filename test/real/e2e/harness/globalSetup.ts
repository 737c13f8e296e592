import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '@jest/types';

import { startN8n } from '../../../support/n8n/instance.cjs';
import { packPackage } from '../../../support/n8n/package.cjs';
import { startOfficeProcess } from '../../../support/office.cjs';
import { startSandboxProcess } from '../../../support/sandbox.cjs';
import { publish, running } from './shared';
import type { SharedServers } from './shared';

/** How many of jest's workers get a file to run. */
function workersFor(
	{ maxWorkers, testPathPatterns }: Config.GlobalConfig,
	{ rootDir, roots }: Config.ProjectConfig,
): number {
	const patterns = testPathPatterns.toExecutor({ rootDir });
	const files = roots.flatMap((root) => globSync(`${root}/**/*.{test,tour}.ts`));
	return Math.min(maxWorkers, files.filter((file) => patterns.isMatch(path.resolve(file))).length);
}

async function startServers(worker: number, tarball: string): Promise<SharedServers> {
	const servers: (typeof running)[number] = {};
	running.push(servers);
	const sandbox = (servers.sandbox = await startSandboxProcess());
	const office = (servers.office = await startOfficeProcess());
	const n8n = (servers.n8n = await startN8n({ tarball, env: office.env }));
	console.log(
		`e2e: worker ${worker} has n8n at ${n8n.url}, sandbox at ${sandbox.url}, office at ${office.url}; log: ${n8n.logFile}`,
	);
	return {
		n8nUrl: n8n.url,
		n8nCookie: n8n.client.cookie,
		sandboxUrl: sandbox.url,
		officeUrl: office.url,
		clockFile: office.clockFile,
	};
}

/** Starts an n8n, a sandbox and an office for each of jest's workers. */
export default async function globalSetup(
	global: Config.GlobalConfig,
	project: Config.ProjectConfig,
): Promise<void> {
	const tarball = packPackage();
	const workers = Array.from({ length: workersFor(global, project) }, (_, index) => index + 1);
	publish(await Promise.all(workers.map(async (worker) => await startServers(worker, tarball))));
	rmSync(path.dirname(tarball), { recursive: true });
}
