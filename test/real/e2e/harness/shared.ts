import type { N8nInstance } from '../../../support/n8n/instance.cjs';

/** What the set-up passes to the test files, through the environment because they run in other processes. */
export interface SharedServers {
	n8nUrl: string;
	n8nCookie: string;
	sandboxUrl: string;
	officeUrl: string;
	/** The file that says how many milliseconds n8n's clock is ahead. */
	clockFile: string;
}

const VARIABLE = 'PRICE_COLLECTION_E2E';

/** @param servers one entry for each of jest's workers */
export function publish(servers: SharedServers[]): void {
	process.env[VARIABLE] = JSON.stringify(servers);
}

/** The n8n, the sandbox and the office of this worker. Its test files use them one after another. */
export function sharedServers(): SharedServers {
	const all = JSON.parse(process.env[VARIABLE] ?? '[]') as SharedServers[];
	const own = all[Number(process.env.JEST_WORKER_ID ?? 1) - 1];
	if (own === undefined) throw new Error('Run the end-to-end tests with `npm run test:e2e`');
	return own;
}

/** What the tear-down must stop; set-up and tear-down share one module registry. */
export const running: Array<{
	n8n?: N8nInstance;
	sandbox?: { stop: () => void };
	office?: { stop: () => void };
}> = [];
