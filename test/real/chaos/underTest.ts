import { startCluster } from '../../support/n8n/cluster.cjs';
import { startN8n } from '../../support/n8n/instance.cjs';

/** A process or server that can be ended and restarted. Some end by themselves when another part is gone. */
export interface Part {
	name: string;
	process: { kill9(): Promise<void>; restart(): Promise<void>; readonly isRunning: boolean };
}

/** `stop`: SIGTERM, and time to clean up. `kill`: SIGKILL. */
export type End = 'stop' | 'kill';

/** Ends a part and restarts it. Resolves when it answers. */
export async function restart({ process }: Part, how: End): Promise<void> {
	if (how === 'kill') await process.kill9();
	await process.restart();
}

const SETTINGS = {
	// Shorter than the time after which the harness kills n8n, so that SIGTERM is a graceful end.
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '8',
	// By default, n8n takes three hours to find an execution whose entry in the queue is gone with Redis.
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

/** How to start the n8n under test. `folder` holds its logs and databases. */
export const MODES = {
	async regular() {
		const n8n = await startN8n({ env: SETTINGS });
		const parts: Part[] = [{ name: 'n8n', process: n8n }];
		return Object.assign(n8n, { folder: n8n.userFolder, parts });
	},
	async queue() {
		const cluster = await startCluster({ env: SETTINGS });
		const { main, workers, webhooks, redis, postgres } = cluster;
		const parts: Part[] = [
			{ name: 'main', process: main },
			...workers.map((process, place) => ({ name: `worker ${place + 1}`, process })),
			{ name: 'webhook processor', process: webhooks },
			{ name: 'Redis', process: redis },
			{ name: 'PostgreSQL', process: postgres },
		];
		return Object.assign(cluster, { parts });
	},
};
export type Mode = keyof typeof MODES;
export type UnderTest = Awaited<ReturnType<(typeof MODES)[Mode]>>;
