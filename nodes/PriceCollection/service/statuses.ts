import type { ConnectionSettings } from './connection';
import { bareName, wordOf } from './types';

/** How a job ended: with results (perhaps partial ones), without because it failed, or because it was cancelled. */
export type End = 'cancelled' | 'failed' | 'results';

/**
 * The only table of status words of jobs. The document shows `finished`, recordings show `new`, `working`, `finishing`
 * and `cancelled`; the others are what job-based services call the same. They count in any case, with `_`, `-` or blanks.
 */
const WORDS: Readonly<Record<End | 'running', readonly string[]>> = {
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
	Object.entries(WORDS).flatMap(([meaning, all]) =>
		all.map((word) => [bareWord(word), meaning as keyof typeof WORDS]),
	),
);

/** The words for ends that the user has added in the credential. */
export type OwnWords = Pick<ConnectionSettings, 'cancelledStatuses' | 'failedStatuses' | 'finishedStatuses'>;

/** What a status means: running, an end, or undefined for a word that is in neither table. */
export function statusMeaning(status: unknown, own: OwnWords): End | 'running' | undefined {
	const word = bareWord(status);
	const isOwn = (list: string) => list.split(',').map(bareWord).includes(word);
	if (word === '') return undefined;
	if (isOwn(own.finishedStatuses)) return 'results';
	if (isOwn(own.failedStatuses)) return 'failed';
	return isOwn(own.cancelledStatuses) ? 'cancelled' : MEANINGS.get(word);
}

/** The end that a status stands for; undefined while the job runs, and for unknown words, which count as running. */
export function endOf(status: unknown, own: OwnWords): End | undefined {
	const meaning = statusMeaning(status, own);
	return meaning === 'running' ? undefined : meaning;
}
