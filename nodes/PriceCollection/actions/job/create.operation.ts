import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createJobs } from '../../run/create';
import { counted, hint } from '../../n8n/hints';
import { manyJobsWarning } from '../../run/tally';
import { pairedTo, OutputByItem } from '../../n8n/pairing';
import { prepare } from '../../run/prepare';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { collectFields } from '../../descriptions/whatToCollect';
import { errorItem } from '../../n8n/items';
import type { OperationOverAll } from '../operation';

/** One item per job: the service's job object as it came, paired to every input item that asked. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const client = await serviceClient.call(this);
	const { plan, asked, refused, timeoutMs } = await prepare.call(this, client);
	const warning = manyJobsWarning(plan.length, this.getInputData().length);
	if (warning !== undefined) hint(this, warning, 'warning');
	const created = await createJobs(client, plan, asked, {
		continueAfterFailure: this.continueOnFail(),
		timeoutMs,
	});
	const slots = new OutputByItem();
	for (const [item, error] of refused) slots.add(item, errorItem(error, [item]));
	const ids = created.flatMap(({ outcome }) => (outcome.ok ? [outcome.value.job_id] : []));
	const existing = ids.length === 0 ? undefined : `These jobs were created and run: ${ids.join(', ')}.`;
	for (const { planned, outcome } of created) {
		const [first = 0] = planned.items;
		if (outcome.ok) {
			slots.add(first, { json: outcome.value, pairedItem: pairedTo(planned.items) });
			continue;
		}
		const error = apiError(this.getNode(), outcome.problem, first, existing);
		if (!this.continueOnFail()) throw error;
		slots.add(first, errorItem(error, planned.items));
	}
	const recovered = created.filter((job) => job.recovered).length;
	if (recovered > 0) {
		hint(
			this,
			`The reply to ${counted(recovered, 'creation')} was lost; the job was found in the job list instead.`,
		);
	}
	return [slots.inInputOrder()];
}

export const create: OperationOverAll = {
	name: 'Create',
	action: 'Create job',
	description: 'Start a job without waiting for its end',
	fields: collectFields([], []),
	executeAll,
};
