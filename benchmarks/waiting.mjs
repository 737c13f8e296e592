/**
 * What each round of durable waiting adds to the execution that n8n saves, in n8n's own engine with a virtual clock: one job
 * of 1,000 and of 10,000 values for two hours, in the loop of Wait alone and in one with a node that copies its items. The
 * sizes are exact, so one round is enough.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printMachine, printTable, printTargets } from './support/report.mjs';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const CONFIG = fileURLToPath(new URL('support/waiting.jest.cjs', import.meta.url));
const KB = 1024;

const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-waiting-'));
try {
	const file = path.join(folder, 'measured.json');
	execFileSync(process.execPath, [JEST, '--config', CONFIG, '--runInBand'], {
		// What jest prints is no result.
		stdio: ['ignore', 2, 2],
		env: { ...process.env, PRICE_COLLECTION_MEASURED: file },
	});
	const measured = JSON.parse(readFileSync(file, 'utf8')).map((one) => ({
		...one,
		loop: one.copies ? 'with a node that copies items' : 'direct',
		most: Math.max(...one.growth) / KB,
	}));
	printMachine();
	printTargets(
		measured.map(({ loop, values, most }) => ({
			what: `${loop}, ${values.toLocaleString('en')} values: KB a round`,
			measured: most,
			most: 2,
		})),
	);
	printTable(
		['loop', 'values', 'rounds', 'saved at first, KB', 'most that a round added, KB'],
		measured.map(({ loop, values, rounds, first, most }) => [loop, values, rounds, first / KB, most]),
	);
} finally {
	rmSync(folder, { recursive: true });
}
