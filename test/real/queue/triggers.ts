import { unique } from '../e2e/harness/e2e';
import { startEffects } from '../e2e/harness/effects';
import { activate, untilKnown, webhookTrigger } from '../e2e/harness/triggers';
import { createJob } from '../../engine/support/triggerSupport';
import { connect, node } from '../../engine/support/workflow';
import { until, type Lab } from './lab';

/** The recipe of `docs/triggers.md`: the database decides which call is first. */
const TABLE =
	'CREATE TABLE handled_jobs (job_id text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now())';
const INSERT = 'INSERT INTO handled_jobs (job_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING job_id';

type Ids = readonly string[];

/** An active workflow with the webhook trigger. It reports each start, and each job that passes the unique key. */
export async function activateCalled({ sandbox, cluster, credential }: Lab) {
	const { postgres, main, webhooks, client } = cluster;
	postgres.query(TABLE);
	const [started, handled] = [await startEffects(), await startEffects()];
	const { DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_DATABASE: database } = postgres.n8nSettings;
	const { DB_POSTGRESDB_USER: user, DB_POSTGRESDB_PASSWORD: password } = postgres.n8nSettings;
	const login = { host, port: postgres.port, database, user, password, ssl: 'disable' };
	const { id: account, name } = await client.createCredential(unique('postgres'), login, 'postgres');
	const [trigger, hook] = webhookTrigger(credential);
	const options = { queryReplacement: '={{ $json.job_id }}' };
	const insert = { operation: 'executeQuery', query: INSERT, options };
	const credentials = { postgres: { id: account, name } };
	const workflowId = await activate(
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

	/** The statuses of the calls for these jobs so far. */
	const callsFor = (ids: Ids) =>
		sandbox.deliveries.filter(({ jobId }) => ids.includes(jobId)).map(({ status }) => status);
	/** The jobs whose ends passed the unique key, each as often as it did. */
	const handledFor = (ids: Ids) => handled.jobIds().filter((id) => ids.includes(id));
	return {
		/** The trigger's path at each process that takes webhooks. */
		path,
		callsFor,
		handledFor,
		/** The jobs whose ends started the workflow, each as often as it did. */
		startedFor: (ids: Ids) => started.jobIds().filter((id) => ids.includes(id)),

		/** Jobs that call the workflow at their end, through the gateway. */
		async createJobs(count: number): Promise<string[]> {
			const create = () => createJob(sandbox, { webhook_url: cluster.url + path });
			return await Promise.all(Array.from({ length: count }, create));
		},

		/** Waits until all calls for these jobs are answered and what they have started has ended. */
		async settled(ids: Ids): Promise<void> {
			await until(
				'all calls are answered',
				() => callsFor(ids).filter((status) => status === 200).length >= ids.length,
			);
			// An execution that a killed process stored but did not queue stays "new". Its caller did not get 200.
			const running = `SELECT id FROM execution_entity WHERE "workflowId" = '${workflowId}' AND status = 'running'`;
			await until(
				'all executions have ended',
				() => ids.every((id) => handledFor([id]).length > 0) && postgres.query(running).length === 0,
			);
		},

		end(): void {
			started.close();
			handled.close();
		},
	};
}
