'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { endWithThisProcess } = require('./watchdog.cjs');

const START = path.join(__dirname, '../fakes/sandbox/start.mjs');
const READY = /sandbox ready at (\S+)/;

/**
 * Starts the sandbox service as a separate process, which ends with this one at the latest.
 * @param {string[]} [args] as `npm run sandbox -- …` takes them
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
function startSandboxProcess(args = []) {
	const child = spawn(process.execPath, [START, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
	const unwatch = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
	const stop = () => {
		child.kill();
		unwatch?.();
	};
	return new Promise((resolve, reject) => {
		let output = '';
		const read = (chunk) => {
			if (output === undefined) return;
			output += chunk;
			const url = READY.exec(output)?.[1];
			if (!url) return;
			output = undefined;
			resolve({ url, stop });
		};
		child.stdout.on('data', read);
		child.stderr.on('data', read);
		child.on('error', reject);
		child.on('exit', (code) => {
			reject(new Error(`The sandbox ended with code ${code}.\n${output ?? ''}`));
		});
	});
}

module.exports = { startSandboxProcess };
