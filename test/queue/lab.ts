import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { startCluster } from '../../tools/n8n/cluster.cjs';
import type { Cluster } from '../../tools/n8n/cluster.cjs';
import { until as untilThere } from '../../tools/until.cjs';
import { collect, collectWorkflow, rowsOf, type Mode } from '../e2e/harness/collecting';
import { createCredential, Outcome, retryByHand, runWorkflow, unique } from '../e2e/harness/e2e';
import type { CredentialReference } from '../e2e/harness/e2e';
import { connect } from '../engine/workflow';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';

/** n8n notices the end of a worker after a minute, and looks at its timers once a minute. */
const LONGEST_MS = 400_000;

/** Waits until something has happened. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
	await untilThere(what, condition, LONGEST_MS);
}

/** A run of Collect that waits for its job, and what it is to give. */
export interface Run {
	outcome: Outcome;
	/** One of its values, which no other run asks for. */
	term: string;
	rows: string[];
}

/** An n8n in queue mode beside a service whose jobs end when a test says so, and which repeats its callbacks. */
export class Lab {
	private constructor(
		readonly sandbox: Sandbox,
		readonly cluster: Cluster,
		/** Of the sandbox's first account. */
		readonly credential: CredentialReference,
	) {}

	/** Starts both, with the first of two workers only. */
	static async start(): Promise<Lab> {
		const sandbox = await startSandbox({
			autoFinish: false,
			webhookRetries: 600,
			webhookRetryDelayMs: 1_000,
			webhookTimeoutMs: 60_000,
			listFields: ['order', 'counters', 'values', 'times'],
		});
		const cluster = await startCluster({
			workersAtStart: 1,
			// n8n's defaults, halved and less, so that the end of a worker is noticed sooner.
			env: {
				QUEUE_WORKER_LOCK_DURATION: '30000',
				QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
				QUEUE_WORKER_STALLED_INTERVAL: '10000',
			},
		});
		return new Lab(sandbox, cluster, await createCredential({ baseUrl: sandbox.url }, cluster.client));
	}

	async end(): Promise<void> {
		if (process.env.PRICE_COLLECTION_KEEP_N8N) await this.cluster.stop();
		else await this.cluster.remove();
		await this.sandbox.close();
	}

	get client() {
		return this.cluster.client;
	}

	/** The only worker, or the second one. */
	worker(place: 0 | 1) {
		const worker = this.cluster.workers[place];
		if (worker === undefined) throw new Error(`There is no worker ${place}`);
		return worker;
	}

	/** Runs a workflow to its end. */
	async run(nodes: INode[], connections: IConnections): Promise<Outcome> {
		const { client, credential } = this;
		return await runWorkflow(nodes, connections, {
			client,
			credential,
			mode: 'production',
			timeoutMs: LONGEST_MS,
		});
	}

	/** Starts a run of Collect, and waits until its job exists and it sleeps, or polls. */
	async collect(mode: Mode, parameters: INodeParameters = {}): Promise<Run> {
		const term = unique(`lamp-${mode}`);
		const input: IDataObject[] = [
			{ id: 'a', term },
			{ id: 'b', term: `${term} red` },
		];
		const { client, credential } = this;
		const status = [mode === 'poll' ? 'running' : 'waiting'];
		// A file is of all items at once: it has no row to be linked.
		const [nodes, connections] =
			parameters.output === 'file'
				? [[collect({ waitMode: mode, ...parameters })], connect({ Start: ['Collect'] })]
				: collectWorkflow(mode, parameters);
		const outcome = await runWorkflow(nodes, connections, {
			client,
			credential,
			mode: 'production',
			input,
			until: status,
			timeoutMs: LONGEST_MS,
		});
		await until(`the job of ${term} exists`, () => this.jobsOf({ term }).length > 0);
		return { outcome, term, rows: [`a ${term} true`, `b ${term} red true`] };
	}

	/** Retries a run by hand, and waits for its end. */
	async retryByHand(run: Run): Promise<Run> {
		return { ...run, outcome: await retryByHand(run.outcome, this.client) };
	}

	/** The jobs that were created for a run. */
	jobsOf({ term }: Pick<Run, 'term'>) {
		return this.sandbox.jobs.filter(({ values }) => values.includes(term));
	}

	/** The only job of a run. */
	jobIdOf(run: Pick<Run, 'term'>): string {
		const [job, ...more] = this.jobsOf(run);
		if (job === undefined || more.length > 0) throw new Error(`${run.term} has not one job`);
		return job.job_id;
	}

	finish(run: Pick<Run, 'term'>): void {
		this.sandbox.finishJob(this.jobIdOf(run));
	}

	/** What the service did for a run: jobs, credits, downloads. */
	bill(run: Pick<Run, 'term'>) {
		const jobs = this.jobsOf(run);
		const downloads = this.sandbox.requests.filter(
			({ path, replyStatus }) =>
				replyStatus === 200 && jobs.some(({ job_id }) => path.endsWith(`${job_id}/download`)),
		);
		return {
			jobs: jobs.length,
			credits: jobs.reduce((sum, { charged }) => sum + charged, 0),
			downloads: downloads.length,
		};
	}

	/** Waits for the end of a run, and gives its status, its error and its rows. */
	async endOf({ outcome }: Run) {
		const execution = await this.client.waitForExecution(outcome.id, { timeoutMs: LONGEST_MS });
		const ended = new Outcome(outcome.workflowId, execution);
		return { status: ended.status, error: ended.error?.message, rows: rowsOf(ended) };
	}
}

/** What the rows of a run are, and what they cost: two values, paid for once. */
export const PAID_ONCE = { jobs: 1, credits: 2, downloads: 1 };
