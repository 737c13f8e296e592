import type { ConnectionSettings } from './connection';
import { bareName, wordOf } from './types';

/** How a job ended: with results (perhaps partial ones), without because it failed, or because it was cancelled. */
export type End = 'cancelled' | 'failed' | 'results';

/**
 * The only table of status words of jobs. The document shows `finished`, recordings show `new`, `working`, `finishing`
 * and `cancelled`; the others are what job-based services call the same. They count in any case, with `_`, `-` or blanks.
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
	Object.entries(STATUS_WORDS).flatMap(([meaning, all]) =>
		all.map((word) => [bareWord(word), meaning as keyof typeof STATUS_WORDS]),
	),
);

/** The words for ends that the user has added in the credential. */
export type CustomStatuses = Pick<
	ConnectionSettings,
	'cancelledStatuses' | 'failedStatuses' | 'finishedStatuses'
>;

/** What a status means: running, an end, or undefined for a word that is in neither table. */
export function statusMeaning(status: unknown, custom: CustomStatuses): End | 'running' | undefined {
	const word = bareWord(status);
	const isListed = (list: string) => list.split(',').map(bareWord).includes(word);
	if (word === '') return undefined;
	if (isListed(custom.finishedStatuses)) return 'results';
	if (isListed(custom.failedStatuses)) return 'failed';
	return isListed(custom.cancelledStatuses) ? 'cancelled' : MEANINGS.get(word);
}

/** The end that a status stands for; undefined while the job runs, and for unknown words, which count as running. */
export function endOf(status: unknown, custom: CustomStatuses): End | undefined {
	const meaning = statusMeaning(status, custom);
	return meaning === 'running' ? undefined : meaning;
}
