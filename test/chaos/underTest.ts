import { startCluster } from '../../tools/n8n/cluster.cjs';
import type { N8nClient } from '../../tools/n8n/client.cjs';
import { startN8n } from '../../tools/n8n/instance.cjs';

/** `stop`: SIGTERM, and time to clean up. `kill`: SIGKILL. */
export type End = 'stop' | 'kill';

/** A process, or a server, that can end and come back. */
export interface Part {
	name: string;
	/** Ends it, starts it again, and gives back when it answers. */
	restart(how: End): Promise<void>;
	/** Whether it lives: some end by themselves when another part is gone. */
	isRunning(): boolean;
}

/** The n8n that the storm goes over, in whatever mode. */
export interface UnderTest {
	/** The REST API of the main process, logged in. */
	client: N8nClient;
	/** Where calls from outside arrive. */
	url: string;
	parts: Part[];
	/** Where its logs and databases are. */
	folder: string;
	/** Ends everything, and leaves logs and databases behind. */
	stop(): Promise<void>;
	/** Ends everything and deletes it. */
	remove(): Promise<void>;
}

const SETTINGS = {
	// Less than what the harness gives n8n to end in: SIGTERM is to be a graceful end.
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '8',
	// An execution whose entry in the queue is gone with Redis is found after three hours by default.
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

/** What all parts have in common, as the tools give them. */
interface Stoppable {
	kill9(): Promise<void>;
	restart(): Promise<void>;
	readonly isRunning: boolean;
}

const partOf = (name: string, process: Stoppable): Part => ({
	name,
	async restart(how) {
		if (how === 'kill') await process.kill9();
		await process.restart();
	},
	isRunning: () => process.isRunning,
});

async function startRegular(): Promise<UnderTest> {
	const n8n = await startN8n({ env: SETTINGS });
	return Object.assign(n8n, { folder: n8n.userFolder, parts: [partOf('n8n', n8n)] });
}

async function startQueue(): Promise<UnderTest> {
	const cluster = await startCluster({ env: SETTINGS });
	const { main, workers, webhooks, redis, postgres } = cluster;
	const parts = [
		partOf('main', main),
		...workers.map((worker, place) => partOf(`worker ${place + 1}`, worker)),
		partOf('webhook processor', webhooks),
		partOf('Redis', redis),
		partOf('PostgreSQL', postgres),
	];
	return Object.assign(cluster, { parts });
}

export const MODES = { regular: startRegular, queue: startQueue };
export type Mode = keyof typeof MODES;
