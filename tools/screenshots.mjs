// Takes the documentation's pictures during the browser tests: npm run screenshots
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const target = path.join(ROOT, 'docs/images');
mkdirSync(target, { recursive: true });

const { status } = spawnSync('npm', ['run', '--silent', 'test:e2e:run', '--', 'test/real/ui'], {
	cwd: ROOT,
	env: { ...process.env, PRICE_COLLECTION_DOCUMENTATION_IMAGES: target },
	stdio: 'inherit',
	shell: process.platform === 'win32',
});
if (status === 0) console.log(`The pictures are in ${target}`);
process.exitCode = status ?? 1;
