import path from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { n8n } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';

/** The folder for the documentation's pictures; `npm run screenshots` sets it. */
const FOLDER = process.env.PRICE_COLLECTION_DOCUMENTATION_IMAGES;

/** For pictures, a screen that shows most of a panel; otherwise a small laptop's. */
export const VIEWPORT = FOLDER ? { width: 1680, height: 1400 } : { width: 1280, height: 720 };

/** Hides what comes and goes by itself, such as messages about executed nodes, and nodes beside an open panel. */
const WITHOUT_MESSAGES =
	'.el-notification, .el-popper[role=tooltip], [data-test-id=floating-node] { visibility: hidden !important; }';

const MARGIN = 8;

/** Pictures show these addresses, because the ports of n8n and of the sandbox differ each time. */
const addresses = () => ({
	[n8n().baseUrl]: 'https://n8n.example.com',
	// The credential accepts the job list's whole address as well, but most people enter the part before it.
	[`${sharedServers().sandboxUrl}/v2/jobs`]: 'https://api.example.com',
	[sharedServers().sandboxUrl]: 'https://api.example.com',
});

/** Runs in the page. */
const SHOW_ADDRESSES = `(addresses) => {
	const shown = (text) =>
		Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), text);
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const { data } = texts.currentNode;
		if (shown(data) !== data) texts.currentNode.data = shown(data);
	}
	for (const input of document.querySelectorAll('input')) {
		if (shown(input.value) !== input.value) input.value = shown(input.value);
	}
}`;

/** The smallest part of the page, or of the panel that is open, that holds all of them and a margin. */
async function partWith(page: Page, shown: Locator[]) {
	const boxes = await Promise.all(shown.map(async (part) => await part.boundingBox()));
	const present = boxes.filter((box) => box !== null);
	if (present.length < boxes.length) throw new Error('A part of a picture is not to be seen');
	const panel = page.getByTestId('ndv');
	const open = (await panel.count()) > 0 ? await panel.boundingBox() : null;
	const { x, y, width, height } = open ?? {
		x: 0,
		y: 0,
		...(page.viewportSize() ?? { width: 0, height: 0 }),
	};
	const left = Math.max(x, Math.min(...present.map((box) => box.x)) - MARGIN);
	const top = Math.max(y, Math.min(...present.map((box) => box.y)) - MARGIN);
	const right = Math.min(x + width, Math.max(...present.map((box) => box.x + box.width)) + MARGIN);
	const bottom = Math.min(y + height, Math.max(...present.map((box) => box.y + box.height)) + MARGIN);
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Takes a picture of the smallest part of the page that holds all of them, if pictures are wanted. */
export async function takePicture(page: Page, name: string, shown: Locator[]): Promise<void> {
	if (!FOLDER) return;
	// Buttons appear under a resting pointer.
	await page.mouse.move(0, 0);
	await page.evaluate(`(${SHOW_ADDRESSES})(${JSON.stringify(addresses())})`);
	const clip = await partWith(page, shown);
	const file = path.join(FOLDER, `${name}.png`);
	const still = { animations: 'disabled', caret: 'hide' } as const;
	await page.screenshot({ ...still, style: WITHOUT_MESSAGES, clip, path: file });
}
