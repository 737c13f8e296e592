import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import type { Job, JobResults } from '../service/types';
import { itemsOfJob, itemsOfResults, itemsOfState, type Notified } from './jobItems';
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
				search_results: [0, 1].map((n) => ({
					id: `product_${n}`,
					name: `00885909666966 Result ${n}`,
					url: `https://example.com/product_${n}`,
				})),
			},
		},
	],
};

/**
 * Items to build a workflow with, in the editor: the latest end in the account that the trigger listens for, or
 * made-up ones where there is none or it cannot be had.
 */
export async function accountSample(
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const { clock } = client;
	const notified: Notified = {
		at: new Date(clock.now()).toISOString(),
		payload: ({ job_id, status }) => ({ job_id, status }),
	};
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM, paging: DEFAULT_PAGING });
	const latest = jobs.ok
		? endsInOrder(jobs.value).findLast(({ status }) => settings.wants(status))
		: undefined;
	const items = latest && (await itemsOfJob(client, latest, settings, notified));
	if (items?.ok === true && items.value.length > 0) return items.value;
	return (
		itemsOfState(SAMPLE_JOB, settings, notified) ??
		(await itemsOfResults(SAMPLE_DOWNLOAD, settings, clock))
	);
}
