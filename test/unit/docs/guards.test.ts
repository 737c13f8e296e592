import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { PAGES, readText, ROOT } from '../../support/documents';

/** Tests and guards that pages name are there: nobody sees that a promise has lost its test. */
const isThere = (file: string) => existsSync(path.join(ROOT, file));
/** A function, a constant, a method, or a field of a type. */
const DECLARATION = /(?:\b(?:async|const|function|private) |^\t)(\w+)(?=[(<:?]| =)/gm;
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

test.each(PAGES)('%s names only tests that there are', (page) => {
	const text = readText(page);
	expect(namesIn(text, /`(test\/[\w./-]+)`/g).filter((file) => !isThere(file))).toEqual([]);
	const suites = namesIn(
		text,
		/`((?:unit|engine|real|fakes|e2e|ui|sheets|queue|versions|sandbox|services)\/[\w/]+)`/g,
	);
	const places = ['test', 'test/real', 'test/fakes'];
	const gone = suites.filter(
		(name) => !places.some((place) => isThere(`${place}/${name}.test.ts`) || isThere(`${place}/${name}`)),
	);
	expect(gone).toEqual([]);
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
