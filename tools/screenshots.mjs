// Takes pictures of the nodes in n8n's editor, on the way of the browser tests:
//   npm run screenshots                    the few that the documentation shows, into docs/images
//   npm run screenshots -- --all [FOLDER]  everything, light and dark, wide and narrow, into .cache/screenshots or FOLDER
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const [all, folder] = process.argv.slice(2);
const [variable, target] =
	all === '--all'
		? ['PRICE_COLLECTION_SCREENSHOTS', path.resolve(folder ?? path.join(ROOT, '.cache/screenshots'))]
		: ['PRICE_COLLECTION_DOCUMENTATION_IMAGES', path.join(ROOT, 'docs/images')];
mkdirSync(target, { recursive: true });

const { status } = spawnSync('npm', ['run', '--silent', 'test:e2e:run', '--', 'test/ui'], {
	cwd: ROOT,
	env: { ...process.env, [variable]: target },
	stdio: 'inherit',
	shell: process.platform === 'win32',
});
if (status === 0) console.log(`The pictures are in ${target}`);
process.exitCode = status ?? 1;
