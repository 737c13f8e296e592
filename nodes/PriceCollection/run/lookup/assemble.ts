import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, type RowChoice, echoOf } from '../../output/rows';
import { countOf, echoedValue, type JobResults, type Result } from '../../service/types';
import { matchResults } from './match';
import { placeOf, placesOf, type Aside, type JobRecord, type Requester } from './record';
import { folded, identityOf } from './values';

/** A finished job and its download. */
export interface AnsweredJob {
	record: JobRecord;
	download: JobResults;
}

/** Rows and their position in the output. */
export interface PlacedRows {
	/** One requester, except for results that match no requested value. */
	requesters: Requester[];
	/** Index of the input item at which they are output, and their order among the rows there. */
	at: number;
	place: number;
	rows: IDataObject[];
	/** The failed result that fails the item, if the user chose so; without job if nothing was sent. */
	failed?: FailedResult & { jobId?: string };
}

/** How many values a run has, by outcome; each is counted once. */
export interface ValueCounts {
	found: number;
	notFound: number;
	failed: number;
	unanswered: number;
}

/** How many echoed values a reason names. */
const ECHOES_NAMED = 3;

/** What results say they are for, for use in a reason: `3 results, for "a", "b" and others`. */
function described(results: readonly Result[], key: string): string {
	const count = `${results.length} result${results.length === 1 ? '' : 's'}`;
	const echoes = [...new Set(results.flatMap(({ query }) => echoedValue(query, key) ?? []))];
	if (echoes.length === 0) return `${count}, which do not say what they are for`;
	const named = echoes.slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	return `${count}, for ${named.join(', ')}${echoes.length > ECHOES_NAMED ? ' and others' : ''}`;
}

/** Why a value has no result, as far as known. */
function reasonFor(unmatched: readonly Result[], key: string): string {
	return unmatched.length === 0
		? 'not answered: the job ended without a result for this value'
		: `not matched: the job returned ${described(unmatched, key)}; none is clearly for this value`;
}

/** The outcome of a value, from all of its results. */
function outcomeOf(results: readonly Result[], topic: string): keyof ValueCounts {
	if (results.some((result) => result.success && isFound(result, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

/** The results of one value, or one result of a job whose values are unknown. */
interface Answer {
	place: number;
	results: Result[];
	asked?: { value: string; parameters: IDataObject };
}

/** The results of a job by value, those without a value, and what each requester gets. */
function answersOf({ record: { request }, download }: AnsweredJob, isAsked: (text: string) => boolean) {
	if (request === undefined) {
		const all = download.results.map((result, place): Answer => ({ place, results: [result] }));
		return { byValue: all.map(({ results }) => results), unmatched: [], answersFor: () => all };
	}
	const { key, parameters, values } = request;
	const matches = matchResults(request, download.results, isAsked);
	const positions = new Map(values.map((value, position) => [identityOf(key, value), position]));
	const answersFor = ({ asks = [] }: Requester) =>
		asks.map(([place, value]): Answer => {
			const position = positions.get(identityOf(key, value)) ?? -1;
			const found = matches.byValue[position] ?? [];
			const missing = () =>
				withoutAnswer({ value, ...echoOf(parameters) }, reasonFor(matches.unmatched, key));
			return { place, results: found.length > 0 ? found : [missing()], asked: { value, parameters } };
		});
	return { ...matches, answersFor };
}

/**
 * Gives every requester the rows of its own values in their order, or all rows of the job that it names.
 * Values of jobs without download get no rows; the caller handles those jobs.
 *
 * @param asides the values that were not sent; their rows are placed among the others
 */
export async function assemble(
	jobs: readonly AnsweredJob[],
	asides: readonly Aside[],
	choiceAt: (item: number, requesters: Requester[]) => RowChoice,
	renderer: Renderer,
): Promise<{ placed: PlacedRows[]; counts: ValueCounts }> {
	const placed: PlacedRows[] = [];
	const counts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	const asked = new Set(jobs.flatMap(({ record: { request } }) => request?.values.map(folded) ?? []));
	const isAsked = (text: string) => asked.has(folded(text));
	for (const job of jobs) {
		const { record, download } = job;
		const { requesters, request } = record;
		const { byValue, unmatched, answersFor } = answersOf(job, isAsked);
		for (const results of byValue) counts[outcomeOf(results, String(request?.parameters.topic ?? ''))]++;
		const told = countOf(download.requested ?? record.job.requested) ?? 0;
		if (request === undefined) counts.unanswered += Math.max(0, told - byValue.length);
		const place = async (where: Omit<PlacedRows, 'rows'>, results: Result[], asked?: Answer['asked']) => {
			const choice = choiceAt(where.at, where.requesters);
			const { rows, failed } = await renderer.render(download, results, choice, asked);
			placed.push({ ...where, rows, ...(failed && { failed: { ...failed, jobId: download.job_id } }) });
		};
		for (const requester of requesters) {
			const where = { requesters: [requester], at: placeOf(requester) };
			for (const answer of answersFor(requester))
				await place({ ...where, place: answer.place }, answer.results, answer.asked);
		}
		// Results without a requester follow the last requester of the same job and link to all of them.
		if (unmatched.length === 0) continue;
		for (const result of unmatched) renderer.remarks.note('unmatched', result);
		await place({ requesters, at: Math.max(0, ...placesOf(record)), place: Infinity }, unmatched);
	}
	for (const aside of asides) {
		if (aside.row === undefined) continue;
		const at = placeOf(aside);
		const result = withoutAnswer(aside.row.query, aside.row.reason);
		const choice = choiceAt(at, [aside]);
		const rendered = await renderer.render({ job_id: null, status: null }, [result], choice);
		placed.push({ requesters: [aside], at, place: aside.place, ...rendered });
	}
	const itemOf = ({ requesters: [first, ...others] }: PlacedRows) =>
		others.length === 0 ? (first?.item ?? Infinity) : Infinity;
	placed.sort((a, b) => a.at - b.at || itemOf(a) - itemOf(b) || a.place - b.place);
	return { placed, counts };
}
