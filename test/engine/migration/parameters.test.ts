import { convertParameters } from '../../../nodes/PriceCollection/migration/parameters';

const convert = (parameters: Record<string, unknown>) =>
	convertParameters(parameters as never, 'product_and_offers');

it('renames parameters and values of "key", and adds the topic', () => {
	const same = { source: 'amazon', country: 'de', values: 'a\nb' };
	expect(convert({ ...same, key: 'source_id', source_id: 'x', keyword: 'y' })).toEqual({
		parameters: { topic: 'product_and_offers', ...same, key: 'id', id: 'x', term: 'y' },
		changes: [
			{ parameter: 'key', message: 'The value "source_id" of "key" is called "id" now.' },
			{ parameter: 'source_id', message: 'Parameter "source_id" is called "id" now.' },
			{ parameter: 'keyword', message: 'Parameter "keyword" is called "term" now.' },
			{ parameter: 'topic', message: '"topic: product_and_offers" was added.' },
		],
		warnings: [],
	});
});

it('carries options over whose meaning is known, and warns', () => {
	const given = { topic: 'offers', currentness: 'realtime', completeness: 'one_page' };
	const { parameters, changes, warnings } = convert(given);
	expect(parameters).toEqual({ topic: 'offers', max_age: 15, max_pages: 1 });
	expect(changes.map(({ message }) => message)).toEqual([
		'"currentness: realtime" became "max_age: 15".',
		'"completeness: one_page" became "max_pages: 1".',
	]);
	expect(warnings).toHaveLength(2);
});

it.each([
	[
		{ completeness: 'all_pages' },
		'"completeness" has no certain equivalent in version 2. It was left unchanged.',
	],
	[
		{ currentness: '={{ $json.c }}' },
		'"currentness" has no certain equivalent in version 2. It was left unchanged.',
	],
	[
		{ currentness: 'realtime', max_age: 5 },
		'"currentness" has no certain equivalent in version 2. It was left unchanged.',
	],
	[{ source_id: 'a', id: 'b' }, 'Both "source_id" and its new name "id" are given. Left as it was.'],
	[{ colour: 'red' }, '"colour" is not known as a parameter of version 2. Left as it was.'],
	[{ country: 'uk' }, 'Country "uk" was left as it was; the service calls it "gb".'],
	[{ key: '=a{{ $json.k }}' }, 'The value of "key" is put together at run time. Left as it was.'],
	[
		{ source: '=google-{{ $json.shop }}' },
		'The value of "source" is put together at run time. Left as it was.',
	],
])('leaves %j as it was, and says so', (given, message) => {
	const { parameters, changes, warnings } = convert({ topic: 'search', ...given });
	expect(parameters).toEqual({ topic: 'search', ...given });
	expect(changes).toEqual([]);
	expect(warnings.map((warning) => warning.message)).toEqual([message]);
});

it('takes keys out and never repeats them', () => {
	const converted = convert({ token: 'SECRETSECRET', 'x-api-key': 'SECRETSECRET', source: 'test' });
	expect(converted.parameters).toEqual({ topic: 'product_and_offers', source: 'test' });
	expect(JSON.stringify(converted)).not.toContain('SECRET');
	expect(converted.warnings[0]?.suggestion).toBe('Create a Price Collection API credential with it.');
});

it('changes nothing the second time and leaves its input alone', () => {
	const given = { source: 'google-shopping', key: 'keyword', values: ['a'], constructor: 'x' };
	const before = JSON.stringify(given);
	const once = convert(given);
	expect(JSON.stringify(given)).toBe(before);
	const twice = convert(once.parameters);
	expect(twice.parameters).toEqual(once.parameters);
	expect(twice.changes).toEqual([]);
	expect(once.parameters.source).toBe('google_shopping');
	expect(once.changes[0]?.message).toBe(
		'The value "google-shopping" of "source" is called "google_shopping" now.',
	);
	expect(once.warnings[0]?.message).toBe(
		'Check that the service knows the datasource with underscores for hyphens: google-shopping.',
	);
	expect(once.parameters.values).toEqual(['a']);
});
