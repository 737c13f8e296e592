import type { IDataObject, INodeParameters, NodeOperationError } from 'n8n-workflow';

import { jobIdFrom, NodeFields, RUN } from '../../../nodes/PriceCollection/n8n/nodeFields';
import { nodeContext } from '../nodeContext';

const EXPRESSION = '={{ $json.pages.trim() }}';
const PATH = 'options.maxPages';

/** A reader of one field whose expression gives these values, one per item; `Error`s are thrown. */
function fieldsOf(values: unknown[], parameters: INodeParameters = { options: { maxPages: EXPRESSION } }) {
	const gives = (item: number) => {
		const value = values[item];
		if (value instanceof Error) throw value;
		return value;
	};
	const items = values.map(() => ({}));
	const fake = nodeContext({ parameters, items, expressions: { [EXPRESSION]: gives } });
	return { fields: new NodeFields(fake.context), reads: fake.reads };
}
/** A reader of fixed parameters. */
const fixed = (parameters: IDataObject, items: IDataObject[] = [{}]) =>
	new NodeFields(nodeContext({ parameters: parameters as INodeParameters, items }).context);

/** How a field reads this value from its expression; for an error, its message and advice. */
function given(value: unknown, read: (fields: NodeFields) => unknown): unknown {
	try {
		return read(fieldsOf([value]).fields);
	} catch (thrown) {
		const { message, description, context } = thrown as NodeOperationError;
		return `${message} [item ${String(context.itemIndex)}]: ${String(description)}`;
	}
}
const refusal = (shown: string, expected: string, item: unknown = 0) =>
	`Max Pages cannot be ${shown} [item ${String(item)}]: It takes ${expected}. Nothing was sent.`;

const READ = {
	text: (fields: NodeFields) => fields.text(PATH, 0, 'usual'),
	on: (fields: NodeFields) => fields.flag(PATH, 0, true),
	off: (fields: NodeFields) => fields.flag(PATH, 0, false),
	number: (fields: NodeFields) => fields.number(PATH, 0, 1, 20),
	least: (fields: NodeFields) => fields.number(PATH, 0, 1),
	choice: (fields: NodeFields) => fields.choice(PATH, 0, ['poll', 'durable'], 'poll'),
	list: (fields: NodeFields) => fields.texts(PATH, 0, /[,\n]/),
};
type Kind = keyof typeof READ;
const USUAL = { text: 'usual', on: true, off: false, number: undefined, choice: 'poll', list: [] } as const;
const EXPECTED: Record<Kind, string> = {
	...{ text: 'a text', on: 'true or false', off: 'true or false', choice: 'one of these: poll, durable' },
	...{ number: 'a number from 1 to 20', least: 'a number of at least 1', list: 'a list of texts' },
};
const ODD = [[], ['a', 'b'], {}, { a: 1 }, new Date(0)];

test.each<[Kind, unknown, unknown]>([
	...(Object.keys(USUAL) as Array<keyof typeof USUAL>).flatMap((kind) =>
		[undefined, null, '', '  '].map((empty): [Kind, unknown, unknown] => [kind, empty, USUAL[kind]]),
	),
	...[true, 'TRUE', ' true ', 1, '1', [true]].map((on): [Kind, unknown, boolean] => ['off', on, true]),
	...[false, 'False', 0, '0'].map((off): [Kind, unknown, boolean] => ['on', off, false]),
	['text', ' de ', 'de'],
	['text', ['de'], 'de'],
	['text', [''], 'usual'],
	['text', 0, '0'],
	['text', 12345678901234567890n, '12345678901234567890'],
	['text', { __rl: true, mode: 'list', value: 'de' }, 'de'],
	['text', { __rl: true, mode: 'list', value: '' }, 'usual'],
	['number', 10, 10],
	['number', '10', 10],
	['number', ' 1.5 ', 1.5],
	['number', ['2'], 2],
	['least', 1e9, 1e9],
	['choice', 'durable', 'durable'],
	['choice', ['durable'], 'durable'],
	['list', [null, ''], []],
	['list', 'a, b\na', ['a', 'b']],
	['list', [['a', ['b,c']], 7], ['a', 'b', 'c', '7']],
])('a field of the kind %s that is given as %p is %p', (kind, value, meaning) => {
	expect(given(value, READ[kind])).toEqual(meaning);
});

test.each<[Kind, unknown, string?]>([
	...(['text', 'on', 'number', 'choice'] as const).flatMap((kind) =>
		ODD.map((odd): [Kind, unknown] => [kind, odd]),
	),
	...[0, 21, -1, '10 pages', true].map((value): [Kind, unknown] => ['number', value]),
	['number', NaN, 'NaN'],
	['number', Infinity, 'Infinity'],
	['least', 0],
	['text', true],
	['text', NaN, 'NaN'],
	...['yes', 2].map((value): [Kind, unknown] => ['off', value]),
	...['later', 'Poll', 0].map((value): [Kind, unknown] => ['choice', value]),
	['choice', 'x'.repeat(60), `"${'x'.repeat(49)}`],
	['list', {}],
	['list', true],
	['list', ['a', NaN], 'NaN'],
])('a field of the kind %s cannot be %p', (kind, value, shown = JSON.stringify(value)) => {
	expect(given(value, READ[kind])).toBe(refusal(shown, EXPECTED[kind]));
});

test('a limit of what is spent is a number, and none only where it is 0 or the field is absent', () => {
	const read = (fields: NodeFields) => fields.limit(PATH);
	expect([0, '10', [2.5]].map((value) => given(value, read))).toEqual([Infinity, 10, 2.5]);
	for (const value of [...ODD, null, '', NaN, undefined])
		expect(given(value, read)).toContain(' [item undefined]: It takes a number');
	expect(read(fixed({ options: {} }))).toBe(Infinity);
});

describe('a field that is read once for the run', () => {
	const read = (values: unknown[]) => fieldsOf(values).fields.number(PATH, RUN, 1);

	test('is evaluated for every item, and must be the same for all', () => {
		const { fields, reads } = fieldsOf([2, 2, 2]);
		expect([fields.number(PATH, RUN, 1), fields.number(PATH, RUN, 1), reads.length]).toEqual([2, 2, 3]);
		expect(() => read([2, 2, 3])).toThrow(
			'Max Pages must be the same for all items, but its expression gives 2 and 3',
		);
		expect(() => read([undefined, 3])).toThrow('gives undefined and 3');
		expect(fieldsOf([['a'], ['a']]).fields.texts(PATH, RUN, /,/)).toEqual(['a']);
	});

	test('is the same for all items where it means the same', () => {
		expect(read([10, '10', [10], ' 10.0 '])).toBe(10);
		const limit = (values: unknown[]) => fieldsOf(values).fields.limit(PATH);
		expect(limit(['10', 10])).toBe(10);
		expect(() => limit([10, '10', 11])).toThrow('gives 10 and 11');
		expect(() => limit([null, ''])).toThrow('cannot be null');
		const flag = (values: unknown[]) => fieldsOf(values).fields.flag(PATH, RUN, false);
		expect(flag([true, 'TRUE', 1, '1'])).toBe(true);
		expect(() => flag([true, 0])).toThrow('gives true and 0');
		const word = (values: unknown[]) => fieldsOf(values).fields.choice(PATH, RUN, ['a', 'b'], 'b');
		expect(word(['a', ['a'], { __rl: true, value: 'a' }])).toBe('a');
		expect(word([null, '', undefined])).toBe('b');
		// An empty field means b, but an explicit b still differs from it.
		expect(() => word(['b', null])).toThrow('gives "b" and null');
		const list = (values: unknown[]) => fieldsOf(values).fields.texts(PATH, RUN, /,/);
		expect(list([['a', 'b'], 'a, b', [['a'], 'b', '']])).toEqual(['a', 'b']);
		expect(list([null, [], '', ['']])).toEqual([]);
		expect(() => list(['a,b', 'b,a'])).toThrow('gives "a,b" and "b,a"');
		// A value that the field cannot take is reported as such, not as a difference.
		expect(() => read(['x', 'x'])).toThrow('Max Pages cannot be "x"');
	});

	test('concerns the run only where its expression fails for every item', () => {
		const failure = new Error('no such node');
		expect(read([failure, 2, failure])).toBe(2);
		expect(() => read([failure, failure])).toThrow('no such node');
		expect(read([])).toBeUndefined();
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

describe('an expression that names nothing of the item', () => {
	let count = 0;
	const COUNTER = '={{ Math.random() }}';
	const OWN = '={{ $json.own.trim() }}';
	beforeEach(() => (count = 0));

	function reading(parameters: INodeParameters, own: (item: number) => unknown = (item) => item) {
		const items = [{}, {}, {}];
		const expressions = { [COUNTER]: () => ++count, [OWN]: own };
		const { context } = nodeContext({ parameters, items, expressions });
		const fields = new NodeFields(context);
		/** What each item is given, or why not. */
		const all = (read: (item: number) => unknown) =>
			[0, 1, 2].map((item) => {
				try {
					return read(item);
				} catch (thrown) {
					return (thrown as Error).message;
				}
			});
		return { fields, all };
	}

	test('is evaluated once, for items and for the run', () => {
		const { fields, all } = reading({ country: COUNTER, maxCredits: COUNTER });
		expect(all((item) => fields.text('country', item))).toEqual(['1', '1', '1']);
		expect([fields.number('maxCredits', RUN, 0), count]).toEqual([2, 2]);
	});

	const pairs = (...values: string[]) => ({
		options: {
			additionalParameters: { parameter: values.map((value, index) => ({ name: `n${index}`, value })) },
		},
	});

	test('is the same for all items beside expressions that are not', () => {
		const { fields, all } = reading(pairs(COUNTER, OWN, 'x'));
		expect(all((item) => fields.pairs('options.additionalParameters', item))).toEqual(
			[0, 1, 2].map((n1) => ({ n0: 1, n1, n2: 'x' })),
		);
	});

	test('is so, too, where the one beside it fails for an item, which concerns that item only', () => {
		const { fields, all } = reading(pairs(COUNTER, OWN), (item) => {
			if (item === 0) throw new Error('no such field');
			return item;
		});
		const [failed, second, third] = all((item) => fields.pairs('options.additionalParameters', item));
		expect(failed).toBe('no such field');
		expect([second, third]).toEqual([
			{ n0: count - 1, n1: 1 },
			{ n0: count - 1, n1: 2 },
		]);
	});

	test('fails for every item where it fails', () => {
		const { fields, all } = reading({ topic: '={{ $("Nowhere").first().json.topic }}' });
		jest.spyOn(fields['context'], 'getNodeParameter').mockImplementation(() => {
			throw new Error('no such node');
		});
		expect(all((item) => fields.text('topic', item))).toEqual(Array(3).fill('no such node'));
	});
});

test('an expression can give a whole collection', () => {
	const { fields } = fieldsOf([{ maxPages: '3' }, {}], { options: EXPRESSION });
	expect([0, 1].map((item) => fields.number(PATH, item, 1))).toEqual([3, undefined]);
});

test.each([
	['lookupKey', 'Look Up By'],
	['options.webhookUrl', 'Webhook URL'],
	['options.maxPages', 'Max Pages'],
])('%s is named as the editor does: %s', (path, label) => {
	const fields = fixed({ lookupKey: {}, options: { webhookUrl: {}, maxPages: {} } });
	expect(() => fields.text(path, 0)).toThrow(`${label} cannot be {}`);
});

test.each<[INodeParameters[string], boolean]>([
	['amazon', true],
	[{ __rl: true, mode: 'name', value: 'amazon' }, true],
	[{ __rl: true, mode: 'list', value: 'amazon' }, false],
	[{ __rl: true, mode: 'name', value: '={{ $json.source }}' }, false],
	['={{ $json.source }}', false],
])('of %j is known whether somebody typed it: %s', (source, isTyped) => {
	expect(fixed({ source }).isTyped('source')).toBe(isTyped);
});

describe('a plain field', () => {
	const json = { gtin: '00123', count: 5, none: null, list: ['a'], product: { ean: '77' }, '': 'x' };
	const read = (stored: string) => {
		const expressions = { [stored]: () => 'evaluated' };
		const { context } = nodeContext({ parameters: { values: stored }, items: [json], expressions });
		return new NodeFields(context).value('values', 0);
	};

	test('is read from the item', () => {
		const stored = [
			'={{ $json.gtin }}',
			'={{$json.gtin}}',
			'={{ $json.count }}',
			'={{ $json.product.ean }}',
		];
		expect(stored.map(read)).toEqual(['00123', '00123', 5, '77']);
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
	const named = { ' a ': 1, b: null, '': 2, c: '', a: 5 };
	const rows = Object.entries(named).map(([name, value]) => ({ name, value }));
	const parameter = [...rows, { name: 3, value: 4 }, null];
	const pairs = (list: unknown) => fixed({ list } as IDataObject).pairs('list', 0);
	expect([pairs({ parameter }), pairs({ parameter: 'x' }), pairs(null)]).toEqual([{ a: 5, c: '' }, {}, {}]);
});

test('a request timeout is in seconds, and none where it is 0 or absent', () => {
	const timeoutOf = (requestTimeout?: unknown) =>
		fixed({ options: { requestTimeout } as IDataObject }).timeoutMs();
	expect([30, '1.5', 0, undefined].map(timeoutOf)).toEqual([30_000, 1_500, undefined, undefined]);
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

	const read = (jobId: unknown, json: IDataObject = {}) => fixed({ jobId } as IDataObject, [json]).jobId(0);

	test('may be a number, a list of one, or a resource locator', () => {
		expect([read(7), read(['j']), read({ __rl: true, value: ' j ' })]).toEqual(['7', 'j', 'j']);
		expect(() => read(['a', 'b'])).toThrow('Job cannot be ["a","b"]');
	});

	const failed = { error: 'no credits', message: 'x' };
	test.each<[string, IDataObject, string]>([
		['', {}, 'Job is empty'],
		['', failed, 'Job is empty, because the node before failed: no credits'],
		['..', {}, '".." is not a job ID'],
		['https://x.test/a?key=SECRET', {}, '"https://x.test/a" is not a job ID'],
	])('cannot be %j after %j', (jobId, json, message) => {
		expect(() => read(jobId, json)).toThrow(expect.objectContaining({ message }) as Error);
	});
});
