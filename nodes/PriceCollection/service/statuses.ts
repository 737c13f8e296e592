import type { ConnectionSettings } from './connection';
import { bareName, wordOf } from './types';

/** How a job ended: with results (perhaps partial ones), or without because it failed or was cancelled. */
export type End = 'cancelled' | 'failed' | 'results';

/**
 * The status words of jobs. The service's document shows `finished`; recordings show `new`, `working`, `finishing` and
 * `cancelled`; other job-based services use the rest. Words match in any case, with `_`, `-` or blanks.
 */
const STATUS_WORDS: Readonly<Record<End | 'running', readonly string[]>> = {
	running:
		'new created accepted queued pending scheduled waiting working running processing started in_progress finishing'.split(
			' ',
		),
	results: 'finished completed complete done success succeeded ready timed_out timeout partial'.split(' '),
	failed: 'failed failure error errored aborted expired rejected'.split(' '),
	cancelled: ['cancelled', 'canceled'],
};

const bareWord = (status: unknown) => bareName(wordOf(status).replace(/\s/g, ''));

const MEANINGS = new Map(
	Object.entries(STATUS_WORDS).flatMap(([meaning, synonyms]) =>
		synonyms.map((word) => [bareWord(word), meaning as keyof typeof STATUS_WORDS]),
	),
);

/** The status words that the user added in the credential, comma-separated. */
export type CustomStatuses = Pick<
	ConnectionSettings,
	'cancelledStatuses' | 'failedStatuses' | 'finishedStatuses'
>;

/**
 * What a status means; undefined for a blank status and for unknown words. The user's words take precedence. The cases are
 * in `test/unit/service/statuses.cases.txt`.
 */
export function statusMeaning(status: unknown, custom: CustomStatuses): End | 'running' | undefined {
	const word = bareWord(status);
	const isListed = (list: string) => list.split(',').map(bareWord).includes(word);
	if (word === '') return undefined;
	if (isListed(custom.finishedStatuses)) return 'results';
	if (isListed(custom.failedStatuses)) return 'failed';
	return isListed(custom.cancelledStatuses) ? 'cancelled' : MEANINGS.get(word);
}

/** The end that a status stands for; undefined for running jobs and for unknown words, which count as running. */
export function endOf(status: unknown, custom: CustomStatuses): End | undefined {
	const meaning = statusMeaning(status, custom);
	return meaning === 'running' ? undefined : meaning;
}
