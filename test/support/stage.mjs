// What the demo and `npm run dev` share: a service, a real n8n with the package, an office with a sheet and a channel,
// example workflows, and a clean-up that leaves nothing behind.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import examples from './examples.cjs';
import client from './n8n/client.cjs';
import instance from './n8n/instance.cjs';
import { createOfficeCredentials, startOfficeProcess } from './office.cjs';
import sandbox from './sandbox.cjs';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The name and the ID of the sheet. n8n only takes an ID from an address if it is as long as Google's. */
const SHEET = 'our-products-and-their-prices';

/** The initial sheet of the examples: products with the shop's prices, one of them without a GTIN. */
const PRODUCTS = [
	['sku', 'gtin', 'price'],
	['A-100', 4006381333931, 45],
	['A-101', 5901234123457, 799],
	['A-102', 9780201379624, 116.85],
	['A-103', '', 12.5],
	['B-200', '4006381333931', '43,90 €'],
];

/** The key of the sandbox's first account. */
const SANDBOX_KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';

class Stage {
	#name;
	#cleanUps = [];
	#sandboxUrl;
	#officeUrl;
	#credentials;
	#cleaning;

	/** What Ctrl-C does: it ends everything at once, until `untilInterrupted` replaces this. */
	#onInterrupt = () => void this.cleanUp().finally(() => process.exit(130));

	constructor(name) {
		this.#name = name;
		for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#onInterrupt());
	}

	say(text) {
		console.log(`${this.#name}: ${text}`);
	}

	/** Ends everything that was started, last first. Another call waits for the same end. */
	cleanUp() {
		this.#cleaning ??= (async () => {
			while (this.#cleanUps.length > 0) await this.#cleanUps.pop()();
		})();
		return this.#cleaning;
	}

	atEnd(cleanUp) {
		this.#cleanUps.push(cleanUp);
	}

	/** Credential fields for the service in the environment, or for a new sandbox. */
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
		// Realistic products and prices; tests use the ones with odd characters.
		this.#sandboxUrl = service.url;
		await this.setSandbox({ texts: 'everyday' });
		return { baseUrl: service.url, apiKey: SANDBOX_KEY };
	}

	/** Changes the sandbox's options; false without a sandbox. */
	async setSandbox(options) {
		if (this.#sandboxUrl === undefined) return false;
		await fetch(`${this.#sandboxUrl}/_sandbox/options`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(options),
		});
		return true;
	}

	/**
	 * Starts a real n8n with the built package, and with credentials for the service and each part of the office.
	 * @param {object} fields of the credential for the service
	 * @param {Record<string, string>} [env] more settings of n8n
	 */
	async startN8n(fields, env = {}) {
		const office = await startOfficeProcess();
		this.atEnd(office.stop);
		this.#officeUrl = office.url;
		await this.#office({ documents: { [SHEET]: { Products: PRODUCTS } }, channels: { prices: [] } });
		this.say('starting n8n with the packed package (15 to 60 seconds) …');
		const n8n = await instance.startN8n({ env: { ...office.env, ...env } });
		this.atEnd(() => n8n.remove());
		const { id, name } = await n8n.client.createCredential('Price Collection', fields);
		const priceCollectionApi = { id, name };
		this.#credentials = { ...(await createOfficeCredentials(n8n.client)), priceCollectionApi };
		this.say(`n8n is ready at ${n8n.url}`);
		this.say(`see its Google sheet at ${office.url}/_office/sheet/${SHEET}/Products`);
		const address = `https://docs.google.com/spreadsheets/d/${SHEET}/edit`;
		this.say(`in this n8n, and in no other one, the Document of that sheet is ${address}`);
		this.say(`see its Slack channel at ${office.url}/_office/channel/prices`);
		return n8n;
	}

	/** The rows of the sheet, starting with the column names, and the texts in the channel. */
	async look() {
		const { documents, channels } = await this.#office();
		return { rows: documents[SHEET].Products, messages: channels.prices.map(({ text }) => text) };
	}

	/** The office's state, after replacing the given parts. */
	async #office(parts) {
		const init = parts && { method: 'PUT', body: JSON.stringify(parts) };
		return await (await fetch(`${this.#officeUrl}/_office/state`, init)).json();
	}

	/** Imports an example with its credentials and the sheet. Returns `{ id, start }`; `start` is a node's name. */
	async importExample(n8n, example) {
		const text = JSON.stringify(examples.readExample(example));
		const workflow = JSON.parse(text.replaceAll(examples.SHEET, SHEET));
		const nodes = examples.withCredentials(workflow.nodes, this.#credentials);
		const { id } = await n8n.client.createWorkflow({ ...workflow, nodes });
		return { id, start: examples.startOf(nodes) };
	}

	/** Says how to open the editor and waits for Ctrl-C. */
	async untilInterrupted(n8n, workflow) {
		const { email, password } = client.OWNER;
		this.say(`the editor is open at ${n8n.url}/workflow/${workflow.id}`);
		this.say(`log in as ${email} with the password ${password}`);
		this.say('press Ctrl-C to end');
		await new Promise((resolve) => {
			this.#onInterrupt = resolve;
			// n8n is another process, so something must keep this one alive.
			setInterval(() => undefined, 60_000);
		});
	}
}

/**
 * Runs a play, then ends everything that it started and the process, also after Ctrl-C or an error.
 * @param {string} name printed before every line
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
