// Builds and runs the static checks, all in parallel: `npm run test:static`. Shows the output of those that fail, and how
// long each took.
import { spawn } from 'node:child_process';

const CHECKS = ['types', 'lint', 'architecture', 'format:check'];

const seconds = (began) => Math.round((Date.now() - began) / 1000);

/** Runs `npm run NAME`, shows its output if it fails, and returns the exit code. */
async function check(name) {
	const began = Date.now();
	const child = spawn('npm', ['run', '--silent', name], {
		stdio: ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32',
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
	const code = await new Promise((resolve) => child.on('close', resolve));
	console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(began)} s)`);
	if (code !== 0) console.log(output);
	return code;
}

/** The reference is about the nodes as they are built. */
async function buildAndCheckReference() {
	const code = await check('build');
	return code === 0 ? await check('reference') : code;
}

const codes = await Promise.all([buildAndCheckReference(), ...CHECKS.map(check)]);
if (codes.some((code) => code !== 0)) process.exitCode = 1;
