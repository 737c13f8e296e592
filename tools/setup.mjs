// Installs what is missing, so that a fresh clone needs one command: dependencies, the Node version
// that n8n asks for, and on request a real n8n (--n8n), a browser with its driver (--browser), n8n's own linter (--linter)
// and Stryker (--mutation).
// Needs nothing but Node 20.19 and npm; does nothing, in milliseconds, when all is there.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import browser from '../test/support/browser.cjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const PINNED_N8N = path.join(ROOT, 'test/install/n8n');
const LINTER = path.join(ROOT, 'test/install/linter');
const BROWSER_DRIVER = path.join(ROOT, 'test/real/ui');
const MUTATION = path.join(ROOT, 'tools/mutation');
const STAMP = 'node_modules/.price-collection-setup';
const HEARTBEAT_MS = 20_000;

/** What was wanted could not be installed, in words for whoever wanted it. */
export class SetupError extends Error {}

const say = (text) => console.log(`setup: ${text}`);

/** Runs a command quietly, with a sign of life now and then; its output is shown only when it fails. */
async function run(what, command, args, { cwd, env } = {}) {
	say(`${what} …`);
	const began = Date.now();
	const seconds = () => Math.round((Date.now() - began) / 1000);
	const heartbeat = setInterval(() => say(`… still busy (${seconds()} s)`), HEARTBEAT_MS);
	try {
		const { code, output } = await collect(command, args, { cwd, env });
		if (code !== 0) {
			const said = output.trim().split('\n').slice(-40).join('\n');
			throw new SetupError(`${what}: ${command} ended with code ${code}.\n${said}`);
		}
		say(`${what}: done in ${seconds()} s`);
	} finally {
		clearInterval(heartbeat);
	}
}

function collect(command, args, { cwd, env }) {
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			cwd,
			env: { ...process.env, ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
			shell: process.platform === 'win32',
		});
		let output = '';
		const keep = (chunk) => (output += chunk);
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
		child.on('error', (error) => resolve({ code: -1, output: error.message }));
		child.on('close', (code) => resolve({ code, output }));
	});
}

/** What an installed folder was installed from. */
function fingerprint(folder) {
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) {
		// Scripts and texts of package.json may change without a new install.
		const text = readFileSync(path.join(folder, file), 'utf8');
		const { dependencies, devDependencies, overrides } = JSON.parse(text);
		hash.update(
			file === 'package.json' ? JSON.stringify([dependencies, devDependencies, overrides]) : text,
		);
	}
	return hash.digest('hex');
}

function isInstalled(folder) {
	const stamp = path.join(folder, STAMP);
	return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(folder);
}

const markInstalled = (folder) => writeFileSync(path.join(folder, STAMP), fingerprint(folder));

/** Puts the folder's own Node first on PATH, for npm and for everything npm starts. */
const withOwnNode = (folder) => ({
	PATH: [path.join(folder, 'node_modules/.bin'), process.env.PATH].join(path.delimiter),
});

function nodeVersion(folder) {
	const { stdout } = spawnSync(path.join(folder, 'node_modules/.bin/node'), ['--version']);
	return stdout?.toString().trim().replace(/^v/, '');
}

/**
 * The npm package `node` carries no binary: its install script fetches the one for this machine. It is
 * the one script of the dependencies that is needed; all others stay off (`ignore-scripts`).
 */
async function installNode(folder) {
	const { version } = JSON.parse(readFileSync(path.join(folder, 'node_modules/node/package.json'), 'utf8'));
	if (nodeVersion(folder) === version) return;
	await run(`Node ${version}`, 'npm', ['rebuild', 'node', '--ignore-scripts=false'], {
		cwd: folder,
	});
	if (nodeVersion(folder) === version) return;
	const { arch, platform } = process;
	throw new SetupError(
		`The npm package "node" has no Node ${version} for ${platform} on ${arch}, so nothing here can run.`,
	);
}

async function installDependencies() {
	if (!isInstalled(ROOT)) {
		const folder = path.join(ROOT, 'node_modules');
		// npm would empty the folder behind the link.
		if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
			throw new SetupError(
				`node_modules is a link to ${realpathSync(folder)}, whose packages are not those of package-lock.json. ` +
					`Run npm ci where it leads to, or delete the link.`,
			);
		}
		await run('dependencies (about a minute)', 'npm', ['ci', '--loglevel=error'], { cwd: ROOT });
	}
	await installNode(ROOT);
	markInstalled(ROOT);
}

/** Where the pinned n8n lives: in the clone, or where several clones share it. */
export function n8nFolder() {
	const shared = process.env.PRICE_COLLECTION_N8N_DIR;
	if (!shared) return PINNED_N8N;
	mkdirSync(shared, { recursive: true });
	for (const file of ['package.json', 'package-lock.json']) {
		const [from, to] = [path.join(PINNED_N8N, file), path.join(shared, file)];
		if (!existsSync(to) || !readFileSync(from).equals(readFileSync(to))) copyFileSync(from, to);
	}
	return path.resolve(shared);
}

function hasSqlite(folder) {
	const node = path.join(folder, 'node_modules/.bin/node');
	return spawnSync(node, ['-e', "require('sqlite3')"], { cwd: folder }).status === 0;
}

/** n8n stores its data in SQLite through a native module: fetched ready-made, or else compiled. */
async function installSqlite(folder) {
	if (hasSqlite(folder)) return;
	const args = ['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'];
	try {
		await run('sqlite3 (seconds, or about 2 minutes where it must be compiled)', 'npm', args, {
			cwd: folder,
			env: withOwnNode(folder),
		});
	} catch (error) {
		const missing = ['python3', 'make', 'g++'].filter((tool) => !isOnPath(tool));
		if (missing.length === 0) throw error;
		throw new SetupError(
			`sqlite3 had to be compiled, and that needs ${missing.join(', ')}. ` +
				`On Debian or Ubuntu: apt-get install -y python3 make g++`,
		);
	}
	if (!hasSqlite(folder)) throw new SetupError('sqlite3 was built but cannot be loaded');
}

const isOnPath = (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined;

/**
 * Installs the n8n that the folder's package.json asks for, with its Node; does nothing when it is there.
 * `command`: `ci` for a folder with a lock file, else `install`.
 */
export async function installN8n(folder, what, command) {
	if (isInstalled(folder)) return;
	const args = [command, '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'];
	await run(what, 'npm', args, { cwd: folder });
	await installNode(folder);
	await installSqlite(folder);
	markInstalled(folder);
}

function isAlive(id) {
	try {
		return process.kill(id, 0);
	} catch (error) {
		return error.code === 'EPERM';
	}
}

/** Lets only one process at a time install into a folder that several clones may share. */
async function alone(folder, install) {
	const lock = path.join(folder, '.installing');
	for (let isSaid = false; ; isSaid = true) {
		try {
			writeFileSync(lock, String(process.pid), { flag: 'wx' });
			break;
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
		const owner = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0);
		// One that was killed has left its lock.
		if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
		else if (!isSaid) say(`process ${owner} installs into ${folder}; waiting for it …`);
		await sleep(1_000);
	}
	try {
		await install();
	} finally {
		rmSync(lock, { force: true });
	}
}

async function installPinnedN8n() {
	const folder = n8nFolder();
	if (isInstalled(folder)) return;
	const what = 'n8n 2.41.1 (2 to 5 minutes, 2.3 GB)';
	await alone(folder, async () => await installN8n(folder, what, 'ci'));
}

/** Packages that only some need, in a folder with a lock file of its own. */
async function installFolder(folder, what) {
	if (isInstalled(folder)) return;
	const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'];
	await run(what, 'npm', args, { cwd: folder });
	markInstalled(folder);
}

async function installBrowser() {
	await installFolder(BROWSER_DRIVER, 'the driver of the browser');
	if (browser.findBrowser()) return;
	const isRoot = process.getuid?.() === 0;
	if (!isRoot || !isOnPath('apt-get')) {
		throw new SetupError(
			`The browser tests need Chromium or Chrome, and none was found (${browser.BROWSER_PATHS.join(', ')}). ` +
				`On Debian: sudo apt-get install chromium. Another place: set PRICE_COLLECTION_BROWSER.`,
		);
	}
	const env = { DEBIAN_FRONTEND: 'noninteractive' };
	await run('package lists', 'apt-get', ['update', '-qq'], { env });
	const args = ['install', '-y', '-qq', '--no-install-recommends', 'chromium'];
	await run('Chromium (about a minute)', 'apt-get', args, { env });
	if (!browser.findBrowser()) throw new SetupError('Chromium was installed but cannot be found');
}

function checkTools() {
	const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
	const [major, minor] = engines.node.match(/\d+/g).map(Number);
	const [own, ownMinor] = process.versions.node.split('.').map(Number);
	if (own < major || (own === major && ownMinor < minor))
		throw new SetupError(`Node ${major}.${minor} or newer is needed; this is ${process.version}`);
	execFileSync('npm', ['--version'], { stdio: 'ignore', shell: process.platform === 'win32' });
}

async function setUp(wanted) {
	try {
		checkTools();
		await installDependencies();
		if (wanted.includes('--n8n')) await installPinnedN8n();
		if (wanted.includes('--browser')) await installBrowser();
		if (wanted.includes('--linter')) await installFolder(LINTER, "n8n's linter (half a minute, 100 MB)");
		if (wanted.includes('--mutation')) await installFolder(MUTATION, 'Stryker');
	} catch (error) {
		console.error(`setup: ${error instanceof SetupError ? error.message : error.stack}`);
		process.exitCode = 1;
	}
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp(process.argv.slice(2));
