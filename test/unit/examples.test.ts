import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

/** What holds for every example file. End-to-end tests check that each example does what it says. */
const ROOT = path.resolve(__dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples');

const PRICE_COLLECTION = 'n8n-nodes-price-collection.priceCollection';

/** Nodes that represent the user's own list. Users delete them, so nothing may name them. */
const REPLACED = ['n8n-nodes-base.dataTable', 'n8n-nodes-base.splitOut', 'n8n-nodes-base.noOp'];

interface Example {
	nodes: INode[];
	connections: IConnections;
}

const readExample = (file: string) => JSON.parse(readFileSync(path.join(EXAMPLES, file), 'utf8')) as Example;

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

describe.each(files)('%s', (file) => {
	const example = readExample(file);
	const { nodes, connections } = example;
	const text = JSON.stringify(example);
	const named = [...text.matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name ?? '');

	it('names in its expressions only nodes that there are, and none that a user replaces', () => {
		const types = named.map((name) => nodes.find((node) => node.name === name)?.type);
		expect(types).not.toContain(undefined);
		expect(types.filter((type) => REPLACED.includes(type ?? ''))).toEqual([]);
		expect(named).not.toContain('Products');
	});

	it('wires Still Running of every node that suspends its execution to a node that waits', () => {
		const suspending = nodes.filter(
			({ type, parameters }) =>
				type === PRICE_COLLECTION && ['durable', 'webhook'].includes(String(parameters.waitMode)),
		);
		for (const { name } of suspending) {
			const next = connections[name]?.main?.[1] ?? [];
			const waiting = next.map(({ node }) => nodes.find((one) => one.name === node)?.parameters);
			expect(waiting).toEqual([expect.objectContaining({ operation: 'wait', waitMode: 'durable' })]);
		}
	});

	it('gives a node that waits on for another the same columns', () => {
		// Options of the job itself belong to the node that creates it.
		const ofJob = { timeout: undefined };
		const ofRows = ({ bestPriceOptions, columns, fields, output, options }: INode['parameters']) => ({
			...{ bestPriceOptions, columns, fields, output },
			options: { ...(options as object), ...ofJob },
		});
		const waiting = nodes.filter(({ parameters }) => parameters.operation === 'wait');
		for (const { name, parameters } of waiting) {
			const before = nodes.filter((node) =>
				connections[node.name]?.main?.[1]?.some(({ node: next }) => next === name),
			);
			for (const node of before) expect(ofRows(node.parameters)).toEqual(ofRows(parameters));
		}
	});
});

it.each(['prices-into-sheet.json', 'price-drops-to-slack.json'])(
	'%s starts at seven, as the README says',
	(file) => {
		const start = readExample(file).nodes.find(({ name }) => name === 'Every morning');
		expect(start?.parameters.rule).toEqual({ interval: [{ triggerAtHour: 7 }] });
	},
);

it('5000-products-overnight.json asks after ten hours, when the nine hours of its jobs are over', () => {
	const { nodes } = readExample('5000-products-overnight.json');
	const { options, waitOptions } =
		nodes.find(({ parameters }) => parameters.waitMode === 'webhook')?.parameters ?? {};
	expect([options, waitOptions]).toMatchObject([{ timeout: 9 * 60 }, { pollInterval: 10 * 3_600 }]);
});
