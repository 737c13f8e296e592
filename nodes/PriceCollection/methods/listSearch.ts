import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { sortedBy } from '../descriptions/common';
import { serviceClient } from '../n8n/client';
import { apiError, operationError } from '../n8n/errors';
import { listAllJobs } from '../service/api/jobList';
import { plainField } from '../service/names';
import { oneLine } from '../service/text';
import { timeOf } from '../service/time';
import { wordOf, type Job } from '../service/types';
import { countryCodes, nameOfCountry } from '../values/country';

/** How many of the account's latest jobs the lists are built from. */
const RECENT_JOBS = 100;
const LONGEST_LABEL = 200;

/**
 * Reads the account's latest jobs.
 *
 * @throws NodeApiError if the job list cannot be read, NodeOperationError for an invalid credential
 */
async function recentJobs(context: ILoadOptionsFunctions) {
	const client = await serviceClient.call(context);
	const jobs = await listAllJobs(client, { limit: RECENT_JOBS });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	return { jobs: jobs.value, testSource: client.connection.testSource, endOf: client.endOf };
}

/** Returns the choices that match the filter. No value or label begins with "=": n8n would run it as an expression. */
function matching(items: INodeListSearchItems[], filter: string | undefined): INodeListSearchResult {
	const wanted = (filter ?? '').trim().toLowerCase();
	const label = (name: string) => oneLine(name, LONGEST_LABEL).replace(/^[=\s]+/, '');
	const results = items
		.filter(({ name, value }) => !String(value).startsWith('=') && name.toLowerCase().includes(wanted))
		.map(({ name, value }) => ({ name: label(name), value }));
	return { results };
}

/**
 * Common values to offer if the account has not used them yet. The service decides which of them are available
 * (`docs/contributing/not-shown.md`).
 */
const COMMON = {
	source: ['amazon', 'ebay', 'google_shopping'],
	country: ['de', 'es', 'fr', 'gb', 'it', 'us'],
} as const;

/** Returns "Germany (de)" for "de"; a code without a name, and any other text, unchanged. */
function labelOfCountry(code: string): string {
	const name = nameOfCountry(code);
	return name === undefined ? code : `${name} (${code})`;
}

const byLabel = (items: INodeListSearchItems[]) => sortedBy(items, ({ name }) => name);

/**
 * Returns the distinct values of a field in the account's recent jobs, also as `words` to compare, and the common
 * values that are not among them.
 */
async function offeredValues(context: ILoadOptionsFunctions, field: keyof typeof COMMON) {
	const { jobs, testSource } = await recentJobs(context);
	const texts = jobs
		.map((job) => String(plainField(job, field) ?? ''))
		// Users who have tried the test source look for a real one next.
		.filter((text) => text !== '' && text !== testSource);
	const used = [...new Set(texts)];
	const words = new Set(used.map(wordOf));
	return { used, unusedCommon: COMMON[field].filter((text) => !words.has(text)), words, testSource };
}

const unusedLabel = (label: string) => `${label} – common, not used by you yet`;

/** Searches the account's sources, then common ones and the test source. */
export async function searchSources(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { used, unusedCommon, testSource } = await offeredValues(this, 'source');
	const items = [
		...byLabel(used.map((text) => ({ name: text, value: text }))),
		...unusedCommon.map((text) => ({ name: unusedLabel(text), value: text })),
		{ name: `${testSource} – free, with made-up data`, value: testSource },
	];
	return matching(items, filter);
}

/** Searches countries by code and English name: the account's, then common ones, and with a filter all others. */
export async function searchCountries(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { used, unusedCommon, words } = await offeredValues(this, 'country');
	const common = new Set<string>(unusedCommon);
	const candidates = (filter ?? '').trim() === '' ? [] : countryCodes();
	const remaining = candidates.filter((code) => !words.has(code) && !common.has(code));
	const labelled = (codes: readonly string[], label = labelOfCountry) =>
		byLabel(codes.map((code) => ({ name: label(code), value: code })));
	const items = [
		...labelled(used),
		...labelled(unusedCommon, (code) => unusedLabel(labelOfCountry(code))),
		...labelled(remaining, (code) => `${labelOfCountry(code)} – not used by you yet`),
	];
	return matching(items, filter);
}

/** Returns a job's label, with the most distinctive parts first: the list cuts it after about 60 characters. */
function jobLabel(job: Job, timeZone: string): string {
	const created = timeOf(job.created_at);
	// The Swedish format is ISO 8601 without the T: `2026-01-15 09:00`.
	const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
	const words = [created && format.format(created), job.status, job.source, job.country, job.topic];
	const known = words.filter((word) => typeof word === 'string' && word !== '');
	return known.length === 0 ? job.job_id : `${known.join(' · ')} (${job.job_id})`;
}

/**
 * Searches the account's recent jobs; for Cancel, those that have not ended.
 *
 * @throws NodeOperationError if there are none, because n8n's "No results" would not explain why
 */
export async function searchJobs(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { jobs: all, endOf } = await recentJobs(this);
	if (all.length === 0) {
		throw operationError(
			this.getNode(),
			'The account of this credential has no jobs yet',
			'Collect or Create starts the first one. To enter the ID of a job, set the field to By ID.',
		);
	}
	const isForCancel = this.getCurrentNodeParameter('operation') === 'cancel';
	const jobs = isForCancel ? all.filter(({ status }) => endOf(status) === undefined) : all;
	if (jobs.length === 0) {
		throw operationError(
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
