import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const CONFIG = fileURLToPath(new URL('bench.jest.cjs', import.meta.url));

/** Runs `support/<name>.bench.ts` in jest, with the tests' engine and fakes, and returns what it measured. */
export function measureInJest(name) {
	const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-bench-'));
	try {
		const file = path.join(folder, 'measured.json');
		const options = ['--config', CONFIG, '--runInBand', '--testPathPatterns', `${name}\\.bench`];
		execFileSync(process.execPath, [JEST, ...options], {
			// Jest's own output is not part of the results.
			stdio: ['ignore', 2, 2],
			env: { ...process.env, PRICE_COLLECTION_MEASURED: file },
		});
		return JSON.parse(readFileSync(file, 'utf8'));
	} finally {
		rmSync(folder, { recursive: true });
	}
}
