/**
 * Runs all benchmarks (`npm run bench`) or some of them (`npm run bench -- collect decode`). `--write` writes their
 * targets into `docs/contributing/benchmarks.md`; other options go to the benchmarks. Works on a fresh clone: installs
 * what is missing, builds the package, and runs each benchmark in a separate process.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeTargets } from './support/document.mjs';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(FOLDER, '..');
const BIN = path.join(ROOT, 'node_modules/.bin');
const ENVIRONMENT = { ...process.env, PATH: [BIN, process.env.PATH].join(path.delimiter) };
const WRITE = '--write';

/** These measure the code alone, and do not need n8n to be installed. */
const WITHOUT_N8N = new Set(['decode', 'hostile', 'load', 'stillRunning']);

const available = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.mjs') && file !== path.basename(import.meta.url))
	.map((file) => path.basename(file, '.mjs'))
	.sort();

/** Runs a command with the project's Node first on PATH. Exits if it fails. */
function run(command, args) {
	const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: ENVIRONMENT });
	if (status === 0) return;
	if (error) console.error(`bench: ${error.message}`);
	process.exit(status ?? 1);
}

/** Runs a benchmark. Shows its output and returns it. */
async function measure(name, options) {
	const child = spawn(path.join(BIN, 'node'), [path.join(FOLDER, `${name}.mjs`), ...options], {
		cwd: ROOT,
		stdio: ['inherit', 'pipe', 'inherit'],
		env: ENVIRONMENT,
	});
	let printed = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		printed += text;
		process.stdout.write(text);
	});
	const [code] = await once(child, 'close');
	if (code !== 0) process.exit(code ?? 1);
	return printed;
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const given = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const options = given.filter((option) => option !== WRITE);
const unknown = names.find((name) => !available.includes(name));
if (unknown) {
	console.error(`bench: there is no benchmark "${unknown}", but ${available.join(', ')}`);
	process.exit(1);
}
const chosen = names.length > 0 ? names : available;

const needsN8n = chosen.some((name) => !WITHOUT_N8N.has(name));
run(process.execPath, [path.join(ROOT, 'tools/setup.mjs'), ...(needsN8n ? ['--n8n'] : [])]);
run('npm', ['run', '--silent', 'build']);
for (const name of chosen) {
	console.log(`\n# ${name}\n`);
	const began = performance.now();
	const printed = await measure(name, options);
	console.error(`bench: ${name} took ${Math.round((performance.now() - began) / 1000)} s`);
	if (!given.includes(WRITE)) continue;
	writeTargets(name, printed);
}
