import { convertParameters } from '../../../nodes/PriceCollection/migration/parameters';

const convert = (parameters: Record<string, unknown>) =>
	convertParameters(parameters as never, 'product_and_offers');

it('renames parameters and values of "key", and adds the topic', () => {
	const same = { source: 'amazon', country: 'de', values: 'a\nb' };
	expect(convert({ ...same, key: 'source_id', source_id: 'x', keyword: 'y' })).toEqual({
		parameters: { topic: 'product_and_offers', ...same, key: 'id', id: 'x', term: 'y' },
		changes: [
			{ parameter: 'key', message: 'The value "source_id" of "key" is now called "id".' },
			{ parameter: 'source_id', message: 'Parameter "source_id" is now called "id".' },
			{ parameter: 'keyword', message: 'Parameter "keyword" is now called "term".' },
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
		'"completeness" has no certain equivalent in version 2. It was not changed.',
	],
	[
		{ currentness: '={{ $json.c }}' },
		'"currentness" has no certain equivalent in version 2. It was not changed.',
	],
	[
		{ currentness: 'realtime', max_age: 5 },
		'"currentness" has no certain equivalent in version 2. It was not changed.',
	],
	[{ source_id: 'a', id: 'b' }, 'Both "source_id" and its new name "id" are given. Nothing was changed.'],
	[{ colour: 'red' }, '"colour" is not a known parameter of version 2. It was not changed.'],
	[{ country: 'uk' }, 'Country "uk" was not changed; the service calls it "gb".'],
	[{ key: '=a{{ $json.k }}' }, 'The value of "key" is built at run time. It was not changed.'],
	[
		{ source: '=google-{{ $json.shop }}' },
		'The value of "source" is built at run time. It was not changed.',
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
		'The value "google-shopping" of "source" is now called "google_shopping".',
	);
	expect(once.warnings[0]?.message).toBe(
		'Check that the service knows the datasource with underscores instead of hyphens: google-shopping.',
	);
	expect(once.parameters.values).toEqual(['a']);
});
