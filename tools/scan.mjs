// Applies the rules of n8n's own scanner to what would be published: the sources and the packed
// tarball. The scanner itself can only look at packages that are on npm already. `npm run scan -- --keep`
// leaves the tarball that was looked at in the folder `release`, to be published.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOURCE_FILE_PATTERNS, analyzePackage } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { inspect, pack, unpack } from './tarball.cjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

async function lint(what, folder, patterns) {
	const { passed, message, details } = await analyzePackage(folder, patterns);
	console.log(`scan: ${what} ${passed ? 'clean' : 'NOT clean'}`);
	return passed ? [] : [`${what}: ${message}\n${details ?? ''}`];
}

const keep = process.argv.includes('--keep');
const folder = keep ? path.join(ROOT, 'release') : mkdtempSync(path.join(tmpdir(), 'price-collection-scan-'));
try {
	const tarball = pack(ROOT, folder);
	const unpacked = unpack(tarball);
	const { count, bytes, faults } = inspect(tarball, unpacked);
	console.log(`scan: tarball of ${(bytes / 1024).toFixed(1)} KB with ${count} files`);
	const findings = [
		...faults,
		...(await lint('source', ROOT, SOURCE_FILE_PATTERNS)),
		...(await lint('tarball', unpacked, TARBALL_FILE_PATTERNS)),
	];
	findings.forEach((finding) => console.error(finding));
	process.exitCode = findings.length > 0 ? 1 : 0;
	rmSync(keep && findings.length === 0 ? unpacked : folder, { recursive: true, force: true });
} catch (error) {
	rmSync(folder, { recursive: true, force: true });
	throw error;
}
