import fc from 'fast-check';

import { folded } from '../../../nodes/PriceCollection/values/identity';
import { matchResults, withoutRepeats } from '../../../nodes/PriceCollection/values/match';
import type { Result, ResultQuery } from '../../../nodes/PriceCollection/service/types';
import { runs } from '../../support/runs';

let made = 0;
const result = (query: ResultQuery): Result => ({ query, success: true, content: { made: made++ } });
const echo = (value: string) => result({ value });

/** What each value of a job gets; its values are the only ones of the run, unless others are. */
function matched(values: string[], results: Result[], key = 'term', others: string[] = []) {
	const asked = new Set([...values, ...others].map(folded));
	const { byValue, ...rest } = matchResults(key, values, results, (text) => asked.has(folded(text)));
	return { answers: byValue, ...rest };
}

describe('results go to the value that they echo', () => {
	test.each<[string, string[], string[], number[][], string?]>([
		['whatever their order', ['a', 'b'], ['b', 'a'], [[1], [0]]],
		['in another case', ['Grüne  Straße', 'x'], ['x', 'GRÜNE STRASSE'], [[1], [0]]],
		['in another width and composition', ['ＡＢＣ', 'Cafe\u0301'], [' café ', 'abc'], [[1], [0]]],
		['with leading zeros', ['0088', '123'], ['000123', '88'], [[1], [0]], 'gtin'],
		['in its own case', ['ab1', 'aB1'], ['aB1', 'ab1'], [[1], [0]], 'id'],
		['without punctuation', ['kettle-set', 'a b'], ['kettle set', 'a, b.'], [[0], [1]]],
		['without accents', ['café', 'Muller'], ['cafe', 'Müller'], [[0], [1]]],
		['without an invisible character', ['tea\u200bpot', 'x'], ['teapot'], [[0], []]],
		['without the zeros of any key', ['0123', 'x'], ['123'], [[0], []], 'id'],
		['with a sharp s for two letters', ['Nebenweg', 'HAUPTSTRAẞE'], ['hauptstrasse'], [[], [0]]],
		['several results in their order', ['123', '9'], ['123', '9', '123'], [[0, 2], [1]]],
		['several results in another case', ['Tea', 'x'], ['tea', 'x', 'tea'], [[0, 2], [1]]],
		['no punctuation for any other', ['!', '#'], ['?', '!'], [[1], []]],
		['nobody for what nobody asked for', ['a', 'b'], ['c'], [[], []]],
		['no part of a value', ['a b', 'c'], ['a', 'ab'], [[], []]],
		// Two spellings may be of two values that other items asked for.
		['not by two spellings', ['Tea', 'x'], ['TEA', 'tea', 'x'], [[], [2]]],
		['not by another spelling than its own', ['Tea', 'x'], ['tea', 'Tea', 'x'], [[1], [2]]],
		// Only Additional Parameters can put values that look alike into one job.
		['alike: an echo that looks like two', ['ABC', 'aBC', 'x'], ['abc', 'x'], [[], [], [1]]],
		['alike: as many echoes as values', ['Tea', 'tEa'], ['TEA', 'tea'], [[], []]],
		['alike: each its own', ['Tea', 'tea'], ['tea', 'Tea', 'tea'], [[1], [0, 2]]],
		['alike: one without its own', ['Tea', 'tea'], ['TEA', 'Tea'], [[1], []]],
		['alike: by an accent', ['cafe', 'café'], ['CAFE', 'CAFE'], [[], []]],
		['alike: by zeros', ['0123', '123'], ['00123', '0123'], [[1], []]],
	])('%s', (_name, values, echoes, wanted, key = 'term') => {
		const results = echoes.map(echo);
		const answers = wanted.map((indexes) => indexes.map((index) => results[index]));
		const unmatched = results.filter((_one, index) => !wanted.flat().includes(index));
		expect(matched(values, results, key)).toEqual({ answers, unmatched });
	});

	test('and to nobody where it is not told, or told of several', () => {
		const queries = [{}, { value: '' }, { gtin: 'a' }, { values: 'a\nb' }];
		const results = queries.map(result);
		expect(matched(['a', 'b'], results).unmatched).toEqual(results);
	});
});

test('a result that is given twice counts once, and another one for the same value stays', () => {
	const [one, other] = [echo('a'), echo('a')];
	expect(withoutRepeats([one, other, { ...one }])).toEqual([one, other]);
	const once = { answers: [[one, other], []], unmatched: [] };
	expect(matched(['a', 'b'], [one, other, { ...one }])).toEqual(once);
	expect(matched(['a', 'b'], [result({}), one, one]).unmatched).toHaveLength(1);
});

describe('a job of one value', () => {
	test('owns its results whatever they echo, unless one echoes the value', () => {
		const [other, silent, own] = [echo('something else'), result({}), echo('A')];
		expect(matched(['a'], [other, silent]).answers).toEqual([[other, silent]]);
		const found = { answers: [[own]], unmatched: [other, silent] };
		expect(matched(['a'], [other, silent, own])).toMatchObject(found);
	});

	test('does not own a result of another value of the run, however that is spelt', () => {
		const [foreign, silent] = [echo('00456'), result({})];
		const found = { answers: [[silent]], unmatched: [foreign] };
		expect(matched(['0123'], [foreign, silent], 'term', ['456'])).toMatchObject(found);
	});
});

/** Texts that are equal without case, accents, punctuation, invisible characters and zeros may be taken for each other. */
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
				// Two spellings may be of two values.
				expect(echoes.size).toBeLessThan(2);
				for (const text of echoes) {
					expect(lookAlike(text)).toBe(lookAlike(asked[position] ?? ''));
					if (asked.includes(text)) expect(text).toBe(asked[position]);
				}
			}
			// What is left looks like none of them, or is spelled in several ways.
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
