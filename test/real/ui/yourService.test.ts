import { readFileSync } from 'node:fs';
import path from 'node:path';

import { sandbox } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n } from '../e2e/harness/e2e';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

/** Follows the page `docs/your-service.md`, in its words, with a service that has other names for everything. */
const page = readFileSync(path.join(__dirname, '../../../docs/your-service.md'), 'utf8');

function said(words: string): string {
	expect(page).toContain(words);
	return words;
}

const COLLECT = 'Collect prices and product data';
const VALUE = 'kettle of a marketplace';

/** The content of the page's example, as the service has it. */
const CONTENT = JSON.parse(
	readFileSync(path.join(__dirname, '../../fixtures/contents/marketplace.json'), 'utf8'),
) as object;

let editor: Editor;

beforeAll(async () => {
	await sandbox('POST', 'options', { market: { [VALUE]: CONTENT } });
	editor = await Editor.open();
});

afterAll(async () => {
	await sandbox('POST', 'options', { market: {} });
	await editor?.close();
});

/** The page's picture of the field report. */
const REPORT = [
	['title', 'Kettle', '1', 'name'],
	...[
		['featured_offer.price.current', '45,90 €'],
		['featured_offer.seller.username', 'kettle-king'],
		['featured_offer.state.label', 'Brand new'],
		['featured_offer.delivery.cost', '4,95 €'],
		['other_offers', 'list of 2'],
		['other_offers.price.current', '44,50 €'],
		['other_offers.seller.username', 'second-life'],
		['other_offers.state.label', 'Used'],
		['other_offers.delivery.cost', 'free'],
	].map(([path, example]) => [path, example, '1', 'null']),
];

test('from an empty credential to right rows, by the page alone', async () => {
	const { name } = await createCredential();
	const { id } = await n8n().createWorkflow({
		nodes: [node('Start', MANUAL_TRIGGER)],
		connections: connect({}),
	});
	await editor.openWorkflow(id);
	await editor.addNode(editor.plusOf('Start'), 'Price Collection', COLLECT);
	await editor.chooseCredential(name);
	await editor.choose('lookupKey', 'Search Term');
	await editor.paste('country', 'de');
	said('*Use Test Source*');
	await editor.parameter('useTestSource').locator('.el-switch').click();
	await editor.paste('values', VALUE);

	await editor.run();
	await expectSoon(
		async () =>
			(await editor.cells('best_price', 'result_reason')).map(([price, reason]) => [
				price,
				reason?.slice(0, 61),
			]),
		[['null', 'test data; no known field for the offers: featured_offer, oth']],
	);

	said('Set *Output* to *Field Report*');
	await editor.choose('output', 'Field Report');
	await editor.run();
	await expectSoon(
		async () =>
			(await editor.cells('path', 'example', 'results', 'read_as')).filter(
				([one]) => !one?.endsWith('.id'),
			),
		REPORT,
	);
	await editor.picture('field-report', ...editor.outputDownTo(editor.output.locator('tbody tr').last()));

	await editor.panel.getByTestId('credential-edit-button').click();
	const dialog = editor.page.getByTestId('editCredential-modal');
	const field = (label: string) =>
		dialog.getByTestId('credential-connection-parameter').filter({ hasText: label });
	await field(said('Customize Service')).locator('.el-switch').click();
	for (const heading of ['What is sent', 'What is read', 'The list of jobs', 'Callbacks and addresses'])
		await dialog.getByText(heading).first().waitFor();
	await field('Field Names').first().scrollIntoViewIfNeeded();
	const lines = /```\n(offers: [^`]*)```/.exec(page)?.[1] ?? '';
	await field(said('Field Names as Text')).locator('textarea').fill(lines);
	await dialog.getByTestId('credential-save-button').getByRole('button').click();
	await dialog.getByText('Connection tested successfully', { exact: true }).waitFor();
	await field('Field Names as Text').scrollIntoViewIfNeeded();
	await editor.picture('field-names', dialog);
	await editor.page.keyboard.press('Escape');

	said('Set *Output* back, and run.');
	await editor.openWorkflow(id);
	await editor.openPanel(COLLECT);
	await editor.choose('output', 'Automatic');
	await editor.run();
	await expectSoon(
		async () => await editor.cells('best_price', 'best_total', 'best_shop', 'result_reason'),
		[['47', '47', 'pots4you', 'test data']],
	);
});
