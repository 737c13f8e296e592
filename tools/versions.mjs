// Runs a smoke suite with the packed package on several versions of n8n, each with a Node that it runs on: those in
// test/real/versions/matrix.json, or those that are named (`npm run test:versions -- 1.97.1 latest`). Each is installed
// once, into .cache/n8n-versions or the folder in PRICE_COLLECTION_N8N_VERSIONS, and takes 2 GB there. A version that
// cannot be installed is reported. It only fails the run if the matrix says that it must work, or if no other version
// was tried.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installN8n, N8N_FOLDER, SetupError } from './setup.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const CACHE = path.resolve(
	process.env.PRICE_COLLECTION_N8N_VERSIONS || path.join(ROOT, '.cache/n8n-versions'),
);
const JEST = path.join(ROOT, 'node_modules/jest/bin/jest.js');

const readJson = (file) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
const matrix = readJson('test/real/versions/matrix.json');
const pinned = readJson('test/install/n8n/package.json').dependencies.n8n;

const compare = (one, other) => one.localeCompare(other, undefined, { numeric: true });

/** What the registry says about a version or a tag. */
function lookUp(wanted) {
	const args = ['view', `n8n@${wanted}`, 'version', 'engines.node', '--json'];
	try {
		const found = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
		return JSON.parse(found);
	} catch (error) {
		throw new SetupError(String(error.stderr));
	}
}

/** The newest Node of the matrix that this n8n accepts, e.g. for `>=20.19 <=24.x`. */
function nodeFor(engines) {
	const [, newest = '9999'] = /<=\s*([\d.x]+)/.exec(engines) ?? [];
	return matrix.node.findLast((version) => compare(version, newest) <= 0);
}

/** A folder whose package.json asks for this n8n. The file is only written if it changes. */
function folderFor(version, node, overrides) {
	const folder = path.join(CACHE, version);
	const file = path.join(folder, 'package.json');
	const manifest = {
		name: 'n8n-version',
		private: true,
		dependencies: { n8n: version },
		devDependencies: { node },
		overrides: { ...matrix.overrides, ...overrides },
	};
	const text = JSON.stringify(manifest, null, 2);
	mkdirSync(folder, { recursive: true });
	if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
	return folder;
}

/** Installs the version, unless it is the pinned one, and returns its folder. */
function install(version, engines, overrides) {
	if (version === pinned) return N8N_FOLDER;
	const node = nodeFor(engines);
	const folder = folderFor(version, node, overrides);
	installN8n(folder, `n8n ${version} with Node ${node} (3 to 10 minutes, 2 GB)`, 'install');
	return folder;
}

/** Runs the suite against the n8n in the folder. Returns whether it passed. */
function smoke(folder) {
	const args = [JEST, '--config', 'test/real/versions/jest.config.js', '--runInBand'];
	const env = { ...process.env, PRICE_COLLECTION_N8N_DIR: folder };
	return spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

/** Tries one version: what it is called, how it went, how long that took, and whether it is an error. */
function tryVersion({ n8n: wanted, must = false, overrides = {} }) {
	const began = Date.now();
	const outcome = { n8n: wanted, result: '', seconds: 0, wasTried: false, isError: false };
	try {
		const { version, 'engines.node': engines } = lookUp(wanted);
		outcome.n8n = wanted === version ? version : `${version} (${wanted})`;
		const folder = install(version, engines, overrides);
		console.log(`\nversions: n8n ${outcome.n8n}`);
		const hasPassed = smoke(folder);
		outcome.wasTried = true;
		outcome.result = hasPassed ? 'passed' : 'FAILED';
		outcome.isError = !hasPassed;
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(`versions: n8n ${wanted}: ${error.message}`);
		const [, reason] = /^npm error (?!code )(.*)$/m.exec(error.message) ?? [];
		outcome.result = `not installed: ${reason ?? error.message.split('\n')[0]}`;
		outcome.isError = must;
	}
	outcome.seconds = Math.round((Date.now() - began) / 1000);
	return outcome;
}

const named = process.argv.slice(2);
const recorded = (n8n) => matrix.versions.find((version) => version.n8n === n8n) ?? { n8n };
const wanted = named.length > 0 ? named.map(recorded) : matrix.versions;
const outcomes = [];
for (const version of wanted) outcomes.push(tryVersion(version));

console.log('\nversions: in all');
for (const { n8n, result, seconds } of outcomes) {
	console.log(`${n8n.padEnd(18)} ${String(seconds).padStart(5)} s  ${result}`);
}
const isGreen = outcomes.every(({ isError }) => !isError) && outcomes.some(({ wasTried }) => wasTried);
process.exitCode = isGreen ? 0 : 1;
