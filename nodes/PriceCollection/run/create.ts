import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { errorItem, unlessItStops } from '../n8n/items';
import type { ServiceClient } from '../service/client';
import type { Creating } from './creating';
import { existingText, recoveredText } from './creationTexts';
import { JobListSearch } from './lost';
import { obtain } from './obtain';
import { prepare, type CreateSettings, type PlannedJob } from './plan';
import type { Aside } from './record';
import { Spending } from './spending';

/**
 * Plans the jobs of a run and creates them one after the other, except those that an earlier attempt created.
 *
 * @param onCreated called with the ID of each job as soon as the job is known to exist
 * @returns all of these jobs, and the output of items without one, such as error items for failed creations
 * @throws NodeApiError for a failed creation, unless the node continues; it names the existing jobs
 * @throws NodeOperationError for invalid requests, and for costs above the user's limit
 */
export async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	settings: CreateSettings,
	onCreated: (jobId: string) => void = () => undefined,
): Promise<{ records: PlannedJob[]; asides: Aside[] }> {
	const { plan, asides } = await prepare(context, client, settings);
	const stop = context.getExecutionCancelSignal();
	const creating: Creating = {
		...{ context, client, settings, onCreated, stop },
		ledger: settings.ledger,
		search: new JobListSearch(client, stop),
		spending: new Spending(settings.fields, client.connection),
		records: [],
		failures: [],
	};
	await obtain(creating, plan);
	const { records, failures, spending } = creating;
	const errors = failures.flatMap(({ planned, problem }): Aside[] => {
		const items = planned.requesters.map(({ item }) => item);
		const existing = existingText(settings.ledger, records, problem);
		const error = unlessItStops(context, apiError(context.getNode(), problem, items, existing));
		return items.map((item) => ({ item, place: 0, error: errorItem(error, item).json }));
	});
	const recovered = recoveredText(records);
	if (recovered !== undefined) hint(context, recovered);
	spending.sayExcess(context);
	return { records, asides: [...asides, ...errors] };
}
