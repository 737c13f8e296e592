import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/clock';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { cleanJob } from './clean';
import { itemsOfJob, itemsOfResults } from './jobItems';
import { endsInOrder } from './order';
import type { TriggerSettings } from './settings';

/** The sample is the latest of so many jobs. */
const SAMPLE_FROM = 100;

/** A job of the test source, for accounts that have none yet. */
const SAMPLE_JOB: Job = {
	job_id: '1234567890abcdef12345678',
	status: 'finished',
	topic: 'search',
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
				topic: 'search',
				key: 'gtin',
				value: '00885909666966',
				max_pages: 1,
				max_age: 1200,
			},
			success: true,
			metadata: { from_cache: false, page_count_delivered: 1, updated_at: '2026-01-15T08:00:18Z' },
			content: {
				search_results: [
					{
						id: 'product_0',
						name: '00885909666966 Result 0',
						url: 'https://example.com/product_0',
					},
					{
						id: 'product_1',
						name: '00885909666966 Result 1',
						url: 'https://example.com/product_1',
					},
				],
			},
		},
	],
};

/** What the editor shows where the account has no job to show: items of the chosen output with made-up values. */
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
 * Items to build a workflow with, in the editor: the latest end in the account that the trigger listens for, or
 * made-up ones where there is none or it cannot be had.
 *
 * @param receivedAt ISO 8601
 */
export async function accountSample(
	client: ServiceClient,
	settings: TriggerSettings,
	receivedAt: string,
): Promise<IDataObject[]> {
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	const wanted = (job: Job) => {
		const end = terminalStatus(job.status);
		return end !== undefined && settings.wants(end);
	};
	const latest = jobs.ok ? endsInOrder(jobs.value).findLast(wanted) : undefined;
	if (latest === undefined) return await madeUpItems(settings, receivedAt, client.clock);
	const job = cleanJob(latest, client.dialect.secrets);
	if (settings.output === 'notification') {
		return [notificationItem(job, receivedAt, { job_id: job.job_id, status: job.status })];
	}
	const items = await itemsOfJob(client, job, settings);
	return items.ok && items.value.length > 0
		? items.value
		: await madeUpItems(settings, receivedAt, client.clock);
}
