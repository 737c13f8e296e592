import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { hint, hintNoLoopNeeded } from '../../n8n/hints';
import { NodeFields, RUN } from '../../n8n/nodeFields';
import { linkedItems, inputSource } from '../../n8n/execution';
import { resumeUrl } from '../../n8n/suspension';
import { ChoiceReader } from '../../settings/resultChoice';
import { deadlineAfter, readWaitSettings } from '../../settings/waitSettings';
import { startJobs } from '../../creation/create';
import { openLedger } from '../../creation/openLedger';
import { CHECK_POLICIES } from '../../waiting/check';
import { cancellingOnStop } from '../../waiting/stop';
import { warnAboutLoopback, wokenRun, type WokenRun } from '../../waiting/woken';
import { waitForJobs } from '../../waiting/wait';

const WEBHOOK_URL_UNUSED =
	'The option Webhook URL was ignored: with this Wait Mode the service calls the execution itself.';

/** Continues a run that was woken: outputs its jobs or suspends it again. */
async function resume(context: IExecuteFunctions, { run, named, isByTimer }: WokenRun) {
	const client = await serviceClient.call(context);
	const wait = { mode: 'webhook', onDeadline: 'stillRunning', intervalMs: run.intervalMs } as const;
	const input = run.source && linkedItems(context, run.source);
	return await waitForJobs(
		{ context, client, wait, ...run, input: input ?? [] },
		isByTimer ? CHECK_POLICIES.once : { ...CHECK_POLICIES.afterCallback, firstJobId: named },
	);
}

/**
 * Creates jobs for all input items (by default as few as possible), waits for them, downloads the results and
 * outputs each item's rows. Output 0: finished; output 1: still running.
 */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	hintNoLoopNeeded(this);
	const woken = wokenRun(this);
	if (woken !== undefined) return await resume(this, woken);
	const ledger = await openLedger(this);
	const fields = new NodeFields(this);
	const choiceReader = new ChoiceReader(this, fields);
	const wait = readWaitSettings(this, fields);
	const client = await serviceClient.call(this, wait.answerWithinMs);
	const webhookUrl = wait.mode === 'webhook' ? resumeUrl(this) : undefined;
	if (webhookUrl !== undefined) {
		warnAboutLoopback(this, client, webhookUrl);
		if (fields.text('options.webhookUrl', RUN) !== '') hint(this, WEBHOOK_URL_UNUSED, 'warning');
	}
	return await cancellingOnStop(this, wait.onStop, async (jobIds) => {
		const start = client.clock.now();
		const settings = {
			...{ fields, ledger, webhookUrl, choiceReader, latest: wait.latest },
			// While polling, a service that takes no more jobs is tried for Max Wait; before the execution sleeps, for less.
			...(wait.mode === 'poll' && { until: deadlineAfter(start, wait) }),
			continuesWithoutRoom: wait.onDeadline !== 'error',
		};
		const started = await startJobs(this, client, settings, (jobId) => jobIds.push(jobId));
		const now = client.clock.now();
		const records = started.records.map((record) => ({
			...record,
			since: now,
			deadline: deadlineAfter(now, wait),
		}));
		const run = {
			context: this,
			client,
			wait,
			choices: choiceReader.choices(),
			source: inputSource(this),
		};
		const onUnanswered = (jobId: string) => ledger.forget(jobId);
		const policy =
			wait.mode === 'poll' ? CHECK_POLICIES.poll(wait.intervalMs) : CHECK_POLICIES.beforeSuspending;
		return await waitForJobs({ ...run, records, unsent: started.unsent, onUnanswered }, policy);
	});
}
