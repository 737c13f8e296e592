import { joinResults } from '../../../../nodes/PriceCollection/run/lookup/join';
import type { PlannedJob } from '../../../../nodes/PriceCollection/run/lookup/plan';
import type { Result, ResultQuery } from '../../../../nodes/PriceCollection/service/types';

const job = (values: string[], more: Partial<PlannedJob> = {}): PlannedJob => ({
	parameters: {},
	key: 'term',
	values,
	items: [0],
	group: 0,
	...more,
});
let made = 0;
const result = (query: ResultQuery): Result => ({ query, success: true, content: { made: made++ } });
const echo = (value: string) => result({ value });

/** What one item that asked for all values of one job gets. */
function answersOf(planned: PlannedJob, results: Result[]) {
	const joined = joinResults([{ planned, results }], [{ item: 0, values: planned.values }]);
	return {
		answers: joined.items[0]?.answers.map((answer) => answer.results),
		unmatched: joined.unmatched.map((entry) => entry.result),
	};
}

describe('matching', () => {
	test('follows the echoed value, not the position', () => {
		const [a, b] = [echo('a'), echo('b')];
		expect(answersOf(job(['a', 'b']), [b, a])).toEqual({ answers: [[a], [b]], unmatched: [] });
	});

	test('survives another case, width, spacing and composition', () => {
		const values = ['Grüne  Straße', 'ＡＢＣ', 'Cafe\u0301'];
		const results = [echo('GRÜNE STRASSE'), echo('abc'), echo(' café ')];
		expect(answersOf(job(values), results)).toEqual({ answers: results.map((r) => [r]), unmatched: [] });
	});

	test('survives leading zeros, added and stripped', () => {
		const [a, b] = [echo('885909666966'), echo('00012345678905')];
		expect(answersOf(job(['00885909666966', '12345678905'], { key: 'gtin' }), [b, a])).toEqual({
			answers: [[a], [b]],
			unmatched: [],
		});
	});

	test('reads the echo from values and from the field of the key', () => {
		const [a, b, c] = [
			result({ values: 'a' }),
			result({ key: 'asin', asin: 'b' }),
			result({ term: 'c' }),
		];
		expect(answersOf(job(['a', 'b', 'c']), [a, b, c]).answers).toEqual([[a], [b], [c]]);
	});

	test('never lets a looser echo take the place of an exact one', () => {
		const [loose, exact] = [echo('00123'), echo('0123')];
		expect(answersOf(job(['0123', '123'], { key: 'id' }), [loose, exact]).answers).toEqual([
			[exact],
			[loose],
		]);
	});

	test('tells values apart that differ in case only', () => {
		const [upper, lower] = [echo('aB1'), echo('ab1')];
		expect(answersOf(job(['ab1', 'aB1'], { key: 'id' }), [upper, lower]).answers).toEqual([
			[lower],
			[upper],
		]);
	});

	test('tells them apart also where spaces came around their echoes', () => {
		const [lower, upper] = [echo(' ab  1 '), echo(' aB  1 ')];
		expect(answersOf(job(['aB 1', 'ab 1']), [lower, upper]).answers).toEqual([[upper], [lower]]);
	});

	test('gives equally good echoes to the values in order, what is left over to the first', () => {
		const results = [echo('abc'), echo('abc'), echo('abc')];
		const [first, second, third] = results;
		expect(answersOf(job(['ABC', 'aBC']), results).answers).toEqual([[first, third], [second]]);
	});

	test('keeps several results of one value in order', () => {
		const [one, other, two] = [echo('123'), echo('9'), echo('123')];
		expect(answersOf(job(['123', '9'], { key: 'id' }), [one, other, two]).answers).toEqual([
			[one, two],
			[other],
		]);
	});

	test.each([
		['accents', ['café crème', 'tee'], ['cafe creme', 'tee']],
		['punctuation', ['iPhone 15 (Pro)', 'USB-C/Kabel'], ['iphone 15 pro', 'usb c kabel']],
		['both, in the value or in the echo', ['Muller Thurgau', 'a b'], ['Müller-Thurgau', 'a, b.']],
	])('survives dropped %s', (_name, values, texts) => {
		const results = texts.map(echo);
		expect(answersOf(job(values), results)).toEqual({
			answers: results.map((one) => [one]),
			unmatched: [],
		});
	});

	test('takes punctuation for a space, not for nothing', () => {
		const set = echo('kettle set');
		expect(answersOf(job(['kettleset', 'kettle-set']), [set]).answers).toEqual([[], [set]]);
	});

	test('takes a capital sharp s for two letters, as any other case of it', () => {
		const street = echo('hauptstrasse');
		expect(answersOf(job(['Nebenweg', 'HAUPTSTRAẞE']), [street]).answers).toEqual([[], [street]]);
	});

	test('does not take texts of nothing but punctuation for each other', () => {
		const results = [echo('?'), echo('!')];
		expect(answersOf(job(['!', '#']), results)).toEqual({
			answers: [[results[1]], []],
			unmatched: [results[0]],
		});
	});

	test('gives a result to nobody when its value was not asked for or is not told', () => {
		const [foreign, silent, both] = [echo('c'), result({}), result({ values: 'a\nb' })];
		expect(answersOf(job(['a', 'b']), [foreign, silent, both])).toEqual({
			answers: [[], []],
			unmatched: [foreign, silent, both],
		});
	});
});

describe('values that look alike', () => {
	/** The answers and what is in doubt. */
	function sortedOut(planned: PlannedJob, results: Result[]) {
		const joined = joinResults([{ planned, results }], [{ item: 0, values: planned.values }]);
		return {
			answers: joined.items[0]?.answers,
			unmatched: joined.unmatched.map((entry) => entry.result),
		};
	}

	test('share, in order, the results of words that the service levelled to one', () => {
		const [one, two] = [echo('iphone 15'), echo('iphone 15')];
		expect(sortedOut(job(['iPhone 15', 'iphone 15']), [one, two])).toEqual({
			answers: [
				{ value: 'iPhone 15', job: 0, results: [one] },
				{ value: 'iphone 15', job: 0, results: [two] },
			],
			unmatched: [],
		});
	});

	test('all get results that are fewer than they, and the last one those left over', () => {
		const results = [echo('cafe'), echo('cafe'), echo('cafe')];
		const [one, two, three] = results;
		const resultsOf = (values: string[], given: Result[]) =>
			sortedOut(job(values), given).answers?.map((answer) => answer.results);
		expect(resultsOf(['Café', 'CAFÉ', 'cafe'], results.slice(0, 2))).toEqual([
			[one, two],
			[one, two],
			[one, two],
		]);
		expect(resultsOf(['Café', 'cafe'], results)).toEqual([[one], [two, three]]);
	});

	test('share them in the order of the download, whatever each of them echoes', () => {
		const results = [echo('kettle'), echo('Kettle'), echo('kettle')];
		const shared = sortedOut(job(['Kettle', 'kettle', 'KETTLE']), results).answers;
		expect(shared?.map((answer) => answer.results)).toEqual(results.map((one) => [one]));
	});

	test('are in doubt where they are identifiers, and none gets the results of the others', () => {
		const results = [echo('ab-1'), echo('ab-1')];
		expect(sortedOut(job(['AB-1', 'ab-1', 'zz'], { key: 'id' }), [...results, echo('zz')])).toEqual({
			answers: [
				{ value: 'AB-1', job: 0, results: [], doubtful: results },
				{ value: 'ab-1', job: 0, results: [], doubtful: results },
				{ value: 'zz', job: 0, results: [expect.objectContaining({ query: { value: 'zz' } })] },
			],
			unmatched: results,
		});
	});

	test('are told apart where each has its own echo, or none has more than one', () => {
		const [upper, lower] = [echo('AB'), echo('ab')];
		const both = job(['AB', 'ab'], { key: 'id' });
		expect(sortedOut(both, [lower, upper]).answers).toEqual([
			{ value: 'AB', job: 0, results: [upper] },
			{ value: 'ab', job: 0, results: [lower] },
		]);
		expect(sortedOut(both, [lower]).answers).toEqual([
			{ value: 'AB', job: 0, results: [] },
			{ value: 'ab', job: 0, results: [lower] },
		]);
	});
});

describe('a job of one value', () => {
	test('owns its results whatever they echo', () => {
		const results = [echo('something else'), result({}), echo('and more')];
		expect(answersOf(job(['a']), results)).toEqual({ answers: [results], unmatched: [] });
	});

	test('owns those alone that echo the value, where some do', () => {
		const [other, silent, own] = [echo('something else'), result({}), echo('A')];
		expect(answersOf(job(['a']), [other, silent, own])).toEqual({
			answers: [[own]],
			unmatched: [other, silent],
		});
	});

	test('does not own a result of another value of the run', () => {
		const foreign = echo('00456');
		const own = echo('123');
		const joined = joinResults(
			[
				{ planned: job(['0123']), results: [foreign, own] },
				{ planned: job(['456']), results: [] },
				{ planned: job(['123']), results: [] },
			],
			[{ item: 0, values: ['0123', '456'] }],
		);
		expect(joined.items[0]?.answers.map((answer) => answer.results)).toEqual([[own], []]);
		expect(joined.unmatched).toEqual([{ job: 0, result: foreign }]);
	});
});

describe('a job of one value without an echo of it', () => {
	const jobs = (results: Result[]) => [
		{ planned: job(['0123']), results },
		{ planned: job(['456'], { items: [1] }), results: [] },
	];
	const items = [
		{ item: 0, values: ['0123'] },
		{ item: 1, values: ['456'] },
	];

	test('does not own a result of another value of the run, however that is spelt', () => {
		const [foreign, silent] = [echo('00456'), result({})];
		const joined = joinResults(jobs([foreign, silent]), items);
		expect(joined.items.map(({ answers }) => answers[0]?.results)).toEqual([[silent], []]);
		expect(joined.unmatched).toEqual([{ job: 0, result: foreign }]);
	});

	test('owns one of what nobody asked for', () => {
		const other = echo('789');
		expect(joinResults(jobs([other]), items).items[0]?.answers[0]?.results).toEqual([other]);
	});
});

describe('items', () => {
	test('get their own values in their own order and spelling, shared results without a copy', () => {
		const [a, b] = [echo('0012'), echo('7')];
		const joined = joinResults(
			[{ planned: job(['0012', '7'], { key: 'gtin', items: [0, 1] }), results: [a, b] }],
			[
				{ item: 1, values: ['7', '12'] },
				{ item: 0, values: ['0012'] },
			],
		);
		expect(joined.items).toEqual([
			{ item: 0, answers: [{ value: '0012', job: 0, results: [a] }] },
			{
				item: 1,
				answers: [
					{ value: '7', job: 0, results: [b] },
					{ value: '12', job: 0, results: [a] },
				],
			},
		]);
		expect(joined.items[0]?.answers[0]?.results[0]).toBe(joined.items[1]?.answers[1]?.results[0]);
	});

	test('of other parameters get the results of their own job for the same value', () => {
		const [german, french] = [echo('a'), echo('a')];
		const joined = joinResults(
			[
				{ planned: job(['a'], { items: [0] }), results: [german] },
				{ planned: job(['a'], { items: [1], group: 1 }), results: [french] },
			],
			[
				{ item: 0, values: ['a'] },
				{ item: 1, values: ['a'] },
			],
		);
		expect(joined.items.map(({ answers }) => answers)).toEqual([
			[{ value: 'a', job: 0, results: [german] }],
			[{ value: 'a', job: 1, results: [french] }],
		]);
	});

	test('keep their place when a value was not answered, not planned or not asked', () => {
		const joined = joinResults(
			[{ planned: job(['a']), results: [] }],
			[
				{ item: 0, values: ['a', 'b'] },
				{ item: 1, values: ['a'] },
				{ item: 2, values: [] },
			],
		);
		expect(joined.items).toEqual([
			{
				item: 0,
				answers: [
					{ value: 'a', job: 0, results: [] },
					{ value: 'b', job: undefined, results: [] },
				],
			},
			{ item: 1, answers: [{ value: 'a', job: undefined, results: [] }] },
			{ item: 2, answers: [] },
		]);
	});

	test('whose parameters no job has get nothing, although another job holds their value', () => {
		const a = echo('a');
		const joined = joinResults(
			[
				{ planned: job(['b'], { items: [0] }), results: [] },
				{ planned: job(['a'], { items: [1], group: 1 }), results: [a] },
			],
			[{ item: 2, values: ['a'] }],
		);
		expect(joined.items).toEqual([{ item: 2, answers: [{ value: 'a', job: undefined, results: [] }] }]);
		expect(joined.unmatched).toEqual([]);
	});
});
