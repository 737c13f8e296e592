import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ENDED } from '../../support/n8n/client.cjs';
import { startCluster } from '../../support/n8n/cluster.cjs';
import { until as untilThere } from '../../support/until.cjs';
import { collect, collectWorkflow, linked, rowsOf, WAIT, type Mode } from '../e2e/harness/collecting';
import { createCredential, retryByHand, runWorkflow, unique, waitForOutcome } from '../e2e/harness/e2e';
import type { Outcome, RunOptions } from '../e2e/harness/e2e';
import { connect } from '../../engine/support/workflow';
import { IDS, QUEUED_TWICE, WIRINGS } from '../../engine/support/wirings';
import { startSandbox } from '../../fakes/sandbox/sandbox';

/** n8n notices the end of a worker after a minute, and checks its timers once a minute. */
const LONGEST_MS = 400_000;

/** A kill takes far less. */
const ASLEEP_MS = 10_000;

/** Waits until something has happened. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>) =>
	await untilThere(what, condition, LONGEST_MS);

/** A run of Collect that waits for its job, and the rows that it must have. */
export interface Run {
	outcome: Outcome;
	/** One of its values, which no other run asks for. */
	term: string;
	rows: string[];
}

export type Lab = Awaited<ReturnType<typeof startLab>>;

/**
 * An n8n in queue mode that starts with one of its two workers, and a service that repeats its callbacks and whose jobs
 * end when a test says so.
 */
export async function startLab() {
	const sandbox = await startSandbox({
		autoFinish: false,
		webhookRetries: 600,
		webhookRetryDelayMs: 1_000,
		webhookTimeoutMs: 60_000,
		listFields: ['order', 'counters', 'values', 'times'],
	});
	const cluster = await startCluster({
		workersAtStart: 1,
		// n8n's defaults, halved or less, so that it notices the end of a worker sooner.
		env: {
			QUEUE_WORKER_LOCK_DURATION: '30000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
			QUEUE_WORKER_STALLED_INTERVAL: '10000',
		},
	});
	const { client } = cluster;
	const credential = await createCredential({ baseUrl: sandbox.url }, client);
	const own: RunOptions = { client, credential, mode: 'production', timeoutMs: LONGEST_MS };
	const jobsOf = ({ term }: Pick<Run, 'term'>) =>
		sandbox.jobs.filter(({ values }) => values.includes(term));
	/** The only job of a run. */
	const jobIdOf = (run: Pick<Run, 'term'>): string => {
		const [job, ...more] = jobsOf(run);
		if (job === undefined || more.length > 0) throw new Error(`${run.term} has not one job`);
		return job.job_id;
	};
	return {
		...{ sandbox, cluster, client, credential, jobIdOf },
		/** Runs a workflow to its end. */
		run: async (...[nodes, connections]: Parameters<typeof runWorkflow>) =>
			await runWorkflow(nodes, connections, own),

		/** Starts a run of Collect, and waits until its job exists and it sleeps, or polls. */
		async collect(mode: Mode, parameters: INodeParameters = {}, settings?: IDataObject): Promise<Run> {
			const term = unique(`lamp-${mode}`);
			const input: IDataObject[] = [
				{ id: 'a', term },
				{ id: 'b', term: `${term} red` },
			];
			// A file belongs to all items at once, so there is no row to link.
			const [nodes, connections] =
				parameters.output === 'file'
					? [[collect({ waitMode: mode, ...parameters })], connect({ Start: ['Collect'] })]
					: collectWorkflow(mode, parameters);
			const status = [mode === 'poll' ? 'running' : 'waiting'];
			const outcome = await runWorkflow(nodes, connections, { ...own, input, settings, until: status });
			await until(`the job of ${term} exists`, () => jobsOf({ term }).length > 0);
			return { outcome, term, rows: [`a ${term} true`, `b ${term} red true`] };
		},

		/**
		 * Starts a run whose Collect n8n queues twice, and waits until the first execution of it sleeps. Its jobs end when
		 * {@link endOfTwice} says so.
		 */
		async collectTwice(mode: Mode): Promise<Run> {
			const term = unique(`pan-${mode}`);
			const input = IDS.map((id) => ({ id, term: `${term} ${id}` }));
			const { nodes, connections } = WIRINGS[QUEUED_TWICE]({
				...{ start: 'Start', rows: 'Linked' },
				collect: (name) => ({ ...collect({ waitMode: mode }), name }),
				wait: () => WAIT,
			});
			const outcome = await runWorkflow([...nodes, linked], connections, {
				...{ ...own, input, until: ['waiting'] },
			});
			return { outcome, term, rows: input.map(({ id, term: asked }) => `${id} ${asked} true`) };
		},

		/** Ends every job of such a run until the run is over. Returns its status, rows and bought values. */
		async endOfTwice(run: Run) {
			const isOfRun = ({ values }: { values: string[] }) =>
				values.some((value) => value.startsWith(run.term));
			await until('all its jobs have ended', async () => {
				for (const { job_id, endedAt } of sandbox.jobs.filter(isOfRun))
					if (endedAt === null) sandbox.finishJob(job_id);
				const { status } = await client.execution(run.outcome.id);
				return ENDED.includes(status);
			});
			const ended = await waitForOutcome(run.outcome, { timeoutMs: LONGEST_MS }, client);
			const bought = sandbox.jobs.filter(isOfRun).flatMap(({ values }) => values);
			return { status: ended.status, rows: rowsOf(ended).sort(), bought: bought.sort() };
		},

		/**
		 * Waits until none of these runs is at work or about to wake, so that killing a worker does no more to them than
		 * their test says: n8n calls crashed what the worker was running.
		 */
		async asleepOrOver(runs: Run[]): Promise<void> {
			const isAtRest = async ({ outcome }: Run) => {
				const [found] = await client.executionsOf(outcome.workflowId);
				// Those that are not saved are gone.
				if (found === undefined) return true;
				const { status, waitTill } = found;
				if (status !== 'waiting') return ENDED.includes(status);
				return new Date(waitTill ?? 0).getTime() - Date.now() > ASLEEP_MS;
			};
			await until('the other runs sleep or are over', async () => {
				const atRest = await Promise.all(runs.map(isAtRest));
				return !atRest.includes(false);
			});
		},

		/** Retries a run by hand, and waits for its end. */
		retryByHand: async (run: Run): Promise<Run> => ({
			...run,
			outcome: await retryByHand(run.outcome, client),
		}),

		finish: (run: Run) => sandbox.finishJob(jobIdOf(run)),

		/** What the service did for a run: jobs, credits, downloads. */
		bill(run: Run) {
			const jobs = jobsOf(run);
			const downloads = sandbox.requests.filter(
				({ path, replyStatus }) =>
					replyStatus === 200 && jobs.some(({ job_id }) => path.endsWith(`${job_id}/download`)),
			);
			const credits = jobs.reduce((sum, { charged }) => sum + charged, 0);
			return { jobs: jobs.length, credits, downloads: downloads.length };
		},

		/** Waits for the end of a run, and returns its status, its error and its rows. */
		async endOf({ outcome }: Run) {
			const ended = await waitForOutcome(outcome, { timeoutMs: LONGEST_MS }, client);
			return { status: ended.status, error: ended.error?.message, rows: rowsOf(ended) };
		},

		async end(): Promise<void> {
			await (process.env.PRICE_COLLECTION_KEEP_N8N ? cluster.stop() : cluster.remove());
			await sandbox.close();
		},
	};
}

/** The bill for a run: two values, paid for once. */
export const PAID_ONCE = { jobs: 1, credits: 2, downloads: 1 };
