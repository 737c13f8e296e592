// Applies the rules of n8n's own scanner to what would be published: the sources and the packed
// tarball. The scanner itself can only look at packages that are on npm already.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOURCE_FILE_PATTERNS, analyzePackage } from '@n8n/scan-community-package/scanner/scanner.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];
const MAX_TARBALL_BYTES = 200 * 1024;

/** Everything a user gets; anything else in the tarball got there by mistake. */
const EXPECTED_FILES = [
	/^(package\.json|README\.md|LICENSE\.md|index\.js|dist\/THIRD-PARTY-LICENSES\.txt)$/,
	/^dist\/icons\/[\w.]+\.svg$/,
	/^dist\/credentials\/\w+\.credentials\.js$/,
	/^dist\/nodes\/PriceCollection\/(bundle\.js|\w+\.node\.js(on)?)$/,
	/^dist\/nodes\/PriceCollection\/__schema__\/[\w./]+\.json$/,
];

/** Packs into `folder` and unpacks there: `{ tarball, unpacked }`, both absolute. */
function pack(folder) {
	execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
	const tarball = path.join(
		folder,
		readdirSync(folder).find((file) => file.endsWith('.tgz')),
	);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	return { tarball, unpacked: path.join(folder, 'package') };
}

function listFiles(folder) {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/** What package.json promises n8n and programs, but the tarball does not hold. */
function missingFiles(unpacked, files) {
	const { main, n8n } = JSON.parse(readFileSync(path.join(unpacked, 'package.json'), 'utf8'));
	return [main, ...n8n.nodes, ...n8n.credentials].filter((file) => !files.includes(file));
}

function checkTarball({ tarball, unpacked }) {
	const files = listFiles(unpacked);
	const { size } = statSync(tarball);
	const strangers = files.filter((file) => !EXPECTED_FILES.some((known) => known.test(file)));
	console.log(`scan: tarball of ${(size / 1024).toFixed(1)} KB with ${files.length} files`);
	return [
		...strangers.map((file) => `${file} does not belong into the tarball`),
		...missingFiles(unpacked, files).map((file) => `${file} is missing from the tarball`),
		...(size >= MAX_TARBALL_BYTES ? [`the tarball has ${size} bytes, 200 KB or more`] : []),
	];
}

async function lint(what, folder, patterns) {
	const { passed, message, details } = await analyzePackage(folder, patterns);
	console.log(`scan: ${what} ${passed ? 'clean' : 'NOT clean'}`);
	return passed ? [] : [`${what}: ${message}\n${details ?? ''}`];
}

const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-scan-'));
try {
	const packed = pack(folder);
	const findings = [
		...checkTarball(packed),
		...(await lint('source', ROOT, SOURCE_FILE_PATTERNS)),
		...(await lint('tarball', packed.unpacked, TARBALL_FILE_PATTERNS)),
	];
	findings.forEach((finding) => console.error(finding));
	process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
