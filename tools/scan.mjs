// Applies the rules of n8n's own scanner to what would be published: the sources and the packed tarball. The scanner
// itself only checks packages that are already on npm, ignores warnings, and includes an older version of n8n's plugin.
// Here warnings fail as well, and the tarball must pass the newest plugin, as the sources must in `npm run lint`.
// `npm run scan -- --keep` leaves the checked tarball in the folder `release`, to be published.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { SOURCE_FILE_PATTERNS, buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { inspect, pack, unpack } from './tarball.cjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

const newestRules = [
	n8nCommunityNodesPlugin.configs.recommended,
	{ rules: { 'no-console': 'error' } },
	{ files: ['**/*.json'], languageOptions: { parser: tseslint.parser } },
];

/** ESLint's report on the files; empty if they are clean. */
async function lint(what, folder, patterns, rules) {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: rules,
	});
	const results = await eslint.lintFiles(patterns);
	const isClean = results.every(({ messages }) => messages.length === 0);
	console.log(`scan: ${what} ${isClean ? 'clean' : 'NOT clean'} (${results.length} files)`);
	return isClean ? [] : [await (await eslint.loadFormatter('stylish')).format(results)];
}

const keep = process.argv.includes('--keep');
const folder = keep ? path.join(ROOT, 'release') : mkdtempSync(path.join(tmpdir(), 'price-collection-scan-'));
try {
	const tarball = pack(ROOT, folder);
	const unpacked = unpack(tarball);
	const { count, bytes, faults } = inspect(tarball, unpacked);
	console.log(`scan: tarball of ${(bytes / 1024).toFixed(1)} KB with ${count} files`);
	const scannersRules = await buildScanConfig();
	const findings = [
		...faults,
		...(await lint('source', ROOT, SOURCE_FILE_PATTERNS, scannersRules)),
		...(await lint('tarball', unpacked, TARBALL_FILE_PATTERNS, scannersRules)),
		...(await lint('tarball by the newest rules', unpacked, TARBALL_FILE_PATTERNS, newestRules)),
	];
	for (const finding of findings) console.error(finding);
	process.exitCode = findings.length > 0 ? 1 : 0;
	rmSync(keep && findings.length === 0 ? unpacked : folder, { recursive: true, force: true });
} catch (error) {
	rmSync(folder, { recursive: true, force: true });
	throw error;
}
