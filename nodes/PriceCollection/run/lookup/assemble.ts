import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, type RowChoice, echoOf } from '../../output/rows';
import { echoedValue } from '../../service/echo';
import { countOf, type JobResults, type Result } from '../../service/types';
import { matchResults } from './match';
import { placeOf, placesOf, type Aside, type JobRecord, type Requester } from './record';
import { folded, identityOf } from './values';

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
function reasonFor(unmatched: readonly Result[], key: string): string {
	return unmatched.length === 0
		? 'not answered: the job ended without a result for this value'
		: `not matched: the job returned ${described(unmatched, key)}; none is clearly for this value`;
}

/** What became of a value, by all results that it has. */
function outcomeOf(results: readonly Result[], topic: string): keyof ValueCounts {
	if (results.some((result) => result.success && isFound(result, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

/** What one value brought, or one result of a job whose values are not known. */
interface Answer {
	place: number;
	results: Result[];
	asked?: { value: string; parameters: IDataObject };
}

/** The results of a job by its values, those that belong to none, and what each requester gets of them. */
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
 * Gives every requester the rows of its own values, in the order of its values, or all rows of the job that it names. A
 * value whose job is not among the answered ones gives none: the job itself is accounted for elsewhere.
 *
 * @param asides the values that were not sent, which stand among the others
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
		// What nobody asked for stands behind the last one who asked for something in the same job, and is linked to them all.
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
