import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, type RowChoice, echoOf } from '../../output/rows';
import { countOf, echoedValue, type JobResults, type Result } from '../../service/types';
import { placeOf, placesOf, type Aside, type JobRecord, type JobRequest, type Requester } from './record';
import { folded, identityOf, levelled, spaced, withoutLeadingZeros } from './values';

type Tier = (text: string) => string;

/** From strict to loose: exact; spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Tier[] = [
	(text) => text,
	spaced,
	levelled,
	(text) => withoutLeadingZeros(levelled(text)),
	folded,
];

function alikeBy(tier: Tier, values: readonly string[]): Map<string, number[]> {
	const classes = new Map<string, number[]>();
	for (const [position, value] of values.entries()) {
		const name = tier(value);
		const alike = classes.get(name) ?? [];
		alike.push(position);
		classes.set(name, alike);
	}
	return classes;
}

/**
 * Assigns the results of a job to its values by the value that each result echoes, tier by tier, so that an
 * exact match comes before a looser one. An echo of several values goes to the first without an answer.
 *
 * A job with one value owns all its results, unless they echo another value of the run. As soon as one of
 * them echoes the value, the others belong to something else.
 *
 * @param isAsked whether a text, in any spelling, is a value of any job of the run
 * @returns the results of each value in download order, and those that match no value with certainty
 */
export function matchResults(
	{ key, values }: Pick<JobRequest, 'key' | 'values'>,
	results: readonly Result[],
	isAsked: (text: string) => boolean,
) {
	const echoes = results.map(({ query }) => echoedValue(query, key));
	const owners = new Map<number, number>();
	const byValue = values.map((): number[] => []);
	for (const tier of TIERS) {
		if (owners.size === results.length) break;
		const classes = alikeBy(tier, values);
		for (const [index, echo] of echoes.entries()) {
			const alike = echo === undefined || owners.has(index) ? undefined : classes.get(tier(echo));
			if (alike === undefined) continue;
			const owner = alike.find((position) => byValue[position]?.length === 0) ?? alike[0] ?? 0;
			owners.set(index, owner);
			byValue[owner]?.push(index);
		}
	}
	const unmatched: Result[] = [];
	const isOnly = values.length === 1 && owners.size === 0;
	for (const [index, result] of results.entries()) {
		const echo = echoes[index];
		if (isOnly && (echo === undefined || !isAsked(echo))) byValue[0]?.push(index);
		else if (!owners.has(index)) unmatched.push(result);
	}
	const resultsAt = (indexes: readonly number[]) =>
		[...indexes].sort((a, b) => a - b).flatMap((index) => results[index] ?? []);
	for (const { positions, meanTheSame } of crowds(key, values, byValue, unmatched.length > 0)) {
		const found = positions.flatMap((position) => byValue[position] ?? []).sort((a, b) => a - b);
		// Values with the same meaning share: one result each, the rest for the last; all if they are fewer.
		const shareOf = (place: number) =>
			found.length < positions.length
				? found
				: found.slice(place, place + 1 < positions.length ? place + 1 : undefined);
		for (const [place, position] of positions.entries())
			byValue[position] = meanTheSame ? shareOf(place) : [];
		if (!meanTheSame) unmatched.push(...resultsAt(found));
	}
	const withoutRepeats = (some: Result[]) =>
		some.length < 2 ? some : [...new Map(some.map((one) => [JSON.stringify(one), one])).values()];
	return { byValue: byValue.map((indexes) => withoutRepeats(resultsAt(indexes))), unmatched };
}

/**
 * Groups of similar values of which only some have results, because the service normalised them to one query.
 * Words that differ only in case, width or composition mean the same, as do all values that differ only in
 * spaces or composition. Words that differ in accents or punctuation mean the same if one has several
 * results; identifiers like that are ambiguous.
 * @param hasUnmatched whether a remaining result may belong to a value without results
 */
function crowds(key: string, values: readonly string[], byValue: number[][], hasUnmatched: boolean) {
	if (!byValue.some((found) => found.length === 0)) return [];
	const areWords = key === 'term';
	const answers = (position: number) => byValue[position]?.length ?? 0;
	const unequal = (tier: Tier, least: number) =>
		[...alikeBy(tier, values).values()].filter(
			(all) => all.some((one) => answers(one) >= least) && all.some((one) => answers(one) === 0),
		);
	const same = unequal(areWords ? levelled : (text) => spaced(text.normalize('NFC')), hasUnmatched ? 2 : 1);
	const similar = unequal(folded, 2).filter((all) => !all.some((one) => same.flat().includes(one)));
	return [
		...same.map((positions) => ({ positions, meanTheSame: true })),
		...similar.map((positions) => ({ positions, meanTheSame: areWords })),
	];
}

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
export type ValueCounts = Record<'failed' | 'found' | 'notFound' | 'unanswered', number>;

const ECHOES_NAMED = 3;

function outcomeOf(results: readonly Result[], topic: string): keyof ValueCounts {
	if (results.some((result) => result.success && isFound(result, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

type Rendering = Parameters<Renderer['render']>;

/** The results of one value, or one result of a job whose values are unknown. */
interface Answer {
	place: number;
	results: Result[];
	asked?: Rendering[3];
}

/** The results of a job by value, those without a value, and what each requester gets. */
function answersOf({ record: { request }, download }: AnsweredJob, isAsked: (text: string) => boolean) {
	if (request === undefined) {
		const all = download.results.map((result, place): Answer => ({ place, results: [result] }));
		return { byValue: all.map(({ results }) => results), unmatched: [], answersFor: () => all };
	}
	const { key, parameters, values } = request;
	const { byValue, unmatched } = matchResults(request, download.results, isAsked);
	const echoes = new Set(unmatched.flatMap(({ query }) => echoedValue(query, key) ?? []));
	const named = [...echoes].slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	const example = named.length === 0 ? '' : ` (e.g. for ${named.join(', ')})`;
	const reason =
		unmatched.length === 0
			? 'not answered: the job ended without a result for this value'
			: `not matched: no result of the job${example} is clearly for this value`;
	const missing = (value: string) => withoutAnswer({ value, ...echoOf(parameters) }, reason);
	const positions = new Map(values.map((value, position) => [identityOf(key, value), position]));
	const answersFor = ({ asks = [] }: Requester) =>
		asks.map(([place, value]): Answer => {
			const position = positions.get(identityOf(key, value)) ?? -1;
			const found = byValue[position] ?? [];
			const results = found.length > 0 ? found : [missing(value)];
			return { place, results, asked: { value, parameters } };
		});
	return { byValue, unmatched, answersFor };
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
	const answers: Array<Answer & Pick<PlacedRows, 'at' | 'requesters'> & { job: Rendering[0] }> = [];
	const counts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	const asked = new Set(jobs.flatMap(({ record: { request } }) => request?.values.map(folded) ?? []));
	const isAsked = (text: string) => asked.has(folded(text));
	for (const answered of jobs) {
		const { record, download: job } = answered;
		const { requesters, request } = record;
		const { byValue, unmatched, answersFor } = answersOf(answered, isAsked);
		for (const results of byValue) counts[outcomeOf(results, String(request?.parameters.topic ?? ''))]++;
		const told = countOf(job.requested ?? record.job.requested) ?? 0;
		if (request === undefined) counts.unanswered += Math.max(0, told - byValue.length);
		for (const requester of requesters) {
			const where = { job, requesters: [requester], at: placeOf(requester) };
			for (const answer of answersFor(requester)) answers.push({ ...where, ...answer });
		}
		// Results without a requester follow the last requester of the same job and link to all of them.
		const at = Math.max(0, ...placesOf(record));
		if (unmatched.length > 0) answers.push({ job, requesters, at, place: Infinity, results: unmatched });
		for (const result of unmatched) renderer.remarks.note('unmatched', result);
	}
	for (const aside of asides) {
		if (aside.row === undefined) continue;
		const where = { requesters: [aside], at: placeOf(aside), place: aside.place };
		const results = [withoutAnswer(aside.row.query, aside.row.reason)];
		answers.push({ job: { job_id: null, status: null }, ...where, results });
	}
	const itemOf = ({ requesters: [first, ...others] }: Pick<PlacedRows, 'requesters'>) =>
		others.length === 0 ? (first?.item ?? Infinity) : Infinity;
	answers.sort((a, b) => a.at - b.at || itemOf(a) - itemOf(b) || a.place - b.place);
	const placed: PlacedRows[] = [];
	for (const { job, results, asked: value, ...where } of answers) {
		const choice = choiceAt(where.at, where.requesters);
		const { rows, failed } = await renderer.render(job, results, choice, value);
		placed.push({ ...where, rows, failed: failed && { ...failed, jobId: job.job_id ?? undefined } });
	}
	return { placed, counts };
}
