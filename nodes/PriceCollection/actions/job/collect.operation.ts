import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { finishRun, resumeRun } from '../../run/waitOrSuspend';
import { hint, manyJobsWarning } from '../../run/hints';
import { forgetJobs } from '../../run/stored/retryRecord';
import { prepare } from '../../run/prepare';
import { startRun } from '../../run/start';
import { now } from '../../n8n/clock';
import { serviceClient } from '../../service/client';
import { resumeUrl, warnAboutLoopback } from '../../run/receiveCallback';
import { outputsOf } from '../../n8n/suspend';
import { savedRun } from '../../run/stored/suspendedRun';
import { showFor } from '../../descriptions/common';
import { collectionOf, parameterReader, textOf } from '../../n8n/parameters';
import { readChoice, resultFields, resultOptions } from '../../descriptions/results';
import { readWaitSettings, waitFields } from '../../descriptions/waiting';
import { collectFields } from '../../descriptions/whatToCollect';

export const description: INodeProperties[] = showFor(
	'job',
	['collect'],
	collectFields([...waitFields(['poll', 'durable', 'webhook']), ...resultFields(true)], resultOptions),
);

const WEBHOOK_URL_UNUSED =
	'The option Webhook URL was not used: with this Wait Mode the service calls the execution itself.';

/**
 * All input items in, their rows out: creates as few jobs as possible, waits for their end, downloads them and
 * gives every item its own rows. Output 0: what is finished; output 1: what still runs.
 */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const client = await serviceClient.call(this);
	const read = parameterReader.call(this);
	const saved = savedRun(this);
	if (saved !== undefined) return await resumeRun(this, client, saved);
	const choice = readChoice.call(this, read, 0);
	const wait = readWaitSettings.call(this, read);
	const url = wait.mode === 'webhook' ? resumeUrl(this) : undefined;
	const prepared = await prepare.call(this, client, url);
	const warning = manyJobsWarning(prepared.plan.length, this.getInputData().length);
	if (warning !== undefined) hint(this, warning, 'warning');
	if (url !== undefined) {
		warnAboutLoopback(this, client, url);
		const own = textOf(collectionOf(read('options', 0, {})).webhookUrl);
		if (own !== '') hint(this, WEBHOOK_URL_UNUSED, 'warning');
	}
	const deadline = now() + wait.maxWaitMs;
	const run = await startRun(this, client, prepared, { deadline, onStop: wait.onStop });
	const [finished = [], stillRunning = []] = await finishRun(this, client, run, wait, choice);
	const output = outputsOf(this, finished, stillRunning);
	forgetJobs(this, output);
	return output;
}
