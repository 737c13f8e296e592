import { join } from 'node:path';
import fc from 'fast-check';

import { folded } from '../../../nodes/PriceCollection/values/identity';
import { matchResults, withoutRepeats } from '../../../nodes/PriceCollection/values/match';
import type { Result, ResultQuery } from '../../../nodes/PriceCollection/service/types';
import { runs } from '../../support/runs';
import { readCases } from '../cases';

let made = 0;
const result = (query: ResultQuery): Result => ({ query, success: true, content: { made: made++ } });
const echo = (value: string) => result({ value });

/** What each value of a job gets. Unless others are given, these are the run's only values. */
function matched(values: string[], results: Result[], key = 'term', others: string[] = []) {
	const asked = new Set([...values, ...others].map(folded));
	const { byValue, ...rest } = matchResults(key, values, results, (text) => asked.has(folded(text)));
	return { answers: byValue, ...rest };
}

describe.each(readCases(join(__dirname, 'match.cases.txt')))('results and values. %s', (_chapter, cases) => {
	test.each(cases)('%s', (_name, key, values = '', echoes = '', whose = '', others = '[]') => {
		const results = (JSON.parse(echoes) as Array<ResultQuery | string | null>).map((one) =>
			typeof one === 'string' ? echo(one) : result(one ?? {}),
		);
		const numbers = whose.split('; ').map((one) => (one === 'none' ? [] : one.split(' ').map(Number)));
		const answers = numbers.map((ofValue) => ofValue.map((number) => results[number - 1]));
		const unmatched = results.filter((_one, index) => !numbers.flat().includes(index + 1));
		const asked = [values, others].map((list) => JSON.parse(list) as string[]);
		expect(matched(asked[0] ?? [], results, key, asked[1])).toEqual({ answers, unmatched });
	});
});

test('a result that is given twice counts once, and another one for the same value stays', () => {
	const [one, other] = [echo('a'), echo('a')];
	expect(withoutRepeats([one, other, { ...one }])).toEqual([one, other]);
	const once = { answers: [[one, other], []], unmatched: [] };
	expect(matched(['a', 'b'], [one, other, { ...one }])).toEqual(once);
});

test('equal results that do not name their value stay: they may be the answers to several values', () => {
	const nameless = result({});
	expect(matched(['a', 'b'], [nameless, { ...nameless }]).unmatched).toEqual([nameless, nameless]);
});

/**
 * Texts with the same result may be mistaken for each other: case, accents, punctuation, invisible characters and zeros
 * do not count.
 */
function lookAlike(text: string): string {
	const levelled = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKD');
	const bare = levelled.replace(/[\p{M}\p{Cf}]/gu, '');
	const words = bare.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return (words === '' ? bare.replace(/\s+/g, ' ').trim() : words).replace(/^0+(?=\d+$)/, '');
}

test('never gives a result to a value that its echo does not look like, and loses none', () => {
	const value = fc.oneof(
		fc.constantFrom('a', 'A', 'ａ', 'b', 'tea pot', 'Tea  Pot', 'Straße', 'STRASSE', 'Cafe\u0301'),
		fc.constantFrom('咖啡', '☕️', '1', '12', '123', '0123', '00123', 'B', '0012'),
		fc.string({ unit: 'grapheme', maxLength: 6 }),
	);
	const trimmed = value.map((text) => text.trim()).filter(Boolean);
	// The plan puts values that look alike into different jobs.
	const values = fc.uniqueArray(trimmed, { minLength: 2, maxLength: 8, selector: folded });
	fc.assert(
		fc.property(values, fc.array(value, { maxLength: 12 }), (asked, texts) => {
			const results = texts.map(echo);
			const { answers, unmatched } = matched(asked, results, 'id');
			for (const [position, answer] of answers.entries()) {
				const echoes = new Set(answer.map(({ query }) => query.value ?? ''));
				// Two spellings may belong to two values.
				expect(echoes.size).toBeLessThan(2);
				for (const text of echoes) {
					expect(lookAlike(text)).toBe(lookAlike(asked[position] ?? ''));
					if (asked.includes(text)) expect(text).toBe(asked[position]);
				}
			}
			// What is left looks like none of the values, or comes in several spellings.
			for (const { query } of unmatched) {
				const alike = texts.filter((text) => folded(text) === folded(query.value ?? ''));
				const isOne = new Set(alike).size === 1 && query.value !== '';
				const isAsked = asked.some((text) => folded(text) === folded(query.value ?? ''));
				expect(isOne && isAsked).toBe(false);
			}
			const given = [...answers.flat(), ...unmatched];
			expect([given.length, new Set(given)]).toEqual([results.length, new Set(results)]);
		}),
		{ numRuns: runs(1_000) },
	);
});
