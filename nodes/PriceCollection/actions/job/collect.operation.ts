import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { finishRun, resumeRun } from '../../collection/finish';
import { hint, manyJobsWarning } from '../../collection/hints';
import { forgetJobs } from '../../collection/kept';
import { prepare } from '../../collection/prepare';
import { startRun } from '../../collection/start';
import { now } from '../../service/clock';
import { serviceClient } from '../../service/client';
import { resumeUrl, warnAboutLoopback } from '../../waiting/callback';
import { outputsOf } from '../../waiting/park';
import { savedRun } from '../../waiting/savedRun';
import { showFor } from '../common/fields';
import { collectionOf, parameterReader, textOf } from '../common/parameters';
import { readChoice, resultFields, resultOptions } from '../common/results';
import { readWaitSettings, waitFields } from '../common/waiting';
import { collectFields } from '../common/whatToCollect';

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
