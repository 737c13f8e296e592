import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import { hasInlineValue, requestOf, storedRequest } from '../../../nodes/PriceCollection/creation/request';
import type { CredentialFields } from '../../../nodes/PriceCollection/service/connection';
import { inServiceNames } from '../../../nodes/PriceCollection/service/requestNames';
import { dialectOf } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const GTIN = '4006381333931';
const ECHOED = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'gtin' };

/** Fields of the node; `additional` stands for the pairs of Additional Parameters. */
interface Fields extends IDataObject {
	options?: IDataObject;
	additional?: IDataObject;
}

function read(
	{ additional, options, ...more }: Fields = {},
	keepsUnsent = false,
	own: CredentialFields = {},
	isTool = false,
) {
	const pairs = Object.entries(additional ?? {}).map(([name, value]) => ({ name, value }));
	const parameters = {
		...{ topic: 'product_and_offers', source: 'google_shopping', country: 'de', lookupKey: 'gtin' },
		...{ values: GTIN, options: { ...options, additionalParameters: { parameter: pairs } }, ...more },
	} as INodeParameters;
	const fields = new NodeFields(nodeContext({ parameters }).context);
	const connection = dialectOf({ customizeService: true, testSource: 'trial', ...own });
	return requestOf(0, fields, connection, { keepsUnsent, isTool });
}
function requested(fields: Fields = {}, keepsUnsent = false) {
	const { parameters, lookups, unsent } = read(fields, keepsUnsent);
	return { parameters, values: lookups.map(([, value]) => value), lookups, unsent };
}

test('what is set is sent, and nothing else', () => {
	expect(read()).toEqual({ item: 0, parameters: ECHOED, lookups: [[0, GTIN]], unsent: [] });
	const least = { topic: 'product_and_offers', key: 'gtin' };
	expect(requested({ source: '', country: null }).parameters).toEqual(least);
});

const BESTSELLERS = { topic: 'bestsellers', max_age: 1 };
const SORTED = { condition: 'new', shipping: 'any', sortBy: 'x', maxAge: 1 };
const EMPTY = { webhookUrl: '', sortBy: '', maxAge: null, condition: null, maxValues: 5, requestTimeout: 9 };

test.each<[Fields, IDataObject]>([
	[{ options: { maxAge: 0, maxPages: '2', timeout: 5 } }, { max_age: 0, max_pages: 2, timeout: 5 }],
	[{ options: { ...SORTED, maxAge: '' } }, { sort_by: 'x', condition: 'new', shipping: 'any' }],
	[{ options: { webhookUrl: ' https://x.test ' } }, { webhook_url: 'https://x.test' }],
	[{ options: EMPTY }, {}],
	// Options that the topic hides are not sent.
	[{ topic: 'bestsellers', options: SORTED }, BESTSELLERS],
	[
		{ topic: 'reviews', options: SORTED },
		{ ...BESTSELLERS, topic: 'reviews', sort_by: 'x' },
	],
	[{ useTestSource: 'TRUE' }, { source: 'trial' }],
	[{ useTestSource: 'false' }, {}],
	[{ topic: 'custom', customTopic: ' shops ' }, { topic: 'shops' }],
	[{ lookupKey: 'custom', customKey: ' asin ' }, { key: 'asin' }],
	[{ lookupKey: undefined }, { key: 'gtin' }],
	[
		{ topic: 'search', lookupKey: undefined },
		{ topic: 'search', key: 'term' },
	],
	[{ country: 'UK' }, { country: 'gb' }],
	[{ country: ['DE'] }, { country: 'de' }],
	[{ country: { __rl: true, mode: 'code', value: 'FR' } }, { country: 'fr' }],
])('%j goes as %j', (fields, expected) => {
	expect(requested(fields).parameters).toEqual({ ...ECHOED, ...expected });
});

test.each([undefined, null, '', ' '])(
	'a topic that is %j is the usual one, whose options are sent',
	(topic) => {
		const expressions = { '={{ $json.topic }}': () => topic };
		const given = { lookupKey: 'gtin', values: GTIN, options: { condition: 'new' } };
		const parameters = { topic: '={{ $json.topic }}', ...given } as INodeParameters;
		const fields = new NodeFields(nodeContext({ parameters, expressions }).context);
		const sent = { topic: 'product_and_offers', key: 'gtin', condition: 'new' };
		expect(requestOf(0, fields, dialectOf()).parameters).toEqual(sent);
	},
);

test.each([
	['de', 'DE'],
	['Fr', 'FR'],
	['uk', 'GB'],
	['UK', 'GB'],
	['uk1', 'UK1'],
])('the country %s is sent in the case of the credential: %s', (country, upper) => {
	const sent = (countryCase?: 'lower' | 'upper') =>
		read({ country }, false, { countryCase }).parameters.country;
	expect([sent(), sent('lower'), sent('upper')]).toEqual([upper.toLowerCase(), upper.toLowerCase(), upper]);
});

const locator = (mode: string, value: string) => ({ __rl: true, mode, value });
test.each<[Fields['source'], string]>([
	['Amazon', 'amazon'],
	[locator('name', ' Google_Shopping '), 'google_shopping'],
	// As the service writes it, and as the expression returns it.
	[locator('list', 'Amazon'), 'Amazon'],
	[locator('name', '={{ "Amazon" }}'), 'Amazon'],
	['={{ "Amazon" }}', 'Amazon'],
])('the source %j is sent as %s', (source, sent) => {
	const expressions = { '={{ "Amazon" }}': () => 'Amazon' };
	const parameters = { topic: 'search', lookupKey: 'term', values: 'a', source } as INodeParameters;
	const fields = new NodeFields(nodeContext({ parameters, expressions }).context);
	expect(requestOf(0, fields, dialectOf()).parameters.source).toBe(sent);
});

test('the test source is sent as the credential has it', () => {
	const asked = { useTestSource: true, source: 'Amazon' };
	expect(read(asked, false, { testSource: 'Trial' }).parameters.source).toBe('Trial');
});

test('GTINs are checked and have documented names whatever the service calls them; what is given is sent unchanged', () => {
	const own = { requestNamesText: 'gtin: ean\ncountry: market' };
	const named = read({}, false, own);
	expect(named).toMatchObject({ parameters: ECHOED, lookups: [[0, GTIN]] });
	expect(() => read({ values: '4006381333932' }, false, own)).toThrow('not a valid GTIN');
	const { country, ...others } = ECHOED;
	expect(inServiceNames(named.parameters, dialectOf(own))).toEqual({
		...others,
		key: 'ean',
		market: country,
	});
	const given = read({ additional: { country: 'FR', key: 'gtin' } }, false, own).parameters;
	expect(inServiceNames(given, dialectOf(own))).toEqual({ ...ECHOED, country: 'FR' });
});

test.each<[string, Fields]>([
	['Custom Key', { lookupKey: 'custom', customKey: 'EAN' }],
	['Look Up By', { lookupKey: 'ean' }],
	['Additional Parameters', { lookupKey: 'id', additional: { key: 'ean' } }],
])('a key of the service that Request Names have counts as the documented one in %s', (_name, key) => {
	const own = { requestNamesText: 'gtin: ean' };
	const typed = read({ ...key, values: '978-3-16-148410-0' }, false, own);
	expect(typed).toEqual({ item: 0, parameters: ECHOED, lookups: [[0, '9783161484100']], unsent: [] });
	expect(inServiceNames(typed.parameters, dialectOf(own))).toEqual({ ...ECHOED, key: 'ean' });
	expect(() => read({ ...key, values: '4006381333932' }, false, own)).toThrow('not a valid GTIN');
	// Without Request Names, any word is possible.
	const unnamed = read({ ...key, values: '4006381333932' });
	const word = key.customKey ?? 'ean';
	expect(unnamed).toMatchObject({ parameters: { key: word }, lookups: [[0, '4006381333932']] });
});

test.each<[Fields, string]>([
	[{ topic: 'custom' }, 'Custom Topic is empty'],
	[{ lookupKey: 'custom' }, 'Custom Key is empty'],
	[{ values: '\n \n' }, 'GTINs is empty'],
	[{ topic: 'search', lookupKey: 'term', values: '' }, 'Search Terms is empty'],
	[{ lookupKey: 'asin', values: '' }, 'Values is empty'],
	[{ values: [{}] }, '"{}" cannot be looked up: it is an object or a date'],
	[{ additional: { values: { a: 1 } } }, '"{"a":1}" cannot be looked up: it is an object or a date'],
])('%j is refused: %s', (fields, message) => {
	const refusal = { message, description: expect.stringMatching(/\.$/) as string };
	expect(() => read(fields)).toThrow(expect.objectContaining(refusal) as Error);
});

test('values are checked as GTINs only where the key that is sent says so', () => {
	const isSent = (fields: Fields) => read({ values: '123', ...fields }, true).unsent.length === 0;
	for (const unchecked of [{ lookupKey: 'id' }, { options: { validateValues: false } }])
		expect(isSent(unchecked)).toBe(true);
	expect(isSent({ additional: { key: 'id' } })).toBe(true);
	expect(isSent({ lookupKey: 'id', additional: { key: 'gtin' } })).toBe(false);
	// An ISBN-13 is sent without its printed hyphens.
	expect(requested({ values: '978-3-16-148410-0' }).values).toEqual(['9783161484100']);
});

test('a tool gives a list as JSON, except in Additional Parameters, which are sent as they are', () => {
	const list = '["tea", "cup"]';
	const valuesOf = (fields: Fields, isTool: boolean) =>
		read({ topic: 'search', lookupKey: 'term', ...fields }, false, {}, isTool).lookups;
	expect(valuesOf({ values: list }, true)).toEqual([
		[0, 'tea'],
		[1, 'cup'],
	]);
	expect(valuesOf({ values: list }, false)).toEqual([[0, list]]);
	expect(valuesOf({ additional: { values: list } }, true)).toEqual([[0, list]]);
});

describe('Additional Parameters', () => {
	test('win over everything else; null is not sent', () => {
		const additional = { country: 'fr', topic: 'search_results', min_price: '5', shipping: null };
		const parameters = { ...ECHOED, topic: 'search_results', country: 'fr', min_price: '5' };
		expect(requested({ additional }).parameters).toEqual(parameters);
	});

	test('with values are refused as a whole, whatever becomes of others', () => {
		expect(() => read({ additional: { values: ['a', {}] } }, true)).toThrow('cannot be looked up');
	});

	test.each<[IDataObject, string[]]>([
		[{ value: 'own' }, ['own']],
		[{ values: ' a \nb\n' }, ['a', 'b']],
		[{ values: ['a', 'b'] }, ['a', 'b']],
	])('%j bring the values as they are, whatever stands in Values', (additional, own) => {
		for (const inField of [GTIN, '']) {
			const { parameters, values } = requested({ values: inField, additional });
			expect(parameters).toEqual({ ...ECHOED, ...additional });
			expect([values, hasInlineValue(parameters)]).toEqual([own, true]);
		}
	});

	test.each(['id', 'term', 'gtin'])(
		'in the older form, %s, stand for both where Values is empty',
		(name) => {
			const { key, ...others } = ECHOED;
			const { parameters, values } = requested({ values: '', additional: { [name]: 'a' } });
			expect(parameters).toEqual({ ...others, [name]: 'a' });
			expect([values, hasInlineValue(parameters)]).toEqual([['a'], true]);
			const beside = requested({ additional: { [name]: 'a' } });
			expect(beside).toMatchObject({ parameters: { key, [name]: 'a' }, values: [GTIN] });
			expect(hasInlineValue(beside.parameters)).toBe(false);
		},
	);

	test('leave Values in place where theirs are blank', () => {
		const { parameters, values } = requested({ additional: { value: '', values: '', merchant: '' } });
		expect([parameters, values]).toEqual([{ ...ECHOED, merchant: '' }, [GTIN]]);
	});
});

describe('values that would be paid for in vain, where they get rows', () => {
	/** The row of a value at a place. The callback URL is not part of the echo, because it may hold a secret. */
	const unsentAt = (position: number, value: string | null, what: string) => {
		const reason = `not looked up: ${what}`;
		return { item: 0, position, row: { query: { ...ECHOED, value }, reason } };
	};

	test('the others are sent, and each knows its place among them', () => {
		const options = { webhookUrl: 'https://n8n.example.test/x?secret' };
		const { lookups, unsent } = requested({ values: ['123', GTIN, true], options }, true);
		expect(lookups).toEqual([[1, GTIN]]);
		const noGtin = unsentAt(
			0,
			'123',
			'"123" is not a valid GTIN: it does not have 7 to 14 digits. Correct it, or switch off Check GTINs in the options.',
		);
		const noValue = unsentAt(2, 'true', '"true" cannot be looked up: it is a boolean. Correct it.');
		expect(unsent).toEqual([noGtin, noValue]);
	});

	test('errors of a sheet are not sent by any key', () => {
		const { lookups, unsent } = requested({ values: ['#N/A', 'x', '-'], lookupKey: 'id' }, true);
		expect(lookups).toEqual([[1, 'x']]);
		expect(unsent.map(({ row }) => row?.reason)).toEqual([
			'not looked up: "#N/A" is an error in the sheet. Correct it.',
			'not looked up: "-" is not a value. Correct it.',
		]);
	});

	test('a long cell is repeated in part only', () => {
		const [{ row } = {}] = requested({ values: '0'.repeat(50_000) }, true).unsent;
		expect(row).toEqual({
			query: { ...ECHOED, value: `${'0'.repeat(199)}…` },
			reason: `not looked up: "${'0'.repeat(99)}…" is not a valid GTIN: it does not have 7 to 14 digits. Correct it, or switch off C…`,
		});
	});

	test('a blank item has one', () => {
		const unsent = [unsentAt(0, null, 'no GTIN in this row')];
		expect(requested({ values: ' \n' }, true)).toMatchObject({ lookups: [], unsent });
	});
});

test('what is stored for a request is what says what it is, as it stands there', () => {
	const stored = storedRequest({
		...{ operation: 'collect', topic: 'search', values: '={{ $json.x }}', waitMode: 'poll' },
		options: { maxAge: '={{ $now }}', format: 'xml', webhookUrl: 'x', grouping: 'perItem' },
	});
	expect(stored).toMatchObject({ topic: 'search', maxAge: '={{ $now }}', webhookUrl: 'x' });
	for (const name of ['operation', 'values', 'waitMode', 'options', 'format', 'grouping'])
		expect(stored).not.toHaveProperty(name);
});
