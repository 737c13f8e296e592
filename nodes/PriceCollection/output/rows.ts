import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/clock';
import type { JobResults, Result, ResultQuery } from '../service/types';
import { comparePrices, type BestPriceOptions } from './bestPrice';
import { withCells, type CellChoice } from './cells';
import { contentListOf, isBlank, isFound, listsIn } from './contentList';
import { contextOf, flattenEntries, flattenResult, topicOf, type Asked, type RowJob } from './flatten';
import type { RowNotes } from './rowNotes';

/** How the user wants results to become items. */
export interface RowChoice extends CellChoice {
	output: 'entries' | 'results';
	simplify: boolean;
	includeNotFound: boolean;
	/** With `error` the caller fails the item first, see `failedResult`. */
	onFailedResult: 'error' | 'include' | 'skip';
	/** Name of the list inside the content; found by itself when absent or blank. */
	contentList?: string;
	/** Which offers count for the best price; without it there are no columns for one. */
	bestPrice?: BestPriceOptions;
}

/** What an error text about a failed result needs. */
export interface FailedResult {
	value: string | null;
	reason: string;
}

export interface ResultCounts {
	found: number;
	notFound: number;
	failed: number;
}

/** Why a value has no result, in the words of a failed one. */
export const NO_ANSWER = 'not answered: the job ended without a result for this value';

/** The parameters that the service echoes in a result. Others, such as the callback URL, stay out of items. */
const ECHOED: readonly string[] = [
	'source',
	'country',
	'topic',
	'key',
	'max_pages',
	'max_age',
	'sort_by',
	'condition',
	'shipping',
];

/**
 * The rows of one result: one, or with `entries` one per entry of its content's list (at least one), or none
 * when it is of a kind that is left out. Nested data is shared with the result, not copied.
 *
 * @param notes told what a user should know about the rows
 */
export function rowsOf(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	asked?: Asked,
	notes?: RowNotes,
): IDataObject[] {
	if (!result.success && choice.onFailedResult === 'skip') return [];
	if (result.success && !choice.includeNotFound && !isFound(result, topicOf(result, asked))) return [];
	const rows = choice.simplify
		? flatRows(job, result, choice, asked, notes)
		: serviceRows(job, result, choice, asked);
	return rows.map((row) => withCells(row, choice, notes));
}

function flatRows(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	asked?: Asked,
	notes?: RowNotes,
): IDataObject[] {
	const context = contextOf(job, result, asked);
	if (choice.output === 'entries') return flattenEntries(context, result.content, choice.contentList);
	if (choice.bestPrice === undefined) return [flattenResult(context, result.content)];
	// What a failed result may hold all the same is no answer.
	const compared = comparePrices(result.success ? result.content : undefined, choice.bestPrice, {
		topic: topicOf(result, asked),
		contentList: choice.contentList,
		condition: result.query?.condition ?? asked?.parameters?.condition,
	});
	notes?.addComparison(compared);
	return [flattenResult(context, result.content, compared.best)];
}

/**
 * The row of a value that the service never answered. It belongs to the failed results: leave it out where
 * those are skipped.
 */
export function unansweredRow(
	job: RowJob,
	asked: Asked,
	choice: RowChoice,
	reason = NO_ANSWER,
	notes?: RowNotes,
): IDataObject {
	const query = { value: asked.value, ...echoOf(asked.parameters ?? {}) };
	return rowWithout(job, { query, success: false, reason }, choice, asked, notes);
}

/** What a result says of the parameters that it was asked with, besides the value. */
export function echoOf(parameters: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => ECHOED.includes(name)));
}

/** The row of a value that was not sent, with the query that it would have had. It belongs to the failed results, too. */
export function unsentRow(
	query: ResultQuery,
	reason: string,
	choice: RowChoice,
	notes?: RowNotes,
): IDataObject {
	return rowWithout(
		{ job_id: null, status: null },
		{ query, success: false, reason },
		choice,
		undefined,
		notes,
	);
}

/** The row of a result that the service did not give. */
function rowWithout(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	asked: Asked | undefined,
	notes: RowNotes | undefined,
): IDataObject {
	const [row = {}] = choice.simplify
		? flatRows(job, result, choice, asked)
		: [{ job_id: job.job_id, status: job.status, ...result, found: false }];
	return withCells(row, choice, notes);
}

/** What to say about a failed result; undefined when it succeeded. */
export function failedResult(result: Result, asked?: Asked): FailedResult | undefined {
	if (result.success) return undefined;
	const { value } = contextOf({ job_id: '', status: '' }, result, asked);
	return {
		value: typeof value === 'string' ? value : null,
		reason: result.reason || 'the service gave no reason',
	};
}

/**
 * Counts results by kind, for the hints of a run.
 *
 * @param topic needed only where the service does not echo it
 */
export function summarise(results: Result[], topic?: string): ResultCounts {
	const counts: ResultCounts = { found: 0, notFound: 0, failed: 0 };
	for (const result of results) {
		if (!result.success) counts.failed++;
		else if (isFound(result, result.query?.topic ?? topic)) counts.found++;
		else counts.notFound++;
	}
	return counts;
}

/** Contents of which it is not clear which list holds the entries. */
export interface UnclearLists {
	/** How many results have such a content. */
	results: number;
	/** The lists that could be meant, by names that Content List takes. */
	candidates: string[];
}

/** Candidates named in a hint. */
const MOST_CANDIDATES = 10;

/** The results whose entries were not found, so that each is one row with all of its content. Undefined without any. */
export function unclearListsOf(
	results: readonly Result[],
	choice: RowChoice,
	topic?: string,
): UnclearLists | undefined {
	if (choice.output !== 'entries') return undefined;
	const candidates = new Set<string>();
	let count = 0;
	for (const result of results) {
		if (!result.success || isBlank(result.content)) continue;
		if (contentListOf(result.content, topicOf(result) ?? topic, choice.contentList)) continue;
		const lists = listsIn(result.content);
		if (lists.length === 0 && choice.contentList === undefined) continue;
		count++;
		for (const name of lists) if (candidates.size < MOST_CANDIDATES) candidates.add(name);
	}
	return count === 0 ? undefined : { results: count, candidates: [...candidates] };
}

/** What to say about them. */
export function unclearListsHint({ results, candidates }: UnclearLists): string {
	const named =
		candidates.length === 0 ? 'There is none in it.' : `These are in it: ${candidates.join(', ')}.`;
	return `In ${results} ${results === 1 ? 'result' : 'results'} it is not clear which list holds the entries: each is one row with all of its content. ${named} Name the right one as Content List in the options.`;
}

/** The service's own structure; an entry stands where the content with its list stood. */
function serviceRows(job: RowJob, result: Result, choice: RowChoice, asked?: Asked): IDataObject[] {
	const root = { job_id: job.job_id, status: job.status, ...result };
	if (choice.output === 'results') return [root];
	const topic = result.query?.topic ?? asked?.parameters?.topic;
	const list = contentListOf(
		result.content,
		topic === undefined ? topic : String(topic),
		choice.contentList,
	);
	if (!list || list.entries.length === 0) return [root];
	return list.entries.map((entry) => ({ ...root, content: entry as IDataObject[string] }));
}

/** Results made into rows at a stretch before n8n's event loop gets its turn: each can have a thousand offers to compare. */
const ROWS_AT_A_STRETCH = 50;

/** The results of a job as items, or the failed result that stops them when the user chose so. */
export type JobRows = { ok: true; rows: IDataObject[] } | { ok: false; failed: FailedResult };

/** Every result of a downloaded job as rows, in the service's order. */
export async function rowsOfJob(
	download: JobResults,
	choice: RowChoice,
	clock: Pick<Clock, 'yieldToEventLoop'>,
	notes?: RowNotes,
): Promise<JobRows> {
	const rows: IDataObject[] = [];
	for (const [index, result] of download.results.entries()) {
		if (index % ROWS_AT_A_STRETCH === ROWS_AT_A_STRETCH - 1) await clock.yieldToEventLoop();
		const failed = choice.onFailedResult === 'error' ? failedResult(result) : undefined;
		if (failed !== undefined) return { ok: false, failed };
		for (const row of rowsOf(download, result, choice, undefined, notes)) rows.push(row);
	}
	return { ok: true, rows };
}
