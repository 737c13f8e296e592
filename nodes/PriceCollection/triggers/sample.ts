import type { IDataObject, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import type { ServiceClient } from '../service/api/client';
import { listAllJobs } from '../service/api/jobList';
import { denialIn } from '../service/meaning/jobState';
import type { Job, JobResults } from '../service/types';
import { itemsOfJob, type Ask } from './jobItems';
import type { TriggerSettings } from './settings';

/** How many jobs of the list to search for a sample. */
const SAMPLE_FROM = 100;

const QUERY = { topic: 'product_and_offers', source: 'test', country: 'us', key: 'gtin' };

/** Made-up results for accounts without suitable jobs. */
const SAMPLE: JobResults = {
	job_id: '1234567890abcdef12345678',
	status: 'finished',
	...QUERY,
	requested: 1,
	created_at: '2026-01-15T08:00:00Z',
	terminated_at: '2026-01-15T08:00:20Z',
	results: [
		{
			query: { ...QUERY, value: '00885909666966' },
			success: true,
			content: {
				name: 'Sample Product',
				offers: [
					{ price: '12.90', currency: 'USD', condition_text: 'new', shop_name: 'Sample Shop' },
				],
			},
		},
	],
};

/**
 * Returns sample items for building a workflow in the editor. They come from the first listed job whose end the trigger
 * listens for; the list usually starts with the newest job. If there is no such job, or its results are not available,
 * the items are made up and begin with `sample: true`.
 *
 * @throws NodeApiError when the service fails; made-up data would hide that
 */
export async function accountSample(
	context: IExecuteFunctions | IPollFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = jobs.value.find((job) => settings.wants(client.endOf(job.status)));
	const received_at = new Date(client.clock.now()).toISOString();
	const itemsOf = async ({ download }: Pick<ServiceClient, 'download'>, job: Job) => {
		const payload = { job_id: job.job_id, status: job.status };
		const how = { received: { received_at, payload }, download: async (ask: Ask) => await ask() };
		return await itemsOfJob({ ...client, download }, job, settings, how);
	};
	const items = latest && (await itemsOf(client, latest));
	if (items?.kind === 'results' && items.value.length > 0) return items.value;
	const problem = items === undefined || items.kind === 'results' ? undefined : items.why;
	const isUnavailable =
		problem === undefined || problem.kind === 'notReady' || denialIn(problem) === 'gone';
	if (!isUnavailable) throw apiError(context.getNode(), problem);
	const { results, ...job } = SAMPLE;
	const madeUp = await itemsOf(
		{ download: async () => ({ kind: 'results', value: { ...job, results }, isEmpty: false }) },
		job as Job,
	);
	return madeUp.kind === 'results' ? madeUp.value.map((item) => ({ sample: true, ...item })) : [];
}
