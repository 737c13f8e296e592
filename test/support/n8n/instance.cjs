'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
require('../noProxy.cjs');
const { N8nClient } = require('./client.cjs');
const { Daemon, freePorts } = require('./daemon.cjs');
const { UsageMeter } = require('./usage.cjs');
const { installPackage, packPackage } = require('./package.cjs');

const RUNTIME = path.resolve(
	process.env.PRICE_COLLECTION_N8N_DIR || path.join(__dirname, '../../install/n8n'),
);

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

/** One process of a real n8n with its own user folder, ports and log file. */
class N8nProcess extends Daemon {
	/**
	 * @param {string} userFolder
	 * @param {number[]} ports
	 * @param {Record<string, string>} env
	 * @param {'start' | 'webhook' | 'worker'} subcommand of n8n
	 */
	constructor(userFolder, [port, brokerPort], env, subcommand) {
		super(`n8n ${subcommand}`, path.join(userFolder, 'n8n.log'));
		this.userFolder = userFolder;
		this.port = port;
		this.brokerPort = brokerPort;
		this.env = env;
		this.subcommand = subcommand;
		this.url = `http://127.0.0.1:${port}`;
	}

	command() {
		const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
		const node = path.join(RUNTIME, 'node_modules/.bin/node');
		const env = {
			...Object.fromEntries(inherited),
			...QUIET_SETTINGS,
			PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
			N8N_USER_FOLDER: this.userFolder,
			N8N_PORT: String(this.port),
			N8N_RUNNERS_BROKER_PORT: String(this.brokerPort),
			...this.env,
		};
		const args = [path.join(RUNTIME, 'node_modules/n8n/bin/n8n'), this.subcommand];
		return { file: node, args, options: { cwd: this.userFolder, env } };
	}

	async isReady() {
		const reply = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
		return reply?.ok ?? false;
	}

	/**
	 * Starts n8n again with the same user folder and ports; stops a running one first.
	 * @param {Record<string, string>} [env] more settings from now on
	 */
	async restart(env = {}) {
		this.env = { ...this.env, ...env };
		await super.restart();
	}

	/** Stops n8n and deletes its user folder. */
	async remove() {
		await this.stop();
		fs.rmSync(this.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	/** Starts measuring the memory and processor time of n8n's process. */
	measure() {
		return new UsageMeter(this.pid);
	}
}

/** An n8n that serves the editor. `client` is logged in as the owner. */
class N8nInstance extends N8nProcess {
	/**
	 * @param {string} userFolder
	 * @param {number[]} ports
	 * @param {Record<string, string>} env
	 */
	constructor(userFolder, ports, env) {
		super(userFolder, ports, env, 'start');
		this.client = new N8nClient(this.url);
	}

	/** The readiness route answers a moment before the REST routes exist, and before older n8n have their database. */
	async isReady() {
		if (!(await super.isReady())) return false;
		const reply = await fetch(`${this.url}/rest/settings`).catch(() => undefined);
		return reply?.ok === true && reply.headers.get('content-type')?.includes('json') === true;
	}

	/**
	 * Starts n8n again with the same user folder and ports, and logs in; stops a running one first.
	 * @param {Record<string, string>} [env] more settings from now on
	 */
	async restart(env = {}) {
		await super.restart(env);
		await this.client.logIn();
	}
}

/**
 * A fresh user folder with the package installed.
 * @param {string} tarball of the package
 */
function newUserFolder(tarball) {
	const userFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'price-collection-n8n-'));
	installPackage(userFolder, tarball);
	return userFolder;
}

/**
 * Starts a real n8n with the built package installed, in a fresh user folder, and logs in.
 * @param {{ env?: Record<string, string>, tarball?: string, port?: number }} [options]
 *   `tarball`: a packed package (`packPackage()`) to share between several instances
 * @returns {Promise<N8nInstance>}
 */
async function startN8n({ env = {}, tarball, port } = {}) {
	const packed = tarball ?? packPackage();
	const userFolder = newUserFolder(packed);
	if (!tarball) fs.rmSync(path.dirname(packed), { recursive: true, force: true });
	const [freePort, brokerPort] = await freePorts(2);
	const instance = new N8nInstance(userFolder, [port ?? freePort, brokerPort], env);
	await instance.boot();
	await instance.client.logIn();
	return instance;
}

/** The n8n version that instances run. */
function n8nVersion() {
	return JSON.parse(fs.readFileSync(path.join(RUNTIME, 'node_modules/n8n/package.json'), 'utf8')).version;
}

module.exports = { N8nInstance, N8nProcess, n8nVersion, newUserFolder, startN8n };
