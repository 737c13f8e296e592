'use strict';

const { spawn } = require('node:child_process');
const readline = require('node:readline');

/**
 * Ends the servers of a process when that has ended in whatever way: by a signal, by `kill -9`, inside jest, whose tests
 * never see the end of their process. Run as a program it is told of them by its standard input, a line each (`+` or `-`
 * and a process ID, a negative one for a process group), and when that is closed it kills those that are left.
 */
let watchdog;

function tell(line) {
	if (watchdog === undefined) {
		watchdog = spawn(process.execPath, [__filename], {
			// Out of reach of Ctrl-C, which goes to the whole group of a terminal.
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
 * @returns {() => void} to be called when it has ended: the system gives its ID to others then
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
