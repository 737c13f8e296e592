// Installs what is missing, so that a fresh clone needs one command: the dependencies, with the Node that n8n requires,
// and on request a real n8n (--n8n), a browser (--browser), n8n's own linter (--linter) and Stryker (--mutation). Needs
// only Node and npm. Takes milliseconds if everything is there.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import browser from '../test/support/browser.cjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Where the pinned n8n is: in this clone, or where several clones share one. */
export const N8N_FOLDER = process.env.PRICE_COLLECTION_N8N_DIR || path.join(ROOT, 'test/install/n8n');

/** Something could not be installed. The message is for the user. */
export class SetupError extends Error {}

const isOnPath = (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Runs a command in a folder, quietly. Throws with its errors if it fails. */
function run(folder, command, ...args) {
	const PATH = [path.join(folder, 'node_modules/.bin'), process.env.PATH].join(path.delimiter);
	const { error, status, stderr } = spawnSync(command, args, {
		cwd: folder,
		// Commands that npm starts use the folder's own Node.
		env: { ...process.env, PATH, DEBIAN_FRONTEND: 'noninteractive' },
		stdio: ['ignore', 'ignore', 'pipe'],
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	if (status !== 0)
		throw new SetupError(`${[command, ...args].join(' ')} failed.\n${error?.message ?? stderr}`);
}

/**
 * Installs the packages of a folder, unless they are there.
 *
 * @param what what they are, and how long it takes
 * @param built the packages whose install scripts are needed; no other one runs
 * @param command `ci` where there is a lock file, else `install`
 */
export function installPackages(folder, what, built = [], command = 'ci') {
	const wanted = path.join(folder, command === 'ci' ? 'package-lock.json' : 'package.json');
	const installed = path.join(folder, 'node_modules/.installed');
	if (existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted))) return;
	console.log(`setup: ${what} …`);
	run(folder, 'npm', command, '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--loglevel=error');
	for (const name of built) run(folder, 'npm', 'rebuild', name, '--ignore-scripts=false');
	copyFileSync(wanted, installed);
}

/** Installs a real n8n. Its database, SQLite, is a native module: fetched ready-made, or else compiled. */
export function installN8n(folder, what, command) {
	try {
		installPackages(folder, what, ['node', 'sqlite3'], command);
	} catch (error) {
		const missing = ['python3', 'make', 'g++'].filter((tool) => !isOnPath(tool));
		if (missing.length === 0 || !error.message.includes('sqlite3')) throw error;
		throw new SetupError(
			`sqlite3 had to be compiled, and that needs ${missing.join(', ')}. ` +
				`On Debian or Ubuntu: apt-get install -y python3 make g++`,
		);
	}
}

function installBrowser() {
	if (browser.findBrowser()) return;
	if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
		throw new SetupError(
			`The browser tests need Chromium or Chrome, and none was found (${browser.BROWSER_PATHS.join(', ')}). ` +
				`On Debian: sudo apt-get install chromium-headless-shell. Another place: set PRICE_COLLECTION_BROWSER.`,
		);
	}
	console.log('setup: Chromium (about a minute) …');
	run(ROOT, 'apt-get', 'update', '-qq');
	run(ROOT, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell');
}

function setUp(wanted) {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major < 20 || (major === 20 && minor < 19))
		throw new SetupError(`Node 20.19 or newer is needed; this is ${process.version}`);
	installPackages(ROOT, 'dependencies and Node 24 (about a minute)', ['node']);
	if (wanted.includes('--n8n') && !process.env.PRICE_COLLECTION_N8N_DIR)
		installN8n(N8N_FOLDER, 'n8n (2 to 5 minutes, 2.3 GB)');
	if (wanted.includes('--browser')) installBrowser();
	if (wanted.includes('--linter'))
		installPackages(path.join(ROOT, 'test/install/linter'), "n8n's linter (half a minute, 100 MB)");
	if (wanted.includes('--mutation')) installPackages(path.join(ROOT, 'tools/mutation'), 'Stryker');
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
	try {
		setUp(process.argv.slice(2));
	} catch (error) {
		console.error(`setup: ${error instanceof SetupError ? error.message : error.stack}`);
		process.exitCode = 1;
	}
}
