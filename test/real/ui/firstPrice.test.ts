import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sandbox } from '../e2e/harness/collecting';
import { n8n } from '../e2e/harness/e2e';
import { office, officeCredentials, sheetRows } from '../e2e/harness/office';
import { sharedServers } from '../e2e/harness/shared';
import type { Cell } from '../../fakes/office/spreadsheet';
import { Editor } from './editor';

/**
 * Follows a chapter of the README to the letter, on a small laptop's screen size. All words that are clicked, chosen or
 * read go through `said`, because the README must use the editor's words.
 */
const CHAPTER = 'Your first prices in ten minutes';

const readme = readFileSync(path.join(__dirname, '../../../README.md'), 'utf8');
const chapter = readme.split(/^## /m).find((text) => text.startsWith(CHAPTER)) ?? '';

function said(words: string): string {
	expect(chapter).toContain(words);
	return words;
}

/** A typical shop's sheet: numbers, a blank cell, and a GTIN with a mistyped last digit. */
const PRODUCTS: Cell[][] = [
	['sku', 'gtin', 'price'],
	['A-1', 4006381333931, 45],
	['A-2', '', 12.5],
	['A-3', 4006381333932, 12.5],
	['A-4', 5901234123457, '799,00 €'],
];

const DOCUMENT = 'prices-of-a-small-shop-2026';
const ADDRESS = `https://docs.google.com/spreadsheets/d/${DOCUMENT}/edit`;

const SOME: unknown = expect.stringMatching(/./);
const PRICE: unknown = expect.any(Number);
const NUMBER: unknown = expect.any(Number);

let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open();
});

afterAll(async () => await editor?.close());

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
		// An unused account, like the reader's.
		const { secondApiKey } = await sandbox<{ secondApiKey: string }>('GET', 'options');
		await enter('API Key', secondApiKey);
		await saveAndRead('Connection tested successfully');
		await editor.picture('credential', dialog);
		await page.keyboard.press('Escape');
	});

	it('imports the workflow and ends with prices in the sheet, in the rows that asked', async () => {
		const { page } = editor;
		/** A field that the README calls by its label. */
		const field = async (name: string, label: string) => {
			said(`*${label}*`);
			const shown = editor.panel.locator(`label[for="${name}"]`);
			await shown.getByText(label, { exact: true }).first().waitFor();
			return editor.parameter(name);
		};
		await office({ documents: { [DOCUMENT]: { Products: PRODUCTS } } });
		const google = await officeCredentials();

		await editor.openNewWorkflow();
		await editor.importFile(path.join(__dirname, '../../../examples', said('prices-into-sheet.json')));

		const account = google.googleSheetsOAuth2Api?.name ?? '';
		await editor.openPanel(said('Get row(s) in sheet'));
		await editor.chooseCredential(account);
		await field('documentId', 'Document');
		await editor.paste('documentId', ADDRESS);
		await field('sheetName', 'Sheet');
		await editor.paste('sheetName', said('Products'));
		await editor.closePanel();

		await editor.openPanel(said('Update row in sheet'));
		await editor.chooseCredential(account);
		await editor.closePanel();

		await editor.openPanel(said('Collect prices'));
		await editor.chooseCredential(credentialName);
		await field('useTestSource', 'Use Test Source');
		for (const [name, label] of [
			['ownPrice', 'Own Price'],
			['previousPrice', 'Previous Price'],
		] as const)
			await field(name, label);
		const tab = editor.settings.getByText('Parameters', { exact: true });
		await tab.click();
		await editor.picture('panel-of-collect', tab, editor.runButton(), editor.parameter('waitMode'));
		await editor.closePanel();

		said('**Execute workflow**');
		await page.getByTestId('execute-workflow-button').first().click();
		const written = editor.node('Update row in sheet');
		await written.locator('[data-test-id="canvas-node-status-success"]').waitFor();
		const rows = await sheetRows(DOCUMENT, 'Products');
		const own = ['sku', 'gtin', 'price'];
		const columns = ['best_price', 'best_shop', 'price_gap', 'result_found', 'result_reason'];
		expect(rows.map((row) => [...own, ...columns].map((column) => row[column]))).toEqual([
			['A-1', 4006381333931, 45, PRICE, SOME, NUMBER, true, 'test data'],
			['A-2', '', 12.5, '', '', '', false, 'test data; not looked up: no GTIN in this row'],
			[
				...['A-3', 4006381333932, 12.5, '', '', '', false],
				expect.stringMatching(/^test data; not looked up: .*check digit/),
			],
			['A-4', 5901234123457, '799,00 €', PRICE, SOME, NUMBER, true, 'test data'],
		]);
		// The best price is the first column after the sheet's own.
		expect(Object.keys(rows[0] ?? {}).slice(0, own.length + 1)).toEqual([...own, 'best_price']);
		for (const column of ['best_price', 'best_shop', 'best_url', 'price_gap', 'price_rank'])
			said(`\`${column}\``);
	});

	it('goes on with real data from the sources that it names, which it does not compare with the test prices', async () => {
		const { page } = editor;
		/** Executes the workflow, and reads what was found in the sheet. */
		const changes = async () => {
			const [, workflowId = ''] = /\/workflow\/(\w+)/.exec(page.url()) ?? [];
			const { length } = await n8n().executionsOf(workflowId);
			await page.getByTestId('execute-workflow-button').first().click();
			const ids = await n8n().waitForExecutions(workflowId, { count: length + 1 });
			await n8n().waitForExecution(String(Math.max(...ids.map(Number))));
			const rows = await sheetRows(DOCUMENT, 'Products');
			const columns = ['best_price', 'price_change', 'price_change_percent', 'result_reason'];
			return rows
				.filter(({ result_found }) => result_found)
				.map((row) => columns.map((name) => row[name]));
		};
		await editor.openPanel('Collect prices');
		await editor.parameter('useTestSource').locator('.el-switch').click();
		await editor.openList('source');
		await page.getByTestId('rlc-item').first().waitFor();
		const sources = ['amazon', 'ebay', 'google_shopping'];
		for (const source of sources) said(`\`${source}\``);
		const notUsed = (source: string) => `${source} – common, not used by you yet`;
		expect(await editor.listed()).toEqual([...sources.map(notUsed), 'test – free, with made-up data']);
		await page.getByTestId('rlc-item').getByText(notUsed('google_shopping')).click();
		await editor.closePanel();

		said('`price_change` is empty');
		expect(await changes()).toEqual([
			[PRICE, '', '', ''],
			[PRICE, '', '', ''],
		]);
		// From the next run on there are two real prices to compare.
		expect(await changes()).toEqual([
			[PRICE, 0, 0, ''],
			[PRICE, 0, 0, ''],
		]);
	});
});
