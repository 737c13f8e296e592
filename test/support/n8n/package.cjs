'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../../..');

/**
 * Packs the built package as it would be published.
 * @param {string} [root] another copy of the source tree, built there
 * @returns {string} the absolute path of a tarball in a temporary folder
 */
function packPackage(root = ROOT) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'price-collection-pack-'));
	execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
	return path.join(
		folder,
		fs.readdirSync(folder).find((file) => file.endsWith('.tgz')),
	);
}

/**
 * Installs a tarball into an n8n user folder with the steps of n8n's installer (`downloadPackage` in its community
 * packages service): unpack, drop the dependencies that only builds need, list the package. Skips the installer's
 * `npm install`, which has nothing to do without dependencies.
 * @param {string} userFolder what N8N_USER_FOLDER will be
 * @param {string} tarball
 */
function installPackage(userFolder, tarball) {
	const { name } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
	const nodesFolder = path.join(userFolder, '.n8n/nodes');
	const target = path.join(nodesFolder, 'node_modules', name);
	fs.rmSync(target, { recursive: true, force: true });
	fs.mkdirSync(target, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);

	const manifestFile = path.join(target, 'package.json');
	const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
	for (const field of ['devDependencies', 'peerDependencies', 'optionalDependencies']) {
		delete manifest[field];
	}
	fs.writeFileSync(manifestFile, JSON.stringify(manifest, null, 2));
	if (Object.keys(manifest.dependencies ?? {}).length > 0) {
		throw new Error('The package has runtime dependencies, which this installer does not install');
	}
	const ledger = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [name]: manifest.version },
	};
	fs.writeFileSync(path.join(nodesFolder, 'package.json'), JSON.stringify(ledger, null, 2));
}

module.exports = { installPackage, packPackage };
