'use strict';

const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { N8nClient } = require('./client.cjs');
const { freePorts } = require('./daemon.cjs');
const { PostgreSql, Redis } = require('./databases.cjs');
const { startGateway } = require('./gateway.cjs');
const { N8nInstance, N8nProcess, newUserFolder } = require('./instance.cjs');
const { packPackage } = require('./package.cjs');

const TAKEN_UP = /Worker (started|finished) execution (\d+) \(job/g;

/** The events of an execution in the log of a worker: `started` and `finished` in turn. */
function takenUp(worker, executionId) {
	if (!fs.existsSync(worker.logFile)) return [];
	return [...worker.log().matchAll(TAKEN_UP)]
		.filter(([, , id]) => id === executionId)
		.map(([, event]) => event);
}

/**
 * An n8n in queue mode: one main process, workers, a webhook processor, Redis, PostgreSQL and a gateway in front, whose
 * address (`url`) is n8n's WEBHOOK_URL. Each part can be stopped, killed and started again by itself. `client` is
 * logged in as the owner and goes through the gateway.
 */
class Cluster {
	/**
	 * @param {string} folder of the databases
	 * @param {{ redis: Redis, postgres: PostgreSql, main: N8nInstance, workers: N8nProcess[], webhooks: N8nProcess,
	 *   gatewayPort: number }} parts
	 */
	constructor(folder, { redis, postgres, main, workers, webhooks, gatewayPort }) {
		this.folder = folder;
		this.redis = redis;
		this.postgres = postgres;
		this.main = main;
		this.workers = workers;
		this.webhooks = webhooks;
		this.gatewayPort = gatewayPort;
		this.url = `http://127.0.0.1:${gatewayPort}`;
		this.client = new N8nClient(this.url);
	}

	/** @param {number} workers how many of the workers to start; `restart()` starts others later */
	async boot(workers = this.workers.length) {
		this.postgres.init();
		await Promise.all([this.redis.boot(), this.postgres.boot()]);
		this.gateway = await startGateway({
			port: this.gatewayPort,
			main: () => this.main.url,
			webhooks: () => this.webhooks.url,
		});
		// The main process sets up the database, and the others expect it to be there.
		await this.main.boot();
		await Promise.all(
			[this.webhooks, ...this.workers.slice(0, workers)].map(async (one) => await one.boot()),
		);
		await this.client.logIn();
		this.main.client.cookie = this.client.cookie;
	}

	/**
	 * The workers that took an execution, ordered by worker. A suspended execution is taken once more each time it
	 * resumes.
	 * @param {string} executionId
	 * @returns {number[]} places in `workers`
	 */
	workersOf(executionId) {
		return this.workers.flatMap((worker, place) => {
			const started = takenUp(worker, executionId).filter((event) => event === 'started');
			return started.map(() => place);
		});
	}

	/**
	 * The worker that is running an execution, or was killed while running it.
	 * @param {string} executionId
	 * @returns {N8nProcess | undefined}
	 */
	workerWith(executionId) {
		return this.workers.find((worker) => takenUp(worker, executionId).at(-1) === 'started');
	}

	/** Ends everything and deletes all data. */
	async remove() {
		this.gateway?.close();
		await Promise.all([this.main, this.webhooks, ...this.workers].map(async (one) => await one.remove()));
		await Promise.all([this.redis.stop(), this.postgres.stop()]);
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}

	/** Ends everything and keeps logs and data. */
	async stop() {
		this.gateway?.close();
		await Promise.all([this.main, this.webhooks, ...this.workers].map(async (one) => await one.stop()));
		await Promise.all([this.redis.stop(), this.postgres.stop()]);
	}
}

/**
 * Starts an n8n in queue mode with the built package installed for each of its processes. Needs Redis and PostgreSQL
 * from Debian's packages `redis-server` and `postgresql`, and starts new ones on free ports.
 * @param {{ env?: Record<string, string>, tarball?: string, workers?: number, workersAtStart?: number }} [options]
 *   `env`: more settings, for all processes; `workersAtStart`: how many of the workers to start at once
 * @returns {Promise<Cluster>}
 */
async function startCluster({ env = {}, tarball, workers = 2, workersAtStart = workers } = {}) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'price-collection-cluster-'));
	// The user that runs PostgreSQL must have access to its data.
	fs.chmodSync(folder, 0o755);
	const packed = tarball ?? packPackage();
	const [redisPort, postgresPort, gatewayPort, ...ports] = await freePorts(3 + 2 * (2 + workers));
	const redis = new Redis(folder, redisPort);
	const postgres = new PostgreSql(folder, postgresPort);
	const shared = {
		EXECUTIONS_MODE: 'queue',
		...redis.n8nSettings,
		...postgres.n8nSettings,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64'),
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		WEBHOOK_URL: `http://127.0.0.1:${gatewayPort}/`,
		...env,
	};
	const twoPorts = () => ports.splice(0, 2);
	const newWorker = () => {
		const [port, brokerPort] = twoPorts();
		const health = {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		};
		return new N8nProcess(newUserFolder(packed), [port, brokerPort], { ...shared, ...health }, 'worker');
	};
	const cluster = new Cluster(folder, {
		redis,
		postgres,
		main: new N8nInstance(newUserFolder(packed), twoPorts(), shared),
		workers: Array.from({ length: workers }, newWorker),
		webhooks: new N8nProcess(newUserFolder(packed), twoPorts(), shared, 'webhook'),
		gatewayPort,
	});
	if (!tarball) fs.rmSync(path.dirname(packed), { recursive: true, force: true });
	try {
		await cluster.boot(workersAtStart);
	} catch (error) {
		await cluster.stop();
		throw error;
	}
	return cluster;
}

module.exports = { Cluster, startCluster };
