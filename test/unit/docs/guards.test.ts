import { existsSync } from 'node:fs';
import path from 'node:path';

import { readText, ROOT, tableRows } from '../../documents';

/** Tests that pages name beside what they hold exist, in the file that is named. */

/** What stands for every test of a file, or for those of the row above. */
const ALL =
	/^(all|both|the same|each|each \w+( with each authentication)?|every line|every file of an operation)$/;

const plain = (text: string) => text.replaceAll(/\\?'|’|`|\\"|"/g, '').replaceAll(/\s+/g, ' ');

/** The parts of the name of a test: `…` stands for the rest, and describe and test are parted by a comma. */
function partsOf(name: string): string[] {
	return plain(name)
		.split(/…|, /)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

/** The parts of the names that none of the files holds. */
function missing(files: readonly string[], names: readonly string[]): string[] {
	const text = plain(files.map((file) => readText(`test/${file}.test.ts`)).join('\n'));
	return names
		.map((name) => name.trim())
		.filter((name) => name !== '' && !ALL.test(name))
		.flatMap(partsOf)
		.filter((part) => !text.includes(part));
}

const filesIn = (cell: string) =>
	[...cell.matchAll(/`((?:unit|engine|e2e|ui|versions|sandbox|generator)\/[\w/]+)`/g)].map(
		([, file = '']) => file,
	);
const isThere = (file: string) => existsSync(path.join(ROOT, `test/${file}.test.ts`));

const guards = tableRows(readText('test/README.md').split('\n## Guards\n')[1] ?? '');

describe('the guards in test/README.md', () => {
	it('are many', () => expect(guards.length).toBeGreaterThan(100));

	it.each(guards)('%s', (_guard, cell = '', names = '') => {
		const files = filesIn(cell);
		expect(files).not.toEqual([]);
		expect(files.filter((file) => !isThere(file))).toEqual([]);
		expect(missing(files, names.split(';'))).toEqual([]);
	});
});

const threats = tableRows(readText('docs/security.md'));

describe('the tests in docs/security.md', () => {
	it('stand beside each threat', () => {
		expect(threats.length).toBeGreaterThan(25);
		expect(threats.filter(([, , tests = '']) => filesIn(tests).length === 0)).toEqual([]);
	});

	it.each(threats)('%s', (_who, _how, tests = '') => {
		// `file`: name; name. `file`: name
		const named = [...tests.matchAll(/`([\w/]+)`: (.*?)(?=\. `\w+\/|$)/g)];
		expect(named).toHaveLength(filesIn(tests).length);
		for (const [, file = '', names = ''] of named) {
			expect([file, isThere(file)]).toEqual([file, true]);
			expect([file, missing([file], names.split('; '))]).toEqual([file, []]);
		}
	});
});
