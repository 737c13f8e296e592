import { unique } from '../e2e/harness/e2e';
import { startEffects, type Effects } from '../e2e/harness/effects';
import { activate, untilKnown, webhookTrigger } from '../e2e/harness/triggers';
import { createJob } from '../engine/triggerSupport';
import { connect, node } from '../engine/workflow';
import { until, type Lab } from './lab';

/** The recipe of `docs/triggers.md`: the database decides who is first. */
const TABLE =
	'CREATE TABLE handled_jobs (job_id text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now())';
const INSERT = 'INSERT INTO handled_jobs (job_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING job_id';

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
		const { postgres, main, webhooks, client } = lab.cluster;
		postgres.query(TABLE);
		const [started, handled] = [await startEffects(), await startEffects()];
		const { DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_DATABASE: database } = postgres.n8nSettings;
		const { DB_POSTGRESDB_USER: user, DB_POSTGRESDB_PASSWORD: password } = postgres.n8nSettings;
		const login = { host, port: postgres.port, database, user, password, ssl: 'disable' };
		const { id: account, name } = await client.createCredential(unique('postgres'), login, 'postgres');
		const [trigger, hook] = webhookTrigger(lab.credential);
		const insert = {
			operation: 'executeQuery',
			query: INSERT,
			options: { queryReplacement: '={{ $json.job_id }}' },
		};
		const credentials = { postgres: { id: account, name } };
		const id = await activate(
			client,
			[
				trigger,
				started.report(),
				node('Unique key', 'n8n-nodes-base.postgres', insert, { typeVersion: 2.6, credentials }),
				handled.report('Handled'),
			],
			connect({ Ends: [['Report', 'Unique key']], 'Unique key': ['Handled'] }),
		);
		const path = `/webhook/${hook}`;
		for (const { url } of [main, webhooks]) await untilKnown(url + path);
		return new CalledWorkflow(lab, id, path, started, handled);
	}

	end(): void {
		this.started.close();
		this.handled.close();
	}

	/** Jobs that call the workflow at their end, through the gateway. */
	async createJobs(count: number): Promise<string[]> {
		const { sandbox, cluster } = this.lab;
		const create = () => createJob(sandbox, { webhook_url: cluster.url + this.path });
		return await Promise.all(Array.from({ length: count }, create));
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
				ids.every((id) => this.handled.jobIds().includes(id)) &&
				this.lab.cluster.postgres.query(running).length === 0,
		);
	}

	/** The jobs whose ends started the workflow, as often as they did. */
	startedFor(ids: readonly string[]): string[] {
		return this.started.jobIds().filter((id) => ids.includes(id));
	}

	/** The jobs whose ends came through the unique key, as often as they did. */
	handledFor(ids: readonly string[]): string[] {
		return this.handled.jobIds().filter((id) => ids.includes(id));
	}
}
