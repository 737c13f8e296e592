import type { IDataObject, IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { traitsOf } from '../service/problems';
import type { Result } from '../service/types';
import { itemsOfJob, itemsOfResults, itemsOfState, type Received } from './items';
import { endsInOrder } from './listedJobs';
import type { TriggerSettings } from './settings';

/** The sample is the latest of so many jobs. */
const SAMPLE_FROM = 100;

const offer = (number: number, price: string) => ({
	price,
	currency: 'USD',
	condition_text: 'new',
	shop_name: `Sample Shop ${number}`,
	url: `https://example.com/offer_${number}`,
});

const QUERY = { topic: 'product_and_offers', source: 'test', country: 'us', key: 'gtin' };

/** For accounts that have no jobs yet. */
const SAMPLE_JOB = {
	job_id: '1234567890abcdef12345678',
	status: 'finished',
	...QUERY,
	requested: 1,
	created_at: '2026-01-15T08:00:00Z',
	terminated_at: '2026-01-15T08:00:20Z',
};

const SAMPLE_RESULT: Result = {
	query: { ...QUERY, value: '00885909666966' },
	success: true,
	metadata: { from_cache: false, updated_at: '2026-01-15T08:00:18Z' },
	content: {
		name: 'Sample Product',
		url: 'https://example.com/product',
		offers: [offer(1, '12.90'), offer(2, '14.50')],
	},
};

/**
 * Items to build a workflow with, in the editor: the latest end in the account that the trigger listens for. Where there
 * is none, or its results are deleted already, made-up ones: `sample: true` comes first in each.
 *
 * @throws NodeApiError where the service cannot be asked: a made-up event would hide it
 */
export async function accountSample(
	context: IPollFunctions | IWebhookFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const { clock } = client;
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = endsInOrder(jobs.value).findLast((job) => settings.wants(job.status));
	const { job_id, status } = latest ?? SAMPLE_JOB;
	const received: Received = { at: new Date(clock.now()).toISOString(), payload: { job_id, status } };
	const items = latest && (await itemsOfJob(client, latest, settings, received));
	if (items?.ok === false && traitsOf(items.problem).job !== 'gone') {
		throw apiError(context.getNode(), items.problem);
	}
	if (items?.ok === true && items.value.length > 0) return items.value;
	const madeUp =
		itemsOfState(SAMPLE_JOB, settings, received) ??
		(await itemsOfResults({ ...SAMPLE_JOB, results: [SAMPLE_RESULT] }, settings, clock));
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
