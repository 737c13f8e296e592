'use strict';

const { spawn } = require('node:child_process');
const readline = require('node:readline');

/**
 * Kills the servers of a process however that process ends: by a signal, by `kill -9`, or inside jest, whose tests
 * never see the end of their process. Run as a program, it reads lines from its standard input, each with `+` or `-`
 * and a process ID (a negative one for a process group). When the input closes, it kills the servers that are left.
 */
let watchdog;

function tell(line) {
	if (watchdog === undefined) {
		watchdog = spawn(process.execPath, [__filename], {
			// Out of reach of Ctrl-C, which signals the whole group of a terminal.
			detached: true,
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		watchdog.stdin.on('error', () => undefined);
		watchdog.stdin.unref();
		watchdog.unref();
	}
	watchdog.stdin.write(`${line}\n`);
}

/**
 * Ends a process, or with a negative ID a process group, with this process at the latest.
 * @param {number} id
 * @returns {() => void} call it when the process has ended, because the system may reuse its ID
 */
function endWithThisProcess(id) {
	tell(`+${id}`);
	return () => tell(`-${id}`);
}

function watch() {
	const watched = new Set();
	readline
		.createInterface({ input: process.stdin })
		.on('line', (line) => watched[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1))))
		.on('close', () => {
			for (const id of watched) {
				try {
					process.kill(id, 'SIGKILL');
				} catch {
					// It is gone already.
				}
			}
		});
}

if (require.main === module) watch();

module.exports = { endWithThisProcess };
