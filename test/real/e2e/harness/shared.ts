import type { N8nInstance } from '../../../support/n8n/instance.cjs';

/** What the set-up hands to the test files, through the environment because they run in other processes. */
export interface SharedServers {
	n8nUrl: string;
	n8nCookie: string;
	sandboxUrl: string;
	officeUrl: string;
	/** By how many milliseconds the clock of n8n is ahead. */
	clockFile: string;
}

const VARIABLE = 'PRICE_COLLECTION_E2E';

/** @param servers one entry for each of jest's workers */
export function publish(servers: SharedServers[]): void {
	process.env[VARIABLE] = JSON.stringify(servers);
}

/** The n8n, the sandbox and the office of this worker, which one file after the other has to itself. */
export function sharedServers(): SharedServers {
	const all = JSON.parse(process.env[VARIABLE] ?? '[]') as SharedServers[];
	const own = all[Number(process.env.JEST_WORKER_ID ?? 1) - 1];
	if (own === undefined) throw new Error('Run the end-to-end tests with `npm run test:e2e`');
	return own;
}

/** What the tear-down has to end; set-up and tear-down share one module registry. */
export const running: Array<{
	n8n?: N8nInstance;
	sandbox?: { stop: () => void };
	office?: { stop: () => void };
}> = [];
