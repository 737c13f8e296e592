import type { IDataObject } from 'n8n-workflow';

import { isFound } from '../output/contentList';
import { withoutAnswer, type FailedResult, type Renderer, echoOf } from '../output/rows';
import { NO_RESULTS } from '../service/jobState';
import { countOf, echoedValue, type JobResults, type Result } from '../service/types';
import { folded, identityOf } from '../values/identity';
import { matchResults, withoutRepeats } from '../values/match';
import { placeOf, placesOf, type Aside, type JobRecord, type JobRequest, type Requester } from './record';

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
		const results = withoutRepeats(job.results);
		for (const result of results) this.counts[outcomeOf([result], '')]++;
		const told = countOf(job.requested ?? record.job.requested) ?? 0;
		this.counts.unanswered += Math.max(0, told - results.length);
		// Its values are not known here, so that one row says why there are none.
		if (results.length === 0) results.push(withoutAnswer({}, reason ?? NO_RESULTS));
		for (const [place, result] of results.entries())
			for (const requester of requesters)
				await this.place({ ...whereOf(requester), job, place, results: [result] });
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
		const { byValue, unmatched } = matchResults(key, values, job.results, isAsked);
		const echoes = new Set(unmatched.flatMap(({ query }) => echoedValue(query) ?? []));
		const named = [...echoes].slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
		const example = named.length === 0 ? '' : ` (e.g. for ${named.join(', ')})`;
		const reason =
			unmatched.length === 0
				? reasonOfEnd
				: `not matched: no result of the job${example} is clearly for this value`;
		const missing = (value: string) => withoutAnswer({ value, ...echoOf(parameters) }, reason);
		const found = new Map(values.map((value, index) => [identityOf(key, value), byValue[index] ?? []]));
		const counted = new Set<string>();
		for (const requester of record.requesters)
			for (const [place, value] of requester.asks ?? []) {
				const identity = identityOf(key, value);
				const answers = found.get(identity) ?? [];
				if (!counted.has(identity)) this.counts[outcomeOf(answers, String(parameters.topic ?? ''))]++;
				counted.add(identity);
				const results = answers.length > 0 ? answers : [missing(value)];
				const asked = { value, parameters };
				await this.place({ ...whereOf(requester), job, place, results, asked });
			}
		if (unmatched.length === 0) return;
		// Results without a requester follow the last requester of the same job and link to all of them.
		const at = placesOf(record).reduce((last, place) => Math.max(last, place), 0);
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
