import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { PAGES, readText, ROOT } from '../../support/documents';

/** Pages may only name tests and guards that exist, because a promise can lose its test unnoticed. */
const isThere = (file: string) => existsSync(path.join(ROOT, file));
/** A function, a constant, a method, or a field of a type. */
const DECLARATION = /(?:\b(?:async|const|function|private) |^\t)(\w+)(?=[(<:?]| =)/gm;
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Tests or test folders in a comment, which prove the paragraph. */
const PROOF = /<!-- ((?:\w+\/[\w/]+ )+)-->/g;
/** A test or test folder that a page names in code. */
const SUITE =
	/`((?:unit|engine|real|fakes|e2e|ui|sheets|queue|restarts|chaos|release|versions|sandbox|services|office)\/[\w/]+|sheets)`/g;
const PLACES = ['test', 'test/real', 'test/fakes'];
const isSuiteThere = (name: string) =>
	PLACES.some((place) => isThere(`${place}/${name}.test.ts`) || isThere(`${place}/${name}`));

/** The lines of a page that name a missing suite, so that a failure shows what is no longer proven. */
function unprovenIn(text: string): string[] {
	let heading = '';
	return text.split('\n').flatMap((line) => {
		const isListed = line.startsWith('- ');
		// Blank lines separate a list from its heading.
		if (line !== '' && !isListed) heading = /:(\*\*)?$/.test(line) ? `${line} ` : '';
		const proofs = namesIn(line, PROOF).flatMap((names) => names.trim().split(' '));
		const gone = [...new Set([...namesIn(line, SUITE), ...proofs])].filter((name) => !isSuiteThere(name));
		if (gone.length === 0) return [];
		const promise = isListed ? heading + line.slice(2) : line;
		return `Without ${gone.join(', ')}: ${promise.replaceAll('**', '')}`;
	});
}

test.each(PAGES)('%s names only tests that there are, so that what it promises is proven', (page) => {
	const text = readText(page);
	expect(namesIn(text, /`(test\/[\w./-]+)`/g).filter((file) => !isThere(file))).toEqual([]);
	expect(unprovenIn(text)).toEqual([]);
});

test('test/README.md names only guards that there are', () => {
	const [, list = ''] = readText('test/README.md').split('\n## Guards\n');
	const guards = namesIn(list, /`(\w+)`/g).filter((name) => /[A-Z]/.test(name));
	expect(guards.length).toBeGreaterThan(10);
	const nodes = path.join(ROOT, 'nodes');
	const files = readdirSync(nodes, { recursive: true, encoding: 'utf8' });
	const declared = files.flatMap((file) =>
		file.endsWith('.ts') ? namesIn(readText(`nodes/${file}`), DECLARATION) : [],
	);
	expect(guards.filter((name) => !declared.includes(name))).toEqual([]);
});

test('test/README.md names every folder of tests, so that a deleted one is missed', () => {
	const readme = readText('test/README.md');
	const foldersIn = (folder: string) =>
		readdirSync(path.join(ROOT, 'test', folder), { withFileTypes: true })
			.filter((entry) => entry.isDirectory())
			.map(({ name }) => `${folder}/${name}`);
	const folders = ['unit', 'engine', 'real', 'fakes'].flatMap(foldersIn);
	const isNamed = (folder: string) => readme.includes(`\`${folder}\``) || readme.includes(`\`${folder}/`);
	expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});

test('the page on versions names those of n8n and Node that are tested', () => {
	const { versions, node } = JSON.parse(readText('test/real/versions/matrix.json')) as {
		versions: Array<{ n8n: string }>;
		node: string[];
	};
	const [, named = ''] =
		/`npm run test:versions` runs the packed package in (.*)\n/.exec(readText('docs/compatibility.md')) ??
		[];
	const pinned = versions.map(({ n8n }) => n8n).filter((version) => version !== 'latest');
	expect(namesIn(named, /(\d+\.\d+\.\d+)/g).sort()).toEqual([...pinned, ...node].sort());
});
