import path from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { n8n } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';

/** A folder for the pictures that the documentation shows; `npm run screenshots` names it. */
const FOLDER = process.env.PRICE_COLLECTION_DOCUMENTATION_IMAGES;

/** A screen that shows most of a panel for pictures, else that of a small laptop. */
export const VIEWPORT = FOLDER ? { width: 1680, height: 1400 } : { width: 1280, height: 720 };

/** What comes and goes by itself, such as the message that a node was executed, and the nodes beside an open panel. */
const WITHOUT_MESSAGES =
	'.el-notification, .el-popper[role=tooltip], [data-test-id=floating-node] { visibility: hidden !important; }';

const MARGIN = 8;

/** The ports of n8n and of the sandbox are others each time; these addresses stand for them. */
const addresses = () => ({
	[n8n().baseUrl]: 'https://n8n.example.com',
	// The whole address of the job list is taken as well, but most enter the part before it.
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

/** Takes a picture of the smallest part of the page that holds all of them, where pictures are asked for. */
export async function takePicture(page: Page, name: string, shown: Locator[]): Promise<void> {
	if (!FOLDER) return;
	// Where the pointer rests, buttons appear.
	await page.mouse.move(0, 0);
	await page.evaluate(`(${SHOW_ADDRESSES})(${JSON.stringify(addresses())})`);
	const clip = await partWith(page, shown);
	const file = path.join(FOLDER, `${name}.png`);
	const still = { animations: 'disabled', caret: 'hide' } as const;
	await page.screenshot({ ...still, style: WITHOUT_MESSAGES, clip, path: file });
}
