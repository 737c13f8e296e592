import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { sandbox } from '../e2e/harness/collecting';
import { n8n } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { Editor, expectSoon } from './editor';

/**
 * Follows a chapter of the README to the letter, in a browser of the size of a small laptop's. All words of the chapter that
 * are clicked, chosen or read go through `said`: the README has to use the words that the editor shows.
 */
const CHAPTER = 'Your first price in ten minutes';

const readme = readFileSync(path.join(__dirname, '../../README.md'), 'utf8');
const chapter = readme.split(/^## /m).find((text) => text.startsWith(CHAPTER)) ?? '';

function said(words: string): string {
	expect(chapter).toContain(words);
	return words;
}

/** A sheet as shops have them: numbers, a cell that is blank, and a GTIN whose last digit is mistyped. */
const SHEET = [
	{ sku: 'A-1', gtin: 4006381333931 },
	{ sku: 'A-2', gtin: '' },
	{ sku: 'A-3', gtin: 4006381333932 },
	{ sku: 'A-4', gtin: 5901234123457 },
];

/** The sheet's own columns, and the answer behind them. */
const COLUMNS = [
	...['sku', 'gtin', 'result_value', 'found', 'result_name', 'best_price', 'best_total', 'best_currency'],
	...['best_shop', 'best_availability', 'best_url', 'reason'],
];

const SOME: unknown = expect.stringMatching(/./);
const PRICE: unknown = expect.stringMatching(/^\d+(\.\d+)?$/);

const priced = (sku: string, gtin: string) => [
	...[sku, gtin, gtin, 'true', SOME, PRICE, PRICE, 'EUR', SOME, SOME],
	...[expect.stringMatching(/^https:\/\/\S+$/), 'null'],
];
const notSent = (sku: string, gtin: string, value: string, reason: unknown) => [
	...[sku, gtin, value, 'false', ...Array<string>(7).fill('null'), reason],
];
const ROWS = [
	priced('A-1', '4006381333931'),
	notSent('A-2', 'empty', 'null', expect.stringMatching(/^not looked up: no GTIN in this row$/)),
	notSent('A-3', '4006381333932', '4006381333932', expect.stringMatching(/^not looked up: .*check digit/)),
	priced('A-4', '5901234123457'),
];

let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open();
});

afterAll(async () => await editor?.close());

/** Moves a column of the input onto a field, as a hand does. */
async function drag(column: Locator, field: Locator): Promise<void> {
	await field.scrollIntoViewIfNeeded();
	const [from, to] = [await column.boundingBox(), await field.boundingBox()];
	if (!from || !to) throw new Error('There is nothing to drag, or nowhere to drop it');
	const { mouse } = editor.page;
	await mouse.move(from.x + 10, from.y + from.height / 2);
	await mouse.down();
	await mouse.move(to.x + 40, to.y + to.height / 2, { steps: 15 });
	await mouse.up();
}

describe(CHAPTER, () => {
	let credentialName: string;

	it('says what is wrong with a credential, and what to do, until it is right', async () => {
		const { page } = editor;
		await page.goto(`${n8n().baseUrl}/home/credentials`);
		await page.getByRole('button', { name: 'Create credential' }).first().click();
		await page.getByTestId('new-credential-type-select').click();
		await page.keyboard.type('price');
		await page
			.getByTestId('new-credential-type-select-option')
			.getByText(said('Price Collection API'))
			.click();
		await page.getByRole('button', { name: 'Continue' }).click();

		const dialog = page.getByTestId('editCredential-modal');
		const save = dialog.getByTestId('credential-save-button').getByRole('button');
		const enter = async (label: string, value: string) => {
			said(`*${label}*`);
			await dialog
				.getByTestId('credential-connection-parameter')
				.filter({ hasText: label })
				.locator('input')
				.fill(value);
		};
		credentialName = await dialog.getByTestId('inline-edit-preview').innerText();

		await enter('Base URL', sharedServers().sandboxUrl);
		expect(await save.isDisabled()).toBe(true);

		const saveAndRead = async (verdict: string) => {
			await save.click();
			await dialog.getByText(verdict, { exact: true }).waitFor();
		};
		await enter('API Key', 'WRONG');
		await saveAndRead('Couldn’t connect with these settings');
		await dialog.getByText(said('More details')).click();
		const reason =
			'The service did not accept the key. Check the key, and how it is sent (Authentication), in the credential. The service says: "unauthorized" (parameter token): Provide your API key with the parameter \'token\'! Endpoint: GET /v2/me/usage_today, HTTP 401.';
		await dialog.getByText(reason, { exact: true }).waitFor();

		await enter('Base URL', `${sharedServers().sandboxUrl}/v2/jobs`);
		// An account that nobody has used yet, as the reader's.
		const { secondApiKey } = await sandbox<{ secondApiKey: string }>('GET', 'options');
		await enter('API Key', secondApiKey);
		await saveAndRead('Connection tested successfully');
		await editor.picture('credential', dialog);
		await page.keyboard.press('Escape');
	});

	it('ends with the answer behind each row of the sheet, ready to be written back', async () => {
		const { page, output } = editor;
		const input = page.getByTestId('ndv-input-panel');
		/** A field of the node that the README calls by its label. */
		const field = async (name: string, label: string) => {
			said(`*${label}*`);
			const shown = editor.panel.locator(`label[for="${name}"]`);
			await shown.getByText(label, { exact: true }).waitFor();
			return editor.parameter(name);
		};

		/** What the list of a locator offers; an account without jobs has none of its own. */
		const offered = async (name: string) => {
			await page.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
			await page.getByTestId('rlc-item').first().waitFor();
			return await editor.listed();
		};
		const choose = async (name: string, entry: string) => {
			expect(await offered(name)).toContain(`${entry} (usual)`);
			await page.getByTestId('rlc-item').filter({ hasText: entry }).click();
		};

		await editor.openNewWorkflow();
		await page.getByTestId('canvas-plus-button').click();
		await page.getByTestId('node-creator').getByText(said('Trigger manually')).click();

		const start = 'When clicking ‘Execute workflow’';
		const sheet = said('Get row(s) in sheet');
		const sheets = said('Google Sheets');
		await editor.addNode(editor.plusOf(start), sheets, sheet);
		await page.getByText(said('set mock data')).click();
		await output.locator('.cm-content').fill(JSON.stringify(SHEET));
		await output.getByRole('button', { name: 'Save' }).click();
		await editor.closePanel();

		const collect = said('Collect prices and product data');
		await editor.addNode(editor.plusOf(sheet), said('Price Collection'), collect);
		await page.getByTestId('node-credentials-select').click();
		await page.getByText(credentialName, { exact: true }).last().click();
		const useTestSource = (await field('useTestSource', 'Use Test Source')).locator('.el-switch');
		await useTestSource.click();
		await field('country', 'Country');
		await choose('country', said('de'));
		const gtins = await field('values', 'GTINs');
		await drag(input.locator(`[data-name="${said('gtin')}"]`), gtins);
		await gtins.getByText('{{ $json.gtin }}').waitFor();
		const tab = editor.settings.getByText('Parameters', { exact: true });
		await tab.click();
		await editor.picture('panel-of-collect', tab, editor.runButton(), editor.parameter('output'));

		await editor.run(said('Execute step'));
		await output.getByText('Finished Branch (4 items)').waitFor();
		await output.getByText('The test source costs nothing.').waitFor();
		await output
			.getByText('2 values were not sent and cost nothing (1 blank; 1 not valid: "4006381333932").')
			.waitFor();
		said('`found`, `result_name`, `best_price`, `best_shop`, `best_url`');
		await expectSoon(async () => await editor.columns(), COLUMNS);
		expect(await editor.rows(COLUMNS.length)).toEqual(ROWS);
		await editor.closePanel();

		said('*Finished*');
		const writeBack = said('Update row in sheet');
		await editor.addNode(editor.plusOf(collect), sheets, writeBack);
		await editor.closePanel();
		// Its account is Google's: what it would write is what it is given, in columns of the names that the sheet is to have.
		await editor.openPanel(writeBack);
		await input.getByText('Table', { exact: true }).click();
		await expectSoon(async () => await editor.columns(input), COLUMNS);
		expect(await editor.rows(COLUMNS.length, input)).toEqual(ROWS);
		await editor.closePanel();

		await editor.openPanel(collect);
		await useTestSource.click();
		await field('source', 'Source');
		const sources = ['amazon', 'ebay', 'google_shopping'];
		for (const source of sources) said(`\`${source}\``);
		expect(await offered('source')).toEqual([
			...sources.map((source) => `${source} (usual)`),
			'test (free test)',
		]);
	});
});
