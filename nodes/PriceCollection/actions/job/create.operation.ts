import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { hint, remarkOnLoop } from '../../n8n/hints';
import { Parameters } from '../../n8n/parameters';
import { startJobs } from '../../creation/create';
import { openLedger } from '../../creation/openLedger';
import { linkOf } from '../../run/record';
import { estimateOf, estimateText } from '../../creation/spending';

/** One item per job: the unmodified job object, paired to every input item that asked. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const ledger = await openLedger(this);
	const client = await serviceClient.call(this);
	const { records, unsent } = await startJobs(this, client, { fields: new Parameters(this), ledger });
	const listed: Array<[item: number, INodeExecutionData]> = unsent.map(({ item, error: json = {} }) => [
		item,
		{ json, pairedItem: { item } },
	]);
	for (const { job, requesters } of records) {
		// For a job of an earlier attempt, only the ID is recorded.
		const seen = job.status === '' ? await client.getJob(job.job_id) : undefined;
		const json = seen?.ok === true ? seen.value : job;
		listed.push([requesters[0]?.item ?? 0, { json, pairedItem: linkOf(requesters) }]);
	}
	const items = listed.sort(([a], [b]) => a - b).map(([, item]) => item);
	const estimate = estimateText(estimateOf(records, client.connection));
	if (estimate !== undefined) hint(this, estimate);
	remarkOnLoop(this);
	return [items];
}
