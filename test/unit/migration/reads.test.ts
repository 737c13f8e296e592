import type { IDataObject, INodeTypes } from 'n8n-workflow';
import { Expression, Workflow } from 'n8n-workflow';

import { convert, downloadNode, links, messages, node, setNode, setValue } from './builder';

Expression.setExpressionEngine('legacy');

/** What version 1 gave, and what version 2 gives for the same. */
const PRODUCTS = [
	{
		source: 'test',
		country: 'de',
		key: 'gtin',
		value: '1',
		success: true,
		reason: null,
		id: 'p1',
		name: 'Pen',
		offers: [
			{ price: '1.90', shop_name: 'A' },
			{ price: '2.00', shop_name: 'B' },
		],
	},
	{ source: 'test', country: 'de', key: 'gtin', value: '2', success: false, reason: 'invalid value' },
];
const RESULTS = [
	{
		query: {
			source: 'test',
			country: 'de',
			topic: 'product_and_offers',
			key: 'gtin',
			value: '1',
			max_pages: 1,
		},
		success: true,
		metadata: { from_cache: false },
		content: { id: 'p1', name: 'Pen', offers: PRODUCTS[0]?.offers },
	},
	{
		query: {
			source: 'test',
			country: 'de',
			topic: 'product_and_offers',
			key: 'gtin',
			value: '2',
			max_pages: 1,
		},
		success: false,
		reason: 'invalid value',
		content: null,
	},
];
const ROOT = { job_id: 'abc', status: 'finished' };

const workflow = new Workflow({
	nodes: [{ ...node('Set', 'set'), position: [0, 0], id: 'Set' }] as never,
	connections: {},
	active: false,
	nodeTypes: { getByNameAndVersion: () => undefined, getByName: () => undefined } as unknown as INodeTypes,
});

/** What n8n's own expression engine makes of a parameter value, for an item. */
const evaluate = (value: unknown, json: IDataObject): unknown =>
	workflow.expression.resolveSimpleParameterValue(
		value as string,
		{},
		null,
		0,
		0,
		'Set',
		[{ json }],
		'manual',
		{},
	);

/** Converts an expression that reads a download, or (through Split Out) one row of it. */
function converted(expression: string, split: boolean) {
	const nodes = [
		downloadNode(),
		node('Split', 'splitOut', { fieldToSplitOut: 'products' }),
		setNode('Set', expression),
	];
	const connections = split ? links('Download>Split', 'Split>Set') : links('Download>Set');
	const result = convert(
		split ? nodes : nodes.filter(({ name }) => name !== 'Split'),
		connections,
		'updateRequests',
	);
	return { value: setValue(result, 'Set'), result };
}

describe('an expression that reads the download gives what it gave', () => {
	it.each([
		'={{ $json.products[0].name }}',
		'={{ $json.products[0].value }}',
		'=Price of {{ $json.products[0].name }}: {{ $json.products[0].offers[1].price }}',
		'={{ $json["products"][0]["offers"][0]["shop_name"] }}',
		'={{ $json.products.length }}',
		'={{ $json.products }}',
		'={{ $json.products[1] }}',
		'={{ $json.products[0].success && $json.products[1].success }}',
		'={{ $json.products[1].reason }}',
		'={{ $json.products.map((p) => p.name + p.value).join() }}',
		'={{ $json.products.filter((p) => p.success)[0].offers.length }}',
		'={{ `${$json.products[0].name} in ${$json.job_id}` }}',
		'={{ $json.products?.[0]?.name }}',
		'={{ $json.products[$json.products.length - 2].name.toUpperCase() }}',
		'={{ $input.item.json.products[0].name }}',
		'={{ $input.first().json.products[0].source }}',
		'={{ { ...$json.products[0] } }}',
		'={{ "products" + $json.status }}',
	])('%s', (expression) => {
		const { value } = converted(expression, false);
		const before = evaluate(expression, { ...ROOT, products: PRODUCTS });
		expect(before).toBeDefined();
		expect(evaluate(value, { ...ROOT, results: RESULTS } as IDataObject)).toEqual(before);
	});
});

describe('an expression that reads a row gives what it gave', () => {
	it.each([
		'={{ $json.name }}',
		'={{ $json["name"] + $json[\'value\'] }}',
		'={{ $json.key }}/{{ $json.country }}',
		'={{ $json.offers?.length ?? 0 }}',
		'={{ $json.offers.map((offer) => offer.price) }}',
		'={{ $json.success }}',
	])('%s', (expression) => {
		const { value } = converted(expression, true);
		const before = evaluate(expression, PRODUCTS[0] as IDataObject);
		expect(before).toBeDefined();
		expect(evaluate(value, RESULTS[0] as unknown as IDataObject)).toEqual(before);
	});
});

describe('what cannot be told is left and listed', () => {
	it.each([
		['={{ JSON.stringify($json) }}', 'The whole item is read here; its fields have new names or places.'],
		['={{ $json.products.name }}', 'An old field is read here in a way that is not certain.'],
		['={{ $json.products.push({ a: 1 }) }}', 'An old field is written to here.'],
	])('%s', (expression, message) => {
		const { value, result } = converted(expression, false);
		expect(value).toBe(expression);
		expect(result.warnings).toContainEqual(
			expect.objectContaining({
				node: 'Set',
				parameter: 'assignments.assignments[0].value',
				line: 1,
				message,
			}),
		);
	});

	it.each([
		['$json.job_id'],
		['$jsonx.products'],
		["'$json.products'"],
		['my$json.products'],
		['$vars.products'],
	])('%s is none of them', (code) => {
		const { value, result } = converted(`={{ ${code} }}`, false);
		expect(value).toBe(`={{ ${code} }}`);
		expect(result.warnings.filter((warning) => warning.node === 'Set')).toEqual([]);
	});
});

describe('Code nodes', () => {
	const code = (jsCode: string, type = 'code', name = 'jsCode') => {
		const nodes = [downloadNode(), node('Code', type, { [name]: jsCode })];
		const result = convert(nodes, links('Download>Code'), 'updateRequests');
		return { code: result.workflow.nodes[1]?.parameters[name] as string, result };
	};

	it('gives the same rows after its reads were rewritten', () => {
		const before =
			'return $input.first().json.products.map((p) => ({ json: { value: p.value, name: p.name, reason: p.reason } }));';
		const run = (text: string, json: object) =>
			new Function('$input', text)({ first: () => ({ json }) }) as unknown;
		const { code: after, result } = code(before);
		expect(run(after, { results: RESULTS })).toEqual(run(before, { products: PRODUCTS }));
		expect(result.warnings.filter((warning) => warning.node === 'Code')).toEqual([]);
	});

	it('lists with its line what it cannot follow', () => {
		const text =
			'// products\nconst { products } = items[0].json;\nfor (const item of items) use(item.json.products);';
		const { code: after, result } = code(text, 'function', 'functionCode');
		expect(after).toBe(text);
		const listed = result.warnings.filter(
			({ node: name, line }) => name === 'Code' && line !== undefined,
		);
		expect(listed.map(({ line }) => line)).toEqual([2, 2, 3]);
		expect(listed[1]?.message).toBe('Code may read an old field: const { products } = items[0].json;');
	});

	it('lists lines of Python', () => {
		const text = "rows = _input.first().json['products']\nreturn rows";
		const { code: after, result } = code(text, 'code', 'pythonCode');
		expect(after).toBe(text);
		expect(result.warnings.find(({ node: name }) => name === 'Code')?.line).toBe(1);
	});
});

describe('following results', () => {
	const through = (...middle: ReturnType<typeof node>[]) => {
		const names = ['Download', ...middle.map(({ name }) => name), 'Set'];
		const path = names.slice(1).map((name, index) => `${names[index]}>${name}`);
		const nodes = [downloadNode(), ...middle, setNode('Set', '={{ $json.products[0].name }}')];
		return convert(nodes, links(...path), 'updateRequests');
	};
	const rewritten = '={{ $json.results[0].content?.name }}';
	const kept = '={{ $json.products[0].name }}';

	it.each([
		['a Wait', node('M', 'wait'), rewritten],
		['a disabled node', node('M', 'httpRequest', {}, { disabled: true }), rewritten],
		[
			'a Set that keeps its input',
			node('M', 'set', { includeOtherFields: true }, { typeVersion: 3.4 }),
			rewritten,
		],
		['a Set that does not', node('M', 'set', {}, { typeVersion: 3.4 }), kept],
		[
			'a Set that writes the same field',
			node(
				'M',
				'set',
				{
					includeOtherFields: true,
					assignments: { assignments: [{ name: 'products', value: 'x' }] },
				},
				{ typeVersion: 3.4 },
			),
			kept,
		],
		['an older Set', node('M', 'set', { values: {} }, { typeVersion: 2 }), rewritten],
		['another request', node('M', 'httpRequest', { url: 'https://x.example' }), kept],
	])('goes through %s as its items do', (_what, middle, expected) => {
		expect(setValue(through(middle), 'Set')).toBe(expected);
	});

	it('does not claim to know what a Code node gives, but lists the read', () => {
		const result = through(node('M', 'code', { jsCode: 'return items;' }));
		expect(setValue(result, 'Set')).toBe(kept);
		expect(messages(result.warnings)).toContain('An old field may be read here.');
	});

	it('reads by name and through a loop', () => {
		const nodes = [
			downloadNode(),
			node('Loop', 'splitInBatches', {}, { typeVersion: 3 }),
			setNode('Set', '={{ $json.products[0].name }}'),
			setNode('After', "={{ $('Download').all()[0].json.products[0].name }}"),
		];
		const connections = links('Download>Loop', 'Loop:1>Set', 'Set>Loop', 'Loop:0>After');
		const result = convert(nodes, connections, 'updateRequests');
		expect(setValue(result, 'Set')).toBe(rewritten);
		expect(setValue(result, 'After')).toBe("={{ $('Download').all()[0].json.results[0].content?.name }}");
	});

	it('lists results that are read from the status of a job', () => {
		const status = {
			...downloadNode('Status'),
			parameters: { url: 'https://api.legacy.example/jobs/abc' },
		};
		const nodes = [status, setNode('Set', kept)];
		const result = convert(nodes, links('Status>Set'), 'replaceNodes');
		expect(setValue(result, 'Set')).toBe(kept);
		expect(messages(result.warnings)).toContain(
			'Results are read from the status of a job, which has none in version 2.',
		);
	});

	it('lists fields that are named as plain text, and nodes that take whole items', () => {
		const nodes = [
			downloadNode(),
			node('Split', 'splitOut', { fieldToSplitOut: 'products' }),
			node('Sort', 'sort', { sortFieldsUi: { sortField: [{ fieldName: 'price' }] } }),
			node('Sheet', 'googleSheets', { columns: { mappingMode: 'autoMapInputData' } }),
		];
		const result = convert(nodes, links('Download>Split', 'Split>Sort', 'Sort>Sheet'), 'updateRequests');
		expect(result.warnings).toContainEqual(
			expect.objectContaining({
				node: 'Sort',
				parameter: 'sortFieldsUi.sortField[0].fieldName',
				message: 'The field "price" has a new name or place.',
			}),
		);
		expect(result.warnings).toContainEqual(
			expect.objectContaining({
				node: 'Sheet',
				message: 'The node takes whole items, whose fields have new names or places.',
			}),
		);
	});
});
