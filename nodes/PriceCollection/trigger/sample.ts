import type { IDataObject, IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/clock';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { success, traitsOf, type Outcome } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { cleanJob } from './clean';
import { itemsOfJob, itemsOfResults } from './jobItems';
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

/** Items of the chosen output with made-up values. */
async function madeUpItems(
	settings: TriggerSettings,
	receivedAt: string,
	clock: Clock,
): Promise<IDataObject[]> {
	switch (settings.output) {
		case 'job':
			return [SAMPLE_JOB];
		case 'notification':
			return [notificationItem(SAMPLE_JOB, receivedAt, { job_id: SAMPLE_JOB.job_id })];
		case 'entries':
		case 'results':
			return await itemsOfResults(SAMPLE_DOWNLOAD, settings, clock);
	}
}

/**
 * The item of the output Notification.
 *
 * @param receivedAt ISO 8601
 */
export function notificationItem(
	job: Pick<Job, 'job_id' | 'status'>,
	receivedAt: string,
	payload: IDataObject,
): IDataObject {
	return { job_id: job.job_id, status: job.status, received_at: receivedAt, payload };
}

/**
 * Items to build a workflow with, in the editor: the latest end in the account that the trigger listens for. Where there
 * is none, or its results are deleted already, made-up ones: `sample: true` stands in front of each.
 *
 * @param receivedAt ISO 8601
 * @throws NodeApiError where the service cannot be asked: a made-up event would hide it
 */
export async function accountSample(
	context: IPollFunctions | IWebhookFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
	receivedAt: string,
): Promise<IDataObject[]> {
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = endsInOrder(jobs.value).findLast(({ status }) => {
		const end = terminalStatus(status);
		return end !== undefined && settings.wants(end);
	});
	const items = latest && (await itemsOfEnd(client, latest, settings, receivedAt));
	if (items?.ok === false && traitsOf(items.problem).job !== 'gone') {
		throw apiError(context.getNode(), items.problem);
	}
	if (items?.ok === true && items.value.length > 0) return items.value;
	const madeUp = await madeUpItems(settings, receivedAt, client.clock);
	return madeUp.map((item) => ({ sample: true, ...item }));
}

/** The items of a job that has ended, as if its end had just been heard of. */
async function itemsOfEnd(
	client: ServiceClient,
	ended: Job,
	settings: TriggerSettings,
	receivedAt: string,
): Promise<Outcome<IDataObject[]>> {
	const job = cleanJob(ended, client.dialect.secrets);
	if (settings.output !== 'notification') return await itemsOfJob(client, job, settings);
	return success([notificationItem(job, receivedAt, { job_id: job.job_id, status: job.status })]);
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
