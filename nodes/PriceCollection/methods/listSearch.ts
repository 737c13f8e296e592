import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { sortedBy } from '../descriptions/common';
import { serviceClient } from '../n8n/client';
import { apiError, inputError } from '../n8n/errors';
import { listAllJobs } from '../service/api/jobList';
import { plainField } from '../service/names';
import { oneLine } from '../service/text';
import { timeOf } from '../service/time';
import { wordOf, type Job } from '../service/types';
import { countryCodes, nameOfCountry } from '../values/country';

/** The lists are made from this many of the account's latest jobs. */
const RECENT_JOBS = 100;
const LONGEST_LABEL = 200;

/** @throws NodeApiError when the service cannot be asked, NodeOperationError for an invalid address */
async function recentJobs(context: ILoadOptionsFunctions) {
	const client = await serviceClient.call(context);
	const jobs = await listAllJobs(client, { limit: RECENT_JOBS });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	return { jobs: jobs.value, testSource: client.connection.testSource, endOf: client.endOf };
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
const COMMON = {
	source: ['amazon', 'ebay', 'google_shopping'],
	country: ['de', 'es', 'fr', 'gb', 'it', 'us'],
} as const;

/** "Germany (de)"; a code without a name, and any other text, as it is. */
function labelOfCountry(code: string): string {
	const name = nameOfCountry(code);
	return name === undefined ? code : `${name} (${code})`;
}

const byLabel = (items: INodeListSearchItems[]) => sortedBy(items, ({ name }) => name);

/** The distinct texts of a field in the account's recent jobs, and the common ones that are not among them. */
async function used(context: ILoadOptionsFunctions, field: keyof typeof COMMON) {
	const { jobs, testSource } = await recentJobs(context);
	const texts = jobs
		.map((job) => String(plainField(job, field) ?? ''))
		// After trying the test source, users look for real ones.
		.filter((text) => text !== '' && text !== testSource);
	const own = [...new Set(texts)];
	const words = new Set(own.map(wordOf));
	return { own, usual: COMMON[field].filter((text) => !words.has(text)), words, testSource };
}

const unused = (label: string) => `${label} – common, not used by you yet`;

/** Searches the account's sources, then the common ones and the test source. */
export async function searchSources(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { own, usual, testSource } = await used(this, 'source');
	const items = [
		...byLabel(own.map((text) => ({ name: text, value: text }))),
		...usual.map((text) => ({ name: unused(text), value: text })),
		{ name: `${testSource} – free, with made-up data`, value: testSource },
	];
	return matching(items, filter);
}

/** Searches the account's countries by code and English name, then the common ones; by words, all that there are. */
export async function searchCountries(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { own, usual, words } = await used(this, 'country');
	const common = new Set<string>(usual);
	const others = (filter ?? '').trim() === '' ? [] : countryCodes();
	const rest = others.filter((code) => !words.has(code) && !common.has(code));
	const labelled = (codes: readonly string[], label = labelOfCountry) =>
		byLabel(codes.map((code) => ({ name: label(code), value: code })));
	const items = [
		...labelled(own),
		...labelled(usual, (code) => unused(labelOfCountry(code))),
		...labelled(rest, (code) => `${labelOfCountry(code)} – not used by you yet`),
	];
	return matching(items, filter);
}

/** The label of a job, most distinctive parts first: the list cuts it after about 60 characters. */
function jobLabel(job: Job, timeZone: string): string {
	const created = timeOf(job.created_at);
	// The Swedish format is ISO 8601 without the T: `2026-01-15 09:00`.
	const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
	const words = [created && format.format(created), job.status, job.source, job.country, job.topic];
	const known = words.filter((word) => typeof word === 'string' && word !== '');
	return known.length === 0 ? job.job_id : `${known.join(' · ')} (${job.job_id})`;
}

/**
 * The account's recent jobs; for Cancel those that run.
 *
 * @throws NodeOperationError where there are none: n8n's "No results" would not explain that
 */
export async function searchJobs(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { jobs: all, endOf } = await recentJobs(this);
	if (all.length === 0) {
		throw inputError(
			this.getNode(),
			'The account of this credential has no jobs yet',
			'Collect or Create starts the first one. To enter the ID of a job, set the field to By ID.',
		);
	}
	const isForCancel = this.getCurrentNodeParameter('operation') === 'cancel';
	const jobs = isForCancel ? all.filter(({ status }) => endOf(status) === undefined) : all;
	if (jobs.length === 0) {
		throw inputError(
			this.getNode(),
			'None of the latest jobs of this account is running',
			'There is nothing to cancel. To enter the ID of an older job, set the field to By ID.',
		);
	}
	const timeZone = this.getTimezone();
	return matching(
		jobs.map((job) => ({ name: jobLabel(job, timeZone), value: job.job_id })),
		filter,
	);
}
