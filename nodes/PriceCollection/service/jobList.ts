import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from './client';
import { success, type Outcome } from './problems';
import type { Job } from './types';

/** The largest page that is asked for; a service that gives smaller ones is read to its end all the same. */
const PAGE_SIZE = 100;

export interface JobListRequest {
	/** Stop after this many jobs. */
	limit: number;
	/** Further query parameters, sent as given. */
	query?: IDataObject;
	/** The names of the paging parameters; absent where a single request gives everything. */
	paging?: { pageParameter: string; pageSizeParameter: string };
	/** Asked after each page with all jobs read so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

/** How the list is read where the user sets nothing. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/**
 * Reads the list of jobs page by page until the limit is reached or a page brings nothing new: so a server that
 * ignores paging, repeats its last page or shifts between requests gives each job once, and every list ends.
 */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const { limit, query = {}, paging } = request;
	const jobs = new Map<string, Job>();
	for (let page = 1; jobs.size < limit; page++) {
		const pageQuery =
			paging === undefined
				? {}
				: { [paging.pageParameter]: page, [paging.pageSizeParameter]: Math.min(limit, PAGE_SIZE) };
		const reply = await client.listJobs({ ...pageQuery, ...query });
		if (!reply.ok) return reply;
		const before = jobs.size;
		for (const job of reply.value) {
			if (!jobs.has(job.job_id)) jobs.set(job.job_id, job);
		}
		if (paging === undefined || jobs.size === before) break;
		if (request.enough?.([...jobs.values()], reply.value) === true) break;
	}
	return success([...jobs.values()].slice(0, limit));
}
