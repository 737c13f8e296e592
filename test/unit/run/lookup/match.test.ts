import fc from 'fast-check';

import { matchResults, withoutRepeats } from '../../../../nodes/PriceCollection/run/lookup/match';
import { folded } from '../../../../nodes/PriceCollection/run/lookup/values';
import type { Result, ResultQuery } from '../../../../nodes/PriceCollection/service/types';
import { runs } from '../../../runs';

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
		['no space for punctuation', ['kettle-set', 'a b'], ['kettle set', 'a, b.'], [[], []]],
		['no letter for one with an accent', ['café', 'Muller'], ['cafe', 'Müller'], [[], []]],
		['no zeros for none where they are no GTIN', ['0123', 'x'], ['123'], [[], []]],
		['a sharp s for two letters', ['Nebenweg', 'HAUPTSTRAẞE'], ['hauptstrasse'], [[], [0]]],
		['several results in their order', ['123', '9'], ['123', '9', '123'], [[0, 2], [1]]],
		['no punctuation for any other', ['!', '#'], ['?', '!'], [[1], []]],
		['nobody for what nobody asked for', ['a', 'b'], ['c'], [[], []]],
		// Values that look alike never get what may be of another.
		['alike: one echo that fits two values', ['ABC', 'aBC', 'x'], ['abc', 'x'], [[], [], [1]]],
		['alike: two echoes that fit one value', ['Tea', 'x'], ['TEA', 'tea', 'x'], [[], [2]]],
		['alike: as many echoes as values', ['Tea', 'tEa'], ['TEA', 'tea'], [[], []]],
		['alike: several results of one of two values', ['Tea', 'tea'], ['tea', 'tea'], [[], []]],
		['alike: several of one by its accent', ['cafe', 'Café'], ['cafe', 'cafe'], [[], []]],
		['alike: several results in a case of nobody', ['cafe', 'café'], ['CAFE', 'CAFE'], [[], []]],
		['alike: what is not their own', ['Tea', 'tea'], ['tea', 'Tea', 'tea'], [[1], [0, 2]]],
		['alike: what is not its own', ['Tea', 'tea'], ['tea'], [[], [0]]],
		['alike: one, beside several of others', ['Tea', 'tea', 'x'], ['tea', 'x', 'x'], [[], [0], [1, 2]]],
		['alike: another spelling of what has its own', ['Tea', 'x'], ['tea', 'Tea', 'x'], [[1], [2]]],
		['alike: other zeros than those of two values', ['0123', '123'], ['00123', '0123'], [[1], []]],
		['alike: other spaces than those of two values', ['aB 1', 'ab 1'], ['ab  1', 'aB 1'], [[1], []]],
		['alike: another spelling of the value of two', ['Tea', 'tea'], ['TEA', 'Tea'], [[1], []]],
		['alike: all of one echo that fits one alone', ['Tea', 'x'], ['tea ', 'x', 'tea '], [[0, 2], [1]]],
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

/** Texts that are alike here, without case, accents, punctuation and leading zeros, may be taken for each other. */
function lookAlike(text: string): string {
	const levelled = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKD');
	const bare = levelled.replace(/\p{M}/gu, '');
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
	const values = fc.uniqueArray(trimmed, { minLength: 2, maxLength: 8 });
	fc.assert(
		fc.property(values, fc.array(value, { maxLength: 12 }), (asked, texts) => {
			const results = texts.map(echo);
			const { answers, unmatched } = matched(asked, results, 'id');
			for (const [position, answer] of answers.entries()) {
				for (const { query } of answer) {
					const text = query.value ?? '';
					expect(lookAlike(text)).toBe(lookAlike(asked[position] ?? ''));
					if (asked.includes(text)) expect(text).toBe(asked[position]);
				}
			}
			// Of two results for one of several that look alike, one may belong to another that has none.
			for (const alike of new Set(asked.map(lookAlike))) {
				const ofAlike = answers.filter((_one, at) => lookAlike(asked[at] ?? '') === alike);
				const counts = ofAlike.map(({ length }) => length);
				expect(counts.includes(0) && counts.some((count) => count > 1) ? counts : []).toEqual([]);
			}
			const given = [...answers.flat(), ...unmatched];
			expect([given.length, new Set(given)]).toEqual([results.length, new Set(results)]);
		}),
		{ numRuns: runs(1_000) },
	);
});

test('values that a service writes alike share the answer that it gives once for each, and no other', () => {
	const [one] = [echo('kettle')];
	const twice = [one, structuredClone(one)] as Result[];
	expect(matched(['Kettle', 'kettle'], twice).answers).toEqual([[one], [one]]);
	expect(matched(['Kettle', 'kettle'], [one] as Result[]).answers).toEqual([[], [one]]);
	expect(matched(['Kettle', 'KETTLE', 'kettle'], twice).answers).toEqual([[], [], [one]]);
	const others = [echo('kettle'), echo('kettle')];
	expect(matched(['Kettle', 'kettle'], others)).toEqual({ answers: [[], []], unmatched: others });
});
