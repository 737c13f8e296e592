import { sandbox } from '../e2e/harness/collecting';
import { createCredential, type CredentialReference } from '../e2e/harness/e2e';
import { importExample, playDays, runFrom, SHEET, type Market } from '../e2e/harness/examples';
import { office, officeCredentials } from '../e2e/harness/office';
import { sharedServers } from '../e2e/harness/shared';
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

test('the canvas of the first example', async () => {
	const credentials = { ...(await officeCredentials()), priceCollectionApi };
	const { id, nodes } = await importExample('prices-into-sheet', { credentials });
	const editor = await Editor.open();
	await editor.openWorkflow(id);
	await editor.showAll();
	const shown = nodes.filter(({ type }) => !type.includes('sticky')).map(({ name }) => editor.node(name));
	const words = shown.flatMap((node) => [node.getByText(/./).first(), node.getByText(/./).last()]);
	await editor.picture('workflow', ...shown, ...words);
	await editor.close();
});

const DAY_MS = 24 * 60 * 60 * 1000;

test.skip('the chart of the price history', async () => {
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
