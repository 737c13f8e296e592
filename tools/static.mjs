// Runs the static checks in parallel, after the build, which checks the product's types: `npm run test:static`. Shows the
// output of those that fail, and how long each took.
import { spawn, spawnSync } from 'node:child_process';

const CHECKS = ['types', 'lint', 'architecture', 'reference', 'format:check'];

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

const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
	stdio: 'inherit',
	shell: process.platform === 'win32',
});
const codes = status === 0 ? await Promise.all(CHECKS.map(check)) : [status];
if (codes.some((code) => code !== 0)) process.exitCode = 1;
