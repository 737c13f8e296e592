import type { IExecuteFunctions } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { jobLinksFormat, type JobLinks } from './stored/jobLinks';

/** Where the links stand in the context of the execution, which all its nodes share. */
const CONTEXT_KEY = 'priceCollectionJobs';

/** Reads the links of this execution; says so when they cannot be read. */
function readLinks(context: IExecuteFunctions): Record<string, JobLinks> {
	const read = jobLinksFormat.read(context.getContext('flow')[CONTEXT_KEY]);
	if (read.kind === 'read') return read.value.jobs;
	if (read.kind === 'unreadable') {
		const loss = 'Rows are linked to the Still Running items instead of to the items that asked.';
		hint(context, `${read.reason}. ${loss}`, 'warning');
	}
	return {};
}

/** Links jobs to those who asked for them, for the node that takes them up. */
export function storeLinks(context: IExecuteFunctions, links: ReadonlyMap<string, JobLinks>): void {
	if (links.size === 0) return;
	const jobs = { ...readLinks(context), ...Object.fromEntries(links) };
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

/** What a job is linked to; undefined for one that did not leave a node of this execution. */
export function linkReader(context: IExecuteFunctions): (jobId: string) => JobLinks | undefined {
	const jobs = readLinks(context);
	return (jobId) => (Object.hasOwn(jobs, jobId) ? jobs[jobId] : undefined);
}
