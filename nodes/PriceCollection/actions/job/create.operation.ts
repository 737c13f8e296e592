import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { hint, hintNoLoopNeeded } from '../../n8n/hints';
import { NodeFields } from '../../n8n/nodeFields';
import { startJobs } from '../../creation/create';
import { openLedger } from '../../creation/openLedger';
import { linkOf } from '../../run/record';
import { estimateOf, estimateText } from '../../creation/spending';

/**
 * Outputs one item per job: the unmodified job object, paired with every input item that asked for it. Adds an error
 * item for each input item whose job was not created, if the node continues after failures.
 */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const ledger = await openLedger(this);
	const client = await serviceClient.call(this);
	const { records, unsent } = await startJobs(this, client, { fields: new NodeFields(this), ledger });
	const indexedItems: Array<[item: number, INodeExecutionData]> = unsent.map(
		({ item, error: json = {} }) => [item, { json, pairedItem: { item } }],
	);
	for (const { job, requesters } of records) {
		// The ledger keeps only the ID of a job that an earlier attempt created.
		const current = job.status === '' ? await client.getJob(job.job_id) : undefined;
		const json = current?.ok === true ? current.value : job;
		indexedItems.push([requesters[0]?.item ?? 0, { json, pairedItem: linkOf(requesters) }]);
	}
	const items = indexedItems.sort(([a], [b]) => a - b).map(([, item]) => item);
	const estimate = estimateText(estimateOf(records, client.connection));
	if (estimate !== undefined) hint(this, estimate);
	hintNoLoopNeeded(this);
	return [items];
}
