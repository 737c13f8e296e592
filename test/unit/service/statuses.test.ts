import { join } from 'node:path';

import { endOf, statusMeaning, type CustomStatuses } from '../../../nodes/PriceCollection/service/statuses';
import { readCases } from '../cases';

const NONE = { finishedStatuses: '', failedStatuses: '', cancelledStatuses: '' };

/** A status as it comes: anything that is not JSON is a word. */
function statusOf(cell: string): unknown {
	try {
		return JSON.parse(cell);
	} catch {
		return cell;
	}
}

/** The user's words, as in "finished: done, ready; failed: gone". */
const wordsIn = (cell: string): CustomStatuses => ({
	...NONE,
	...Object.fromEntries(
		cell
			.split('; ')
			.map((list) => list.split(': '))
			.map(([end, words]) => [`${end}Statuses`, words]),
	),
});

/** Spellings in which a word means the same. */
const spellingsOf = (word: string) => [
	word,
	word.toUpperCase(),
	` ${word.replaceAll('_', '-')} `,
	word.replaceAll('_', ' '),
];

describe.each(readCases(join(__dirname, 'statuses.cases.txt')))('%s', (_chapter, cases) => {
	test.each(cases)('%s means %s', (cell = '', meaning = '', words = '') => {
		const status = statusOf(cell);
		const own = words === '' ? NONE : wordsIn(words);
		const known = meaning === 'unknown' ? undefined : meaning;
		for (const one of typeof status === 'string' ? spellingsOf(status) : [status]) {
			expect([one, statusMeaning(one, own)]).toEqual([one, known]);
			expect([one, endOf(one, own)]).toEqual([one, known === 'running' ? undefined : known]);
		}
	});
});

test('a job without a status has one that is not known', () => {
	expect(statusMeaning(undefined, NONE)).toBeUndefined();
	expect(endOf(undefined, NONE)).toBeUndefined();
});
