import { isFound } from '../rows/contentList';
import type { ContentReader } from '../rows/contentReader';
import { echoOf, withoutAnswer, type RequestedValue, type RowJob } from '../rows/rows';
import { NO_RESULTS } from '../service/meaning/jobState';
import { countOf, echoedValue, type JobResults, type Result } from '../service/types';
import { repeated } from '../values/cells';
import { folded, identityOf } from '../values/identity';
import { matchResults, withoutRepeats } from '../values/match';
import {
	inputIndexOf,
	inputIndexesOf,
	type UnsentRequest,
	type JobRecord,
	type JobRequest,
	type Requester,
} from '../run/record';

/* Which results are whose: pure, and the same for rows and entries. */

/** How many values a run has, by outcome; each is counted once. */
export type ValueCounts = Record<'failed' | 'found' | 'notFound' | 'unanswered', number>;

/** Results to render for a requester: those of one value, one of a job whose values are unknown, or unmatched. */
export interface Answer {
	job: RowJob;
	/** One, except for results that match no requested value. */
	requesters: Requester[];
	/** Index of the input item at which the rows are output, and their order among the rows there. */
	inputIndex: number;
	position: number;
	results: Result[];
	asked?: RequestedValue;
	isUnmatched?: boolean;
	/** The values that are counted with it. */
	counts?: Partial<ValueCounts>;
}

/** What answers are found by besides the values of their job. */
export interface Matching {
	/** Whether any item of the run asks for a value that looks like this text. */
	isAsked: (text: string) => boolean;
	reader: ContentReader;
}

const ECHOES_NAMED = 3;
const NOT_ANSWERED = 'not answered: the job ended without a result for this value';

function outcomeOf(results: readonly Result[], topic: string, reader: ContentReader): keyof ValueCounts {
	if (results.some((result) => result.success && isFound(result, reader, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

const whereOf = (requester: Requester) => ({ requesters: [requester], inputIndex: inputIndexOf(requester) });

/** The answers of a job whose values are known: every value that an item asks for, then what matches none. */
function* answersToValues(
	record: JobRecord,
	{ key, parameters, values }: JobRequest,
	job: JobResults,
	{ isAsked, reader }: Matching,
	reasonOfEnd: string,
): Generator<Answer> {
	const { byValue, unmatched } = matchResults(key, values, job.results, isAsked);
	const echoes = new Set(unmatched.flatMap(({ query }) => echoedValue(query) ?? []));
	const named = [...echoes].slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	const example = named.length === 0 ? '' : ` (e.g. for ${named.join(', ')})`;
	const reason =
		unmatched.length === 0
			? reasonOfEnd
			: repeated(`not matched: no result of the job${example} is clearly for this value`);
	const found = new Map(values.map((value, index) => [identityOf(key, value), byValue[index] ?? []]));
	const counted = new Set<string>();
	for (const requester of record.requesters)
		for (const [position, value] of requester.lookups ?? []) {
			const identity = identityOf(key, value);
			const answers = found.get(identity) ?? [];
			const outcome = outcomeOf(answers, String(parameters.topic ?? ''), reader);
			const counts = counted.has(identity) ? {} : { [outcome]: 1 };
			counted.add(identity);
			const missing = withoutAnswer({ value, ...echoOf(parameters) }, reason);
			const results = answers.length > 0 ? answers : [missing];
			yield { ...whereOf(requester), job, position, results, asked: { value, parameters }, counts };
		}
	if (unmatched.length === 0) return;
	// Results without a requester follow the last requester of the same job and link to all of them.
	const inputIndex = inputIndexesOf(record).reduce((last, position) => Math.max(last, position), 0);
	const { requesters } = record;
	yield { job, requesters, inputIndex, position: Infinity, results: unmatched, isUnmatched: true };
}

/** The answers of a job that was created elsewhere: all of its results, to everyone who names it. */
function* answersOfNamed(
	{ job: seen, requesters }: JobRecord,
	job: JobResults,
	reader: ContentReader,
	reason: string,
): Generator<Answer> {
	const results = withoutRepeats(job.results);
	const told = countOf(job.requested ?? seen.requested) ?? 0;
	const unanswered = Math.max(0, told - results.length);
	// Its values are not known here, so that one row says why there are none.
	const shown = results.length > 0 ? results : [withoutAnswer({}, reason)];
	for (const [position, result] of shown.entries())
		for (const [index, requester] of requesters.entries()) {
			const own: Partial<ValueCounts> =
				results.length > 0 ? { [outcomeOf([result], '', reader)]: 1 } : {};
			const rest = position === 0 ? { unanswered: unanswered + (own.unanswered ?? 0) } : {};
			const counts = index === 0 ? { ...own, ...rest } : {};
			yield { ...whereOf(requester), job, position, results: [result], counts };
		}
}

/**
 * Gives every requester of a job the results of its own values in their order, or all results of the job that it names.
 *
 * @param reason why values have no result, if the job failed, was cancelled or still runs
 */
export function answersOf(
	record: JobRecord,
	job: JobResults,
	matching: Matching,
	reason?: string,
): Generator<Answer> {
	const { request } = record;
	return request === undefined
		? answersOfNamed(record, job, matching.reader, reason ?? NO_RESULTS)
		: answersToValues(record, request, job, matching, reason ?? NOT_ANSWERED);
}

/** The answers to values that were not sent; they stand among the others of their item. */
export function* answersToUnsent(unsent: readonly UnsentRequest[]): Generator<Answer> {
	for (const unsentRequest of unsent) {
		if (unsentRequest.row === undefined) continue;
		const results = [withoutAnswer(unsentRequest.row.query, unsentRequest.row.reason)];
		yield {
			...whereOf(unsentRequest),
			job: { job_id: null, status: null },
			position: unsentRequest.position,
			results,
		};
	}
}

/** Whether any of these jobs was asked for a value that looks like a text. */
export function askedBy(records: readonly JobRecord[]): (text: string) => boolean {
	const asked = new Set(records.flatMap(({ request }) => request?.values.map(folded) ?? []));
	return (text) => asked.has(folded(text));
}
