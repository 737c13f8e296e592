import fc from 'fast-check';

import { matchResults } from '../../../../nodes/PriceCollection/run/lookup/match';
import { folded } from '../../../../nodes/PriceCollection/run/lookup/values';
import type { Result, ResultQuery } from '../../../../nodes/PriceCollection/service/types';
import { runs } from '../../../runs';

let made = 0;
const result = (query: ResultQuery): Result => ({ query, success: true, content: { made: made++ } });
const echo = (value: string) => result({ value });

/** What each value of a job gets; its values are the only ones of the run, unless others are. */
function matched(values: string[], results: Result[], key = 'term', others: string[] = []) {
	const asked = new Set([...values, ...others].map(folded));
	const { byValue, ...rest } = matchResults({ key, values }, results, (text) => asked.has(folded(text)));
	return { answers: byValue, ...rest };
}

describe('results go to the value that they echo', () => {
	test.each<[string, string[], Array<string | ResultQuery>, number[], string?]>([
		['whatever their order', ['a', 'b'], ['b', 'a'], [1, 0]],
		[
			'in another case, width, spacing and composition',
			['Grüne  Straße', 'ＡＢＣ', 'Cafe\u0301'],
			['GRÜNE STRASSE', 'abc', ' café '],
			[0, 1, 2],
		],
		[
			'with leading zeros added and stripped',
			['00885909666966', '12345678905'],
			['00012345678905', '885909666966'],
			[1, 0],
			'gtin',
		],
		[
			'as values, under the name of the key and of that of the job',
			['a', 'b', 'c'],
			[{ values: 'a' }, { key: 'asin', asin: 'b' }, { term: 'c' }],
			[0, 1, 2],
		],
		['exactly, before a looser one', ['0123', '123'], ['00123', '0123'], [1, 0], 'id'],
		['in its own case', ['ab1', 'aB1'], ['aB1', 'ab1'], [1, 0], 'id'],
		['in its own case with spaces around', ['aB 1', 'ab 1'], [' ab  1 ', ' aB  1 '], [1, 0]],
		['without its accents', ['café crème', 'tee'], ['cafe creme', 'tee'], [0, 1]],
		[
			'without its punctuation',
			['iPhone 15 (Pro)', 'USB-C/Kabel'],
			['iphone 15 pro', 'usb c kabel'],
			[0, 1],
		],
		['with punctuation more', ['Muller Thurgau', 'a b'], ['Müller-Thurgau', 'a, b.'], [0, 1]],
	])('%s', (_name, values, echoes, order, key = 'term') => {
		const results = echoes.map((one) => (typeof one === 'string' ? echo(one) : result(one)));
		const answers = order.map((index) => [results[index]]);
		expect(matched(values, results, key)).toEqual({ answers, unmatched: [] });
	});

	test.each<[string, string[], string[], number[][]]>([
		['a space, not nothing, for punctuation', ['kettleset', 'kettle-set'], ['kettle set'], [[], [0]]],
		['a capital sharp s for two letters', ['Nebenweg', 'HAUPTSTRAẞE'], ['hauptstrasse'], [[], [0]]],
		['several results in their order', ['123', '9'], ['123', '9', '123'], [[0, 2], [1]]],
		['no punctuation for any other', ['!', '#'], ['?', '!'], [[1], []]],
		['nobody for what nobody asked for', ['a', 'b'], ['c'], [[], []]],
	])('taking %s', (_name, values, echoes, wanted) => {
		const results = echoes.map(echo);
		const { answers, unmatched } = matched(values, results);
		expect(answers).toEqual(wanted.map((indexes) => indexes.map((index) => results[index])));
		expect(unmatched).toEqual(results.filter((_one, index) => !wanted.flat().includes(index)));
	});

	test('in the order of the download, however each of them echoes it', () => {
		const results = [echo(' tea '), echo('Tea')];
		expect(matched(['a', 'Tea'], results).answers).toEqual([[], results]);
	});

	test('and to nobody where it is not told, or told of several', () => {
		const results = [result({}), result({ values: 'a\nb' })];
		expect(matched(['a', 'b'], results).unmatched).toEqual(results);
	});
});

describe('values that look alike', () => {
	test.each<[string, string[], string[], number[][]]>([
		['one each in order', ['iPhone 15', 'iphone 15'], ['iphone 15', 'iphone 15'], [[0], [1]]],
		['what is left over to the first', ['ABC', 'aBC'], ['abc', 'abc', 'abc'], [[0, 2], [1]]],
		[
			'all, where they are fewer',
			['Café', 'CAFÉ', 'cafe'],
			['cafe', 'cafe'],
			[
				[0, 1],
				[0, 1],
				[0, 1],
			],
		],
		['the rest to the last one', ['Café', 'cafe'], ['cafe', 'cafe', 'cafe'], [[0], [1, 2]]],
		[
			'in the order of the download, whatever each echoes',
			['Kettle', 'kettle', 'KETTLE'],
			['kettle', 'Kettle', 'kettle'],
			[[0], [1], [2]],
		],
	])('share the results of words that the service has levelled: %s', (_name, values, echoes, wanted) => {
		const results = echoes.map(echo);
		const answers = wanted.map((indexes) => indexes.map((index) => results[index]));
		expect(matched(values, results)).toEqual({ answers, unmatched: [] });
	});

	test('are in doubt where they are identifiers, and none gets the results of the others', () => {
		const [one, two, other] = [echo('ab-1'), echo('ab-1'), echo('zz')];
		const both = [one, two];
		expect(matched(['AB-1', 'ab-1', 'zz'], [one, two, other], 'id')).toEqual({
			answers: [[], [], [other]],
			unmatched: both,
		});
	});

	test('are told apart where each has its own echo, or none has more than one', () => {
		const [upper, lower] = [echo('AB'), echo('ab')];
		expect(matched(['AB', 'ab'], [lower, upper], 'id').answers).toEqual([[upper], [lower]]);
		expect(matched(['AB', 'ab'], [lower], 'id').answers).toEqual([[], [lower]]);
	});
});

describe('a job of one value', () => {
	test('owns its results whatever they echo, unless one echoes the value', () => {
		const [other, silent, own] = [echo('something else'), result({}), echo('A')];
		expect(matched(['a'], [other, silent]).answers).toEqual([[other, silent]]);
		expect(matched(['a'], [other, silent, own])).toMatchObject({
			answers: [[own]],
			unmatched: [other, silent],
		});
	});

	test('does not own a result of another value of the run, however that is spelt', () => {
		const [foreign, silent] = [echo('00456'), result({})];
		expect(matched(['0123'], [foreign, silent], 'term', ['456'])).toMatchObject({
			answers: [[silent]],
			unmatched: [foreign],
		});
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
	const values = fc.uniqueArray(value.map((text) => text.trim()).filter(Boolean), {
		minLength: 2,
		maxLength: 8,
	});
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
			const given = [...answers.flat(), ...unmatched];
			expect([given.length, new Set(given)]).toEqual([results.length, new Set(results)]);
		}),
		{ numRuns: runs(1_000) },
	);
});
