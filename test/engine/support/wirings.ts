import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from './workflow';

/**
 * Workflows in which n8n queues a node a second time before it has run the first time. n8n's engine and the real n8n
 * both play them. Each looks up the items with the search terms and leads its rows to one node.
 */

/** The parts of a wiring that the engine and the real n8n name and set in their own way. */
export interface Parts {
	/** The node that puts out the items, and the one that receives the rows. */
	start: string;
	rows: string;
	/** A Collect of the `term` of each item, and a Wait for the jobs of its Still Running items. */
	collect: (name: string) => INode;
	wait: (name: string) => INode;
}

export interface Wiring {
	nodes: INode[];
	connections: IConnections;
	/** How often each item asks. */
	times?: number;
	/** Whether the rows' node gets all rows so far each time, as from a loop. */
	isCumulative?: boolean;
}

/**
 * A wiring whose rows reach their node only in n8n's newer execution order: the older one runs Merge without its first
 * input.
 */
export const ROWS_MEET = 'two Collects whose rows meet in Merge';

/** The ids of the items to look up: the first goes another way than the others. */
export const IDS = ['a', 'b', 'c', 'd', 'e'];

const BASE = 'n8n-nodes-base.';
const IS_FIRST = "={{ $json.id === 'a' }}";

const isTrue = {
	...{ leftValue: IS_FIRST, rightValue: '', id: '1' },
	operator: { type: 'boolean', operation: 'true', singleValue: true },
};
const conditions: INodeParameters = {
	options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
	conditions: [isTrue],
	combinator: 'and',
};

/** Its outputs: the first item; the others. */
const ifFirst = node('If', `${BASE}if`, { conditions, options: {} }, { typeVersion: 2.2 });
/** Its outputs: the first item; the second; the others. */
const byItem = node(
	'Switch',
	`${BASE}switch`,
	{
		mode: 'expression',
		numberOutputs: 3,
		output: "={{ Math.min(2, ['a', 'b', 'c', 'd', 'e'].indexOf($json.id)) }}",
	},
	{ typeVersion: 3.2 },
);
const merge = node('Merge', `${BASE}merge`, { mode: 'append', numberInputs: 2 }, { typeVersion: 3.1 });
/** Its outputs: all that has come back, once nothing is left; the next two items. */
const loop = node('Loop', `${BASE}splitInBatches`, { batchSize: 2, options: {} }, { typeVersion: 3 });

/** Connections as from `connect`, but a name may include the input of a node: `Merge 1`. */
function wire(wires: Record<string, Array<string | string[]>>): IConnections {
	const connections = connect(wires);
	for (const target of Object.values(connections).flatMap(({ main = [] }) => main.flat())) {
		const [, name = '', input = '0'] = /^(Merge) (\d)$/.exec(target?.node ?? '') ?? [];
		if (target && name !== '') Object.assign(target, { node: name, index: Number(input) });
	}
	return connections;
}

/** A node that only sorts its items, then Collect, then Wait, which leads back to itself. */
function sorted(sorter: INode, outputs: string[], { start, rows, collect, wait }: Parts): Wiring {
	return {
		nodes: [sorter, collect('Prices'), wait('Wait')],
		connections: wire({
			...{ [start]: [sorter.name], [sorter.name]: outputs },
			...{ Prices: [rows, 'Wait'], Wait: [rows, 'Wait'] },
		}),
	};
}

/** The simplest of the wirings. */
export const QUEUED_TWICE = 'If with both outputs into one Collect';

export const WIRINGS: Readonly<
	Record<string, (parts: Parts) => Wiring> & Record<typeof QUEUED_TWICE, (parts: Parts) => Wiring>
> = {
	[QUEUED_TWICE]: (parts) => sorted(ifFirst, ['Prices', 'Prices'], parts),

	'Switch with all outputs into one Collect': (parts) =>
		sorted(byItem, ['Prices', 'Prices', 'Prices'], parts),

	'Collect behind both outputs of If, and behind Merge': ({ start, rows, collect, wait }) => ({
		nodes: [ifFirst, merge, collect('Prices'), wait('Wait')],
		connections: wire({
			...{
				[start]: ['If'],
				If: [
					['Prices', 'Merge 0'],
					['Prices', 'Merge 1'],
				],
				Merge: ['Prices'],
			},
			...{ Prices: [rows, 'Wait'], Wait: [rows, 'Wait'] },
		}),
		times: 2,
	}),

	[ROWS_MEET]: ({ start, rows, collect, wait }) => ({
		nodes: [ifFirst, merge, collect('Prices'), collect('Others'), wait('Wait'), wait('Other wait')],
		connections: wire({
			...{ [start]: ['If'], If: ['Prices', 'Others'], Merge: [rows] },
			...{ Prices: ['Merge 0', 'Wait'], Wait: ['Merge 0', 'Wait'] },
			...{ Others: ['Merge 1', 'Other wait'], 'Other wait': ['Merge 1', 'Other wait'] },
		}),
	}),

	'two Collects into one Wait': ({ start, rows, collect, wait }) => ({
		nodes: [ifFirst, collect('Prices'), collect('Others'), wait('Wait')],
		connections: wire({
			...{ [start]: ['If'], If: ['Prices', 'Others'] },
			...{ Prices: [rows, 'Wait'], Others: [rows, 'Wait'], Wait: [rows, 'Wait'] },
		}),
	}),

	'Loop Over Items around Collect and Wait': ({ start, rows, collect, wait }) => ({
		nodes: [loop, collect('Prices'), wait('Wait')],
		connections: wire({
			...{ [start]: ['Loop'], Loop: [rows, 'Prices'] },
			...{ Prices: ['Loop', 'Wait'], Wait: ['Loop', 'Wait'] },
		}),
		isCumulative: true,
	}),
};
