import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import type { RowNotes } from '../../output/rowNotes';
import {
	failedResult,
	NO_ANSWER,
	rowsOf,
	unansweredRow,
	unsentRow,
	type FailedResult,
	type RowChoice,
} from '../../output/rows';
import type { Clock } from '../../service/clock';
import { echoedValue } from '../../service/echo';
import { countOf, type JobResults, type Result } from '../../service/types';
import { matchResults, valuesOfRun, type Matches } from './match';
import type { Aside, JobRecord, JobRequest, Requester } from './record';
import { identityOf } from './values';

/** A finished job and what it brought. */
export interface AnsweredJob {
	record: JobRecord;
	download: JobResults;
}

/** Rows, and where they go: beside those of their requesters. */
export interface PlacedRows {
	/** One, except for results that belong to no value that was asked for. */
	requesters: Requester[];
	/** The item of the present input at which they stand, and their place among those that stand there. */
	at: number;
	place: number;
	rows: IDataObject[];
	/** The failed result that stops the item, when the user chose so. */
	failed?: FailedResult & { jobId?: string };
}

/** How many values a run has and what became of them, each counted once. */
export interface ValueCounts {
	values: number;
	found: number;
	notFound: number;
	failed: number;
	unanswered: number;
}

/** What is worth telling about an assembly. */
export interface Findings {
	counts: ValueCounts;
	/** Results that belong to no value for certain. */
	unmatched: number;
	notes: RowNotes;
}

/** How rows are made: their choice by the item that they stand at, and who hears of them. */
export interface Rendering {
	choiceAt: (item: number) => RowChoice;
	findings: Findings;
	clock: Pick<Clock, 'yieldToEventLoop'>;
}

/** Values turned into rows at a stretch before n8n's event loop gets its turn. */
const VALUES_AT_A_STRETCH = 50;
/** Maximum echoes named in a reason. */
const ECHOES_NAMED = 3;

/** What results say that they answer, for a reason: `3 results, for "a", "b" and others`. */
function described(results: readonly Result[], key: string): string {
	const count = `${results.length} result${results.length === 1 ? '' : 's'}`;
	const echoes = [...new Set(results.flatMap(({ query }) => echoedValue(query, key) ?? []))];
	if (echoes.length === 0) return `${count}, which do not say what they are for`;
	const named = echoes.slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	return `${count}, for ${named.join(', ')}${echoes.length > ECHOES_NAMED ? ' and others' : ''}`;
}

/** Why a value has no result, as far as that can be known. */
function reasonFor(position: number, { doubtful, unmatched }: Matches, key: string): string {
	const alike = doubtful.get(position);
	if (alike !== undefined) {
		return `could not be told apart: the job brought ${described(alike, key)}, which fit several of the values asked for`;
	}
	if (unmatched.length === 0) return NO_ANSWER;
	return `not matched: of what the job brought, ${described(unmatched, key)}, belongs to none of the values asked for`;
}

/** What became of a value, by all results that it has. */
function outcomeOf(results: readonly Result[], topic: string): Exclude<keyof ValueCounts, 'values'> {
	if (results.some((result) => result.success && isFound(result, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

/** The same result given twice is one. */
function withoutRepeats(results: Result[]): Result[] {
	if (results.length < 2) return results;
	return [...new Map(results.map((result) => [JSON.stringify(result), result])).values()];
}

/** A job whose values are known, with its results sorted to them. */
interface SortedJob extends AnsweredJob {
	request: JobRequest;
	matches: Matches;
	positions: Map<string, number>;
}

/** The rows of one value that an item asks for. */
function rowsForValue(
	{ download, request: { key, parameters }, matches, positions }: SortedJob,
	value: string,
	choice: RowChoice,
	notes: RowNotes,
): Pick<PlacedRows, 'rows' | 'failed'> {
	const asked = { value, parameters };
	const position = positions.get(identityOf(key, value)) ?? -1;
	const results = matches.byValue[position] ?? [];
	const stops = choice.onFailedResult === 'error';
	const jobId = download.job_id;
	if (results.length > 0) {
		const [failed] = stops ? results.flatMap((result) => failedResult(result, asked) ?? []) : [];
		const rows = results.flatMap((result) => rowsOf(download, result, choice, asked, notes));
		return { rows, ...(failed && { failed: { ...failed, jobId } }) };
	}
	const reason = reasonFor(position, matches, key);
	if (stops) return { rows: [], failed: { value, reason, jobId } };
	const isShown = choice.onFailedResult === 'include';
	return { rows: isShown ? [unansweredRow(download, asked, choice, reason, notes)] : [] };
}

/** The rows of a value that was not sent. */
function rowsForAside({ query, reason }: NonNullable<Aside['row']>, choice: RowChoice, notes: RowNotes) {
	const value = typeof query.value === 'string' ? query.value : null;
	if (choice.onFailedResult === 'error') return { rows: [], failed: { value, reason } };
	return { rows: choice.onFailedResult === 'include' ? [unsentRow(query, reason, choice, notes)] : [] };
}

/** Counts each value, or each result of a job whose values are not known. */
function countInto(counts: ValueCounts, { record, download }: AnsweredJob, matches?: Matches): void {
	const topic = String(record.request?.parameters.topic ?? '');
	const byValue = matches?.byValue ?? download.results.map((result) => [result]);
	for (const results of byValue) counts[outcomeOf(results, topic)]++;
	const told = matches === undefined ? (countOf(download.requested ?? record.job.requested) ?? 0) : 0;
	const missing = Math.max(0, told - byValue.length);
	counts.unanswered += missing;
	counts.values += byValue.length + missing;
}

/**
 * Gives every requester the rows of its own values, in the order of its values, or all rows of the job that it names. A
 * value whose job is not among the answered ones gives none: the job itself is accounted for elsewhere.
 *
 * @param asides the values that were not sent, which stand among the others
 */
export async function assemble(
	jobs: readonly AnsweredJob[],
	asides: readonly Aside[],
	{ choiceAt, findings, clock }: Rendering,
): Promise<PlacedRows[]> {
	const { counts, notes } = findings;
	const placed: PlacedRows[] = [];
	const isAsked = valuesOfRun(jobs.flatMap(({ record: { request } }) => request ?? []));
	let done = 0;
	for (const { record, download } of jobs) {
		const { request, requesters } = record;
		const matches = request && matchResults(request, download.results, isAsked);
		if (matches !== undefined) matches.byValue = matches.byValue.map(withoutRepeats);
		countInto(counts, { record, download }, matches);
		const positions = new Map(
			request?.values.map((value, position) => [identityOf(request.key, value), position]),
		);
		for (const requester of requesters) {
			const at = requester.at ?? requester.item;
			const choice = choiceAt(at);
			const own = { requesters: [requester], at };
			for (const [place, value] of requester.asks ?? []) {
				if (++done % VALUES_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
				if (request === undefined || matches === undefined) continue;
				const job = { record, download, request, matches, positions };
				placed.push({ ...own, place, ...rowsForValue(job, value, choice, notes) });
			}
			if (request !== undefined && requester.asks !== undefined) continue;
			for (const [place, result] of download.results.entries()) {
				if (++done % VALUES_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
				const failed = choice.onFailedResult === 'error' ? failedResult(result) : undefined;
				const rows = rowsOf(download, result, choice, undefined, notes);
				placed.push({
					...own,
					place,
					rows,
					...(failed && { failed: { ...failed, jobId: download.job_id } }),
				});
			}
		}
		if (matches === undefined || matches.unmatched.length === 0) continue;
		// What nobody asked for stands behind the last one who asked for something in the same job, and is linked to them all.
		findings.unmatched += matches.unmatched.length;
		const at = Math.max(0, ...requesters.map((one) => one.at ?? one.item));
		const rows = matches.unmatched.flatMap((result) =>
			rowsOf(download, result, choiceAt(at), undefined, notes),
		);
		placed.push({ requesters, at, place: Infinity, rows });
	}
	for (const aside of asides) {
		const at = aside.at ?? aside.item;
		if (aside.row === undefined) continue;
		placed.push({
			requesters: [aside],
			at,
			place: aside.place,
			...rowsForAside(aside.row, choiceAt(at), notes),
		});
	}
	const itemOf = ({ requesters }: PlacedRows) =>
		(requesters.length === 1 ? requesters[0]?.item : undefined) ?? Infinity;
	return placed.sort((a, b) => a.at - b.at || itemOf(a) - itemOf(b) || a.place - b.place);
}
