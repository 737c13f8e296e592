import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError, inputError } from '../n8n/errors';
import { listAllJobs } from '../service/jobList';
import { plainField } from '../service/names';
import { oneLine } from '../service/text';
import { timeOf } from '../service/time';
import { wordOf, type Job } from '../service/types';

/** The lists are made from this many of the account's latest jobs. */
const RECENT_JOBS = 100;
const LONGEST_LABEL = 200;

/** @throws NodeApiError when the service cannot be asked, NodeOperationError for an invalid address */
async function recentJobs(context: ILoadOptionsFunctions): Promise<{ jobs: Job[]; testSource: string }> {
	const client = await serviceClient.call(context);
	const jobs = await listAllJobs(client, { limit: RECENT_JOBS });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	return { jobs: jobs.value, testSource: client.connection.testSource };
}

/** The matching choices, without any that n8n would run as an expression, as value or label. */
function matching(items: INodeListSearchItems[], filter: string | undefined): INodeListSearchResult {
	const wanted = (filter ?? '').trim().toLowerCase();
	const label = (name: string) => oneLine(name, LONGEST_LABEL).replace(/^[=\s]+/, '');
	const results = items
		.filter(({ name, value }) => !String(value).startsWith('=') && name.toLowerCase().includes(wanted))
		.map(({ name, value }) => ({ name: label(name), value }));
	return { results };
}

/**
 * Common values, for what the account has not used yet. The service decides which of them are available
 * (`docs/contributing/not-shown.md`).
 */
const USUAL = {
	source: ['amazon', 'ebay', 'google_shopping'],
	country: ['de', 'es', 'fr', 'gb', 'it', 'us'],
} as const;

/** Searches the distinct texts of a field, sorted, then the other common ones, marked as usual, and the test source. */
function searchOf(field: keyof typeof USUAL) {
	return async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
		const { jobs, testSource } = await recentJobs(this);
		const texts = jobs
			.map((job) => String(plainField(job, field) ?? ''))
			// After trying the test source, users look for real ones.
			.filter((text) => text !== '' && text !== testSource);
		const own = [...new Set(texts)].sort();
		const used = new Set(own.map(wordOf));
		const usual = USUAL[field].filter((text) => !used.has(text));
		const items = [
			...own.map((text) => ({ name: text, value: text })),
			...usual.map((text) => ({ name: `${text} (usual)`, value: text })),
			...(field === 'source' ? [{ name: `${testSource} (free test)`, value: testSource }] : []),
		];
		return matching(items, filter);
	};
}

export const searchSources = searchOf('source');
export const searchCountries = searchOf('country');

/** The label of a job, most distinctive parts first: the list cuts it after about 60 characters. */
function labelOf(job: Job, timeZone: string): string {
	const created = timeOf(job.created_at);
	// The Swedish format is ISO 8601 without the T: `2026-01-15 09:00`.
	const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
	const words = [created && format.format(created), job.status, job.source, job.country, job.topic];
	const known = words.filter((word) => typeof word === 'string' && word !== '');
	return known.length === 0 ? job.job_id : `${known.join(' · ')} (${job.job_id})`;
}

/**
 * The account's recent jobs.
 *
 * @throws NodeOperationError for an account without jobs: n8n's "No results" would not explain that
 */
export async function searchJobs(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { jobs } = await recentJobs(this);
	if (jobs.length === 0) {
		throw inputError(
			this.getNode(),
			'The account of this credential has no jobs yet',
			'Collect or Create starts the first one. To enter the ID of a job, set the field to By ID.',
		);
	}
	const timeZone = this.getTimezone();
	return matching(
		jobs.map((job) => ({ name: labelOf(job, timeZone), value: job.job_id })),
		filter,
	);
}
