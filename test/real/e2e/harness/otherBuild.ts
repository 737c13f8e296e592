import { execFileSync } from 'node:child_process';
import {
	cpSync,
	globSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { N8nInstance } from '../../../support/n8n/instance.cjs';
import { packPackage } from '../../../support/n8n/package.cjs';
import { NODE_TYPE } from './e2e';

const ROOT = path.resolve(__dirname, '../../../..');

/** All that a build and the packing of it read. */
const SOURCES = [
	...['nodes', 'credentials', 'vendor', 'icons', 'gulpfile.js', 'index.js'],
	...['package.json', 'tsconfig.json', 'README.md', 'LICENSE.md'],
];

/** The version that the other build says it is. */
export const OTHER_VERSION = '99.0.0';

/** Where the builds keep the code that runs, below the installed package. */
export const [THIS_CODE, OTHER_CODE] = ['run', 'runs'].map((name) => `dist/nodes/PriceCollection/${name}`);

/** Replaces all of a text in a file; a text that is not there means that the build would not differ. */
function replaceIn(file: string, from: string, to: string): void {
	const text = readFileSync(file, 'utf8');
	if (!text.includes(from)) throw new Error(`${file} holds no ${from}`);
	writeFileSync(file, text.replaceAll(from, to));
}

/**
 * Makes a copy of the sources what a later version of the package could be: another version number, no file of the
 * code where it was, and every stored format one version further, in another shape, with the present one still read.
 * @param folder the copy
 */
export function withNewerFormats(folder: string): void {
	const format = path.join(folder, 'nodes/PriceCollection/n8n/storedFormat.ts');
	replaceIn(format, 'const VERSION = 1;', 'const VERSION = 2;');
	replaceIn(format, '({ version: VERSION, ...value })', '({ version: VERSION, moved: value })');
	replaceIn(format, 'stored.version !== VERSION', '![1, VERSION].includes(Number(stored.version))');
	replaceIn(
		format,
		'schema.safeParse(stored)',
		'schema.safeParse(stored.version === VERSION ? stored.moved : stored)',
	);
	replaceIn(path.join(folder, 'package.json'), '"version": "0.1.0"', `"version": "${OTHER_VERSION}"`);
	const product = path.join(folder, 'nodes/PriceCollection');
	renameSync(path.join(product, 'run'), path.join(product, 'runs'));
	for (const file of globSync(`${product}/**/*.ts`)) {
		const text = readFileSync(file, 'utf8');
		writeFileSync(file, text.replaceAll(/(['/.])\/run\//g, '$1/runs/'));
	}
}

/**
 * Copies the sources, changes the copy, builds and packs it. The tree of the tests stays as it is.
 * @returns the absolute path of the tarball, in a temporary folder that is the caller's to delete
 */
export function packOtherBuild(change: (folder: string) => void): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-other-'));
	try {
		for (const name of SOURCES) {
			cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
		}
		symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
		change(folder);
		const gulp = path.join(ROOT, 'node_modules/gulp/bin/gulp.js');
		execFileSync(process.execPath, [gulp, 'build', '--silent'], { cwd: folder });
		return packPackage(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The version that n8n has loaded, as it tells the editor; undefined where it has none. */
export async function loadedVersion({ url, client }: N8nInstance): Promise<unknown> {
	const reply = await fetch(`${url}/types/nodes.json`, { headers: { cookie: client.cookie } });
	const types = (await reply.json()) as Array<{ name: string; communityNodePackageVersion?: string }>;
	return types.find(({ name }) => name === NODE_TYPE)?.communityNodePackageVersion;
}
