import type { IDataObject } from 'n8n-workflow';

import {
	bringsOwnValue,
	requestOf,
	singleValues,
	wireNameOf,
} from '../../../../nodes/PriceCollection/run/lookup/request';
import type { CollectFields } from '../../../../nodes/PriceCollection/run/lookup/request';
import { dialectOf } from '../../fakeClient';

const fields = (more: Partial<CollectFields> = {}): CollectFields => ({
	topic: 'product_and_offers',
	customTopic: '',
	useTestSource: false,
	source: 'google_shopping',
	country: 'de',
	lookupKey: 'gtin',
	customKey: '',
	values: '4006381333931',
	options: {},
	additional: {},
	...more,
});
const read = (more: Partial<CollectFields> = {}) => requestOf(3, fields(more), dialectOf());
function requested(more: Partial<CollectFields> = {}) {
	const result = read(more);
	if (!result.ok) throw new Error(result.message);
	return result;
}

test('what is set is sent, and nothing else', () => {
	expect(read()).toEqual({
		ok: true,
		request: {
			item: 3,
			parameters: {
				topic: 'product_and_offers',
				source: 'google_shopping',
				country: 'de',
				key: 'gtin',
			},
			values: ['4006381333931'],
		},
	});
	expect(requested({ source: '', country: '' }).request.parameters).toEqual({
		topic: 'product_and_offers',
		key: 'gtin',
	});
});

test.each<[IDataObject, IDataObject]>([
	[{ maxAge: 0 }, { max_age: 0 }],
	[{ maxPages: 2 }, { max_pages: 2 }],
	[
		{ sortBy: 'price_ascending', condition: 'new', shipping: 'any' },
		{ sort_by: 'price_ascending', condition: 'new', shipping: 'any' },
	],
	[{ timeout: 5 }, { timeout: 5 }],
	[{ webhookUrl: ' https://n8n.example.test/x ' }, { webhook_url: 'https://n8n.example.test/x' }],
	[{ webhookUrl: '', sortBy: '', maxValues: 5, requestTimeout: 9 }, {}],
])('options %j go as %j', (options, expected) => {
	const always = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'gtin' };
	expect(requested({ options }).request.parameters).toEqual({ ...always, ...expected });
});

test('the callback URL goes under the name of the credential', () => {
	const result = requestOf(
		0,
		fields({ options: { webhookUrl: 'https://x.test/' } }),
		dialectOf({ webhookUrlParameter: 'notify' }),
	);
	expect(result).toMatchObject({ request: { parameters: { notify: 'https://x.test/' } } });
});

test('options that the topic does not show are not sent', () => {
	const options = { condition: 'new', shipping: 'any', sortBy: 'x', maxAge: 1 };
	const sent = (topic: string) =>
		Object.keys(requested({ topic, lookupKey: 'id', options }).request.parameters);
	expect(sent('bestsellers')).toEqual(['topic', 'source', 'country', 'key', 'max_age']);
	expect(sent('reviews')).toEqual(['topic', 'source', 'country', 'key', 'max_age', 'sort_by']);
});

test('the test source wins over Source', () => {
	expect(requested({ useTestSource: true }).request.parameters.source).toBe('test');
});

test('custom topic and key are sent trimmed', () => {
	const custom = {
		topic: 'custom',
		customTopic: ' shops ',
		lookupKey: 'custom',
		customKey: ' asin ',
		values: 'B01',
	};
	expect(requested(custom).request.parameters).toMatchObject({ topic: 'shops', key: 'asin' });
});

test.each<[Partial<CollectFields>, string]>([
	[{ topic: 'custom' }, 'Custom Topic is empty'],
	[{ lookupKey: 'custom' }, 'Custom Key is empty'],
	[{ values: '\n \n' }, 'Values is empty'],
	[
		{ values: [{}] },
		'Values must be text with one value per line, or a list of texts and numbers, but there is an object',
	],
	[{ values: '123' }, '"123" is not a valid GTIN: it does not have 7 to 14 digits'],
	[{ values: '40063813339a1' }, '"40063813339a1" is not a valid GTIN: it holds something else than digits'],
	[
		{ values: '4006381333932' },
		'"4006381333932" is not a valid GTIN: its check digit is wrong, so there is a typing error in it',
	],
])('%j is refused: %s', (more, message) => {
	expect(read(more)).toEqual({ ok: false, message, description: expect.stringMatching(/\.$/) });
});

test('values are checked as GTINs only where the key that is sent says so', () => {
	expect(read({ values: '123', lookupKey: 'id' }).ok).toBe(true);
	expect(read({ values: '123', options: { validateValues: false } }).ok).toBe(true);
	expect(read({ values: '123', additional: { key: 'id' } }).ok).toBe(true);
	expect(read({ values: '123', lookupKey: 'id', additional: { key: 'gtin' } }).ok).toBe(false);
});

describe('additional parameters', () => {
	test('win over everything else', () => {
		const additional = { country: 'fr', topic: 'search_results', min_price: '5' };
		expect(requested({ additional }).request.parameters).toEqual({
			topic: 'search_results',
			source: 'google_shopping',
			country: 'fr',
			key: 'gtin',
			min_price: '5',
		});
	});

	test.each<[IDataObject, string[], number]>([
		[{ value: 'own' }, ['own'], 1],
		[{ values: ' a \nb\n' }, ['a\nb'], 2],
		[{ values: ['a', 'b'] }, ['a\nb'], 2],
	])('%j bring the values, planned as one', (additional, values, count) => {
		const { request } = requested({ additional });
		expect(request.values).toEqual(values);
		expect(request.parameters).toMatchObject({ key: 'gtin', ...additional });
		expect(bringsOwnValue(request.parameters)).toBe(true);
		expect(singleValues(request.values)).toHaveLength(count);
	});

	test('in the older form stand for key and value where Values is empty', () => {
		const { parameters } = requested({ values: '', additional: { id: '123' } }).request;
		expect(parameters).toEqual({
			topic: 'product_and_offers',
			source: 'google_shopping',
			country: 'de',
			id: '123',
		});
		expect(bringsOwnValue(parameters)).toBe(true);
	});

	test('called id or term beside Values are just sent along', () => {
		const { parameters, values } = requested({ additional: { id: 'x' } }).request;
		expect(parameters).toMatchObject({ key: 'gtin', id: 'x' });
		expect(values).toEqual(['4006381333931']);
		expect(bringsOwnValue(parameters)).toBe(false);
	});

	test('a blank value leaves the field Values in force', () => {
		const { parameters } = requested({ additional: { value: '', values: '' } }).request;
		expect(bringsOwnValue(parameters)).toBe(false);
	});
});

describe('values that would be paid for in vain, where they get rows', () => {
	const kept = (more: Partial<CollectFields>) => {
		const result = requestOf(3, fields(more), dialectOf(), true);
		return result.ok ? result.request : undefined;
	};
	const echoed = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'gtin' };

	test('the others are sent, and each knows its place among them', () => {
		const webhookUrl = 'https://n8n.example.test/x?secret';
		const request = kept({ values: '123\n4006381333931\n456', options: { webhookUrl } });
		expect(request?.values).toEqual(['4006381333931']);
		const reason = (value: string) =>
			`not looked up: "${value}" is not a valid GTIN: it does not have 7 to 14 digits; expected is one GTIN per line`;
		// The callback URL is no part of the echo: it may hold a secret.
		expect(request?.unsent).toEqual([
			{ item: 3, place: 0, query: { ...echoed, value: '123' }, reason: reason('123') },
			{ item: 3, place: 1, query: { ...echoed, value: '456' }, reason: reason('456') },
		]);
	});

	test('a blank item has one', () => {
		expect(kept({ values: ' \n' })).toMatchObject({
			values: [],
			unsent: [{ item: 3, place: 0, query: { ...echoed, value: null } }],
		});
	});

	test('other keys are not checked, nor GTINs that are not to be', () => {
		expect(kept({ lookupKey: 'id', values: '123' })).toMatchObject({ values: ['123'], unsent: [] });
		expect(kept({ values: '123', options: { validateValues: false } })).toMatchObject({
			...{ values: ['123'], unsent: [] },
		});
	});
});

test.each([
	['maxAge', 'max_age'],
	['condition', 'condition'],
	['timeout', 'timeout'],
	['batchSize', 'batchSize'],
])('the option %s goes as %s', (option, wire) => {
	expect(wireNameOf(option)).toBe(wire);
});

test('an option of nothing is not sent', () => {
	const options = { maxAge: null, condition: undefined } as unknown as IDataObject;
	expect(Object.keys(requested({ options }).request.parameters)).toEqual([
		...['topic', 'source', 'country', 'key'],
	]);
});

test.each([
	['UK', 'gb'],
	['gb', 'gb'],
	['DE', 'de'],
])('the country %s goes as %s', (country, sent) => {
	expect(requested({ country }).request.parameters.country).toBe(sent);
});

describe('Additional Parameters', () => {
	test.each(['value', 'values'])('bring the value as %s, whatever stands in Values', (name) => {
		for (const values of ['4006381333931', '']) {
			expect(requested({ values, additional: { [name]: 'a\nb' } }).request).toMatchObject({
				parameters: { [name]: 'a\nb', key: 'gtin' },
				values: ['a\nb'],
			});
		}
	});

	test.each(['id', 'term', 'gtin'])('bring it as %s, with no key, where Values is empty', (name) => {
		const { request } = requested({ values: '', additional: { [name]: 'a' } });
		expect(request.values).toEqual(['a']);
		expect(request.parameters).toEqual({
			...{ topic: 'product_and_offers', source: 'google_shopping', country: 'de', [name]: 'a' },
		});
		const beside = requested({ values: '4006381333931', additional: { [name]: 'a' } });
		expect(beside.request).toMatchObject({
			parameters: { key: 'gtin', [name]: 'a' },
			values: ['4006381333931'],
		});
	});

	test.each(['value', 'values'])('leave Values in place where their %s is blank', (name) => {
		const { request } = requested({ additional: { [name]: '', merchant: '' } });
		expect(request.values).toEqual(['4006381333931']);
		expect(request.parameters).not.toHaveProperty(name);
		expect(request.parameters).toMatchObject({ key: 'gtin', merchant: '' });
	});

	test('that bring no readable value are refused', () => {
		expect(read({ additional: { values: { a: 1 } } })).toEqual({
			ok: false,
			message:
				'Values must be text with one value per line, or a list of texts and numbers, but there is an object',
			description: 'Correct it in Additional Parameters.',
		});
	});
});

test('a blank value that gets a row says so', () => {
	expect(requestOf(3, fields({ values: ' ' }), dialectOf(), true)).toMatchObject({
		request: {
			values: [],
			unsent: [
				{
					...{ item: 3, place: 0, query: { value: null, key: 'gtin' } },
					reason: 'not looked up: the value is blank; expected is one value per line',
				},
			],
		},
	});
});
