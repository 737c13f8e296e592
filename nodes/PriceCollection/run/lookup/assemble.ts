import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, type RowChoice, echoOf } from '../../output/rows';
import { echoedValue } from '../../service/echo';
import { countOf, type JobResults, type Result } from '../../service/types';
import { matchResults, valuesOfRun, type Matches } from './match';
import type { Aside, JobRecord, Requester } from './record';
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
	/** The failed result that stops the item, when the user chose so; of no job where nothing was sent. */
	failed?: FailedResult & { jobId?: string };
}

/** How many values a run has and what became of them, each counted once. */
export interface ValueCounts {
	found: number;
	notFound: number;
	failed: number;
	unanswered: number;
}

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
	if (unmatched.length === 0) return 'not answered: the job ended without a result for this value';
	return `not matched: of what the job brought, ${described(unmatched, key)}, belongs to none of the values asked for`;
}

/** What became of a value, by all results that it has. */
function outcomeOf(results: readonly Result[], topic: string): keyof ValueCounts {
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

/** The results of each value of a job, or each result of one whose values are not known. */
function byValueOf(
	{ record: { request }, download: { results } }: AnsweredJob,
	isAsked: (text: string) => boolean,
) {
	if (request === undefined) return { matches: undefined, byValue: results.map((result) => [result]) };
	const matches = matchResults(request, results, isAsked);
	return { matches, byValue: matches.byValue.map(withoutRepeats) };
}

/** A request as results echo it, and the values that one of its requesters asks for, each with the results that it has. */
function answersFor(
	{ record, download }: AnsweredJob,
	{ asks }: Requester,
	matches?: Matches,
	byValue: Result[][] = [],
) {
	const { request } = record;
	if (request === undefined || matches === undefined || asks === undefined) {
		return download.results.map((result, place) => ({ place, results: [result], asked: undefined }));
	}
	const { key, parameters, values } = request;
	const positions = new Map(values.map((value, position) => [identityOf(key, value), position]));
	return asks.map(([place, value]) => {
		const position = positions.get(identityOf(key, value)) ?? -1;
		const found = byValue[position] ?? [];
		const missing = () =>
			withoutAnswer({ value, ...echoOf(parameters) }, reasonFor(position, matches, key));
		return { place, results: found.length > 0 ? found : [missing()], asked: { value, parameters } };
	});
}

/**
 * Gives every requester the rows of its own values, in the order of its values, or all rows of the job that it names. A
 * value whose job is not among the answered ones gives none: the job itself is accounted for elsewhere.
 *
 * @param asides the values that were not sent, which stand among the others
 * @param counts to which what became of the values is added
 */
export async function assemble(
	jobs: readonly AnsweredJob[],
	asides: readonly Aside[],
	choiceAt: (item: number, requesters: Requester[]) => RowChoice,
	renderer: Renderer,
	counts: ValueCounts,
): Promise<PlacedRows[]> {
	const placed: PlacedRows[] = [];
	const isAsked = valuesOfRun(jobs.flatMap(({ record: { request } }) => request ?? []));
	for (const job of jobs) {
		const { record, download } = job;
		const { matches, byValue } = byValueOf(job, isAsked);
		for (const results of byValue)
			counts[outcomeOf(results, String(record.request?.parameters.topic ?? ''))]++;
		const told = countOf(download.requested ?? record.job.requested) ?? 0;
		if (matches === undefined) counts.unanswered += Math.max(0, told - byValue.length);
		const place = async (
			where: Omit<PlacedRows, 'rows'>,
			...[results, asked]: [Result[], { value: string }?]
		) => {
			const choice = choiceAt(where.at, where.requesters);
			const { rows, failed } = await renderer.render(download, results, choice, asked);
			placed.push({ ...where, rows, ...(failed && { failed: { ...failed, jobId: download.job_id } }) });
		};
		for (const requester of record.requesters) {
			const where = { requesters: [requester], at: requester.at ?? requester.item };
			for (const answer of answersFor(job, requester, matches, byValue)) {
				await place({ ...where, place: answer.place }, answer.results, answer.asked);
			}
		}
		// What nobody asked for stands behind the last one who asked for something in the same job, and is linked to them all.
		if (matches === undefined || matches.unmatched.length === 0) continue;
		for (const result of matches.unmatched) renderer.remarks.note('unmatched', result);
		const { requesters } = record;
		const at = Math.max(0, ...requesters.map((one) => one.at ?? one.item));
		await place({ requesters, at, place: Infinity }, matches.unmatched);
	}
	for (const aside of asides) {
		if (aside.row === undefined) continue;
		const { query, reason } = aside.row;
		const at = aside.at ?? aside.item;
		const result = withoutAnswer(query, reason);
		const choice = choiceAt(at, [aside]);
		const rendered = await renderer.render({ job_id: null, status: null }, [result], choice);
		placed.push({ requesters: [aside], at, place: aside.place, ...rendered });
	}
	const itemOf = ({ requesters }: PlacedRows) =>
		(requesters.length === 1 ? requesters[0]?.item : undefined) ?? Infinity;
	return placed.sort((a, b) => a.at - b.at || itemOf(a) - itemOf(b) || a.place - b.place);
}
