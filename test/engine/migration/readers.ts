import type { INode } from 'n8n-workflow';

import type { Case } from './build';
import {
	chain,
	http,
	ifNode,
	jsCode,
	KETTLE,
	links,
	node,
	ROW,
	seconds,
	set,
	short,
	splitOut,
	TERM,
	workflow,
} from './build';

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
		'Split Out twice',
		[
			splitOut(),
			splitOut('Offers', 'offers'),
			set('Row', { price: '={{ $json.price }}', name: "={{ $('Split').item.json.name }}" }),
		],
		['Download>Split', 'Split>Offers', 'Offers>Row'],
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
	...['0', '1'].map((output): Case => {
		const { nodes } = short();
		const [called, ...steps] = nodes.map((one) =>
			one.name === 'Start' ? node('Start', 'executeWorkflowTrigger') : one,
		);
		const other = http('Other', { method: 'POST', path: '/jobs', body: { ...TERM, key: 'gtin' } });
		return {
			name: `A sub-workflow that gives its download to its caller, by output ${output} of a condition`,
			nodes: [
				...(called ? [called] : []),
				ifNode('Kind?', '={{ $json.kind }}', 'equals', output),
				...steps,
				other,
			],
			connections: links(
				'Start>Kind?',
				'Kind?:0>Create',
				'Kind?:1>Other',
				'Create>Wait',
				'Other>Wait',
				'Wait>Download',
			),
			compared: ['Download'],
			input: [{ term: '4006381333931', kind: '0' }],
			onlyStandIns: true,
		};
	}),
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
