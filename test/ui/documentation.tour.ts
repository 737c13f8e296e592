import { locator, sandbox } from '../e2e/harness/collecting';
import { createCredential, n8n, type CredentialReference } from '../e2e/harness/e2e';
import { importExample, runFrom } from '../e2e/harness/examples';
import { Editor } from './editor';

/** Takes the pictures of results for the documentation (`npm run screenshots`), with products as a shop has them. */
const PRODUCTS = [
	{ sku: 'A-100', gtin: '4006381333931', price: 45.9 },
	{ sku: 'A-101', gtin: '5901234123457', price: 799 },
	{ sku: 'A-102', gtin: '4012345678901', price: 38.5 },
	{ sku: 'A-103', gtin: '4388844146129', price: 74.95 },
];

const [START, READ, COLLECT, WRITE] = [
	'When clicking ‘Execute workflow’',
	'Get row(s) in sheet',
	'Collect prices',
	'Update row in sheet',
];

let priceCollectionApi: CredentialReference;

beforeAll(async () => {
	await sandbox('POST', 'options', { texts: 'everyday' });
	priceCollectionApi = await createCredential();
});
afterAll(async () => await sandbox('POST', 'options', { texts: 'awkward' }));

/** Imports the example with the sheet; n8n gives out the products for the sheet, which needs an account elsewhere. */
async function importPrices(): Promise<string> {
	const sheet = { documentId: locator('id', 'prices'), sheetName: locator('name', 'Prices') };
	const google = await n8n().createCredential('Google Sheets', {}, 'googleSheetsOAuth2Api');
	const { id } = await importExample('prices-into-sheet', {
		credentials: { priceCollectionApi, googleSheetsOAuth2Api: google },
		edits: {
			[READ]: sheet,
			[COLLECT]: {
				// As few columns as a picture has room for.
				columns: 'selected',
				fields: ['name', 'best_total', 'best_shop', 'price_gap'],
				ownPrice: '={{ $json.price }}',
			},
			[WRITE]: sheet,
		},
		pinned: { [READ]: PRODUCTS, [WRITE]: PRODUCTS },
	});
	return id;
}

test.each(['light', 'dark'] as const)('a sheet with its prices, %s', async (theme) => {
	const editor = await Editor.open(theme);
	const { page, output } = editor;
	await editor.openWorkflow(await importPrices());
	await page.getByTestId('execute-workflow-button').first().click();
	await editor.node(COLLECT).locator('[data-test-id="canvas-node-status-success"]').waitFor();
	await editor.showAll();
	if (theme === 'light') {
		const shown = [START, READ, COLLECT, WRITE].map((name) => editor.node(name));
		const words = shown.flatMap((node) => [node.getByText(/./).first(), node.getByText(/./).last()]);
		await editor.picture('workflow', ...shown, ...words);
	}
	await editor.openPanel(COLLECT);
	await output.getByText('Finished Branch (4 items)').waitFor();
	const name = theme === 'dark' ? 'best-prices-dark' : 'best-prices';
	await editor.picture(name, ...editor.outputDownTo(output.locator('table')));
	await editor.close();
});

const DAY_MS = 24 * 60 * 60 * 1000;

test('the chart of the price history', async () => {
	const names = ['Kettle', 'Television', 'Desk lamp', 'Electric toothbrush'];
	const days = PRODUCTS.flatMap(({ gtin, price }, product) =>
		Array.from({ length: 30 }, (_, day) => ({
			day: new Date(Date.UTC(2026, 9, 20) + day * DAY_MS).toISOString().slice(0, 10),
			gtin,
			name: names[product] ?? '',
			best_price: Math.round(price * (1 + 0.08 * Math.sin((day + 7 * product) / 4)) * 100) / 100,
		})),
	);
	const { id, nodes } = await importExample('price-history-chart', {
		credentials: { priceCollectionApi },
		pinned: { 'All days': days },
	});
	const outcome = await runFrom(id, nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '');
	const [page] = outcome.items('Page');
	const editor = await Editor.open();
	await editor.page.setContent(String(page?.html));
	await editor.page.setViewportSize({ width: 780, height: 480 });
	await editor.picture('price-history', editor.page.locator('h1'), editor.page.locator('table'));
	await editor.close();
});
