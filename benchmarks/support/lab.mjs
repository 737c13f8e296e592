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

const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url));
const LEAST_NODE = fileURLToPath(new URL('leastNode', import.meta.url));

/** Each look costs n8n some processor time; the run's own time stamps give the wall time. */
const LOOK_MS = 500;
const RUN_TIMEOUT_MS = 5 * 60_000;
/** What n8n does after its start and after a run shall not count. */
const REST_MS = 1_500;

/**
 * @typedef {object} Way one way to do a job in n8n
 * @property {string} name
 * @property {object[]} nodes of the workflow, each connected to the next unless `connections` says otherwise;
 *   the first one gets the input items
 * @property {object} [connections]
 * @property {string} last node whose items are counted
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
	 * @param {{ input: object[], warmUp: object[], reset?: boolean, items: number }} task `items`: how many must
	 *   come out, so that only equal work is compared; `reset`: whether the sandbox forgets the warm-up
	 */
	async measure(way, { input, warmUp, reset = true, items }) {
		await this.n8n.restart();
		const { id, webhook } = await this.install(way);
		await this.finish(id, webhook, warmUp);
		if (reset) await this.service.reset();
		await sleep(REST_MS);
		await this.probe();
		const meter = this.n8n.measure();
		const executionId = await this.finish(id, webhook, input);
		const usage = meter.stop();
		const blocks = await this.probe();
		const execution = await this.n8n.client.execution(executionId);
		await this.n8n.client.deactivate(id);
		check(way, execution, items);
		return {
			...(await this.service.counts()),
			cpu: usage.cpuSeconds,
			wall: (new Date(execution.stoppedAt) - new Date(execution.startedAt)) / 1000,
			memory: usage.riseMb,
			block: eventLoop.longest(blocks),
			nodeBlock: Math.max(...windowsOf(way, execution).map((one) => eventLoop.longest(blocks, one))),
		};
	}

	/** Saves and activates the way behind a webhook whose body holds the input items. */
	async install({ name, nodes, connections }) {
		const webhook = `bench-${++this.runs}`;
		const trigger = {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			parameters: { path: webhook, httpMethod: 'POST', responseMode: 'onReceived' },
			webhookId: webhook,
		};
		const items = {
			name: 'Items',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.items' },
		};
		const all = [trigger, items, ...nodes].map((node, index) => ({
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
		});
		await client.activate(id);
		return { id, webhook };
	}

	credentialsFor({ type }) {
		const { priceCollectionApi, httpQueryAuth } = this.credentials;
		if (type.startsWith('n8n-nodes-price-collection.')) return { priceCollectionApi };
		return type === 'n8n-nodes-base.httpRequest' ? { httpQueryAuth } : undefined;
	}

	/** Starts the workflow and waits for the end of its execution; gives the execution's ID. */
	async finish(workflowId, webhook, items) {
		const { client } = this.n8n;
		const before = (await client.executionsOf(workflowId)).length;
		const reply = await client.callWebhook(webhook, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
		});
		if (!reply.ok) throw new Error(`The webhook answered ${reply.status}: ${await reply.text()}`);
		const [executionId] = await client.waitForExecutions(workflowId, { count: before + 1 });
		for (const deadline = Date.now() + RUN_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
			const { status } = await client.statusOf(executionId);
			if (!['new', 'running', 'waiting'].includes(status)) return executionId;
		}
		throw new Error(`Execution ${executionId} did not end`);
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
function check({ name, last }, execution, items) {
	const { error } = execution.data.resultData;
	if (error) throw new Error(`${name}: ${error.message} ${error.description ?? ''}`);
	const rounds = execution.data.resultData.runData[last] ?? [];
	const count = rounds.reduce((sum, { data }) => sum + (data?.main?.[0]?.length ?? 0), 0);
	if (count !== items) throw new Error(`${name}: ${count} items instead of ${items}`);
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
