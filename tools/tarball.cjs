'use strict';

// Packs the package as it is published, and says what is wrong with the tarball.
const { execFileSync } = require('node:child_process');
const { globSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } = require('node:fs');
const path = require('node:path');

const MAX_BYTES = 260 * 1024;

/** The sources. Each is compiled into a file of the same name. */
const SOURCES = globSync('{nodes,credentials}/**/*.ts', { cwd: path.join(__dirname, '..') });

/** Other files that a user gets. Anything else is in the tarball by mistake. */
const EXPECTED_FILES = [
	/^(package\.json|README\.md|LICENSE\.md|index\.js)$/,
	/^dist\/icons\/\w+(\.dark)?\.svg$/,
	/^dist\/nodes\/PriceCollection\/\w+\.node\.json$/,
	/^dist\/vendor\/\w+\.js$/,
	/^dist\/nodes\/PriceCollection\/__schema__\/v\d+\.\d+\.\d+\/\w+\/\w+\.json$/,
];

/**
 * Packs the package of `root` into `folder`, which it empties first.
 * @param {string} root
 * @param {string} folder
 * @returns {string} the tarball's path
 */
function pack(root, folder) {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
	return path.join(folder, readdirSync(folder)[0]);
}

/**
 * Unpacks the tarball beside itself.
 * @param {string} tarball
 * @returns {string} the folder of its package.json
 */
function unpack(tarball) {
	const folder = path.dirname(tarball);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	return path.join(folder, 'package');
}

/** @param {string} folder @returns {string[]} paths below it, with slashes */
function listFiles(folder) {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.map((file) => file.replaceAll(path.sep, '/'));
}

/**
 * What is wrong with a package: files that do not belong in it, files that its package.json promises to n8n and to
 * programs but that are missing, and too many bytes.
 * @param {{ files: string[], sources: string[], bytes: number, packageJson: { main: string, n8n: { nodes: string[], credentials: string[] } } }} packed
 * @returns {string[]} sentences, none if all is well
 */
function faults({ files, sources, bytes, packageJson }) {
	const { main, n8n } = packageJson;
	const promised = [main, ...n8n.nodes, ...n8n.credentials, 'README.md', 'LICENSE.md'];
	const isCompiled = (file) => sources.includes(file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const isExpected = (file) => isCompiled(file) || EXPECTED_FILES.some((known) => known.test(file));
	const strangers = files.filter((file) => !isExpected(file));
	return [
		...strangers.map((file) => `${file} does not belong into the tarball`),
		...promised
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is missing from the tarball`),
		...(bytes >= MAX_BYTES ? [`the tarball has ${bytes} bytes, ${MAX_BYTES} or more`] : []),
	];
}

/**
 * The faults of a tarball that was unpacked into `unpacked`, with its size and the number of its files.
 * @param {string} tarball
 * @param {string} unpacked
 */
function inspect(tarball, unpacked) {
	const files = listFiles(unpacked);
	const { size: bytes } = statSync(tarball);
	const packageJson = JSON.parse(readFileSync(path.join(unpacked, 'package.json'), 'utf8'));
	return { count: files.length, bytes, faults: faults({ files, sources: SOURCES, bytes, packageJson }) };
}

module.exports = { MAX_BYTES, faults, inspect, pack, unpack };
