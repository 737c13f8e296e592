import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

/** What holds for every example as it stands in its file. That each does what it says is tested end to end. */
const ROOT = path.resolve(__dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples');

const PRICE_COLLECTION = 'n8n-nodes-price-collection.priceCollection';

/** Nodes that stand in for the user's own list: they are deleted, and nothing may name them. */
const REPLACED = ['n8n-nodes-base.dataTable', 'n8n-nodes-base.splitOut', 'n8n-nodes-base.noOp'];

interface Example {
	nodes: INode[];
	connections: IConnections;
}

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

describe.each(files)('%s', (file) => {
	const text = readFileSync(path.join(EXAMPLES, file), 'utf8');
	const { nodes, connections } = JSON.parse(text) as Example;
	const named = [...text.matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name ?? '');
	const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
	const noteTexts = notes.map(({ parameters }) => String(parameters.content));

	it('names in its expressions only nodes that there are, and none that a user replaces', () => {
		const types = named.map((name) => nodes.find((node) => node.name === name)?.type);
		expect(types).not.toContain(undefined);
		expect(types.filter((type) => REPLACED.includes(type ?? ''))).toEqual([]);
		expect(named).not.toContain('Products');
	});

	it('names in bold in its notes only nodes that there are, or their fields', () => {
		const names = new Set(nodes.map(({ name }) => name));
		const bold = noteTexts.flatMap((note) =>
			[...note.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name),
		);
		const isKnown = (name = '') => names.has(name) || names.has(name.split(' → ')[0] ?? '');
		const WORDS = ['in one job', 'Download', 'Execute workflow'];
		expect(bold.filter((name) => !isKnown(name) && !WORDS.includes(name ?? ''))).toEqual([]);
	});

	it('names no file in its notes: nobody sees the files after the import', () => {
		expect(noteTexts.join('\n')).not.toMatch(/\.json|docs\/|README/);
	});

	it('takes prices, gaps, changes and ranks from the node, and computes none of them', () => {
		expect(text).not.toMatch(
			/Math\.min|lowest_price: |sort\(|best_price - \$json\.(?!0)|- \$json\.best_price/,
		);
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
		const ofRows = ({ bestPriceOptions, columns, output, options }: INode['parameters']) => ({
			...{ bestPriceOptions, columns, output, options },
		});
		for (const { name, parameters } of nodes.filter(
			({ parameters }) => parameters.operation === 'wait',
		)) {
			const before = nodes.filter((node) =>
				connections[node.name]?.main?.[1]?.some(({ node: next }) => next === name),
			);
			for (const node of before) expect(ofRows(node.parameters)).toEqual(ofRows(parameters));
		}
	});

	it('is told of in the list of examples and run by an end-to-end test', () => {
		expect(readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8')).toContain(`(${file})`);
		const tests = path.join(ROOT, 'test/e2e');
		const name = file.replace('.json', '');
		const runs = readdirSync(tests).filter(
			(test) => test.endsWith('.ts') && readFileSync(path.join(tests, test), 'utf8').includes(name),
		);
		expect(runs).not.toEqual([]);
	});
});
