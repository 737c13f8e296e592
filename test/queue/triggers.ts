import type { IConnections, INode } from 'n8n-workflow';

import { POLLING_TRIGGER_TYPE, TRIGGER_TYPE, unique } from '../e2e/harness/e2e';
import { startEffects, type Effects } from '../e2e/harness/effects';
import { createJob } from '../engine/triggerSupport';
import { connect, node } from '../engine/workflow';
import { newCredential, until, type Lab } from './lab';

/** The recipe of `docs/triggers.md`: the database decides who is first. */
const TABLE =
	'CREATE TABLE handled_jobs (job_id text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now())';
const INSERT = 'INSERT INTO handled_jobs (job_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING job_id';

async function activate(lab: Lab, nodes: INode[], connections: IConnections): Promise<string> {
	const { id } = await lab.client.createWorkflow({ name: unique('queue'), nodes, connections });
	await lab.client.activate(id);
	return id;
}

const idsIn = (effects: Effects) => effects.received.map(({ job_id }) => String(job_id));

/** An active workflow with the webhook trigger, and what it does: once for each time that it starts, and behind a unique key. */
export class CalledWorkflow {
	private constructor(
		private readonly lab: Lab,
		private readonly id: string,
		/** Below the address of a process that takes webhooks. */
		readonly path: string,
		private readonly started: Effects,
		private readonly handled: Effects,
	) {}

	static async activate(lab: Lab): Promise<CalledWorkflow> {
		const { cluster, credential } = lab;
		cluster.postgres.query(TABLE);
		const started = await startEffects();
		const handled = await startEffects();
		const { DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_DATABASE: database } = cluster.postgres.n8nSettings;
		const { DB_POSTGRESDB_USER: user, DB_POSTGRESDB_PASSWORD: password } = cluster.postgres.n8nSettings;
		const login = { host, port: cluster.postgres.port, database, user, password, ssl: 'disable' };
		const postgres = await cluster.client.createCredential(unique('postgres'), login, 'postgres');
		const webhookId = unique('hook');
		const id = await activate(
			lab,
			[
				node(
					'Ends',
					TRIGGER_TYPE,
					{},
					{ webhookId, credentials: { priceCollectionApi: credential } },
				),
				started.report(),
				node(
					'Unique key',
					'n8n-nodes-base.postgres',
					{
						operation: 'executeQuery',
						query: INSERT,
						options: { queryReplacement: '={{ $json.job_id }}' },
					},
					{ typeVersion: 2.6, credentials: { postgres: { id: postgres.id, name: postgres.name } } },
				),
				{ ...handled.report(), id: 'id-handled', name: 'Handled' },
			],
			connect({ Ends: [['Report', 'Unique key']], 'Unique key': ['Handled'] }),
		);
		const path = `/webhook/${webhookId}/price-collection`;
		for (const address of [cluster.main.url, cluster.webhooks.url]) {
			await until(`${address} knows the trigger`, async () => {
				// Until n8n knows the address, it answers 404 itself.
				return (await fetch(address + path, { method: 'POST' })).status !== 404;
			});
		}
		return new CalledWorkflow(lab, id, path, started, handled);
	}

	end(): void {
		this.started.server.close();
		this.handled.server.close();
	}

	/** Jobs that call the workflow at their end, through the gateway. */
	async createJobs(count: number): Promise<string[]> {
		const ids: string[] = [];
		for (let n = 0; n < count; n++) {
			ids.push(await createJob(this.lab.sandbox, { webhook_url: this.lab.cluster.url + this.path }));
		}
		return ids;
	}

	/** How the calls for these jobs went so far. */
	callsFor(ids: readonly string[]): Array<number | null> {
		const calls = this.lab.sandbox.deliveries.filter(({ jobId }) => ids.includes(jobId));
		return calls.map(({ status }) => status);
	}

	/** Waits until all calls for these jobs are answered and what they have started has ended. */
	async settled(ids: readonly string[]): Promise<void> {
		await until(
			'all calls are answered',
			() => this.callsFor(ids).filter((status) => status === 200).length >= ids.length,
		);
		// One that a killed process has stored and not queued any more stays "new"; its caller was not told 200.
		const running = `SELECT id FROM execution_entity WHERE "workflowId" = '${this.id}' AND status = 'running'`;
		await until(
			'all executions have ended',
			() =>
				ids.every((id) => idsIn(this.handled).includes(id)) &&
				this.lab.cluster.postgres.query(running).length === 0,
		);
	}

	/** The jobs whose ends started the workflow, as often as they did. */
	startedFor(ids: readonly string[]): string[] {
		return idsIn(this.started).filter((id) => ids.includes(id));
	}

	/** The jobs whose ends came through the unique key, as often as they did. */
	handledFor(ids: readonly string[]): string[] {
		return idsIn(this.handled).filter((id) => ids.includes(id));
	}
}

/** An active workflow with the polling trigger, which looks at the jobs of the sandbox's second account. */
export class PollingWorkflow {
	private constructor(
		private readonly lab: Lab,
		private readonly reported: Effects,
	) {}

	static async activate(lab: Lab): Promise<PollingWorkflow> {
		const reported = await startEffects();
		const { cluster, sandbox } = lab;
		const priceCollectionApi = await newCredential(cluster, sandbox, sandbox.options.secondApiKey);
		const parameters = { pollTimes: { item: [{ mode: 'everyMinute' }] } };
		await activate(
			lab,
			[
				node('Ends', POLLING_TRIGGER_TYPE, parameters, { credentials: { priceCollectionApi } }),
				reported.report(),
			],
			connect({ Ends: ['Report'] }),
		);
		const polling = new PollingWorkflow(lab, reported);
		// What has ended before the first look is old news.
		await until('the first poll', () => polling.polls() > 0);
		return polling;
	}

	end(): void {
		this.reported.server.close();
	}

	/** How often the list of jobs was looked at. */
	polls(): number {
		const { requests, options } = this.lab.sandbox;
		return requests.filter(
			({ path, url }) => path.endsWith('/v2/jobs') && url.includes(options.secondApiKey),
		).length;
	}

	/** Jobs that have ended. */
	async endJobs(count: number): Promise<string[]> {
		const { sandbox } = this.lab;
		const ids: string[] = [];
		for (let n = 0; n < count; n++) ids.push(await createJob(sandbox, {}, sandbox.options.secondApiKey));
		for (const id of ids) sandbox.finishJob(id);
		return ids;
	}

	/** The jobs whose ends were given out, as often as they were. */
	givenOut(): string[] {
		return idsIn(this.reported);
	}
}
