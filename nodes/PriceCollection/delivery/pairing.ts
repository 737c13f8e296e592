import { isFound } from '../rows/contentList';
import type { ContentReader } from '../rows/contentReader';
import { echoOf, withoutAnswer, type RequestedValue, type RowJob } from '../rows/rows';
import { NO_RESULTS } from '../service/meaning/jobState';
import { countOf, echoedValue, type JobResults, type Result } from '../service/types';
import { repeated } from '../values/cells';
import { identityOf } from '../values/identity';
import { matchResults, withoutRepeats } from '../values/match';
import { inputIndexOf, inputIndexesOf, type JobRecord, type JobRequest, type Requester } from '../run/record';

/* Assigns results to the items that requested them. Pure, and the same for rows and entries. */

/** The number of values in a run, by outcome. Each value counts once. */
export type ValueCounts = Record<'failed' | 'found' | 'notFound' | 'unanswered', number>;

/**
 * Results to render for a requester: all results of one value, one result of a job whose values are unknown, or a job's
 * unmatched results.
 */
export interface ItemResults {
	job: RowJob;
	/** A single one, except for unmatched results. */
	requesters: Requester[];
	/** Index of the input item that the rows are output for, and their position among its rows. */
	inputIndex: number;
	position: number;
	results: Result[];
	requested?: RequestedValue;
	isUnmatched?: boolean;
	/** What it adds to the run's counts. */
	counts?: Partial<ValueCounts>;
}

/** What matching uses besides the values of the job. */
export interface Matching {
	/** Whether any job of the run requests a value that looks like this text. */
	isRequested: (text: string) => boolean;
	reader: ContentReader;
}

const ECHOES_NAMED = 3;
const NOT_ANSWERED = 'not answered: the job ended without a result for this value';

function countKeyOf(results: readonly Result[], topic: string, reader: ContentReader): keyof ValueCounts {
	if (results.some((result) => result.success && isFound(result, reader, result.query?.topic ?? topic)))
		return 'found';
	if (results.some(({ success }) => success)) return 'notFound';
	return results.length > 0 ? 'failed' : 'unanswered';
}

const placementOf = (requester: Requester) => ({
	requesters: [requester],
	inputIndex: inputIndexOf(requester),
});

/** The answers of a job whose values are known: one per requested value and item, then the unmatched results. */
function* answersToValues(
	record: JobRecord,
	{ key, parameters, values }: JobRequest,
	job: JobResults,
	{ isRequested, reader }: Matching,
	reasonOfEnd: string,
): Generator<ItemResults> {
	const { byValue, unmatched } = matchResults(key, values, job.results, isRequested);
	const echoes = new Set(unmatched.flatMap(({ query }) => echoedValue(query) ?? []));
	const namedEchoes = [...echoes].slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	const example = namedEchoes.length === 0 ? '' : ` (e.g. for ${namedEchoes.join(', ')})`;
	const reason =
		unmatched.length === 0
			? reasonOfEnd
			: repeated(`not matched: no result of the job${example} clearly belongs to this value`);
	const resultsByIdentity = new Map(
		values.map((value, index) => [identityOf(key, value), byValue[index] ?? []]),
	);
	const countedIdentities = new Set<string>();
	for (const requester of record.requesters)
		for (const [position, value] of requester.lookups ?? []) {
			const identity = identityOf(key, value);
			const valueResults = resultsByIdentity.get(identity) ?? [];
			const outcome = countKeyOf(valueResults, String(parameters.topic ?? ''), reader);
			const counts = countedIdentities.has(identity) ? {} : { [outcome]: 1 };
			countedIdentities.add(identity);
			const placeholder = withoutAnswer({ value, ...echoOf(parameters) }, reason);
			const results = valueResults.length > 0 ? valueResults : [placeholder];
			yield {
				...placementOf(requester),
				job,
				position,
				results,
				requested: { value, parameters },
				counts,
			};
		}
	if (unmatched.length === 0) return;
	// Unmatched results follow the job's last requester and link to all requesters.
	const inputIndex = inputIndexesOf(record).reduce((last, index) => Math.max(last, index), 0);
	const { requesters } = record;
	yield { job, requesters, inputIndex, position: Infinity, results: unmatched, isUnmatched: true };
}

/** The answers of a job that was created elsewhere: all its results, for every item that names it. */
function* answersOfNamed(
	{ job: recorded, requesters }: JobRecord,
	job: JobResults,
	reader: ContentReader,
	reason: string,
): Generator<ItemResults> {
	const results = withoutRepeats(job.results);
	const requestedCount = countOf(job.requested ?? recorded.requested) ?? 0;
	const unanswered = Math.max(0, requestedCount - results.length);
	// Without results, a single row gives the reason, because the values are unknown here.
	const shown = results.length > 0 ? results : [withoutAnswer({}, reason)];
	for (const [position, result] of shown.entries())
		for (const [index, requester] of requesters.entries()) {
			const outcomeCount: Partial<ValueCounts> =
				results.length > 0 ? { [countKeyOf([result], '', reader)]: 1 } : {};
			const unansweredCount =
				position === 0 ? { unanswered: unanswered + (outcomeCount.unanswered ?? 0) } : {};
			const counts = index === 0 ? { ...outcomeCount, ...unansweredCount } : {};
			yield { ...placementOf(requester), job, position, results: [result], counts };
		}
}

/**
 * Yields each requester's answers: the results of its values, in its order, or all results of the job that it names.
 *
 * @param reason why values have no result, if the job failed, was cancelled or is still running
 */
export function answersOf(
	record: JobRecord,
	job: JobResults,
	matching: Matching,
	reason?: string,
): Generator<ItemResults> {
	const { request } = record;
	return request === undefined
		? answersOfNamed(record, job, matching.reader, reason ?? NO_RESULTS)
		: answersToValues(record, request, job, matching, reason ?? NOT_ANSWERED);
}
