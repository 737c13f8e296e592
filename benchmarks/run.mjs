/**
 * Runs benchmarks: `npm run bench` all of them, `npm run bench -- collect decode` those named. Works on a
 * fresh clone: installs what is missing, builds the package, and runs each benchmark in a process of its own.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(FOLDER, '..');
const BIN = path.join(ROOT, 'node_modules/.bin');

/** These measure the code alone, so that nobody has to install n8n for them. */
const WITHOUT_N8N = new Set(['decode', 'load', 'migration']);

const available = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.mjs') && file !== path.basename(import.meta.url))
	.map((file) => path.basename(file, '.mjs'))
	.sort();

/** Runs a command in the project with its own Node first on PATH; ends everything when it fails. */
function run(command, args) {
	const env = { ...process.env, PATH: [BIN, process.env.PATH].join(path.delimiter) };
	const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env });
	if (status === 0) return;
	if (error) console.error(`bench: ${error.message}`);
	process.exit(status ?? 1);
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
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
	run(path.join(BIN, 'node'), [path.join(FOLDER, `${name}.mjs`), ...options]);
}
