import { NodeApiError } from 'n8n-workflow';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { serviceClient } from '../n8n/client';
import { apiError } from '../n8n/errors';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import type { Job } from '../service/types';

/** The lists are drawn from this many of the account's latest jobs. */
const RECENT_JOBS = 100;

async function recentJobs(context: ILoadOptionsFunctions): Promise<Job[] | NodeApiError> {
	const client = await serviceClient.call(context);
	const jobs = await listAllJobs(client, { limit: RECENT_JOBS, paging: DEFAULT_PAGING });
	return jobs.ok ? jobs.value : apiError(context.getNode(), jobs.problem);
}

function matching(items: INodeListSearchItems[], filter: string | undefined): INodeListSearchResult {
	const wanted = (filter ?? '').trim().toLowerCase();
	return { results: items.filter(({ name }) => name.toLowerCase().includes(wanted)) };
}

/** The distinct texts under a name, in alphabetical order. */
async function distinct(
	context: ILoadOptionsFunctions,
	field: 'source' | 'country',
	filter: string | undefined,
): Promise<INodeListSearchResult> {
	const jobs = await recentJobs(context);
	if (jobs instanceof NodeApiError) throw jobs;
	const texts = jobs
		.map((job) => job[field])
		.filter((text): text is string => typeof text === 'string' && text !== '');
	const names = [...new Set(texts)].sort();
	return matching(
		names.map((name) => ({ name, value: name })),
		filter,
	);
}

/** Sources of the account's recent jobs. */
export async function searchSources(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await distinct(this, 'source', filter);
}

/** Countries of the account's recent jobs. */
export async function searchCountries(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await distinct(this, 'country', filter);
}

/** What tells jobs apart for a person: topic, source, status and time beside the ID. */
function labelOf(job: Job): string {
	const words = [job.topic, job.source, job.country, job.status, job.created_at];
	const known = words.filter((word) => typeof word === 'string' && word !== '');
	return known.length === 0 ? job.job_id : `${known.join(' · ')} (${job.job_id})`;
}

/** The account's recent jobs. */
export async function searchJobs(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const jobs = await recentJobs(this);
	if (jobs instanceof NodeApiError) throw jobs;
	return matching(
		jobs.map((job) => ({ name: labelOf(job), value: job.job_id })),
		filter,
	);
}
