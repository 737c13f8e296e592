// Takes pictures of everything the package shows in n8n's editor, light and dark, wide and narrow, to be looked at:
//   node test/ui/screenshots.mjs OUTDIR [URL of a running n8n, e.g. the demo's]
// Without a URL it starts a sandbox and an n8n of its own from the built package.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import nodes from '../../index.js';
import clients from '../../tools/n8n/client.cjs';
import instances from '../../tools/n8n/instance.cjs';
import sandboxes from '../../tools/sandbox.cjs';
import editors from './editor.cjs';
import views from './views.cjs';

const [outdir, url] = process.argv.slice(2);
const SANDBOX_KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';
const SETTLE_MS = 700;

/** One in which no panel has to scroll, and the screen of a small laptop. */
const VIEWPORTS = {
	wide: { width: 1440, height: 2600 },
	narrow: { width: 1280, height: 720 },
};

const { PriceCollection, PriceCollectionTrigger, PriceCollectionPollingTrigger } = nodes;
const descriptions = [PriceCollection, PriceCollectionTrigger, PriceCollectionPollingTrigger].map(
	(type) => new type().description,
);

async function servers() {
	const sandbox = await sandboxes.startSandboxProcess();
	if (!url) {
		const n8n = await instances.startN8n();
		return { client: n8n.client, sandbox, end: () => n8n.remove() };
	}
	const client = new clients.N8nClient(url);
	await client.logIn();
	return { client, sandbox, end: async () => undefined };
}

/** n8n makes the node for AI agents of the one that has actions. */
const TOOL = {
	name: 'priceCollectionTool',
	type: 'n8n-nodes-price-collection.priceCollectionTool',
	isVariant: false,
	parameters: { resource: 'job', operation: 'collect' },
};

/** One workflow that holds a node per view, so that each panel has an address. */
async function createGallery(client, credential) {
	const gallery = [...descriptions.flatMap(views.allViews), TOOL].map((view, index) => ({
		...view,
		id: `view-${index}`,
	}));
	const workflow = await client.createWorkflow({
		name: 'Gallery',
		nodes: gallery.map(({ id, name, type, parameters }, index) => ({
			id,
			name,
			type,
			parameters,
			typeVersion: 1,
			position: [(index % 6) * 260, Math.floor(index / 6) * 180],
			credentials: { priceCollectionApi: { id: credential.id, name: credential.name } },
		})),
		connections: {},
	});
	return { workflow, gallery };
}

async function takePictures(client, theme, size, { workflow, gallery, credentials }) {
	const editor = await editors.openEditor(client, { theme, viewport: VIEWPORTS[size] });
	const { page } = editor;
	const shoot = async (name) => {
		await page.waitForTimeout(SETTLE_MS);
		const file = `${theme}-${size}-${name}.png`;
		await page.screenshot({ path: path.join(outdir, file) });
		console.log(file);
	};
	try {
		await editor.openWorkflow(workflow.id);
		await shoot('canvas');
		// Colours differ between the themes, not fields: the variants need only one of them.
		const isFirst = theme === 'light' && size === 'wide';
		for (const view of gallery.filter(({ isVariant }) => isFirst || !isVariant)) {
			await editor.openNode(workflow.id, view.id);
			await shoot(view.name);
		}
		for (const { id, name } of credentials) {
			await editor.openCredential(id);
			await shoot(`credential-${name}`);
		}
	} finally {
		await editor.close();
	}
}

if (!outdir) throw new Error('Usage: node test/ui/screenshots.mjs OUTDIR [URL]');
mkdirSync(outdir, { recursive: true });
const { client, sandbox, end } = await servers();
try {
	const baseUrl = sandbox.url;
	const all = { customizeService: true, formatSelection: 'queryParameter' };
	const credentials = [
		await client.createCredential('good', { baseUrl, apiKey: SANDBOX_KEY }),
		await client.createCredential('refused', { baseUrl, apiKey: 'wrong' }),
		await client.createCredential('every-field', { baseUrl, apiKey: SANDBOX_KEY, ...all }),
	];
	const { workflow, gallery } = await createGallery(client, credentials[0]);
	for (const theme of ['light', 'dark']) {
		for (const size of Object.keys(VIEWPORTS)) {
			await takePictures(client, theme, size, { workflow, gallery, credentials });
		}
	}
} finally {
	await end();
	sandbox.stop();
}
