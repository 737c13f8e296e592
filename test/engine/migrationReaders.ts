import type { INode } from 'n8n-workflow';

import type { Case } from './migrationBuilder';
import {
	chain,
	condition,
	http,
	jsCode,
	KETTLE,
	links,
	node,
	ROW,
	seconds,
	set,
	splitOut,
	TERM,
	THREE,
	workflow,
} from './migrationBuilder';

/** A chain with these nodes behind its download, whose last is compared. */
const read = (name: string, readers: INode[], wires: string[], rest: Partial<Case> = {}): Case =>
	workflow(name, chain(), readers, wires, [rest.compared?.[0] ?? readers.at(-1)!.name], rest);

/** Rows of another branch, to be merged with the results. */
const others = node(
	'Others',
	'set',
	{
		assignments: {
			assignments: [
				{ id: 's', name: 'sku', value: '={{ $json.sku }}', type: 'string' },
				{ id: 'v', name: 'value', value: '={{ $json.term }}', type: 'string' },
			],
		},
		options: {},
	},
	{ typeVersion: 3.4 },
);

/** What people read results with: nothing of it may have to change. */
export const READER_CASES: Case[] = [
	read(
		'Split Out on a list in the first product',
		[
			splitOut('Split', 'products[0].offers'),
			set('Row', { price: '={{ $json.price }}', shop: '={{ $json.shop_name }}' }),
		],
		['Download>Split', 'Split>Row'],
	),
	read(
		'Split Out twice',
		[
			splitOut(),
			splitOut('Offers', 'offers'),
			set('Row', { price: '={{ $json.price }}', name: "={{ $('Split').item.json.name }}" }),
		],
		['Download>Split', 'Split>Offers', 'Offers>Row'],
	),
	read(
		'Split Out with all other fields',
		[
			splitOut('Split', 'products', { include: 'allOtherFields' }),
			set('Row', { job: '={{ $json.status }}', name: '={{ $json.products.name }}' }),
		],
		['Download>Split', 'Split>Row'],
	),
	read(
		'Item Lists',
		[node('Split', 'itemLists', { fieldToSplitOut: 'products', options: {} })],
		['Download>Split'],
	),
	read(
		'Code that destructures and spreads',
		[
			jsCode(
				'Rows',
				'const [{ json }] = $input.all();\nconst { products: [first, ...rest], ...root } = json;\nreturn [{ json: { ...root, ...first, more: rest.length, fields: Object.keys(first) } }];',
			),
		],
		['Download>Rows'],
	),
	read(
		'Code with regular expressions in front of its reads',
		[
			jsCode(
				'Rows',
				"const clean = (t) => String(t).replace(/\"/g, '').replace(/^https?:\\/\\//, '');\nreturn items.map((item) => ({ json: { url: clean(item.json.products[0].url), name: clean(item.json.products[0].name) } }));",
			),
		],
		['Download>Rows'],
	),
	read(
		'Code for each item',
		[
			jsCode(
				'Rows',
				'const row = $json.products[0];\nreturn { json: { name: row.name, reason: row.reason === null } };',
				{ mode: 'runOnceForEachItem' },
			),
		],
		['Download>Rows'],
	),
	read(
		'Code that keeps the item in a variable',
		[
			jsCode(
				'Rows',
				'const out = [];\nfor (const item of $input.all()) { const body = item.json; const list = body.products; for (let i = 0; i < list.length; i++) out.push({ json: list[i] }); }\nreturn out;',
			),
		],
		['Download>Rows'],
	),
	read(
		'A Function node',
		[
			node('Rows', 'function', {
				functionCode: 'return items[0].json.products.map((product) => ({ json: product }));',
			}),
		],
		['Download>Rows'],
	),
	read(
		'A Function Item node',
		[node('Rows', 'functionItem', { functionCode: 'item.count = item.products.length;\nreturn item;' })],
		['Download>Rows'],
	),
	read(
		'$items, $item and $node',
		[
			set('Row', {
				a: '={{ $items("Download")[0].json.products[0].name }}',
				b: '={{ $node["Download"].json["products"][0].value }}',
				c: '={{ $node.Download.json.products.length }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'All items of a node, its name as a template string',
		[jsCode('Rows', 'return $(`Download`).all().map(({ json }) => ({ json: json.products[0] }));')],
		['Download>Rows'],
	),
	read(
		'First and last',
		[
			set('Row', {
				a: "={{ $('Download').first().json.products[0].key }}",
				b: "={{ $('Download').last().json.products.at(-1).source }}",
				c: "={{ $('Download').item.json.products[0]?.['name'] }}",
			}),
		],
		['Download>Row'],
	),
	read(
		'The job ID by the name of a removed node',
		[
			set('Row', {
				job: "={{ $('Status').item.json.job_id }}",
				same: '={{ $node["Create"].json.job_id === $json.job_id }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'The status by the name of the status node',
		[
			set('Row', {
				status: "={{ $('Status').item.json.status }}",
				name: '={{ $json.products[0].name }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'Merge by position',
		[
			others,
			splitOut(),
			node(
				'Merge',
				'merge',
				{ mode: 'combine', combineBy: 'combineByPosition', options: {} },
				{ typeVersion: 3 },
			),
		],
		['Start>Others', 'Others>Merge', 'Download>Split', 'Split>Merge:1'],
	),
	read(
		'Merge by field',
		[
			others,
			splitOut(),
			node(
				'Merge',
				'merge',
				{ mode: 'combine', fieldsToMatchString: 'value', options: {} },
				{ typeVersion: 3 },
			),
			set('Row', { sku: '={{ $json.sku }}', name: '={{ $json.name }}' }),
		],
		['Start>Others', 'Others>Merge', 'Download>Split', 'Split>Merge:1', 'Merge>Row'],
	),
	read(
		'Merge by appending',
		[
			others,
			node('Merge', 'merge', {}, { typeVersion: 3 }),
			set('Row', { sku: '={{ $json.sku }}', name: '={{ $json.products?.[0].name }}' }),
		],
		['Start>Others', 'Others>Merge', 'Download>Merge:1', 'Merge>Row'],
	),
	read(
		'SQL that its node resolves',
		[
			node('SQL', 'postgres', {
				operation: 'executeQuery',
				query: "INSERT INTO prices VALUES ('{{ $json.products[0].value }}', '{{ $json.products[0].source }}', {{ $json.products.length }})",
			}),
		],
		['Download>SQL'],
		{ onlyStandIns: true },
	),
	read(
		'SQL in an expression',
		[
			splitOut(),
			node('SQL', 'postgres', {
				operation: 'executeQuery',
				query: "=UPDATE p SET name = '{{ $json.name }}' WHERE k = '{{ $json.key }}'",
			}),
		],
		['Download>Split', 'Split>SQL'],
		{ onlyStandIns: true },
	),
	read(
		'A sheet with automatic columns',
		[
			splitOut(),
			node(
				'Sheet',
				'googleSheets',
				{ operation: 'append', columns: { mappingMode: 'autoMapInputData' } },
				{ typeVersion: 4.5 },
			),
		],
		['Download>Split', 'Split>Sheet'],
		{ onlyStandIns: true },
	),
	read(
		'A sheet with columns of its own',
		[
			splitOut(),
			node(
				'Sheet',
				'googleSheets',
				{
					operation: 'append',
					columns: {
						mappingMode: 'defineBelow',
						value: { Price: '={{ $json.offers?.[0]?.price }}', Key: '={{ $json.key }}' },
					},
				},
				{ typeVersion: 4.5 },
			),
		],
		['Download>Split', 'Split>Sheet'],
		{ onlyStandIns: true },
	),
	read(
		'Conditions on reason and key',
		[
			splitOut(),
			node(
				'Keep',
				'filter',
				{
					conditions: condition(
						'={{ $json.reason === null && $json.key === "keyword" }}',
						'true',
						'',
						'boolean',
					),
					options: {},
				},
				{ typeVersion: 2.2 },
			),
		],
		['Download>Split', 'Split>Keep'],
		{ input: THREE },
	),
	read(
		'Sort and aggregate by fields named as text',
		[
			splitOut(),
			node('Sort', 'sort', {
				sortFieldsUi: { sortField: [{ fieldName: 'value', order: 'ascending' }] },
				options: {},
			}),
			node('All', 'aggregate', {
				fieldsToAggregate: {
					fieldToAggregate: [{ fieldToAggregate: 'name' }, { fieldToAggregate: 'reason' }],
				},
				options: {},
			}),
		],
		['Download>Split', 'Split>Sort', 'Sort>All'],
	),
	read(
		'The whole reply as one item',
		[node('All', 'aggregate', { aggregate: 'aggregateAllItemData', options: {} })],
		['Download>All'],
	),
	read(
		'Several branches',
		[
			splitOut(),
			set('Mail', {
				text: "={{ $json.products.map((p) => p.name + ': ' + p.offers?.[0]?.price).join('\\n') }}",
			}),
			set('Row', ROW),
		],
		['Download>Split', 'Download>Mail', 'Split>Row'],
	),
	{
		name: 'A sub-workflow that collects',
		nodes: [
			...chain().nodes.map((one) =>
				one.name === 'Start' ? node('Start', 'executeWorkflowTrigger') : one,
			),
			splitOut(),
		],
		connections: links(...chain().wires, 'Download>Split'),
		compared: ['Split'],
		input: KETTLE,
		onlyStandIns: true,
	},
	{
		name: 'A workflow that gets job IDs from elsewhere',
		nodes: [
			node('Start', 'manualTrigger'),
			http('Create', { method: 'POST', path: '/jobs', body: TERM }),
			seconds('Wait', 30),
			set('Queue', { id: '={{ $json.job_id }}' }),
			http('Download', { path: '/products/bulk/{{ $json.id }}.json' }),
			splitOut(),
		],
		connections: links('Start>Create', 'Create>Wait', 'Wait>Queue', 'Queue>Download', 'Download>Split'),
		compared: ['Split'],
		input: KETTLE,
	},
];
