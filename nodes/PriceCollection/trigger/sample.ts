import type { IDataObject, IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { traitsOf } from '../service/problems';
import type { Job, JobResults } from '../service/types';
import { itemsOfJob, itemsOfResults, itemsOfState, type Notified } from './jobItems';
import { endsInOrder } from './order';
import type { TriggerSettings } from './settings';

/** The sample is the latest of so many jobs. */
const SAMPLE_FROM = 100;

/** A job with one product and two offers, for accounts that have none yet. */
const SAMPLE_JOB: Job = {
	job_id: '1234567890abcdef12345678',
	status: 'finished',
	topic: 'product_and_offers',
	source: 'test',
	country: 'us',
	key: 'gtin',
	requested: 1,
	created_at: '2026-01-15T08:00:00Z',
	terminated_at: '2026-01-15T08:00:20Z',
};

const SAMPLE_DOWNLOAD: JobResults = {
	job_id: SAMPLE_JOB.job_id,
	status: 'finished',
	results: [
		{
			query: {
				source: 'test',
				country: 'us',
				topic: 'product_and_offers',
				key: 'gtin',
				value: '00885909666966',
			},
			success: true,
			metadata: { from_cache: false, page_count_delivered: 1, updated_at: '2026-01-15T08:00:18Z' },
			content: {
				id: 'product_0',
				name: 'Sample Product',
				url: 'https://example.com/product_0',
				offers: ['12.90', '14.50'].map((price, index) => ({
					id: `offer_${index}`,
					price,
					currency: 'USD',
					condition_text: 'new',
					shop_name: `Sample Shop ${index + 1}`,
					url: `https://example.com/offer_${index}`,
				})),
			},
		},
	],
};

/**
 * Items to build a workflow with, in the editor: the latest end in the account that the trigger listens for. Where there
 * is none, or its results are deleted already, made-up ones: `sample: true` stands in front of each.
 *
 * @throws NodeApiError where the service cannot be asked: a made-up event would hide it
 */
export async function accountSample(
	context: IPollFunctions | IWebhookFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const { clock } = client;
	const notified: Notified = {
		at: new Date(clock.now()).toISOString(),
		payload: ({ job_id, status }) => ({ job_id, status }),
	};
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = endsInOrder(jobs.value).findLast(({ status }) => settings.wants(status));
	const items = latest && (await itemsOfJob(client, latest, settings, notified));
	if (items?.ok === false && traitsOf(items.problem).job !== 'gone') {
		throw apiError(context.getNode(), items.problem);
	}
	if (items?.ok === true && items.value.length > 0) return items.value;
	const madeUp =
		itemsOfState(SAMPLE_JOB, settings, notified) ??
		(await itemsOfResults(SAMPLE_DOWNLOAD, settings, clock));
	return madeUp.map((item) => ({ sample: true, ...item }));
}

/**
 * Asks the service whether it takes the key before a trigger waits for a test event, which would never come.
 *
 * @throws NodeApiError or NodeOperationError when the service cannot be asked
 */
export async function askBeforeListening(context: IHookFunctions): Promise<void> {
	const client = await serviceClient.call(context);
	const usage = await client.getUsage('today', { repeat: false });
	if (!usage.ok) throw apiError(context.getNode(), usage.problem);
}
