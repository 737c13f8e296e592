import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const WATCHDOG = path.resolve('tools/watchdog.cjs');

/** Starts two servers, each of which holds a pipe to the test open, lets go of the second, and says their process IDs. */
const OWNER = `
	const { spawn } = require('node:child_process');
	const { endWithThisProcess } = require(${JSON.stringify(WATCHDOG)});
	const servers = [3, 4].map((pipe) => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
		detached: true, stdio: ['ignore', pipe, 'ignore'],
	}));
	const [, letGo] = servers.map(({ pid }) => endWithThisProcess(-pid));
	letGo();
	console.log(servers.map(({ pid }) => pid).join(' '));
	setInterval(() => {}, 1000);
`;

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
	'servers end with a process that ends by %s, those excepted that it has let go of',
	async (signal) => {
		const owner = spawn(process.execPath, ['-e', OWNER], {
			stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'],
		});
		const [stdout, ...pipes] = [1, 3, 4].map((fd) => owner.stdio[fd] as Readable);
		const ends = pipes.map((pipe) => once(pipe.resume(), 'close').then(() => 'ended'));
		const [line] = (await once(stdout!, 'data')) as [Buffer];
		const other = Number(line.toString().split(' ')[1]);
		owner.kill(signal);
		expect(await ends[0]).toBe('ended');
		expect(await Promise.race([ends[1], sleep(200, 'runs')])).toBe('runs');
		process.kill(other, 'SIGKILL');
		expect(await ends[1]).toBe('ended');
	},
);
