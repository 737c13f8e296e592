import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

import { readExample, withCredentials } from '../../support/examples.cjs';
import { sandbox } from '../e2e/harness/collecting';
import { createCredential, n8n, type CredentialReference } from '../e2e/harness/e2e';
import { importExample, playDays, SHEET, type Market } from '../e2e/harness/examples';
import { office, officeCredentials } from '../e2e/harness/office';
import { sharedServers } from '../e2e/harness/shared';
import { connect, node } from '../../engine/support/workflow';
import { Editor } from './editor';

/** Takes the pictures of results for the documentation (`npm run screenshots`), with products as a shop has them. */
const PRODUCTS = [
	['sku', 'gtin', 'price'],
	['A-100', '4006381333931', 45.9],
	['A-101', '5901234123457', 799],
	['A-102', '9780201379624', 118.5],
	['A-103', '4012345678901', 38.5],
	['A-104', '', 12.9],
];

/** Columns of a narrow sheet, because a picture cannot show all. */
const NARROW = {
	columns: 'selected',
	fields: ['name', 'best_price', 'best_shop', 'price_gap', 'price_change', 'reason'],
};

let priceCollectionApi: CredentialReference;

beforeAll(async () => {
	await sandbox('POST', 'options', { texts: 'everyday' });
	priceCollectionApi = await createCredential();
	const documents = { [SHEET]: { Products: PRODUCTS } };
	await office({ documents, channels: { prices: [] } });
});
afterAll(async () => await sandbox('POST', 'options', { texts: 'awkward' }));

/** A picture of one of the office's pages. */
async function pageOfOffice(name: string, path: string, ...parts: string[]): Promise<void> {
	const editor = await Editor.open();
	await editor.page.goto(`${sharedServers().officeUrl}/_office/${path}`);
	await editor.picture(name, ...parts.map((part) => editor.page.locator(part)));
	await editor.close();
}

test('the sheet in the evening, and on the next two days', async () => {
	await pageOfOffice('sheet-before', `sheet/${SHEET}/Products`, 'table');
	const soldOut: Market = { 5901234123457: { name: 'Sonoro Television 55 inch, 4K', offers: [] } };
	await playDays('prices-into-sheet', [{}, soldOut], async () => undefined, { 'Collect prices': NARROW });
	await pageOfOffice('sheet-after', `sheet/${SHEET}/Products`, 'table');
});

const EXAMPLES = readdirSync(path.join(__dirname, '../../../examples')).filter((file) =>
	file.endsWith('.json'),
);

/** A picture of the canvas of a workflow, without its notes. */
async function canvas(editor: Editor, name: string, id: string, nodes: readonly INode[]): Promise<void> {
	await editor.openWorkflow(id);
	await editor.showAll();
	const shown = nodes.filter(({ type }) => !type.includes('sticky')).map((one) => editor.node(one.name));
	const words = shown.flatMap((one) => [one.getByText(/./).first(), one.getByText(/./).last()]);
	const wires = await editor.page.locator('.vue-flow__edge-path').all();
	await editor.picture(name, ...shown, ...words, ...wires);
}

test('the canvas of each example', async () => {
	const credentials = { ...(await officeCredentials()), priceCollectionApi };
	const editor = await Editor.open();
	for (const example of EXAMPLES.map((file) => path.parse(file).name)) {
		const { id, nodes } = await importExample(example, { credentials });
		await canvas(editor, `examples/${example}`, id, nodes);
	}
	await editor.close();
});

/** The README's workflow as it is, with a run that sleeps, and cut in two. */
const WAYS_TO_WAIT: Record<string, (nodes: Map<string, INode>) => [INode[], IConnections]> = {
	'keep-checking': (nodes) => [[...nodes.values()], {}],
	sleeping: (nodes) => {
		const [collector, update] = [nodes.get('Collect prices')!, nodes.get('Update row in sheet')!];
		const wait = node('Wait', collector.type, { operation: 'wait', waitMode: 'durable' });
		const asleep = { ...collector, parameters: { ...collector.parameters, waitMode: 'durable' } };
		const moved = [
			{ ...wait, position: [660, 200] as [number, number] },
			{ ...update, position: [880, 0] as [number, number] },
		];
		const into = ['Update row in sheet', 'Wait'];
		return [[...nodes.values(), asleep, ...moved], connect({ 'Collect prices': into, Wait: into })];
	},
	'create-and-trigger': (nodes) => {
		const [collector, update] = [nodes.get('Collect prices')!, nodes.get('Update row in sheet')!];
		const create = { ...collector, parameters: { ...collector.parameters, operation: 'create' } };
		const trigger = node('When a job has ended', `${collector.type}Trigger`, { output: 'results' });
		const moved = [
			{ ...trigger, position: [0, 200] as [number, number] },
			{ ...update, position: [220, 200] as [number, number] },
		];
		const wires = { 'Collect prices': [], 'When a job has ended': ['Update row in sheet'] };
		return [[...nodes.values(), create, ...moved], connect(wires)];
	},
};

test.each(Object.entries(WAYS_TO_WAIT))('the canvas of a way to wait: %s', async (name, change) => {
	const example = readExample('prices-into-sheet');
	const byName = (nodes: readonly INode[]) => new Map(nodes.map((one) => [one.name, one]));
	const [changed, connections] = change(byName(example.nodes));
	// The last node of a name counts.
	const shown = [...byName(changed).values()];
	const { id } = await n8n().createWorkflow({
		name,
		nodes: withCredentials(shown, { ...(await officeCredentials()), priceCollectionApi }),
		connections: { ...example.connections, ...connections },
	});
	const editor = await Editor.open();
	await canvas(editor, name, id, shown);
	await editor.close();
});

test('the message about what got cheaper', async () => {
	const documents = { [SHEET]: { Products: PRODUCTS } };
	await office({ documents, channels: { prices: [] } });
	const cheaper: Market = { 4006381333931: 0.88, 9780201379624: 0.9 };
	await playDays('price-drops-to-slack', [{}, cheaper], async () => undefined);
	await pageOfOffice('message', 'channel/prices', 'h1', 'article');
});

test('the chart after two weeks', async () => {
	await office({ documents: { [SHEET]: { Products: PRODUCTS.slice(0, 3) } } });
	const days: Market[] = Array.from({ length: 14 }, (_, day) => ({
		4006381333931: 1 + 0.08 * Math.sin(day / 2),
		5901234123457: 0.98 + 0.06 * Math.cos(day / 3),
	}));
	const pages = await playDays(
		'price-history-chart',
		days,
		async (outcome) => outcome.items('Chart')[0]?.html,
	);
	const editor = await Editor.open();
	await editor.page.setViewportSize({ width: 820, height: 900 });
	await editor.page.setContent(String(pages.at(-1)));
	await editor.picture(
		'price-history',
		editor.page.locator('body > *').first(),
		editor.page.locator('body > *').last(),
	);
	await editor.close();
});
