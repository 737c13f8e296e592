import type { Run } from '../run/record';
import { readList } from '../service/api/jobList';
import type { Job } from '../service/types';
import { afterCheck, afterReading, beginWait, nextStep } from './check';
import type { CheckPolicy, Entries, Moment, Watch } from './check';

/** How many entries of the list to read at most per open job. */
const MOST_ENTRIES_PER_JOB = 20;

/** Reads the job list until it has shown all these jobs; undefined if it cannot be read. */
async function readEntries({ client, choices }: Run, open: readonly Watch[]): Promise<Entries | undefined> {
	let pages = 0;
	const missing = new Set(open.map(({ record }) => record.job.job_id));
	const enough = (_jobs: readonly Job[], page: readonly Job[]) => {
		pages++;
		for (const { job_id } of page) missing.delete(job_id);
		return missing.size === 0;
	};
	const limit = missing.size * MOST_ENTRIES_PER_JOB;
	const { timeoutMs } = choices.first;
	const list = await readList(client, { limit, enough, timeoutMs });
	return list.ok ? { jobs: new Map(list.value.jobs.map((job) => [job.job_id, job])), pages } : undefined;
}

/** Checks the jobs of a run according to the policy, until n8n stops the execution at the latest. */
export async function checkJobs(run: Run, policy: CheckPolicy): Promise<void> {
	const { context, client, choices, records, wait } = run;
	const { clock, endOf } = client;
	const { timeoutMs } = choices.first;
	const signal = context.getExecutionCancelSignal();
	const moment = (): Moment => ({ now: clock.now(), elapsed: clock.elapsed() });
	const watching = beginWait(records, policy, moment(), wait?.latest);
	while (signal?.aborted !== true) {
		const step = nextStep(watching, moment(), client.statusDelay());
		if (step.kind === 'done') return;
		if (step.kind === 'sleep') {
			await clock.pause(step.milliseconds, signal);
		} else if (step.kind === 'list') {
			const entries = await readEntries(run, step.open);
			afterReading(watching, step.open, entries, moment(), endOf);
		} else {
			const options = { repeat: false, timeoutMs, turn: { until: step.until } };
			const askedAt = clock.now();
			const reply = await client.getJob(step.watch.record.job.job_id, options);
			afterCheck(watching, step.watch, reply, { ...moment(), askedAt }, endOf);
		}
	}
}
