/**
 * The cost of bodies made to slow a reader down, compared with harmless ones of the same size. Each has a run of one
 * piece at a place where a text or a number can be (`test/fakes/services/hostile.ts`), and goes through the decoders,
 * all readers of bodies and texts, and the best price. Only the shortest time of each counts. Fails if a body takes
 * more than ten times as long: code that reads a text once per character takes thousands of times as long.
 * Options: --megabytes=1 --rounds=3
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { numberOption, printMachine, printTable, printTargets } from './support/report.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const CHARACTERS = numberOption('megabytes', 1) * 1_000_000;
const ROUNDS = numberOption('rounds', 3);
/** In milliseconds. Shorter times are too noisy for a ratio. */
const NOISE_MS = 20;
const MOST = 3;
const FAR_TOO_MUCH = 10;

async function leastMs(readEverything, bytes) {
	let least = Infinity;
	for (let round = 0; round < ROUNDS; round++) {
		const before = process.cpuUsage();
		await readEverything(bytes);
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

// Inside the project, so that the bundle finds n8n-workflow.
const folder = mkdtempSync(path.join(ROOT, 'node_modules/.hostile-'));
try {
	const outfile = path.join(folder, 'readers.cjs');
	const contents = `export { HOSTILE } from './test/fakes/services/hostile';
		export { readEverything } from './test/fakes/services/readEverything';`;
	await build({
		...{ stdin: { contents, resolveDir: ROOT, loader: 'ts' }, bundle: true, platform: 'node' },
		...{ target: 'node20', external: ['n8n-workflow'], outfile, logLevel: 'error' },
	});
	const { HOSTILE, readEverything } = createRequire(import.meta.url)(outfile);
	const measured = [];
	for (const { place, bodies, harmless } of HOSTILE) {
		console.error(`hostile: ${place}`);
		const usual = await leastMs(readEverything, Buffer.from(harmless(CHARACTERS)));
		let worst = 0;
		const ratio = () => worst / Math.max(usual, NOISE_MS);
		for (const body of bodies(CHARACTERS)) {
			worst = Math.max(worst, await leastMs(readEverything, Buffer.from(body)));
			if (ratio() > FAR_TOO_MUCH) break;
		}
		measured.push({ place, usual, worst, ratio: ratio() });
	}
	measured.sort((one, other) => other.ratio - one.ratio);
	printMachine();
	printTargets([
		{
			what: `worst of ${measured.length} places, CPU over harmless text`,
			measured: measured[0].ratio,
			most: MOST,
		},
	]);
	printTable(
		['place', 'harmless ms', 'hostile ms', 'ratio'],
		measured.slice(0, 20).map(({ place, usual, worst, ratio }) => [place, usual, worst, ratio]),
	);
	if (measured[0].ratio > FAR_TOO_MUCH) process.exitCode = 1;
} finally {
	rmSync(folder, { recursive: true });
}
