'use strict';

const { spawn } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { endWithThisProcess } = require('../watchdog.cjs');

const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 250;

/** Below the ports of outgoing connections, which could take the port of a server while it restarts. */
const FIRST_PORT = 20_000;
const LAST_PORT = 30_000;

const taken = new Set();

async function isFree(port) {
	const server = net.createServer();
	const isOpen = await new Promise((resolve) => {
		server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
	});
	if (isOpen) await once(server.close(), 'close');
	return isOpen;
}

/** `count` different ports of the loopback address that nothing listens on, for servers that may restart. */
async function freePorts(count) {
	const ports = [];
	while (ports.length < count) {
		const port = randomInt(FIRST_PORT, LAST_PORT);
		if (taken.has(port) || !(await isFree(port))) continue;
		taken.add(port);
		ports.push(port);
	}
	return ports;
}

/**
 * A server of another program that runs until it is stopped, in its own process group and with a log file. It is killed
 * with this process at the latest. Subclasses say what to run (`command`) and when it is ready (`isReady`).
 */
class Daemon {
	/**
	 * @param {string} name as error messages call it
	 * @param {string} logFile
	 * @param {'SIGTERM' | 'SIGINT'} [stopSignal] what a service manager would send
	 */
	constructor(name, logFile, stopSignal = 'SIGTERM') {
		this.name = name;
		this.logFile = logFile;
		this.stopSignal = stopSignal;
	}

	/** The process id, undefined while it does not run. */
	get pid() {
		return this.child?.pid;
	}

	/** Whether the process is alive; false also if it has ended by itself. */
	get isRunning() {
		return this.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
	}

	/** Starts the process and waits until it is ready. */
	async boot() {
		const log = fs.openSync(this.logFile, 'a');
		const { file, args, options } = this.command();
		this.child = spawn(file, args, {
			...options,
			// Its own group, so that its children end with it.
			detached: true,
			stdio: ['ignore', log, log],
		});
		fs.closeSync(log);
		this.ended = once(this.child, 'exit').catch(() => undefined);
		this.child.on('error', () => undefined);
		if (this.pid !== undefined) this.unwatch = endWithThisProcess(-this.pid);
		await this.waitUntilReady();
	}

	async waitUntilReady() {
		for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline;) {
			if (!this.isRunning) break;
			if (await this.isReady()) return;
			await sleep(LOOK_EVERY_MS);
		}
		const log = this.log().split('\n').slice(-30).join('\n');
		await this.kill9();
		throw new Error(`${this.name} did not become ready. The end of ${this.logFile}:\n${log}`);
	}

	signal(name) {
		if (this.pid === undefined) return;
		try {
			process.kill(-this.pid, name);
		} catch {
			// The group is gone already.
		}
	}

	/** Ends the process the way a service manager does, or the hard way if that takes too long. */
	async stop() {
		if (this.pid === undefined) return;
		try {
			process.kill(this.pid, this.stopSignal);
		} catch {
			// It has ended by itself.
		}
		await Promise.race([this.ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
		await this.kill9();
	}

	/** Like a power failure: without clean-up, and nothing is saved. */
	async kill9() {
		this.signal('SIGKILL');
		await this.ended;
		this.unwatch?.();
		this.unwatch = undefined;
		this.child = undefined;
	}

	/** Starts it again, after `stop()` or `kill9()`; stops a running one first. */
	async restart() {
		await this.stop();
		await this.boot();
	}

	/** What it has printed so far. */
	log() {
		return fs.readFileSync(this.logFile, 'utf8');
	}
}

module.exports = { Daemon, freePorts };
