import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nClient } from '../../tools/n8n/client.cjs';
import type { Restart } from './weather.ts';

/** A process, or a server, that can end and come back. */
export interface Part {
	name: string;
	/** Ends it, starts it again, and gives back when it answers. */
	restart(how: Restart['how']): Promise<void>;
}

/** The n8n that the storm goes over, in whatever mode. */
export interface UnderTest {
	/** The REST API of the main process, logged in. */
	client: N8nClient;
	/** Where calls from outside arrive. */
	webhookUrl: string;
	parts: Part[];
	/** Where its logs and databases are. */
	folder: string;
	/** Ends everything and deletes it. */
	remove(): Promise<void>;
}

/** Less than what the harness gives n8n to end in: SIGTERM is to be a graceful end. */
const GRACE_SECONDS = '8';

async function startRegular(): Promise<UnderTest> {
	const n8n = await startN8n({
		env: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: GRACE_SECONDS, N8N_LOG_LEVEL: 'info' },
	});
	return {
		client: n8n.client,
		webhookUrl: n8n.url,
		folder: n8n.userFolder,
		parts: [
			{
				name: 'n8n',
				async restart(how) {
					if (how === 'kill') await n8n.kill9();
					await n8n.restart();
				},
			},
		],
		remove: async () => await n8n.remove(),
	};
}

export const MODES = { regular: startRegular };
export type Mode = keyof typeof MODES;
