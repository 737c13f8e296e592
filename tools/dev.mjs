// Runs a real n8n that gets every change of the nodes within seconds, with a sandbox and an example workflow. Saving a
// file builds the package and copies the build into n8n, which reloads it (N8N_DEV_RELOAD) and updates the open editor.
// Ctrl-C ends everything.
import { readFileSync, readdirSync, renameSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import gulp from 'gulp';
import gulpfile from '../gulpfile.js';
import { ROOT, onStage } from '../test/support/stage.mjs';

const WATCHED = ['nodes/**', 'credentials/**', 'vendor/**', 'icons/**'];
const RELOAD_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

const build = promisify(gulpfile.build);
// gulp also emits the error of a failed build, and an unhandled error event would end the process.
gulp.on('error', () => undefined);

function sameFile(file, content) {
	try {
		return readFileSync(file).equals(content);
	} catch {
		return false;
	}
}

/** Copies changed files of the build into n8n's copy of the package, each in one step. Returns their number. */
function handOver(n8n) {
	const { name } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
	const installed = path.join(n8n.userFolder, '.n8n/nodes/node_modules', name, 'dist');
	const built = path.join(ROOT, 'dist');
	const files = readdirSync(built, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(built, path.join(entry.parentPath, entry.name)));
	const changed = files.filter(
		(file) => !sameFile(path.join(installed, file), readFileSync(path.join(built, file))),
	);
	for (const file of changed) {
		// Outside the folders that n8n watches, but on the same disk, so that n8n never sees half a file.
		const whole = path.join(n8n.userFolder, 'handed-over');
		writeFileSync(whole, readFileSync(path.join(built, file)));
		mkdirSync(path.dirname(path.join(installed, file)), { recursive: true });
		renameSync(whole, path.join(installed, file));
	}
	return changed.length;
}

/** Waits until n8n's log after `before` says that it has reloaded the package; false if it does not. */
async function isReloaded(n8n, before) {
	for (const end = Date.now() + RELOAD_TIMEOUT_MS; Date.now() < end; await sleep(POLL_MS)) {
		const since = n8n.log().slice(before);
		if (since.includes('Hot reload failed')) throw new Error(`n8n could not load the package:\n${since}`);
		if (since.includes('Hot reload triggered')) return true;
	}
	return false;
}

await onStage('dev', async (stage) => {
	stage.say('building the package …');
	await build();
	const fields = await stage.chooseService();
	const n8n = await stage.startN8n(fields, { N8N_DEV_RELOAD: 'true' });
	const workflow = await stage.importExample(n8n, 'prices-into-sheet');

	async function bringIn() {
		const began = performance.now();
		const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
		try {
			await build();
			const before = n8n.log().length;
			if (handOver(n8n) === 0) return stage.say('built; nothing that n8n loads has changed');
			if (await isReloaded(n8n, before)) return stage.say(`n8n has the change after ${seconds()}`);
			stage.say('n8n does not watch files on this platform and is restarted …');
			await n8n.restart();
			stage.say(`n8n has the change after ${seconds()}; reload the editor`);
		} catch (error) {
			// The file may be half typed. The next save builds it again.
			stage.say(`not brought into n8n: ${error.message}`);
		}
	}
	const watcher = gulp.watch(WATCHED, { cwd: ROOT }, bringIn);
	stage.atEnd(() => watcher.close());
	stage.say(`watching ${WATCHED.join(', ')}`);
	await stage.untilInterrupted(n8n, workflow);
});
