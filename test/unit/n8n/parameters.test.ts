import type { IDataObject, IExecuteFunctions, INodeParameters, NodeOperationError } from 'n8n-workflow';

import { jobIdFrom, Parameters, RUN } from '../../../nodes/PriceCollection/n8n/parameters';
import { nodeContext } from '../nodeContext';

const EXPRESSION = '={{ $now }}';

/** A reader of one field whose expression gives these values, one for each item; `Error`s are thrown. */
function fieldsOf(values: unknown[], parameters: INodeParameters = { options: { maxPages: EXPRESSION } }) {
	const gives = (item: number) => {
		const value = values[item];
		if (value instanceof Error) throw value;
		return value;
	};
	const fake = nodeContext({
		parameters,
		items: values.map(() => ({})),
		expressions: { [EXPRESSION]: gives },
	});
	return { fields: new Parameters(fake.context), reads: fake.reads };
}
const PATH = 'options.maxPages';

/** What a field whose expression gives this value is read as; the error's message, and its advice, as texts. */
function given<T>(value: unknown, read: (fields: Parameters) => T): unknown {
	try {
		return read(fieldsOf([value]).fields);
	} catch (thrown) {
		const { message, description, context } = thrown as NodeOperationError;
		return `${message} [item ${String(context.itemIndex)}]: ${String(description)}`;
	}
}
const refusal = (shown: string, expected: string, item: unknown = 0) =>
	`Max Pages cannot be ${shown} [item ${String(item)}]: It takes ${expected}. Nothing was sent.`;
const EMPTY = [undefined, null, ''];
const ODD: Array<[unknown, string]> = [
	[[], '[]'],
	[['a', 'b'], '["a","b"]'],
	[{}, '{}'],
	[{ a: 1 }, '{"a":1}'],
	[new Date(0), '"1970-01-01T00:00:00.000Z"'],
];
const locator = (value: string) => ({ __rl: true, mode: 'list', value });

interface Kind {
	expected: string;
	read: (fields: Parameters) => unknown;
	/** What an empty field is. */
	empty: unknown;
	takes: Array<[unknown, unknown]>;
	/** With how it is shown. */
	refuses: Array<[unknown, string]>;
}
const NUMBERS: Array<[unknown, string]> = [
	...[0, 21, -1].map((value): [unknown, string] => [value, String(value)]),
	['10 pages', '"10 pages"'],
	[true, 'true'],
	[NaN, 'NaN'],
	[Infinity, 'Infinity'],
];
const flag = (usual: boolean): Kind => ({
	expected: 'true or false',
	read: (fields) => fields.flag(PATH, 0, usual),
	empty: usual,
	takes: [
		...[true, 'TRUE', ' true ', 1, '1', [true]].map((value): [unknown, boolean] => [value, true]),
		...[false, 'False', 0, '0'].map((value): [unknown, boolean] => [value, false]),
	],
	refuses: [...ODD, ['yes', '"yes"'], [2, '2'], [NaN, 'NaN']],
});
const KINDS: Record<string, Kind> = {
	'a text': {
		expected: 'a text',
		read: (fields) => fields.text(PATH, 0, 'usual'),
		empty: 'usual',
		takes: [
			[' de ', 'de'],
			[['de'], 'de'],
			[[''], 'usual'],
			[10, '10'],
			[0, '0'],
			[12345678901234567890n, '12345678901234567890'],
			[locator('de'), 'de'],
			[locator(''), 'usual'],
		],
		refuses: [...ODD, [true, 'true'], [NaN, 'NaN']],
	},
	'a switch that is usually on': flag(true),
	'a switch that is usually off': flag(false),
	'a number': {
		expected: 'a number from 1 to 20',
		read: (fields) => fields.number(PATH, 0, 1, 20),
		empty: undefined,
		takes: [
			[' ', undefined],
			[10, 10],
			['10', 10],
			[' 1.5 ', 1.5],
			[['2'], 2],
		],
		refuses: [...ODD, ...NUMBERS],
	},
	'a number without an upper bound': {
		expected: 'a number of at least 1',
		read: (fields) => fields.number(PATH, 0, 1),
		empty: undefined,
		takes: [[1e9, 1e9]],
		refuses: [[0, '0']],
	},
	'a choice': {
		expected: 'one of these: poll, durable',
		read: (fields) => fields.choice(PATH, 0, ['poll', 'durable'], 'poll'),
		empty: 'poll',
		takes: [
			['durable', 'durable'],
			[['durable'], 'durable'],
		],
		refuses: [
			...ODD,
			['later', '"later"'],
			['Poll', '"Poll"'],
			['x'.repeat(60), `"${'x'.repeat(49)}`],
			[0, '0'],
		],
	},
	'a list of texts': {
		expected: 'a list of texts',
		read: (fields) => fields.texts(PATH, 0, /[,\n]/),
		empty: [],
		takes: [
			[[], []],
			[[null, ''], []],
			['a, b\na', ['a', 'b']],
			[
				[['a', ['b,c']], 7],
				['a', 'b', 'c', '7'],
			],
		],
		refuses: [
			[{}, '{}'],
			[true, 'true'],
			[['a', NaN], 'NaN'],
		],
	},
};

describe.each(Object.entries(KINDS))('%s', (_name, { expected, read, empty, takes, refuses }) => {
	test.each([...EMPTY.map((value): [unknown, unknown] => [value, empty]), ...takes])(
		'can be given as %p, for %p',
		(value, meaning) => {
			expect(given(value, read)).toEqual(meaning);
		},
	);

	test.each(refuses)('cannot be %p', (value, shown) => {
		expect(given(value, read)).toBe(refusal(shown, expected));
	});
});

describe('a limit of what is spent', () => {
	const read = (fields: Parameters) => fields.limit(PATH);

	test.each([
		[0, 0],
		['10', 10],
		[[2.5], 2.5],
	])('%p is %p', (value, limit) => {
		expect(given(value, read)).toBe(limit);
	});

	test.each<[unknown, string]>([...ODD, [undefined, 'null'], [null, 'null'], ['', '""'], [NaN, 'NaN']])(
		'%p is no limit, and never none at all',
		(value, shown) => {
			expect(given(value, read)).toContain(` ${shown} [item undefined]: It takes a number`);
		},
	);

	test('there is none where the field is absent', () => {
		const { context } = nodeContext({ parameters: { options: {} } });
		expect(new Parameters(context).limit(PATH)).toBe(Infinity);
	});
});

describe('a field that is read once for the run', () => {
	const read = (values: unknown[]) => fieldsOf(values).fields.number(PATH, RUN, 1);

	test('is evaluated for every item, and must be the same for all', () => {
		const { fields, reads } = fieldsOf([2, 2, 2]);
		expect([fields.number(PATH, RUN, 1), fields.number(PATH, RUN, 1), reads.length]).toEqual([2, 2, 3]);
		expect(() => read([2, 2, 3])).toThrow(
			expect.objectContaining({
				message: 'Max Pages must be the same for all items, but its expression gives 2 and 3',
				description:
					'It is read once for the whole run. Nothing was sent. Use a fixed value, or run the node once for each.',
			}) as Error,
		);
		expect(() => read([undefined, 3])).toThrow('gives undefined and 3');
	});

	test('may give lists and objects that are the same', () => {
		const { fields } = fieldsOf([['a'], ['a']]);
		expect(fields.texts(PATH, RUN, /,/)).toEqual(['a']);
	});

	test('concerns the run only where its expression fails for every item', () => {
		const failure = new Error('no such node');
		expect(read([failure, 2, failure])).toBe(2);
		expect(() => read([failure, failure])).toThrow('no such node');
		expect(read([])).toBeUndefined();
	});

	test('names no item in an error of its own', () => {
		expect(given('x', (fields) => fields.number(PATH, RUN, 1))).toBe(
			refusal('"x"', 'a number of at least 1', 'undefined'),
		);
	});

	test('is evaluated once where it holds no expression, for whatever item', () => {
		const { fields, reads } = fieldsOf([0, 0, 0], { options: { maxPages: 5 } });
		for (const item of [RUN, 0, 1, 2]) expect(fields.number(PATH, item, 1)).toBe(5);
		expect(reads).toHaveLength(1);
	});
});

test('an expression that fails for an item fails when it is read for that item', () => {
	const { fields } = fieldsOf([new Error('no such node'), 7]);
	expect(() => fields.number(PATH, 0, 1)).toThrow('no such node');
	expect(fields.number(PATH, 1, 1)).toBe(7);
});

test('an expression can give a whole collection', () => {
	const { fields } = fieldsOf([{ maxPages: '3' }, {}], { options: EXPRESSION });
	expect([0, 1].map((item) => fields.number(PATH, item, 1))).toEqual([3, undefined]);
});

test('fields are named as the editor does', () => {
	const parameters = { lookupKey: {}, options: { webhookUrl: {}, maxValuesPerJob: {} } } as INodeParameters;
	const fields = new Parameters(nodeContext({ parameters }).context);
	const message = (path: string) => {
		expect(() => fields.text(path, 0)).toThrow(/^(Look Up By|Webhook URL|Max Values Per Job) cannot be/);
	};
	for (const path of ['lookupKey', 'options.webhookUrl', 'options.maxValuesPerJob']) message(path);
});

describe('a plain field', () => {
	const json = { gtin: '00123', count: 5, none: null, list: ['a'], product: { ean: '77' }, '': 'x' };
	const read = (stored: string) => {
		const expressions = { [stored]: () => 'evaluated' };
		const { context } = nodeContext({ parameters: { values: stored }, items: [json], expressions });
		return new Parameters(context).value('values', 0);
	};

	test.each([
		['={{ $json.gtin }}', '00123'],
		['={{$json.gtin}}', '00123'],
		['={{ $json.count }}', 5],
		['={{ $json.product.ean }}', '77'],
	])('is read from the item: %s', (stored, value) => {
		expect(read(stored)).toBe(value);
	});

	test.each([
		...['={{ $json.missing }}', '={{ $json.none }}', '={{ $json.list }}', '={{ $json.product }}'],
		...['={{ $json.gtin.length }}', '={{ $json.constructor }}', '={{ $json.gtin.trim() }}'],
		...['={{ $json["gtin"] }}', '={{ $json.gtin }} and more', '=x {{ $json.gtin }}'],
		...['={{ $jsonx.gtin }}', '={{ $json.gtin + 1 }}'],
	])('is nothing else, which n8n evaluates: %s', (stored) => {
		expect(read(stored)).toBe('evaluated');
	});
});

test('pairs of names and values are those that have both', () => {
	const row = (name: unknown, value: unknown) => ({ name, value });
	const rows = [row(' a ', 1), row('b', null), row('', 2), row(3, 4), row('c', ''), null, row('a', 5)];
	const pairs = (list: unknown) =>
		new Parameters(nodeContext({ parameters: { list } as INodeParameters }).context).pairs('list', 0);
	expect(pairs({ parameter: rows })).toEqual({ a: 5, c: '' });
	expect([pairs({ parameter: 'x' }), pairs(null)]).toEqual([{}, {}]);
});

test.each<[unknown, number | undefined]>([
	[30, 30_000],
	['1.5', 1_500],
	[0, undefined],
	['', undefined],
	[undefined, undefined],
])('a request timeout of %p is %p milliseconds', (requestTimeout, milliseconds) => {
	const options = { requestTimeout } as IDataObject;
	const { context } = nodeContext({ parameters: { options: options as INodeParameters } });
	expect(new Parameters(context).timeoutMs()).toBe(milliseconds);
});

describe('the job that an item names', () => {
	test.each([
		['job-1', 'job-1'],
		['https://api.example.test/v2/jobs/a%20b.json?key=x', 'a b'],
		['https://api.example.test/v2/jobs/abc/download.json', 'abc'],
		['/v2/jobs/%E0%A4%A', '%E0%A4%A'],
		['https://api.example.test/other', 'https://api.example.test/other'],
	])('by %s is %s', (text, jobId) => {
		expect(jobIdFrom(text)).toBe(jobId);
	});

	const read = (jobId: unknown, json: IDataObject = {}) =>
		new Parameters(
			nodeContext({ parameters: { jobId } as INodeParameters, items: [json] }).context,
		).jobId(0);

	test('may be a number, a list of one, or a resource locator', () => {
		expect([read(7), read(['j']), read({ __rl: true, value: ' j ' })]).toEqual(['7', 'j', 'j']);
		expect(() => read(['a', 'b'])).toThrow('Job cannot be ["a","b"]');
	});

	test.each<[string, IDataObject, string]>([
		['', {}, 'Job is empty'],
		[
			'',
			{ error: 'no credits', message: 'x' },
			'Job is empty, because the node before failed: no credits',
		],
		['..', {}, '".." is not a job ID'],
		['https://x.test/a?key=SECRET', {}, '"https://x.test/a" is not a job ID'],
	])('cannot be %j after %j', (jobId, json, message) => {
		expect(() => read(jobId, json)).toThrow(message);
	});
});

test('the context of a trigger has no items', () => {
	const { context } = nodeContext({
		parameters: { a: EXPRESSION },
		expressions: { [EXPRESSION]: () => 4 },
	});
	const trigger = { ...context, getInputData: undefined } as unknown as IExecuteFunctions;
	expect(new Parameters(trigger).number('a', RUN, 1)).toBe(4);
});
