import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** docs/verification.md: whether its evidence is there, and its figures are those of the package. */
const ROOT = path.join(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const page = read('docs/verification.md');
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Rule '));
const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
const { scripts, devDependencies } = JSON.parse(read('package.json')) as Record<
	'scripts' | 'devDependencies',
	Record<string, string>
>;
const linter = JSON.parse(read('test/node-cli/package.json')) as { dependencies: Record<string, string> };

describe('docs/verification.md', () => {
	it('has a status for each rule, and evidence for what is closed', () => {
		expect(rows.length).toBeGreaterThan(30);
		for (const [, rule, evidence, status] of cells) {
			expect([rule, status]).toEqual([
				rule,
				expect.stringMatching(/^(closed|otherwise|reviewer|owner(: .+)?)$/),
			]);
			if (status !== 'owner') expect([rule, evidence]).not.toEqual([rule, '']);
		}
	});

	it('names files that there are', () => {
		const named = [...page.matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w.-]+\.(?:md|js|mjs|json))`/g)].map(
			([, file = '']) => file,
		);
		expect(named).toEqual(expect.arrayContaining(['test/unit/release.test.ts', 'SECURITY.md']));
		const built = /^dist\//;
		expect(
			named.filter(
				(file) => !built.test(file) && !file.includes('@n8n') && !existsSync(path.join(ROOT, file)),
			),
		).toEqual([]);
	});

	it('names commands that there are', () => {
		const named = [...page.matchAll(/`npm run ([\w:]+)/g)].map(([, name = '']) => name);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});

	it('names the versions of n8n’s tools that are used', () => {
		const used = { ...devDependencies, ...linter.dependencies };
		const named = [...page.matchAll(/(@n8n\/[\w-]+|eslint-plugin-[\w-]+) (\d+\.\d+\.\d+)/g)];
		expect(named.map(([, name = '', version]) => [name, version])).toEqual(
			[
				'@n8n/node-cli',
				'@n8n/eslint-plugin-community-nodes',
				'eslint-plugin-n8n-nodes-base',
				'@n8n/scan-community-package',
			].map((name) => [name, used[name]]),
		);
	});
});
