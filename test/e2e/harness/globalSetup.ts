import { globSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '@jest/types';

import { startN8n } from '../../../tools/n8n/instance.cjs';
import { packPackage } from '../../../tools/n8n/package.cjs';
import { startSandboxProcess } from '../../../tools/sandbox.cjs';
import { publish, running } from './shared';
import type { SharedServers } from './shared';

/** As many of jest's workers as get a file to run. */
function workersFor(
	{ maxWorkers, testPathPatterns }: Config.GlobalConfig,
	{ rootDir, roots }: Config.ProjectConfig,
): number {
	const { isMatch } = testPathPatterns.toExecutor({ rootDir });
	const files = roots.flatMap((root) => globSync(`${root}/**/*.test.ts`));
	return Math.min(maxWorkers, files.filter((file) => isMatch(path.resolve(file))).length);
}

/** Starts an n8n and a sandbox for each of jest's workers. */
export default async function globalSetup(
	global: Config.GlobalConfig,
	project: Config.ProjectConfig,
): Promise<void> {
	const tarball = packPackage();
	const servers: SharedServers[] = [];
	// In turn: two cores start two of them no sooner.
	for (let worker = 1; worker <= workersFor(global, project); worker++) {
		const sandbox = await startSandboxProcess();
		const pair: (typeof running)[number] = { sandbox };
		running.push(pair);
		const n8n = await startN8n({ tarball });
		pair.n8n = n8n;
		console.log(
			`e2e: worker ${worker} has n8n at ${n8n.url}, sandbox at ${sandbox.url}; log: ${n8n.logFile}`,
		);
		servers.push({
			n8nUrl: n8n.url,
			n8nCookie: n8n.client.cookie,
			sandboxUrl: sandbox.url,
		});
	}
	publish(servers);
}
