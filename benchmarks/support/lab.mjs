import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import n8nInstance from '../../test/support/n8n/instance.cjs';
import eventLoop from './eventLoop.cjs';
import { Probe } from './probe.mjs';
import { medians } from './report.mjs';
import { KEY, Service } from './service.mjs';
import { splitOut } from './ways.mjs';

const LEAST_NODE = fileURLToPath(new URL('leastNode', import.meta.url));

const LOOK_MS = 250;
const START_TIMEOUT_MS = 20_000;
const SAVE_TIMEOUT_MS = 300_000;
/** Keeps n8n's work after a start or a run out of the measurement. */
const REST_MS = 1_500;
/** V8 compiles nothing more after this many runs. */
const WARM_UPS = 5;

/**
 * @typedef {object} Way one way to do a job in n8n
 * @property {string} name
 * @property {object[]} nodes of the workflow, each connected to the next unless `connections` says otherwise;
 *   the first one gets the input items
 * @property {object} [connections]
 * @property {string} last node whose items are counted
 * @property {Load} load
 * @property {Load} [warmUp] a small load to warm up an expensive way once; other ways run their own load five times
 * @property {boolean} [isApart] whether it gets a fresh n8n in each round
 *
 * @typedef {object} Load
 * @property {object[]} items what the workflow starts with
 * @property {number} rows how many items must come out, so that only equal work is compared
 *
 * @typedef {object} How
 * @property {number} rounds
 * @property {boolean} [reset] whether the sandbox forgets everything before each run
 * @property {boolean} [saves] whether n8n saves the execution, as it does by default
 */

/**
 * A real n8n with the packed package and a probe, and the sandbox. Compared ways share one n8n. Each warms up, and then
 * they take turns, forwards and backwards: the first way in a process pays for compiling, and other work on the machine
 * should affect all of them.
 */
export class Lab {
	/**
	 * @param {Record<string, unknown>} serviceOptions
	 * @param {Record<string, unknown>} [connection] more fields of our credential
	 */
	static async open(serviceOptions, connection = {}) {
		const probe = new Probe();
		const service = await Service.start(serviceOptions);
		const n8n = await n8nInstance.startN8n({ env: { ...probe.env, N8N_CUSTOM_EXTENSIONS: LEAST_NODE } });
		const lab = new Lab(probe, service, n8n);
		await lab.addCredentials(connection);
		return lab;
	}

	constructor(probe, service, n8n) {
		Object.assign(this, { probe, service, n8n, workflows: 0 });
	}

	async addCredentials(connection) {
		const { client } = this.n8n;
		const ours = await client.createCredential('Price Collection', {
			...{ baseUrl: this.service.url, apiKey: KEY },
			...connection,
		});
		const key = { name: 'token', value: KEY };
		const theirs = await client.createCredential('Query key', key, 'httpQueryAuth');
		const reference = ({ id, name }) => ({ id, name });
		this.credentials = { priceCollectionApi: reference(ours), httpQueryAuth: reference(theirs) };
	}

	async close() {
		await this.n8n.remove();
		this.service.stop();
		this.probe.remove();
	}

	/**
	 * The medians of each way. Ways with `isApart` get a fresh n8n in each round, because memory that an expensive way
	 * leaves behind would hide what others need.
	 * @param {Way[]} ways
	 * @param {How} how
	 */
	async compare(ways, how) {
		const taken = new Map(ways.map((way) => [way, []]));
		const together = ways.filter(({ isApart }) => !isApart);
		if (together.length > 0) await this.inTurn(together, taken, how);
		for (const way of ways.filter(({ isApart }) => isApart))
			for (let round = 1; round <= how.rounds; round++)
				await this.inTurn([way], taken, { ...how, rounds: 1 });
		return ways.map((way) => ({ ...way, ...medians(taken.get(way)) }));
	}

	/** Runs ways in one n8n: each is warmed up first, and then runs once in every round. */
	async inTurn(ways, taken, { rounds, reset = true, saves = true }) {
		await this.n8n.restart();
		const rehearsals = await this.installAll(ways, true);
		const stages = await this.installAll(ways, saves);
		for (let time = 1; time <= WARM_UPS; time++)
			for (const rehearsal of rehearsals)
				if (time === 1 || !rehearsal.way.warmUp) await this.rehearse(rehearsal, time);
		for (let round = 1; round <= rounds; round++) {
			for (const stage of round % 2 === 1 ? stages : stages.toReversed()) {
				if (reset) await this.service.reset();
				const measured = await this.measure(stage, saves);
				taken.get(stage.way).push(measured);
				console.error(
					`bench: ${stage.way.name}, round ${round} of ${rounds}:`,
					JSON.stringify(measured),
				);
			}
		}
		for (const { id } of [...rehearsals, ...stages]) await this.deactivate(id);
	}

	async rehearse(stage, time) {
		const { way } = stage;
		const { items, rows } = way.warmUp ?? way.load;
		console.error(`bench: warming up ${way.name}, ${time}`);
		await this.run(stage, items);
		const executionId = await this.untilSaved(stage);
		if (time === 1) check(way, await this.n8n.client.execution(executionId), rows);
	}

	/** Measures one run of a way. `cpu` is for n8n's main process, `mainThread` for the main thread in it. */
	async measure(stage, saves) {
		const { way } = stage;
		await sleep(REST_MS);
		await this.probe.ask();
		const meter = this.n8n.measure();
		const wall = await this.run(stage, way.load.items);
		const executionId = saves ? await this.untilSaved(stage) : await sleep(REST_MS);
		const usage = meter.stop();
		const { blocks, mainThread } = await this.probe.ask();
		const execution = executionId && (await this.n8n.client.execution(executionId));
		if (execution) check(way, execution, way.load.rows);
		const windows = execution ? windowsOf(way, execution) : [undefined];
		return {
			...(await this.service.counts()),
			cpu: usage.cpuSeconds,
			mainThread,
			wall,
			memory: usage.riseMb,
			block: eventLoop.longest(blocks),
			nodeBlock: Math.max(...windows.map((window) => eventLoop.longest(blocks, window))),
		};
	}

	/** Tries again: right after a large run, a busy n8n may report that its database is not ready. */
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

	async installAll(ways, saves) {
		const stages = [];
		for (const way of ways) stages.push({ way, ...(await this.install(way, saves)) });
		return stages;
	}

	/** Saves and activates the way behind a webhook whose body holds the input items. */
	async install({ name, nodes, connections }, saves) {
		const webhook = `bench-${++this.workflows}`;
		const trigger = {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			// The reply at the end shows when the run is over, at no cost to n8n.
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

	/** Runs the workflow. Returns the seconds from the call to the reply at its end. */
	async run({ webhook }, items) {
		const url = `${this.n8n.url}/webhook/${webhook}`;
		await this.untilKnown(url);
		const body = JSON.stringify({ items });
		const began = performance.now();
		// fetch would give up after five minutes.
		const request = http.request(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
		});
		const [reply] = await once(request.end(body), 'response');
		const text = (await reply.toArray()).join('');
		if (reply.statusCode !== 200) throw new Error(`The webhook answered ${reply.statusCode}: ${text}`);
		return (performance.now() - began) / 1000;
	}

	/** n8n knows a production webhook about a second after the activation. GET does not start it. */
	async untilKnown(url) {
		for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
			const reply = await fetch(url);
			if ((await reply.text()).includes('Did you mean to make a POST request')) return;
		}
		throw new Error(`n8n does not know ${url}`);
	}

	/** Waits until the workflow's latest execution is saved. Returns its ID: reading it would cost n8n much more. */
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

/** Throws if a run did not do what it should, because its figures must not be compared. */
function check({ name, last }, execution, rows) {
	const { error } = execution.data.resultData;
	if (error) throw new Error(`${name}: ${error.message} ${error.description ?? ''}`);
	const runs = execution.data.resultData.runData[last] ?? [];
	const count = runs.reduce((sum, { data }) => sum + (data?.main?.[0]?.length ?? 0), 0);
	if (count !== rows) throw new Error(`${name}: ${count} items instead of ${rows}`);
}

/** When the way's nodes ran. What happens between and after them is n8n's work. */
function windowsOf({ nodes }, execution) {
	const { runData } = execution.data.resultData;
	return nodes.flatMap(({ name }) =>
		(runData[name] ?? []).map(({ startTime, executionTime }) => ({
			from: startTime,
			to: startTime + executionTime,
		})),
	);
}
