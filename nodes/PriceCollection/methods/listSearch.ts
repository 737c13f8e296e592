import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError, inputError } from '../n8n/errors';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { oneLine } from '../service/text';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';

/** The lists are drawn from this many of the account's latest jobs. */
const RECENT_JOBS = 100;
const LONGEST_LABEL = 200;

/** @throws NodeApiError when the service cannot be asked, NodeOperationError for an address that cannot be used */
async function recentJobs(context: ILoadOptionsFunctions): Promise<{ jobs: Job[]; testSource: string }> {
	const client = await serviceClient.call(context);
	const jobs = await listAllJobs(client, { limit: RECENT_JOBS, paging: DEFAULT_PAGING });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	return { jobs: jobs.value, testSource: client.dialect.testSource };
}

/** What n8n runs as an expression of the workflow, as a value and as a label. */
const BEGINS_EXPRESSION = /^[=\s]+/;

/** The choices that match, none of which n8n would take for an expression. */
function matching(items: INodeListSearchItems[], filter: string | undefined): INodeListSearchResult {
	const wanted = (filter ?? '').trim().toLowerCase();
	const label = (name: string) => oneLine(name, LONGEST_LABEL).replace(BEGINS_EXPRESSION, '');
	const results = items
		.filter(({ name, value }) => !String(value).startsWith('=') && name.toLowerCase().includes(wanted))
		.map(({ name, value }) => ({ name: label(name), value }));
	return { results };
}

/**
 * What services of this kind usually know, for an account whose jobs name none yet: an empty list would not say what to
 * type. Which of them are open is the service's business (`docs/not-shown.md`).
 */
const USUAL = {
	source: ['amazon', 'ebay', 'google_shopping'],
	country: ['de', 'es', 'fr', 'gb', 'it', 'us'],
} as const;

/** Searches the distinct texts under a name, in alphabetical order; the usual ones, marked as such, where there are none. */
function searchOf(field: keyof typeof USUAL) {
	return async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
		const { jobs, testSource } = await recentJobs(this);
		const texts = jobs
			.map((job) => job[field])
			// The test source has a field of its own. Whoever tries it out first is to find others here.
			.filter((text) => typeof text === 'string' && text !== '' && text !== testSource);
		const own = [...new Set(texts as string[])].sort().map((text) => ({ name: text, value: text }));
		const usual = USUAL[field].map((text) => ({ name: `${text} (usual)`, value: text }));
		return matching(own.length > 0 ? own : usual, filter);
	};
}

/** Sources of the account's recent jobs. */
export const searchSources = searchOf('source');
/** Countries of the account's recent jobs. */
export const searchCountries = searchOf('country');

/** A time of the service as a person writes it, in the time zone of the workflow: `2026-01-15 09:00`. */
function timeIn(timeZone: string, time: unknown): string {
	const date = timeOf(time);
	if (date === undefined) return '';
	// The Swedish way of writing is that of ISO 8601, without the T.
	return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
		date,
	);
}

/** What tells jobs apart for a person, what does so first in front: the list cuts lines after some 60 letters. */
function labelOf(job: Job, timeZone: string): string {
	const words = [timeIn(timeZone, job.created_at), job.status, job.source, job.country, job.topic];
	const known = words.filter((word) => typeof word === 'string' && word !== '');
	return known.length === 0 ? job.job_id : `${known.join(' · ')} (${job.job_id})`;
}

/**
 * The account's recent jobs.
 *
 * @throws NodeOperationError for an account that has none: n8n's "No results" would leave open why
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
