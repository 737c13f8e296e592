'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { N8nClient } = require('./client.cjs');
const { UsageMeter } = require('./usage.cjs');
const { installPackage, packPackage } = require('./package.cjs');

const RUNTIME = path.resolve(process.env.PRICE_COLLECTION_N8N_DIR || path.join(__dirname, '../../test/n8n'));
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 20_000;

/** Settings of the machine or of the test runner must not reach the n8n under test. */
const FOREIGN_SETTINGS = /^(N8N_|DB_|QUEUE_|EXECUTIONS_|NODE_ENV$|NODE_OPTIONS$|JEST_|WEBHOOK_URL$)/;

const QUIET_SETTINGS = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
};

/**
 * Ctrl-C does not reach n8n, which runs in a process group of its own, and a signal's default action
 * skips the clean-up at exit: so end in the ordinary way.
 */
function exitOnSignals() {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		if (process.listeners(signal).includes(exitNow)) continue;
		process.on(signal, exitNow);
	}
}

const exitNow = () => process.exit(1);

/** Asks the system for `count` different free ports of the loopback address. */
async function freePorts(count) {
	const servers = await Promise.all(
		Array.from({ length: count }, async () => {
			const server = net.createServer().listen(0, '127.0.0.1');
			await once(server, 'listening');
			return server;
		}),
	);
	const ports = servers.map((server) => server.address().port);
	await Promise.all(servers.map((server) => once(server.close(), 'close')));
	return ports;
}

/**
 * One real n8n with its own user folder, ports and log file. `client` is logged in as the owner.
 * Killed with this process at the latest.
 */
class N8nInstance {
	/**
	 * @param {string} userFolder
	 * @param {number[]} ports
	 * @param {Record<string, string>} env
	 */
	constructor(userFolder, [port, brokerPort], env) {
		this.userFolder = userFolder;
		this.port = port;
		this.brokerPort = brokerPort;
		this.env = env;
		this.url = `http://127.0.0.1:${port}`;
		this.logFile = path.join(userFolder, 'n8n.log');
		this.client = new N8nClient(this.url);
		this.killGroup = () => this.signal('SIGKILL');
	}

	/** The process id of n8n's main process, undefined while it does not run. */
	get pid() {
		return this.child?.pid;
	}

	async boot() {
		const log = fs.openSync(this.logFile, 'a');
		const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
		const node = path.join(RUNTIME, 'node_modules/.bin/node');
		this.child = spawn(node, [path.join(RUNTIME, 'node_modules/n8n/bin/n8n'), 'start'], {
			cwd: this.userFolder,
			// A group of its own, so that the task runner which n8n starts ends with it.
			detached: true,
			stdio: ['ignore', log, log],
			env: {
				...Object.fromEntries(inherited),
				...QUIET_SETTINGS,
				PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
				N8N_USER_FOLDER: this.userFolder,
				N8N_PORT: String(this.port),
				N8N_RUNNERS_BROKER_PORT: String(this.brokerPort),
				...this.env,
			},
		});
		fs.closeSync(log);
		this.ended = once(this.child, 'exit').catch(() => undefined);
		this.child.on('error', () => undefined);
		process.on('exit', this.killGroup);
		await this.waitUntilReady();
	}

	async waitUntilReady() {
		for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline;) {
			if (this.pid === undefined || this.child.exitCode !== null) break;
			const reply = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
			if (reply?.ok && (await this.restIsReady())) return;
			await sleep(250);
		}
		const log = fs.readFileSync(this.logFile, 'utf8').split('\n').slice(-30).join('\n');
		await this.kill9();
		throw new Error(`n8n did not become ready. The end of ${this.logFile}:\n${log}`);
	}

	/** The readiness route answers a moment before the REST routes exist, and before older n8n have their database. */
	async restIsReady() {
		const reply = await fetch(`${this.url}/rest/settings`).catch(() => undefined);
		return reply?.ok === true && reply.headers.get('content-type')?.includes('json') === true;
	}

	signal(name) {
		if (this.pid === undefined) return;
		try {
			process.kill(-this.pid, name);
		} catch {
			// The group is gone already.
		}
	}

	/** Ends n8n the way a service manager does, or the hard way if that takes too long. */
	async stop() {
		if (this.pid === undefined) return;
		try {
			process.kill(this.pid, 'SIGTERM');
		} catch {
			// It has ended by itself.
		}
		await Promise.race([this.ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
		await this.kill9();
	}

	/** Power failure: no clean-up, nothing saved on the way. */
	async kill9() {
		this.signal('SIGKILL');
		await this.ended;
		process.off('exit', this.killGroup);
		this.child = undefined;
	}

	/**
	 * Starts n8n again on the same user folder and ports, after `stop()` or `kill9()`.
	 * @param {Record<string, string>} [env] more settings from now on
	 */
	async restart(env = {}) {
		if (this.pid !== undefined) await this.stop();
		this.env = { ...this.env, ...env };
		await this.boot();
		await this.client.logIn();
	}

	/** Stops n8n and deletes its user folder. */
	async remove() {
		await this.stop();
		fs.rmSync(this.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	/** Starts measuring memory and processor time of n8n's main process. */
	measure() {
		return new UsageMeter(this.pid);
	}

	/** What n8n printed so far. */
	log() {
		return fs.readFileSync(this.logFile, 'utf8');
	}
}

/**
 * Starts a real n8n with the built package installed, in a fresh user folder, and logs in.
 * @param {{ env?: Record<string, string>, tarball?: string, port?: number, ownSignals?: boolean }} [options]
 *   `tarball`: a packed package (`packPackage()`) when several instances shall share one; `ownSignals`:
 *   the caller ends n8n itself on Ctrl-C
 * @returns {Promise<N8nInstance>}
 */
async function startN8n({ env = {}, tarball, port, ownSignals = false } = {}) {
	if (!ownSignals) exitOnSignals();
	const userFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'price-collection-n8n-'));
	const packed = tarball ?? packPackage();
	installPackage(userFolder, packed);
	if (!tarball) fs.rmSync(path.dirname(packed), { recursive: true, force: true });
	const [freePort, brokerPort] = await freePorts(2);
	const instance = new N8nInstance(userFolder, [port ?? freePort, brokerPort], env);
	await instance.boot();
	await instance.client.logIn();
	return instance;
}

/** The version of the n8n that instances run. */
function n8nVersion() {
	return JSON.parse(fs.readFileSync(path.join(RUNTIME, 'node_modules/n8n/package.json'), 'utf8')).version;
}

module.exports = { N8nInstance, n8nVersion, startN8n };
