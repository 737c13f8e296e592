import { existsSync } from 'node:fs';
import path from 'node:path';

import { PAGES, readText, ROOT, tableRows } from '../../documents';

/** Tests that pages name beside what they hold exist, in the file that is named. */

/** What stands for every test of a file. */
const ALL = /^(all|both|each|each \w+( with each authentication)?|every line|every file of an operation)$/;

const plain = (text: string) => text.replaceAll(/\\?'|’|`|\\"|"/g, '').replaceAll(/\s+/g, ' ');

/** The parts of names that none of the files holds: `…` stands for the rest, and describe and test are parted by a comma. */
function missing(files: readonly string[], names: readonly string[]): string[] {
	const text = plain(files.map((file) => readText(`test/${file}.test.ts`)).join('\n'));
	return names
		.filter((name) => !ALL.test(name.trim()))
		.flatMap((name) => plain(name).split(/…|, /))
		.map((part) => part.trim())
		.filter((part) => !text.includes(part));
}

const isThere = (file: string) => existsSync(path.join(ROOT, file));

test.each(PAGES)('%s names only tests that there are', (page) => {
	const named = [...readText(page).matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = '']) => file);
	expect(named.filter((file) => !isThere(file))).toEqual([]);
});

/** A cell of test files, and one of names: parted by semicolons, or below their file as `file`: name; name. `file`: name. */
const guards = tableRows(readText('test/README.md').split('\n## Guards\n')[1] ?? '');
const threats = tableRows(readText('docs/security.md')).flatMap(([who = '', , tests = '']) => {
	const named = [...tests.matchAll(/`([\w/]+)`: (.*?)(?=\. `\w+\/|$)/g)];
	return named.length === 0
		? [[who, '', '']]
		: named.map(([, file, names = '']) => [who, `\`${file}\``, names]);
});

test.each([...guards, ...threats])('%s: %s', (_what, cell = '', names = '') => {
	const files = [...cell.matchAll(/`(\w+\/[\w/]+)`/g)].map(([, file = '']) => file);
	expect(files).not.toEqual([]);
	expect(files.filter((file) => !isThere(`test/${file}.test.ts`))).toEqual([]);
	expect(missing(files, names.split(';'))).toEqual([]);
});
