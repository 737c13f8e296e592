/**
 * What the package costs before it does anything: the size of its tarball, and the time to load all its node and
 * credential files when n8n-workflow is loaded already, as it always is in n8n. Options: --rounds=15
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import packing from '../test/support/n8n/package.cjs';
import { median, numberOption, printMachine, printTable, printTargets } from './support/report.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROUNDS = numberOption('rounds', 15);
const { n8n } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const FILES = [...n8n.nodes, ...n8n.credentials].map((file) => path.join(ROOT, file));

const METERS = path.join(ROOT, 'benchmarks/support/processorTime.cjs');

/** Runs in a fresh process: prints the seconds of processor and clock time to load the files and create each class. */
const LOAD = `
	require('n8n-workflow');
	const { processorTime } = require(${JSON.stringify(METERS)});
	const [began, taken] = [performance.now(), processorTime()];
	for (const file of ${JSON.stringify(FILES)}) for (const Class of Object.values(require(file))) new Class();
	process.stdout.write(JSON.stringify({ ...taken(), wall: (performance.now() - began) / 1000 }));
`;

function loadTimes() {
	return Array.from({ length: ROUNDS }, () =>
		JSON.parse(execFileSync(process.execPath, ['-e', LOAD], { cwd: ROOT, encoding: 'utf8' })),
	);
}

/** The bytes of the tarball and of its contents, and the number of files in it. */
function packedSizes() {
	const tarball = packing.packPackage();
	const listing = execFileSync('tar', ['-tvzf', tarball], { encoding: 'utf8' });
	const sizes = listing
		.trim()
		.split('\n')
		.map((line) => Number(line.split(/\s+/)[2]));
	const packed = statSync(tarball).size;
	rmSync(path.dirname(tarball), { recursive: true });
	return { packed, unpacked: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length };
}

const { packed, unpacked, files } = packedSizes();
const times = loadTimes();
const [cpu, mainThread, wall] = ['cpu', 'mainThread', 'wall'].map((field) =>
	times.map((one) => one[field] * 1000),
);
printMachine();
printTargets([
	{ what: 'packed tarball, KB', measured: packed / 1024, most: 260 },
	{ what: 'loading all node files, CPU ms', measured: median(cpu), most: 25 },
]);
console.log(`Loading: ${ROUNDS} fresh processes\n`);
printTable(
	['what', 'measured'],
	[
		['packed tarball, KB', packed / 1024],
		[`unpacked (${files} files), KB`, unpacked / 1024],
		['CPU ms, median', median(cpu)],
		['CPU ms, the least', Math.min(...cpu)],
		['CPU ms, the most', Math.max(...cpu)],
		['main thread ms, median', median(mainThread)],
		['by the clock, median ms', median(wall)],
	],
);
