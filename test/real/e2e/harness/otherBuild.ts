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

/** Everything that building and packing read. */
const SOURCES = [
	...['nodes', 'credentials', 'vendor', 'icons', 'gulpfile.js', 'index.js'],
	...['package.json', 'tsconfig.json', 'README.md', 'LICENSE.md'],
];

/** The version of the other build. */
export const OTHER_VERSION = '99.0.0';

/** A folder of code in this build, and its name in the other build, below the installed package. */
export const [THIS_CODE, OTHER_CODE] = ['run', 'runs'].map((name) => `dist/nodes/PriceCollection/${name}`);

/** Replaces a text everywhere in a file. Throws if the text is missing, because then the build would not differ. */
function replaceIn(file: string, from: string, to: string): void {
	const text = readFileSync(file, 'utf8');
	if (!text.includes(from)) throw new Error(`${file} holds no ${from}`);
	writeFileSync(file, text.replaceAll(from, to));
}

/**
 * Turns a copy of the sources into a possible later version of the package: it has another version number, a folder of
 * code has moved, and every stored format is one version further and in another shape, with the present one still read.
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
 * Copies the sources, changes the copy, builds and packs it. The working tree stays as it is.
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

/** The package version that n8n has loaded, as it reports to the editor; undefined if none is loaded. */
export async function loadedVersion({ url, client }: N8nInstance): Promise<unknown> {
	const reply = await fetch(`${url}/types/nodes.json`, { headers: { cookie: client.cookie } });
	const types = (await reply.json()) as Array<{ name: string; communityNodePackageVersion?: string }>;
	return types.find(({ name }) => name === NODE_TYPE)?.communityNodePackageVersion;
}
