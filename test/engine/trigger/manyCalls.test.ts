import type { IDataObject } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { useSandbox } from '../../support/useSandbox';
import { createJob } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { callTrigger } from '../support/trigger';
import { finishedJob, SECRET, signedQuery, triggerScenario } from '../support/triggerSupport';
import { time } from '../support/virtualClock';

/** As in n8n, one loaded package serves many calls, so these tests share, use up and release what a process shares. */
useDedupeStore();
const sandbox = useSandbox({ autoFinish: false });
afterEach(() => void (time.isStopped = false));

const MOST_AT_ONCE = 1_000;
const BUSY = { success: false, message: 'Too many calls at once' };

const trigger = (credential: IDataObject = {}) => {
	const scenario = triggerScenario(sandbox, new PriceCollectionTrigger(), {}, credential);
	return async (job_id: string, query = {}) => {
		const { reply, response } = await callTrigger(scenario, 'Ends', { body: { job_id }, query });
		return { starts: reply.workflowData !== undefined, ...response };
	};
};

it('a trigger answers the call after a thousand as it answers the first', async () => {
	const call = trigger({ webhookSecret: SECRET });
	const job_id = await finishedJob(sandbox);
	for (let count = 0; count < MOST_AT_ONCE; count++)
		expect(await call(job_id)).toMatchObject({ status: 401 });
	expect(await call(job_id, signedQuery())).toMatchObject({ starts: true });
});

it('a trigger that waits with a thousand calls has the next one come again', async () => {
	const call = trigger();
	const [running, ended] = [await createJob(sandbox), await finishedJob(sandbox)];
	// Each waits to look again at a job that still runs.
	time.isStopped = true;
	for (let count = 0; count < MOST_AT_ONCE; count++) void call(running);
	expect(await call(ended)).toMatchObject({ status: 503, body: BUSY, headers: { 'retry-after': '10' } });
});
