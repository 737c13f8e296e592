import type { N8nInstance } from '../../../tools/n8n/instance.cjs';

/** What the set-up hands to the test files, through the environment because they are loaded apart from it. */
export interface SharedServers {
	n8nUrl: string;
	n8nCookie: string;
	n8nPid: number;
	n8nUserFolder: string;
	sandboxUrl: string;
}

const VARIABLE = 'PRICE_COLLECTION_E2E';

export function publish(servers: SharedServers): void {
	process.env[VARIABLE] = JSON.stringify(servers);
}

/** The n8n and the sandbox that all files share. */
export function sharedServers(): SharedServers {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('Run the end-to-end tests with `npm run test:e2e`');
	return JSON.parse(text) as SharedServers;
}

/** What the tear-down has to end; set-up and tear-down share one module registry. */
export const running: { n8n?: N8nInstance; sandbox?: { stop: () => void } } = {};
