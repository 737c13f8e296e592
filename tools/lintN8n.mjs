// Runs n8n's own linter (`n8n-node lint`, pinned in test/install/linter) in strict mode, with n8n's default
// configuration, over what n8n's scanner checks: package.json, nodes/ and credentials/. The whole repository cannot be
// in strict mode: the default configuration applies the rules for code in n8n Cloud to every .ts file, and tests need
// files, timers and servers. The copy is inside test/install/linter, to find the linter's packages and ours.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const LINTER = path.join(ROOT, 'test/install/linter');
const COPY = path.join(LINTER, 'copy');
const DEFAULT_CONFIG = `import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n`;

/** The published sources, and what is needed to read them; n8n-node recognises npm by the lock file. */
const COPIED = ['nodes', 'credentials', 'vendor', 'icons', 'tsconfig.json', 'package-lock.json'];

function copyPackage() {
	rmSync(COPY, { recursive: true, force: true });
	mkdirSync(COPY);
	for (const name of COPIED) cpSync(path.join(ROOT, name), path.join(COPY, name), { recursive: true });
	const description = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
	description.n8n.strict = true;
	writeFileSync(path.join(COPY, 'package.json'), JSON.stringify(description, null, '\t'));
	writeFileSync(path.join(COPY, 'eslint.config.mjs'), DEFAULT_CONFIG);
}

try {
	copyPackage();
	const n8nNode = path.join(LINTER, 'node_modules/@n8n/node-cli/bin/n8n-node.mjs');
	execFileSync(process.execPath, [n8nNode, 'lint'], { cwd: COPY, stdio: 'inherit' });
} catch (error) {
	process.exitCode = error.status ?? 1;
	if (error.status === undefined) throw error;
} finally {
	rmSync(COPY, { recursive: true, force: true });
}
