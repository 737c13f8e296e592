import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { SANDBOX_KEY, n8n } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { Editor, expectSoon } from './editor';
import { READER } from './pictures';

/**
 * Follows a chapter of the README to the letter, in a browser of the size of a small laptop's. All that is clicked, chosen or
 * read by its words goes through `said`: the README has to use the words that the editor shows.
 */
const CHAPTER = 'The first price in ten minutes';

const readme = readFileSync(path.join(__dirname, '../../README.md'), 'utf8');
const chapter = readme.split(/^## /m).find((text) => text.startsWith(CHAPTER)) ?? '';

function said(words: string): string {
	expect(chapter).toContain(words);
	return words;
}

/** What a sheet gives: numbers, a cell that is blank, and a GTIN whose last digit is mistyped. */
const SHEET = [
	{ sku: 'A-1', gtin: 4006381333931 },
	{ sku: 'A-2', gtin: '' },
	{ sku: 'A-3', gtin: 4006381333932 },
	{ sku: 'A-4', gtin: 5901234123457 },
];

let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open(READER);
});

afterAll(async () => await editor?.close());

/** An address at which nothing listens. */
async function deadAddress(): Promise<string> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return `http://127.0.0.1:${port}`;
}

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
		await page
			.getByRole('button', { name: said('Create credential') })
			.first()
			.click();
		await page.getByTestId('new-credential-type-select').click();
		await page.keyboard.type('price');
		await page
			.getByTestId('new-credential-type-select-option')
			.getByText(said('Price Collection API'))
			.click();
		await page.getByRole('button', { name: said('Continue') }).click();

		const dialog = page.getByTestId('editCredential-modal');
		const save = dialog.getByTestId('credential-save-button').getByRole('button');
		const enter = async (label: string, value: string) =>
			await dialog
				.getByTestId('credential-connection-parameter')
				.filter({ hasText: said(label) })
				.locator('input')
				.fill(value);
		credentialName = await dialog.getByTestId('inline-edit-preview').innerText();

		await enter('Base URL', sharedServers().sandboxUrl);
		expect(await save.isDisabled()).toBe(true);

		const saveAndRead = async (verdict: string) => {
			await save.click();
			await dialog.getByText(verdict, { exact: true }).waitFor();
		};
		await enter('API Key', 'WRONG');
		await saveAndRead(said("Couldn't connect with these settings").replace("'", '’'));
		// They stay open for what goes wrong next.
		await dialog.getByText(said('More details')).click();
		const reasons = {
			key: 'The service did not accept the key. Check the key, and how it is sent (Authentication), in the credential. The service says: "unauthorized" (parameter token): Provide your API key with the parameter \'token\'! Endpoint: GET /v2/me/usage_today, HTTP 401.',
			dead: 'The service does not accept connections. Check the Base URL of the credential. If it is right, the service is down: try again later. Endpoint: GET /v2/me/usage_today.',
			website:
				'There is no Price Collection service at this address. Check the Base URL of the credential. It is the part before /v2/jobs. Version 1 and its address are retired. Endpoint: GET /v2/me/usage_today, HTTP 404.',
		};
		await dialog.getByText(reasons.key, { exact: true }).waitFor();
		await enter('Base URL', await deadAddress());
		await saveAndRead(reasons.dead);
		await enter('Base URL', n8n().baseUrl);
		await saveAndRead(reasons.website);

		await enter('Base URL', `${sharedServers().sandboxUrl}/v2/jobs`);
		await enter('API Key', SANDBOX_KEY);
		await saveAndRead(said('Connection tested successfully'));
		await editor.picture('credential', dialog);
		await page.keyboard.press('Escape');
	});

	it('ends with a file of one row for each row of the sheet: value, name, best price, shop, link', async () => {
		const { page, output } = editor;
		await editor.openNewWorkflow();
		await page.getByTestId('canvas-plus-button').click();
		await page.getByTestId('node-creator').getByText(said('Trigger manually')).click();

		const start = 'When clicking ‘Execute workflow’';
		const sheet = said('Get row(s) in sheet');
		await editor.addNode(editor.plusOf(start), said('Google Sheets'), sheet);
		await page.getByText(said('set mock data')).click();
		await output.locator('.cm-content').fill(JSON.stringify(SHEET));
		await output.getByRole('button', { name: 'Save' }).click();
		await editor.closePanel();

		const collect = said('Collect prices and product data');
		await editor.addNode(editor.plusOf(sheet), said('Price Collection'), collect);
		await page.getByTestId('node-credentials-select').click();
		await page.getByText(credentialName, { exact: true }).last().click();
		said('*Use Test Source*');
		await editor.parameter('useTestSource').locator('.el-switch').click();
		said('*Country*');
		await page.getByTestId('resource-locator-country').getByTestId('rlc-input').fill(said('de'));
		said('*Values*');
		const values = editor.parameter('values');
		await drag(page.getByTestId('ndv-input-panel').locator('[data-name="gtin"]'), values);
		await values.getByText(said('{{ $json.gtin }}')).waitFor();
		const tab = editor.settings.getByText('Parameters', { exact: true });
		await tab.click();
		await editor.picture('panel-of-collect', tab, editor.runButton(), editor.parameter('waitMode'));

		await editor.run(said('Execute step'));
		await output.getByText(said('The test source costs nothing.')).waitFor();
		await output
			.getByText('2 values were not sent and cost nothing (1 blank; 1 not valid: "4006381333932").')
			.waitFor();
		await editor.picture('rows-of-collect');
		expect((await editor.columns()).slice(0, 9)).toEqual([
			'value',
			'found',
			'name',
			'best_price',
			'best_total',
			'best_currency',
			'best_shop',
			'best_condition',
			'best_url',
		]);

		await editor.addOption('options', said('Fields'));
		await editor.parameter('fields').click();
		const columns = ['value', 'name', 'best_price', 'best_shop', 'best_url'];
		said(columns.map((column) => `\`${column}\``).join(', '));
		for (const column of columns) await page.getByRole('option', { name: column, exact: true }).click();
		await page.keyboard.press('Escape');
		await editor.closePanel();

		said('*Finished*');
		const toFile = 'Convert to File';
		await editor.addNode(editor.plusOf(collect), said(toFile), said('Convert to CSV'));
		await editor.closePanel();
		await page.getByTestId('execute-workflow-button').getByText(said('Execute workflow')).last().click();
		await editor.node(toFile).getByTestId('canvas-node-status-success').waitFor();
		const shown = [start, sheet, collect, toFile].map((name) => editor.node(name));
		const words = shown.flatMap((node) => [node.getByText(/./).first(), node.getByText(/./).last()]);
		await editor.picture('workflow', ...shown, ...words);

		await editor.openPanel(collect);
		await expectSoon(async () => await editor.columns(), columns);
		await editor.picture('best-prices', ...editor.outputDownTo(output.locator('table')));
		await editor.closePanel();

		await editor.node(toFile).dblclick();
		const [download] = await Promise.all([
			page.waitForEvent('download'),
			output.getByText('Download', { exact: true }).click(),
		]);
		const [head, ...rows] = readFileSync(await download.path(), 'utf8')
			.trim()
			.split('\n');
		expect(head?.replace('\uFEFF', '')).toBe(columns.join(','));
		const priced = (value: string) => new RegExp(`^${value},.+,\\d+(\\.\\d+)?,.+,https://[^,]+$`);
		expect(rows).toEqual([
			expect.stringMatching(priced('4006381333931')),
			',,,,',
			'4006381333932,,,,',
			expect.stringMatching(priced('5901234123457')),
		]);
	});
});
