import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, echoOf } from '../../output/rows';
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
	const echoes = results.map(({ query }) => echoedValue(query));
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

/** Results to render for a requester: those of one value, one of a job whose values are unknown, or unmatched. */
export interface Answer {
	job: Parameters<Renderer['render']>[0];
	/** One, except for results that match no requested value. */
	requesters: Requester[];
	/** Index of the input item at which the rows are output, and their order among the rows there. */
	at: number;
	place: number;
	results: Result[];
	asked?: Parameters<Renderer['render']>[3];
	isUnmatched?: boolean;
}

/** Rows and their position in the output. */
export interface PlacedRows extends Pick<Answer, 'at' | 'place' | 'requesters'> {
	rows: readonly IDataObject[];
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

const whereOf = (requester: Requester) => ({ requesters: [requester], at: placeOf(requester) });

/**
 * Gives every requester the rows of its own values in their order, or all rows of the job that it names. Rows
 * are made as soon as a job is added, so that the results of only one job are in memory.
 */
export class Assembly {
	readonly counts: ValueCounts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	private readonly placed: PlacedRows[] = [];
	private readonly asked: ReadonlySet<string>;

	/** @param records all jobs of the run; those that are not added get no rows */
	constructor(
		records: readonly JobRecord[],
		private readonly render: (answer: Answer) => Promise<Pick<PlacedRows, 'failed' | 'rows'>>,
	) {
		this.asked = new Set(records.flatMap(({ request }) => request?.values.map(folded) ?? []));
	}

	/**
	 * Adds the results of an ended job.
	 *
	 * @param reason why its values have no result, if it failed or was cancelled
	 */
	async addJob(record: JobRecord, job: JobResults, reason?: string): Promise<void> {
		const { requesters, request } = record;
		if (request !== undefined) return await this.addAnswers(record, request, job, reason);
		// Its values are not known here, so that one row says why there are none.
		const none = withoutAnswer({}, reason ?? 'the job has no results');
		if (job.results.length === 0)
			for (const requester of requesters)
				await this.place({ ...whereOf(requester), job, place: 0, results: [none] });
		for (const [place, result] of job.results.entries()) {
			this.counts[outcomeOf([result], '')]++;
			for (const requester of requesters)
				await this.place({ ...whereOf(requester), job, place, results: [result] });
		}
		const told = countOf(job.requested ?? record.job.requested) ?? 0;
		this.counts.unanswered += Math.max(0, told - job.results.length);
	}

	/** Adds the row of a value that was not sent; it stands among the others of its item. */
	async addUnsent(aside: Aside): Promise<void> {
		if (aside.row === undefined) return;
		const results = [withoutAnswer(aside.row.query, aside.row.reason)];
		const job = { job_id: null, status: null };
		await this.place({ ...whereOf(aside), job, place: aside.place, results });
	}

	/** All rows in the order of the output. */
	rows(): PlacedRows[] {
		const itemOf = ({ requesters: [one, other] }: PlacedRows) =>
			other ? Infinity : (one?.item ?? Infinity);
		return this.placed.toSorted((a, b) => a.at - b.at || itemOf(a) - itemOf(b) || a.place - b.place);
	}

	private async addAnswers(
		record: JobRecord,
		request: JobRequest,
		job: JobResults,
		reasonOfEnd = 'not answered: the job ended without a result for this value',
	): Promise<void> {
		const { key, parameters, values } = request;
		const isAsked = (text: string) => this.asked.has(folded(text));
		const { byValue, unmatched } = matchResults(request, job.results, isAsked);
		for (const results of byValue) this.counts[outcomeOf(results, String(parameters.topic ?? ''))]++;
		const echoes = new Set(unmatched.flatMap(({ query }) => echoedValue(query) ?? []));
		const named = [...echoes].slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
		const example = named.length === 0 ? '' : ` (e.g. for ${named.join(', ')})`;
		const reason =
			unmatched.length === 0
				? reasonOfEnd
				: `not matched: no result of the job${example} is clearly for this value`;
		const missing = (value: string) => withoutAnswer({ value, ...echoOf(parameters) }, reason);
		const positions = new Map(values.map((value, position) => [identityOf(key, value), position]));
		for (const requester of record.requesters)
			for (const [place, value] of requester.asks ?? []) {
				const found = byValue[positions.get(identityOf(key, value)) ?? -1] ?? [];
				const results = found.length > 0 ? found : [missing(value)];
				const asked = { value, parameters };
				await this.place({ ...whereOf(requester), job, place, results, asked });
			}
		if (unmatched.length === 0) return;
		// Results without a requester follow the last requester of the same job and link to all of them.
		const at = Math.max(0, ...placesOf(record));
		const rest = { at, place: Infinity, results: unmatched, isUnmatched: true };
		await this.place({ ...rest, job, requesters: record.requesters });
	}

	private async place(answer: Answer): Promise<void> {
		const { job, requesters, at, place } = answer;
		const { rows, failed } = await this.render(answer);
		const ofJob = failed && { ...failed, jobId: job.job_id ?? undefined };
		this.placed.push({ requesters, at, place, rows, failed: ofJob });
	}
}
