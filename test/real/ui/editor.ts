import { isDeepStrictEqual } from 'node:util';

import { chromium, selectors } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';

import { BROWSER_ARGUMENTS, findBrowser } from '../../support/browser.cjs';
import { BROWSER_ID } from '../../support/n8n/client.cjs';
import { n8n } from '../e2e/harness/e2e';
import { takePicture, VIEWPORT } from './pictures';

selectors.setTestIdAttribute('data-test-id');

/** The editor's first load takes several seconds, more if n8n and the browser share two cores. */
const TIMEOUT_MS = 90_000;

const REREAD_MS = 50;

/** n8n's editor in a browser, logged in as the owner, with the steps that tests share. */
export class Editor {
	/** The panel of the node that is open. */
	readonly panel: Locator;

	/** The column of the panel that holds the fields. */
	readonly settings: Locator;

	/** The column of the panel that holds the node's input. */
	readonly input: Locator;

	/** The column of the panel that holds the node's output. */
	readonly output: Locator;

	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
	) {
		this.panel = page.getByTestId('ndv');
		this.settings = this.panel.locator('.node-settings');
		this.input = page.getByTestId('ndv-input-panel');
		this.output = page.getByTestId('output-panel');
	}

	static async open(theme: 'light' | 'dark' = 'light'): Promise<Editor> {
		const executablePath = findBrowser();
		const browser = await chromium.launch({ executablePath, headless: true, args: BROWSER_ARGUMENTS });
		const context = await browser.newContext({ viewport: VIEWPORT });
		const client = n8n();
		const cookies = client.cookie.split('; ').map((entry) => {
			const [name = '', value = ''] = entry.split('=');
			return { name, value, url: client.baseUrl };
		});
		await context.addCookies(cookies);
		const stored = { 'n8n-browserId': BROWSER_ID, N8N_THEME: theme };
		await context.addInitScript(
			`for (const [name, value] of Object.entries(${JSON.stringify(stored)})) localStorage.setItem(name, value)`,
		);
		const page = await context.newPage();
		page.setDefaultTimeout(TIMEOUT_MS);
		return new Editor(browser, page);
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** Takes a picture of these parts for the documentation, if pictures are wanted. */
	async picture(name: string, ...shown: Locator[]): Promise<void> {
		await takePicture(this.page, name, shown);
	}

	async openNewWorkflow(): Promise<void> {
		await this.page.goto(`${n8n().baseUrl}/workflow/new`);
		await this.page.getByTestId('canvas-plus-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${n8n().baseUrl}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Imports a workflow as the menu of an open one offers it: ⋯ → Import → From file. */
	async importFile(file: string): Promise<void> {
		await this.page.getByTestId('workflow-menu').click();
		await this.page.getByText('Import', { exact: true }).hover();
		const choosing = this.page.waitForEvent('filechooser');
		await this.page.getByText('From file', { exact: true }).click();
		await (await choosing).setFiles(file);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	// The canvas

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** The plus behind an output of a node. */
	plusOf(node: string, output = 0): Locator {
		return this.plus(node, 'output', `outputs/main/${output}`);
	}

	/** The plus under an agent that adds a tool. */
	toolPlusOf(agent: string): Locator {
		return this.plus(agent, 'input', 'inputs/ai_tool/0');
	}

	private plus(node: string, side: 'input' | 'output', handle: string): Locator {
		return this.page
			.locator(`[data-test-id="canvas-node-${side}-handle"][data-node-name="${node}"]`)
			.and(this.page.locator(`[data-handleid="${handle}"]`))
			.getByTestId('canvas-handle-plus');
	}

	/** Brings all nodes into view. */
	async showAll(): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
	}

	/** Types words into the open list of nodes. */
	async search(words: string): Promise<void> {
		await this.page.getByTestId('node-creator-search-bar').fill(words);
	}

	/** The entries of the list of nodes with exactly this text, such as their name. */
	found(text: string): Locator {
		const entries = this.page.getByTestId('item-iterator-item');
		return entries.filter({ has: this.page.getByText(text, { exact: true }) });
	}

	/** An entry's place in the list of nodes, from 0 on; -1 before it is there. */
	async placeOf(text: string): Promise<number> {
		const entries = await this.page.getByTestId('item-iterator-item').allInnerTexts();
		return entries.findIndex((entry) => entry.split('\n').includes(text));
	}

	/** Adds a node by its name and one of its actions, and leaves its panel open. */
	async addNode(plus: Locator, name: string, action: string): Promise<void> {
		await plus.click();
		await this.search(name);
		await this.found(name).click();
		await this.chooseAction(action);
	}

	/** Chooses an action in the list of nodes, which adds the node. */
	async chooseAction(action: string): Promise<void> {
		await this.page.getByTestId('node-creator').getByText(action, { exact: true }).click();
		await this.panel.waitFor();
	}

	// The panel of a node

	async openPanel(node: string): Promise<void> {
		await this.node(node).dblclick();
		await this.panel.getByTestId('parameter-item').first().waitFor();
	}

	async closePanel(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.panel.waitFor({ state: 'detached' });
	}

	parameter(name: string): Locator {
		return this.panel.getByTestId(`parameter-input-${name}`);
	}

	/** The names, as workflows store them, of the fields that the panel shows, from top to bottom. */
	async fields(): Promise<string[]> {
		// The hidden fields of the settings have labels, too.
		const labels = this.panel.locator('[data-test-id="parameter-item"] label[for]:visible');
		return await labels.evaluateAll((all: Array<{ htmlFor: string }>) =>
			all.map((label) => label.htmlFor),
		);
	}

	/** Replaces a field's text by pasting, with the keyboard. */
	async paste(name: string, text: string): Promise<void> {
		// The first input of a locator is that of its mode.
		const input = '[data-test-id=rlc-input] input, .cm-content, textarea, input:not([readonly])';
		await this.pasteInto(this.parameter(name).locator(input).first(), text);
		// The field stores its text a moment after it shows it. A person would take longer to go on.
		if (text.startsWith('{{'))
			await this.parameter(name).locator('.cm-content', { hasText: text }).waitFor();
		await this.page.keyboard.press('Tab');
	}

	private async pasteInto(input: Locator, text: string): Promise<void> {
		await this.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
		// A tooltip under the pointer may cover the field.
		await this.page.mouse.move(0, 0);
		await input.click();
		await this.page.keyboard.press('ControlOrMeta+a');
		await this.page.keyboard.press('ControlOrMeta+v');
	}

	/** Replaces the open node's output with these items, which n8n pins. */
	async editOutput(items: object[]): Promise<void> {
		await this.output.getByTestId('ndv-edit-pinned-data').click();
		await this.pasteInto(this.output.locator('.cm-content'), JSON.stringify(items));
		await this.output.getByRole('button', { name: 'Save' }).click();
		await this.output.getByText('Edit Output').waitFor({ state: 'detached' });
	}

	/** Drags a field of the input onto a field of the node, with the mouse. */
	async drag(field: string, name: string): Promise<void> {
		const { mouse } = this.page;
		const from = this.input.locator('[data-target="mappable"]').getByText(field, { exact: true });
		const to = this.parameter(name);
		await to.scrollIntoViewIfNeeded();
		await from.first().hover();
		await mouse.down();
		const { x, y, width, height } = await boxOf(to);
		// The field becomes a target only while the pointer moves over it.
		await mouse.move(x, y + height / 2, { steps: 5 });
		await mouse.move(x + width / 2, y + height / 2, { steps: 5 });
		await mouse.up();
		await to.locator('.cm-content', { hasText: `{{ $json.${field} }}` }).waitFor();
	}

	/** Adds an entry of a collection such as Options, by its label. */
	async addOption(collection: string, label: string): Promise<void> {
		await this.panel.getByPlaceholder(collection).click();
		const entries = this.page.locator('.el-select-dropdown__item:visible');
		await entries.filter({ has: this.page.getByText(label, { exact: true }) }).click();
	}

	/** A field with its label and the text under it. */
	labelled(name: string): Locator {
		const label = this.page.locator(`label[for="${name}"]`);
		return this.panel.getByTestId('parameter-item').filter({ has: label });
	}

	/** Selects the credential of the node by its name. */
	async chooseCredential(name: string): Promise<void> {
		await this.panel.getByTestId('node-credentials-select').click();
		await this.page.getByText(name, { exact: true }).last().click();
	}

	/** Chooses an entry of a field by its name. */
	async choose(name: string, entry: string): Promise<void> {
		await this.parameter(name).getByRole('combobox').first().click();
		const entries = this.page.locator('.el-select-dropdown__item:visible');
		await entries.filter({ has: this.page.getByText(entry, { exact: true }) }).click();
	}

	/** Sets a locator to its list and opens that. */
	async openList(name: string): Promise<void> {
		const field = this.panel.getByTestId(`resource-locator-${name}`);
		// n8n does not offer the list beside an expression.
		if ((await field.locator('.cm-content').count()) > 0) {
			await this.labelled(name).hover();
			await this.labelled(name).getByTestId('radio-button-fixed').click();
			await field.locator('.cm-content').waitFor({ state: 'detached' });
		}
		await field.getByTestId('rlc-mode-selector').click();
		await this.page.locator('[data-test-id="mode-list"]:visible').click();
		await field.getByTestId('rlc-input').click();
	}

	/** What the open list of a locator offers. */
	async listed(): Promise<string[]> {
		const entries = await this.page.getByTestId('rlc-item').allInnerTexts();
		return entries.map((text) => text.trim());
	}

	/** The button that runs the node, by the word on it. */
	runButton(word = 'Execute step'): Locator {
		return this.panel.getByTestId('node-execute-button').filter({ hasText: word }).first();
	}

	async run(word?: string): Promise<void> {
		await this.runButton(word).click();
	}

	/** The visible output from its title down to this part. */
	outputDownTo(part: Locator): Locator[] {
		return [this.output.getByText('Output').first(), part];
	}

	/** A table's column names from left to right, by default the output's; none before there is a table. */
	async columns(table = this.output): Promise<string[]> {
		const headers = await table.locator('thead').allInnerTexts();
		return headers.flatMap((text) => text.split(/\s+/)).filter((name) => name !== '');
	}

	/** The cells of the output's table under these columns, row by row. */
	async cells(...names: string[]): Promise<string[][]> {
		const columns = await this.columns();
		const rows = await this.rows(columns.length);
		return rows.map((row) => names.map((name) => row[columns.indexOf(name)]?.trim() ?? ''));
	}

	/** The cells in a table's first columns, by default the output's, row by row. */
	async rows(columns: number, table = this.output): Promise<string[][]> {
		const rows = await table.locator('tbody tr').all();
		const cells = rows.map(async (row) => (await row.locator('td').allInnerTexts()).slice(0, columns));
		return (await Promise.all(cells)).filter((row) => row.length > 0);
	}
}

async function boxOf(part: Locator) {
	const box = await part.boundingBox();
	if (box === null) throw new Error('A part of the page is not to be seen');
	return box;
}

/** Reads until the value is as expected, because the editor redraws a moment after a click; then compares. */
export async function expectSoon<T>(read: () => Promise<T>, expected: T): Promise<void> {
	for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline;) {
		const value = await read();
		if (isDeepStrictEqual(value, expected)) break;
		await new Promise((resolve) => setTimeout(resolve, REREAD_MS));
	}
	expect(await read()).toEqual(expected);
}
