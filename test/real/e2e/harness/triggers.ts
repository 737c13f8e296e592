import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IConnections, INode } from 'n8n-workflow';

import type { N8nClient } from '../../../support/n8n/client.cjs';
import { startN8n, type N8nInstance } from '../../../support/n8n/instance.cjs';
import { until } from '../../../support/until.cjs';
import { connect, node } from '../../../engine/support/workflow';
import { startSandbox, type Sandbox } from '../../../fakes/sandbox/sandbox';
import { createCredential, TRIGGER_TYPE, unique, type CredentialReference } from './e2e';
import { startEffects, type Effects } from './effects';

/** How long a call is repeated: enough for two starts of n8n on a slow machine. */
const LONGEST_CALL_MS = 5 * 60_000;

/** What the tests of triggers use. */
export interface TriggerLab {
	n8n: N8nInstance;
	/** Its jobs run until they are told to end. */
	sandbox: Sandbox;
	effects: Effects;
	/** A credential for this sandbox. */
	credential: (more?: Record<string, unknown>) => Promise<CredentialReference>;
	/** Waits until the workflows have reported so many different jobs. */
	reported: (count: number, timeoutMs?: number) => Promise<void>;
}

/**
 * Starts an n8n and a sandbox of the file's own before its tests, because they restart n8n and change what the service
 * does. Each test finds both without jobs.
 *
 * @param env settings of n8n
 */
export function useTriggerLab(env: Record<string, string>): TriggerLab {
	const lab = {} as TriggerLab;
	beforeAll(async () => {
		lab.sandbox = await startSandbox({ autoFinish: false });
		lab.effects = await startEffects();
		lab.n8n = await startN8n({ env });
	});
	afterAll(async () => {
		await lab.n8n?.remove();
		await lab.sandbox.close();
		lab.effects.close();
	});
	beforeEach(() => {
		lab.sandbox.reset();
		lab.effects.received.length = 0;
	});
	lab.credential = async (more = {}) =>
		await createCredential({ baseUrl: lab.sandbox.url, ...more }, lab.n8n.client);
	lab.reported = async (count, timeoutMs) => {
		await until(
			() => `${new Set(lab.effects.jobIds()).size} jobs are reported, not ${count}`,
			() => new Set(lab.effects.jobIds()).size >= count,
			timeoutMs,
		);
	};
	return lab;
}

/** The webhook trigger as the node `Ends`, which outputs the job by default, and its path below `/webhook/`. */
export function webhookTrigger(credential: CredentialReference, parameters = {}): [INode, string] {
	const webhookId = unique('hook');
	const credentials = { priceCollectionApi: credential };
	return [
		node('Ends', TRIGGER_TYPE, { output: 'job', ...parameters }, { webhookId, credentials }),
		`${webhookId}/price-collection`,
	];
}

/** Saves and activates a workflow: by default a trigger whose items go to one more node. */
export async function activate(
	client: N8nClient,
	nodes: INode[],
	connections: IConnections = connect({ [nodes[0]?.name ?? '']: [nodes[1]?.name ?? ''] }),
): Promise<string> {
	const { id } = await client.createWorkflow({ name: unique('trigger'), nodes, connections });
	await client.activate(id);
	return id;
}

/** Waits until n8n passes calls on. Before it knows the address, n8n answers 404, in other words than the trigger. */
export async function untilKnown(url: string, method = 'POST'): Promise<void> {
	await until(`${url} is known`, async () => {
		const reply = await fetch(url, { method });
		return !(await reply.text()).includes('not registered');
	});
}

/** A service's call, in JSON. */
export const post = async (url: string, body: unknown) =>
	await fetch(url, {
		method: 'POST',
		signal: AbortSignal.timeout(60_000),
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

/** Calls like a service that repeats its call until it gets 200. */
export async function callUntilHeard(url: string, jobId: string): Promise<void> {
	await until(
		`a call for the job ${jobId} is heard`,
		async () => {
			const reply = await post(url, { job_id: jobId }).then(
				async (response) => `${response.status} ${await response.text()}`,
				() => 'no answer',
			);
			// n8n itself answers 200 to every call while it starts, and passes none of them on.
			if (reply.startsWith('200') && !reply.includes('n8n is starting up')) return true;
			await sleep(800);
			return false;
		},
		LONGEST_CALL_MS,
	);
}

export const databaseOf = ({ userFolder }: N8nInstance) => path.join(userFolder, '.n8n/database.sqlite');

/** Reads n8n's database directly, which spares n8n the load. */
export function inDatabase(n8n: N8nInstance, sql: string, ...values: string[]) {
	const database = new DatabaseSync(databaseOf(n8n), { readOnly: true, timeout: 10_000 });
	try {
		return database.prepare(sql).all(...values);
	} finally {
		database.close();
	}
}

/** The executions of these statuses, with their data as text. */
export function executionsIn(n8n: N8nInstance, ...statuses: string[]) {
	const data = 'SELECT id, data FROM execution_data JOIN execution_entity ON id = executionId';
	const rows = inDatabase(n8n, `${data} WHERE status IN (${statuses.map(() => '?').join()})`, ...statuses);
	return rows.map(({ id, data: text }) => ({ id: String(id), data: String(text) }));
}

/** Waits until all executions have ended, so that nothing comes late. */
export const settle = async (n8n: N8nInstance) =>
	await until('all executions have ended', () => executionsIn(n8n, 'new', 'running').length === 0);
