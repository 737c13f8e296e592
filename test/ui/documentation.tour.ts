import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';

import { collect, sandbox } from '../e2e/harness/collecting';
import { createCredential, n8n, type CredentialReference } from '../e2e/harness/e2e';
import { importExample, playDays, SHEET, type Market } from '../e2e/harness/examples';
import { office, officeCredentials } from '../e2e/harness/office';
import { sharedServers } from '../e2e/harness/shared';
import { connect, node } from '../engine/workflow';
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

/** What the columns of a narrow sheet are: a picture has no room for all. */
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

const EXAMPLES = readdirSync(path.join(__dirname, '../../examples')).filter((file) => file.endsWith('.json'));

/** A picture of the canvas of a workflow, without its notes. */
async function canvas(editor: Editor, name: string, id: string, nodes: readonly INode[]): Promise<void> {
	await editor.openWorkflow(id);
	await editor.showAll();
	const shown = nodes.filter(({ type }) => !type.includes('sticky')).map((one) => editor.node(one.name));
	const words = shown.flatMap((one) => [one.getByText(/./).first(), one.getByText(/./).last()]);
	await editor.picture(name, ...shown, ...words);
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

test.each([
	['keep-checking', 'poll'],
	['sleep-between-checks', 'durable'],
	['sleep-until-called', 'webhook'],
])('the canvas of a way to wait: %s', async (name, waitMode) => {
	const sheet = { typeVersion: 4.7, credentials: await officeCredentials() };
	const ours = { credentials: { priceCollectionApi } };
	const at = (...position: [number, number]) => ({ position });
	const collector = collect({ waitMode, values: '={{ $json.gtin }}', lookupKey: 'gtin' });
	const wait = node('Wait', collector.type, { operation: 'wait', waitMode: 'durable' });
	const isAsleep = waitMode !== 'poll';
	const nodes = [
		node('Every morning', 'n8n-nodes-base.scheduleTrigger', {}, { typeVersion: 1.2 }),
		node('Get row(s) in sheet', 'n8n-nodes-base.googleSheets', {}, { ...sheet, ...at(220, 0) }),
		{ ...collector, name: 'Collect prices', ...ours, ...at(440, 0) },
		node(
			'Update row in sheet',
			'n8n-nodes-base.googleSheets',
			{ operation: 'update' },
			{ ...sheet, ...at(880, 0) },
		),
		...(isAsleep ? [{ ...wait, ...ours, ...at(660, 220) }] : []),
	];
	const { id } = await n8n().createWorkflow({
		name,
		nodes,
		connections: connect({
			'Every morning': ['Get row(s) in sheet'],
			'Get row(s) in sheet': ['Collect prices'],
			'Collect prices': ['Update row in sheet', ...(isAsleep ? ['Wait'] : [])],
			...(isAsleep && { Wait: ['Update row in sheet', 'Wait'] }),
		}),
	});
	const editor = await Editor.open();
	await canvas(editor, name, id, nodes);
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
