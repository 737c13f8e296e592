import type { IDataObject, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { success, traitsOf } from '../service/problems';
import type { Job, JobResults } from '../service/types';
import { itemsOfJob, type TriggerSettings } from './items';
import { endsInOrder } from './listedJobs';

/** The sample is the latest of this many jobs. */
const SAMPLE_FROM = 100;

const QUERY = { topic: 'product_and_offers', source: 'test', country: 'us', key: 'gtin' };

/** For accounts without jobs. */
const SAMPLE: JobResults = {
	...{ job_id: '1234567890abcdef12345678', status: 'finished', ...QUERY, requested: 1 },
	created_at: '2026-01-15T08:00:00Z',
	terminated_at: '2026-01-15T08:00:20Z',
	results: [
		{
			query: { ...QUERY, value: '00885909666966' },
			success: true,
			metadata: { from_cache: false, updated_at: '2026-01-15T08:00:18Z' },
			content: {
				name: 'Sample Product',
				url: 'https://example.com/product',
				offers: [
					{ price: '12.90', currency: 'USD', condition_text: 'new', shop_name: 'Sample Shop 1' },
					{ price: '14.50', currency: 'USD', condition_text: 'new', shop_name: 'Sample Shop 2' },
				],
			},
		},
	],
};

/**
 * Sample items for building a workflow in the editor: the latest end in the account that the trigger listens
 * for. If there is none, or its results were deleted, made-up items that begin with `sample: true`.
 *
 * @throws NodeApiError when the service cannot be reached; made-up data would hide that
 */
export async function accountSample(
	context: IPollFunctions | IWebhookFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = endsInOrder(jobs.value).findLast((job) => settings.wants(job.status));
	const received_at = new Date(client.clock.now()).toISOString();
	const itemsOf = async ({ download }: Pick<ServiceClient, 'download'>, job: Job) => {
		const payload = { job_id: job.job_id, status: job.status };
		return await itemsOfJob({ ...client, download }, job, settings, { received_at, payload });
	};
	const items = latest && (await itemsOf(client, latest));
	if (items?.ok === true && items.value.length > 0) return items.value;
	const isGone = items === undefined || items.ok || traitsOf(items.problem).job === 'gone';
	if (!isGone) throw apiError(context.getNode(), items.problem);
	const { results, ...job } = SAMPLE;
	const madeUp = await itemsOf({ download: async () => success({ ...job, results }) }, job as Job);
	return madeUp.ok ? madeUp.value.map((item) => ({ sample: true, ...item })) : [];
}
