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

describe('what an expression can give for', () => {
	describe('a text', () => {
		const read = (fields: Parameters) => fields.text(PATH, 0, 'usual');

		test.each<[unknown, string]>([
			...EMPTY.map((value): [unknown, string] => [value, 'usual']),
			[' de ', 'de'],
			[['de'], 'de'],
			[[''], 'usual'],
			[10, '10'],
			[0, '0'],
			[12345678901234567890n, '12345678901234567890'],
			[{ __rl: true, mode: 'list', value: 'de' }, 'de'],
			[{ __rl: true, mode: 'list', value: '' }, 'usual'],
		])('%p is %p', (value, text) => {
			expect(given(value, read)).toBe(text);
		});

		test.each<[unknown, string]>([...ODD, [true, 'true'], [NaN, 'NaN']])('%p is none', (value, shown) => {
			expect(given(value, read)).toBe(refusal(shown, 'a text'));
		});
	});

	describe('a switch', () => {
		const read = (usual: boolean) => (fields: Parameters) => fields.flag(PATH, 0, usual);

		test.each<[unknown, boolean]>([
			[true, true],
			['TRUE', true],
			[' true ', true],
			[1, true],
			['1', true],
			[[true], true],
			[false, false],
			['False', false],
			[0, false],
			['0', false],
		])('%p is %p, whatever is usual', (value, flag) => {
			expect([given(value, read(true)), given(value, read(false))]).toEqual([flag, flag]);
		});

		test.each(EMPTY)('%p is what is usual', (value) => {
			expect([given(value, read(true)), given(value, read(false))]).toEqual([true, false]);
		});

		test.each<[unknown, string]>([...ODD, ['yes', '"yes"'], [2, '2'], [NaN, 'NaN']])(
			'%p is none',
			(value, shown) => {
				expect(given(value, read(true))).toBe(refusal(shown, 'true or false'));
			},
		);
	});

	describe('a number', () => {
		const read = (fields: Parameters) => fields.number(PATH, 0, 1, 20);

		test.each<[unknown, number | undefined]>([
			...[...EMPTY, ' '].map((value): [unknown, undefined] => [value, undefined]),
			[10, 10],
			['10', 10],
			[' 1.5 ', 1.5],
			[['2'], 2],
		])('%p is %p', (value, number) => {
			expect(given(value, read)).toBe(number);
		});

		test.each<[unknown, string]>([
			...ODD,
			...[0, 21, -1].map((value): [unknown, string] => [value, String(value)]),
			['10 pages', '"10 pages"'],
			[true, 'true'],
			[NaN, 'NaN'],
			[Infinity, 'Infinity'],
		])('%p is none', (value, shown) => {
			expect(given(value, read)).toBe(refusal(shown, 'a number from 1 to 20'));
		});

		test('without an upper bound', () => {
			const least = (fields: Parameters) => fields.number(PATH, 0, 1);
			expect(given(0, least)).toBe(refusal('0', 'a number of at least 1'));
		});
	});

	describe('a limit of what is spent', () => {
		const read = (fields: Parameters) => fields.limit(PATH);

		test.each<[unknown, number]>([
			[0, 0],
			['10', 10],
			[[2.5], 2.5],
		])('%p is %p', (value, limit) => {
			expect(given(value, read)).toBe(limit);
		});

		test.each<[unknown, string]>([...ODD, [undefined, 'null'], [null, 'null'], ['', '""'], [NaN, 'NaN']])(
			'%p is no limit, and never none at all',
			(value, shown) => {
				expect(given(value, read)).toContain(': It takes a number');
				expect(given(value, read)).toContain(` ${shown} [item undefined]: `);
			},
		);

		test('there is none where the field is absent', () => {
			expect(new Parameters(nodeContext({ parameters: { options: {} } }).context).limit(PATH)).toBe(
				Infinity,
			);
		});
	});

	describe('a choice', () => {
		const read = (fields: Parameters) => fields.choice(PATH, 0, ['poll', 'durable'], 'poll');

		test.each<[unknown, string]>([
			...EMPTY.map((value): [unknown, string] => [value, 'poll']),
			['durable', 'durable'],
			[['durable'], 'durable'],
		])('%p is %p', (value, choice) => {
			expect(given(value, read)).toBe(choice);
		});

		test.each<[unknown, string]>([
			...ODD,
			['later', '"later"'],
			['Poll', '"Poll"'],
			['x'.repeat(60), `"${'x'.repeat(49)}`],
			[0, '0'],
		])('%p is none', (value, shown) => {
			expect(given(value, read)).toBe(refusal(shown, 'one of these: poll, durable'));
		});
	});

	describe('a list of texts', () => {
		const read = (fields: Parameters) => fields.texts(PATH, 0, /[,\n]/);

		test.each<[unknown, string[]]>([
			...[...EMPTY, [], [null, '']].map((value): [unknown, string[]] => [value, []]),
			['a, b\na', ['a', 'b']],
			[
				[['a', ['b,c']], 7],
				['a', 'b', 'c', '7'],
			],
		])('%p is %p', (value, texts) => {
			expect(given(value, read)).toEqual(texts);
		});

		test.each<[unknown, string]>([
			[{}, '{}'],
			[true, 'true'],
			[['a', NaN], 'NaN'],
		])(
			// prettier-ignore
			'%p is none',
			(value, shown) => {
				expect(given(value, read)).toBe(refusal(shown, 'a list of texts'));
			},
		);
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
