'use strict';

const { chromium, selectors } = require('playwright-core');
const { BROWSER_ARGUMENTS, findBrowser } = require('../../tools/browser.cjs');
const { BROWSER_ID } = require('../../tools/n8n/client.cjs');

selectors.setTestIdAttribute('data-test-id');

/** Tall enough that no panel has to scroll, so that a screenshot shows all of it. */
const VIEWPORT = { width: 1400, height: 2600 };

/** The editor's first load takes several seconds, more where n8n and the browser share two cores. */
const TIMEOUT_MS = 60_000;

/**
 * Opens n8n's editor in a browser, logged in as the owner.
 * @param {import('../../tools/n8n/client.cjs').N8nClient} client a logged-in one: its cookie is borrowed
 * @param {{ theme?: 'light' | 'dark', viewport?: { width: number, height: number } }} [options]
 */
async function openEditor(client, { theme = 'light', viewport = VIEWPORT } = {}) {
	const browser = await chromium.launch({
		executablePath: findBrowser(),
		headless: true,
		args: BROWSER_ARGUMENTS,
	});
	const context = await browser.newContext({ viewport, colorScheme: theme });
	const cookies = client.cookie.split('; ').map((entry) => {
		const [name, value] = entry.split('=');
		return { name, value, url: client.baseUrl };
	});
	await context.addCookies(cookies);
	await context.addInitScript(
		([id, chosen]) => {
			localStorage.setItem('n8n-browserId', id);
			localStorage.setItem('N8N_THEME', chosen);
		},
		[BROWSER_ID, theme],
	);
	const page = await context.newPage();
	page.setDefaultTimeout(TIMEOUT_MS);
	return {
		page,
		/** @param {string} workflowId */
		async openWorkflow(workflowId) {
			await page.goto(`${client.baseUrl}/workflow/${workflowId}`);
			await page.getByTestId('canvas-default-node').first().waitFor();
		},
		/**
		 * @param {string} workflowId
		 * @param {string} nodeId
		 */
		async openNode(workflowId, nodeId) {
			await page.goto(`${client.baseUrl}/workflow/${workflowId}/${nodeId}`);
			await page.getByTestId('parameter-item').first().waitFor();
		},
		/** @param {string} credentialId */
		async openCredential(credentialId) {
			await page.goto(`${client.baseUrl}/home/credentials/${credentialId}`);
			await page.getByTestId('credential-name').first().waitFor();
		},
		async close() {
			await browser.close();
		},
	};
}

module.exports = { openEditor };
