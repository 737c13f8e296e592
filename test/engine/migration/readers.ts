import type { INode } from 'n8n-workflow';

import type { Case } from './build';
import { chain, http, jsCode, KETTLE, links, node, reading, seconds } from './build';
import { set, splitOut, TERM, workflow } from './build';

/** A chain with these nodes behind its download. The last one is compared. */
const read = (name: string, readers: INode[], wires: string[], rest: Partial<Case> = {}): Case =>
	workflow(name, chain(), reading(readers, ...wires), rest);
/** A chain with a Set node that reads these fields. */
const row = (name: string, fields: Record<string, string>) =>
	read(name, [set('Row', fields)], ['Download>Row']);

/** Rows from another branch, to be merged with the results. */
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
const merge = node(
	'Merge',
	'merge',
	{ mode: 'combine', combineBy: 'combineByPosition', options: {} },
	{ typeVersion: 3 },
);
/** What people read results with. The conversion must work without changing any of it. */
export const READER_CASES: Case[] = [
	read(
		'Split Out twice',
		[
			...[splitOut(), splitOut('Offers', 'offers')],
			set('Row', { price: '={{ $json.price }}', name: "={{ $('Split').item.json.name }}" }),
		],
		['Download>Split', 'Split>Offers', 'Offers>Row'],
	),
	row('$items, $item and $node', {
		a: '={{ $items("Download")[0].json.products[0].name }}',
		b: '={{ $node["Download"].json["products"][0].value }}',
		c: '={{ $node.Download.json.products.length }}',
	}),
	read(
		'All items of a node, its name as a template string',
		[jsCode('Rows', 'return $(`Download`).all().map(({ json }) => ({ json: json.products[0] }));')],
		['Download>Rows'],
	),
	row('First and last', {
		a: "={{ $('Download').first().json.products[0].key }}",
		b: "={{ $('Download').last().json.products.at(-1).source }}",
		c: "={{ $('Download').item.json.products[0]?.['name'] }}",
	}),
	row('The job ID by the name of a removed node', {
		job: "={{ $('Status').item.json.job_id }}",
		same: '={{ $node["Create"].json.job_id === $json.job_id }}',
	}),
	row('The status by the name of the status node', {
		status: "={{ $('Status').item.json.status }}",
		name: '={{ $json.products[0].name }}',
	}),
	read(
		'Merge by position',
		[others, splitOut(), merge],
		['Start>Others', 'Others>Merge', 'Download>Split', 'Split>Merge:1'],
	),
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
