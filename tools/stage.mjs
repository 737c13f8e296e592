// What the demo and `npm run dev` have in common: a service, a real n8n with the package in it, an example workflow,
// and an end that leaves nothing behind.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import client from './n8n/client.cjs';
import instance from './n8n/instance.cjs';
import sandbox from './sandbox.cjs';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const OUR_NODES = 'n8n-nodes-price-collection.';

/** The key of the sandbox's first account. */
const SANDBOX_KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';

class Stage {
	#name;
	#cleanUps = [];
	#sandboxUrl;
	#cleaning;

	/** What Ctrl-C does: it ends everything at once, until there is something to wait with. */
	#onInterrupt = () => void this.cleanUp().finally(() => process.exit(130));

	constructor(name) {
		this.#name = name;
		for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#onInterrupt());
	}

	say(text) {
		console.log(`${this.#name}: ${text}`);
	}

	/** Ends what was started, last first; asking again waits for the same end. */
	cleanUp() {
		this.#cleaning ??= (async () => {
			while (this.#cleanUps.length > 0) await this.#cleanUps.pop()();
		})();
		return this.#cleaning;
	}

	atEnd(cleanUp) {
		this.#cleanUps.push(cleanUp);
	}

	/** Credential fields for the service of the environment, or of a sandbox that is started. */
	async chooseService() {
		const { PRICE_COLLECTION_BASE_URL: baseUrl, PRICE_COLLECTION_API_KEY: apiKey } = process.env;
		if (baseUrl && apiKey) {
			this.say(`using the service at ${baseUrl} with its test datasource, which costs no credits`);
			return { baseUrl, apiKey };
		}
		if (baseUrl || apiKey) {
			throw new Error('Set both PRICE_COLLECTION_BASE_URL and PRICE_COLLECTION_API_KEY, or neither');
		}
		const service = await sandbox.startSandboxProcess();
		this.atEnd(service.stop);
		this.say(`sandbox service at ${service.url} (Base URL), API key ${SANDBOX_KEY}`);
		// Products and prices as they are in shops; tests take those with every odd character.
		this.#sandboxUrl = service.url;
		await this.setSandbox({ texts: 'everyday' });
		return { baseUrl: service.url, apiKey: SANDBOX_KEY };
	}

	/** Changes what the sandbox does from now on; false without one. */
	async setSandbox(options) {
		if (this.#sandboxUrl === undefined) return false;
		await fetch(`${this.#sandboxUrl}/_sandbox/options`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(options),
		});
		return true;
	}

	/** A real n8n with the built package; `env`: more settings for it. */
	async startN8n(env = {}) {
		this.say('starting n8n with the packed package (15 to 60 seconds) …');
		const n8n = await instance.startN8n({ env });
		this.atEnd(() => n8n.remove());
		this.say(`n8n is ready at ${n8n.url}`);
		return n8n;
	}

	/** Imports an example with a credential of these fields chosen in our nodes; `{ id, start, prices }`, the last two being names of nodes. */
	async importExample(n8n, fields, example = 'first-prices') {
		const credential = await n8n.client.createCredential('Price Collection', fields);
		const workflow = JSON.parse(readFileSync(path.join(ROOT, `examples/${example}.json`), 'utf8'));
		for (const node of workflow.nodes) {
			if (!node.type.startsWith(OUR_NODES)) continue;
			node.credentials = { priceCollectionApi: { id: credential.id, name: credential.name } };
		}
		const start = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger').name;
		const { id } = await n8n.client.createWorkflow(workflow);
		return { id, start, prices: workflow.nodes.find(({ type }) => type.startsWith(OUR_NODES)).name };
	}

	/** Says how to open the editor and waits for Ctrl-C. */
	async untilInterrupted(n8n, workflow) {
		const { email, password } = client.OWNER;
		this.say(`the editor is open at ${n8n.url}/workflow/${workflow.id}`);
		this.say(`log in as ${email} with the password ${password}`);
		this.say('press Ctrl-C to end');
		await new Promise((resolve) => {
			this.#onInterrupt = resolve;
			// n8n is a process of its own: something here has to keep this one alive.
			setInterval(() => undefined, 60_000);
		});
	}
}

/**
 * Runs a play and ends the process with it: by itself, by Ctrl-C or by an error, all that it started ends as well.
 * @param {string} name before every line that is said
 * @param {(stage: Stage) => Promise<void>} play
 */
export async function onStage(name, play) {
	const stage = new Stage(name);
	try {
		await play(stage);
		stage.say('cleaning up');
	} catch (error) {
		console.error(`${name}: ${error.message}`);
		process.exitCode = 1;
	} finally {
		await stage.cleanUp();
		process.exit();
	}
}
