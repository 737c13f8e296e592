import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { resultFields, resultOptions } from '../../descriptions/results';
import { waitFields } from '../../descriptions/waiting';
import { collectFields } from '../../descriptions/whatToCollect';
import { serviceClient } from '../../n8n/client';
import { hint } from '../../n8n/hints';
import { collectionOf, parameterReader, textOf } from '../../n8n/parameters';
import { isStopped } from '../../n8n/suspend';
import { makesRows } from '../../output/fetch';
import { prepare } from '../../run/prepare';
import { resumeUrl, warnAboutLoopback } from '../../run/receiveCallback';
import { readChoice } from '../../run/resultChoice';
import { openRequests, startRun } from '../../run/start';
import { resumeRun, waitOrSuspend, wokenRun } from '../../run/waitOrSuspend';
import { cancellingOnStop } from '../../run/waiting/cancel';
import { readWaitSettings } from '../../run/waiting/settings';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import type { OperationOverAll } from '../operation';

const WEBHOOK_URL_UNUSED =
	'The option Webhook URL was not used: with this Wait Mode the service calls the execution itself.';

/**
 * All input items in, their rows out: creates as few jobs as possible, waits for their end, downloads them and
 * gives every item its own rows. Output 0: what is finished; output 1: what still runs.
 */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const woken = wokenRun(this);
	if (woken !== undefined) return await resumeRun(this, await serviceClient.call(this), woken);
	const requests = await openRequests(this);
	const read = parameterReader.call(this);
	const choice = readChoice.call(this, read, 0);
	const wait = readWaitSettings.call(this, read);
	const client = await serviceClient.call(this, wait.answerWithinMs);
	const url = wait.mode === 'webhook' ? resumeUrl(this) : undefined;
	const keepsUnsent = makesRows(choice) && choice.onFailedResult !== 'error';
	const prepared = await prepare.call(this, client, { webhookUrl: url, keepsUnsent });
	if (url !== undefined) {
		warnAboutLoopback(this, client, url);
		const own = textOf(collectionOf(read('options', 0, {})).webhookUrl);
		if (own !== '') hint(this, WEBHOOK_URL_UNUSED, 'warning');
	}
	const run = await startRun(this, client, prepared, {
		requests,
		deadline: client.clock.now() + wait.maxWaitMs,
		resultsCanProve: choice.output !== 'file' && choice.output !== 'status',
	});
	const jobIds = run.jobs.map(({ job }) => job.job_id);
	return await cancellingOnStop(this, wait.onStop, jobIds, async () => {
		const output = await waitOrSuspend(this, client, run, wait, choice);
		if (!isStopped(this)) requests.givenOut(output);
		return output;
	});
}

export const collect: OperationOverAll = {
	name: 'Collect',
	action: 'Collect prices and product data',
	description: 'Look up the products of all items, wait, and give out every item with its results',
	toolDescription: TOOL_DESCRIPTIONS.collect,
	fields: collectFields(
		[...waitFields(['poll', 'durable', 'webhook']), ...resultFields(true)],
		resultOptions(true),
	),
	outputs: ['Finished', 'Still Running'],
	executeAll,
};
