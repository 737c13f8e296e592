import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import n8nInstance from '../../tools/n8n/instance.cjs';
import eventLoop from './eventLoop.cjs';
import { KEY, Service } from './service.mjs';
import { splitOut } from './ways.mjs';

const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url));
const LEAST_NODE = fileURLToPath(new URL('leastNode', import.meta.url));

const LOOK_MS = 250;
const START_TIMEOUT_MS = 20_000;
const SAVE_TIMEOUT_MS = 300_000;
/** What n8n does after its start and after a run shall not count. */
const REST_MS = 1_500;

/**
 * @typedef {object} Way one way to do a job in n8n
 * @property {string} name
 * @property {object[]} nodes of the workflow, each connected to the next unless `connections` says otherwise;
 *   the first one gets the input items
 * @property {object} [connections]
 * @property {string} last node whose items are counted
 *
 * @typedef {object} Load
 * @property {object[]} items what the workflow starts with
 * @property {number} rows how many items must come out, so that only equal work is compared
 */

/**
 * A real n8n with the packed package and a probe inside, and the sandbox beside it. Every measurement is taken
 * in a fresh n8n process: memory that one run leaves behind would hide what the next one needs.
 */
export class Lab {
	/** @param {Record<string, unknown>} serviceOptions */
	static async open(serviceOptions) {
		const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-bench-'));
		const socket = path.join(folder, 'probe');
		const service = await Service.start(serviceOptions);
		const n8n = await n8nInstance.startN8n({
			env: {
				NODE_OPTIONS: `--require ${PROBE}`,
				PRICE_COLLECTION_PROBE: socket,
				N8N_CUSTOM_EXTENSIONS: LEAST_NODE,
			},
		});
		const lab = new Lab(folder, socket, service, n8n);
		await lab.addCredentials();
		return lab;
	}

	constructor(folder, socket, service, n8n) {
		Object.assign(this, { folder, socket, service, n8n, runs: 0 });
	}

	async addCredentials() {
		const { client } = this.n8n;
		const ours = await client.createCredential('Price Collection', {
			baseUrl: this.service.url,
			apiKey: KEY,
		});
		const key = { name: 'token', value: KEY };
		const theirs = await client.createCredential('Query key', key, 'httpQueryAuth');
		const reference = ({ id, name }) => ({ id, name });
		this.credentials = { priceCollectionApi: reference(ours), httpQueryAuth: reference(theirs) };
	}

	async close() {
		await this.n8n.remove();
		this.service.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** Blocks of n8n's event loop since the last call; collects n8n's garbage. */
	async probe() {
		const connection = net.connect(this.socket);
		let text = '';
		connection.on('data', (chunk) => (text += chunk));
		await once(connection, 'close');
		return JSON.parse(text);
	}

	/**
	 * Runs a way once in a fresh n8n: first with little input to warm up, then measured.
	 * @param {Way} way
	 * @param {{ load: Load, warmUp: Load, reset?: boolean, saves?: boolean, reads?: boolean }} task `reset`: whether
	 *   the sandbox forgets the warm-up; `saves`: whether n8n saves the execution, as it does by default; `reads`:
	 *   whether what it saved is read and checked, which takes minutes for hundreds of megabytes
	 */
	async measure(way, { load, warmUp, reset = true, saves = true, reads = true }) {
		await this.n8n.restart();
		const rehearsal = await this.install(way, true);
		await this.run(rehearsal, warmUp.items);
		check(way, await this.n8n.client.execution(await this.untilSaved(rehearsal)), warmUp.rows);
		const stage = await this.install(way, saves);
		if (reset) await this.service.reset();
		await sleep(REST_MS);
		await this.probe();
		const meter = this.n8n.measure();
		const wall = await this.run(stage, load.items);
		const executionId = saves ? await this.untilSaved(stage) : await sleep(REST_MS);
		const usage = meter.stop();
		const blocks = await this.probe();
		const execution = reads && executionId && (await this.n8n.client.execution(executionId));
		if (execution) check(way, execution, load.rows);
		for (const { id } of [rehearsal, stage]) await this.deactivate(id);
		const windows = execution ? windowsOf(way, execution) : [undefined];
		return {
			...(await this.service.counts()),
			cpu: usage.cpuSeconds,
			wall,
			memory: usage.riseMb,
			block: eventLoop.longest(blocks),
			nodeBlock: Math.max(...windows.map((window) => eventLoop.longest(blocks, window))),
		};
	}

	/** On a busy machine n8n may call its database not ready, right after a large run. */
	async deactivate(id) {
		for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(LOOK_MS)) {
			const failure = await this.n8n.client.deactivate(id).then(
				() => undefined,
				(error) => error,
			);
			if (failure === undefined) return;
			if (failure.status !== 503 || Date.now() > deadline) throw failure;
		}
	}

	/** Saves and activates the way behind a webhook whose body holds the input items. */
	async install({ name, nodes, connections }, saves) {
		const webhook = `bench-${++this.runs}`;
		const trigger = {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			// The reply at the end tells when the run is over, at no cost to n8n.
			parameters: {
				path: webhook,
				httpMethod: 'POST',
				responseMode: 'lastNode',
				responseData: 'noData',
			},
			webhookId: webhook,
		};
		const all = [trigger, splitOut('Items', 'body.items'), ...nodes].map((node, index) => ({
			id: `node-${index}`,
			position: [index * 200, 0],
			credentials: this.credentialsFor(node),
			...node,
		}));
		const { client } = this.n8n;
		const { id } = await client.createWorkflow({
			name,
			nodes: all,
			connections: { ...inARow(all), ...connections },
			settings: { saveDataSuccessExecution: saves ? 'all' : 'none' },
		});
		await client.activate(id);
		return { id, webhook };
	}

	/** Runs the workflow; gives the seconds from the call to the reply at its end. */
	async run({ webhook }, items) {
		const url = `${this.n8n.url}/webhook/${webhook}`;
		await this.untilKnown(url);
		const body = JSON.stringify({ items });
		const began = performance.now();
		const reply = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body,
		});
		const text = await reply.text();
		if (!reply.ok) throw new Error(`The webhook answered ${reply.status}: ${text}`);
		return (performance.now() - began) / 1000;
	}

	/** n8n learns a production webhook about a second after the activation; GET does not start it. */
	async untilKnown(url) {
		for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
			const reply = await fetch(url);
			if ((await reply.text()).includes('Did you mean to make a POST request')) return;
		}
		throw new Error(`n8n does not know ${url}`);
	}

	/** Waits until the workflow's only execution is saved; gives its ID. Reading it would cost n8n much more. */
	async untilSaved({ id }) {
		const { client } = this.n8n;
		for (const deadline = Date.now() + SAVE_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
			const [found] = await client.executionsOf(id);
			if (found && ['success', 'error', 'crashed'].includes(found.status)) return found.id;
		}
		throw new Error('The execution was not saved');
	}

	credentialsFor({ type }) {
		const { priceCollectionApi, httpQueryAuth } = this.credentials;
		if (type.startsWith('n8n-nodes-price-collection.')) return { priceCollectionApi };
		return type === 'n8n-nodes-base.httpRequest' ? { httpQueryAuth } : undefined;
	}
}

/** Connects each node to the next. */
function inARow(nodes) {
	const pairs = nodes.slice(0, -1).map(({ name }, index) => [name, nodes[index + 1].name]);
	return Object.fromEntries(
		pairs.map(([from, to]) => [from, { main: [[{ node: to, type: 'main', index: 0 }]] }]),
	);
}

/** A run that did something else than asked must not be compared. */
function check({ name, last }, execution, rows) {
	const { error } = execution.data.resultData;
	if (error) throw new Error(`${name}: ${error.message} ${error.description ?? ''}`);
	const runs = execution.data.resultData.runData[last] ?? [];
	const count = runs.reduce((sum, { data }) => sum + (data?.main?.[0]?.length ?? 0), 0);
	if (count !== rows) throw new Error(`${name}: ${count} items instead of ${rows}`);
}

/** When the nodes of the way ran; what n8n does between and after them is its own. */
function windowsOf({ nodes }, execution) {
	const { runData } = execution.data.resultData;
	return nodes.flatMap(({ name }) =>
		(runData[name] ?? []).map(({ startTime, executionTime }) => ({
			from: startTime,
			to: startTime + executionTime,
		})),
	);
}
