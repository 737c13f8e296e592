import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { NodeFields } from '../../n8n/nodeFields';
import { inputSource } from '../../n8n/execution';
import { ChoiceReader } from '../../settings/resultChoice';
import { readWaitSettings } from '../../settings/waitSettings';
import { CHECK_POLICIES } from '../../waiting/check';
import { readNamedJobs } from '../../waiting/namedJobs';
import { cancellingOnStop } from '../../waiting/stop';
import { waitForJobs } from '../../waiting/wait';

/** Waits for existing jobs and outputs their results. Output 0: finished; output 1: still running. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new NodeFields(this);
	const choices = new ChoiceReader(this, fields);
	const wait = readWaitSettings(this, fields);
	const client = await serviceClient.call(this, wait.answerWithinMs);
	const named = await readNamedJobs(this, fields, choices, wait);
	const run = {
		context: this,
		client,
		wait,
		choices: choices.choices(),
		source: inputSource(this),
		...named,
	};
	return await cancellingOnStop(this, wait.onStop, async (jobIds) => {
		for (const { job } of named.records) jobIds.push(job.job_id);
		return await waitForJobs(
			run,
			wait.mode === 'poll' ? CHECK_POLICIES.poll(wait.intervalMs) : CHECK_POLICIES.once,
		);
	});
}
