import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as changelog from '../../tools/changelog.cjs';
import * as tarball from '../../tools/tarball.cjs';

const RELEASE = path.resolve(__dirname, '../../tools/release.mjs');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Prices in pounds.\n\n## 0.1.0\n\nFirst release.\n';

/** What the release runs, in a folder in which each of these only notes that it ran. */
const noting = (name: string, exitCode = 0) =>
	`node -e "require('fs').appendFileSync('ran', '${name} '); process.exit(${exitCode})" --`;

const PACKAGE = {
	name: 'n8n-nodes-any',
	version: '0.1.0',
	homepage: 'https://github.com/somebody/n8n-nodes-any',
	author: { name: 'Somebody', email: 'somebody@shop.test' },
	repository: { type: 'git', url: 'git+https://github.com/somebody/n8n-nodes-any.git' },
	bugs: { url: 'https://github.com/somebody/n8n-nodes-any/issues' },
	scripts: { test: noting('test'), 'lint:n8n': noting('lint:n8n'), scan: noting('scan') },
};

let folder: string;

const write = (file: string, content: unknown) =>
	writeFileSync(
		path.join(folder, file),
		typeof content === 'string' ? content : JSON.stringify(content, null, '\t'),
	);
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;

const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@shop.test'];
const git = (...args: string[]) =>
	execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' }).trim();

function release(args: string[], env: Record<string, string> = {}) {
	const identity = Object.fromEntries(
		['AUTHOR', 'COMMITTER'].flatMap((role) => [
			[`GIT_${role}_NAME`, 'Somebody'],
			[`GIT_${role}_EMAIL`, 'somebody@shop.test'],
		]),
	);
	const { status, stderr } = spawnSync(process.execPath, [RELEASE, ...args], {
		cwd: folder,
		encoding: 'utf8',
		env: { ...process.env, npm_config_dry_run: undefined, ...identity, ...env },
	});
	return { status, said: stderr };
}

/** A repository on its main branch with everything committed. */
function repository({ packageJson = PACKAGE, notes = CHANGELOG }: { packageJson?: object; notes?: string }) {
	write('package.json', packageJson);
	write('package-lock.json', { name: 'n8n-nodes-any', version: '0.1.0', lockfileVersion: 3, packages: {} });
	write('CHANGELOG.md', notes);
	write('.gitignore', 'ran\n');
	git('init', '--quiet', '--initial-branch', 'main');
	git('add', '.');
	git('commit', '--quiet', '--message', 'Begin');
}

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'price-collection-release-'));
});

afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

describe('a release', () => {
	it('is one commit and one tag, of what was tested, linted and packed before', () => {
		repository({});
		expect(release(['minor'])).toMatchObject({ status: 0 });
		expect(read('ran')).toBe('test lint:n8n scan ');
		expect([versionIn('package.json'), versionIn('package-lock.json')]).toEqual(['0.2.0', '0.2.0']);
		expect(read('CHANGELOG.md')).toMatch(
			/^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n- Prices in pounds\.\n\n## 0\.1\.0\n/,
		);
		expect(git('log', '-1', '--format=%s', '0.2.0')).toBe('Release 0.2.0');
		expect(git('status', '--porcelain')).toBe('');
	});

	it('whose tests fail leaves everything as it was, without a tag', () => {
		repository({ packageJson: { ...PACKAGE, scripts: { ...PACKAGE.scripts, test: noting('test', 1) } } });
		expect(release(['minor'])).toMatchObject({ status: 1 });
		expect(read('ran')).toBe('test ');
		expect([git('status', '--porcelain'), git('tag'), versionIn('package.json')]).toEqual([
			'',
			'',
			'0.1.0',
		]);
	});

	it.each<[string, { packageJson?: object; notes?: string }, () => void, string]>([
		['on another branch', {}, () => git('switch', '--quiet', '-c', 'idea'), 'This is the branch idea'],
		['with changes about', {}, () => write('new.txt', 'new'), '?? new.txt'],
		[
			'without news',
			{ notes: '# Changelog\n\n## Unreleased\n\n### Fixed\n\n## 0.1.0\n\nFirst.\n' },
			() => {},
			'says nothing under Unreleased',
		],
		[
			'while the owner has not been filled in',
			{ packageJson: { ...PACKAGE, homepage: 'https://github.com/OWNER/n8n-nodes-any' } },
			() => {},
			'placeholders (https://github.com/OWNER/n8n-nodes-any)',
		],
		[
			'with an address that is an example',
			{ packageJson: { ...PACKAGE, author: { name: 'Somebody', email: 'owner@example.com' } } },
			() => {},
			'placeholders (owner@example.com)',
		],
	])('is refused %s, before anything is changed or run', (_, given, change, sentence) => {
		repository(given);
		change();
		const before = git('status', '--porcelain');
		const { status, said } = release(['patch']);
		expect(said).toContain(sentence);
		expect([status, git('status', '--porcelain'), git('tag')]).toEqual([1, before, '']);
		expect(() => read('ran')).toThrow('ENOENT');
	});

	it('says what it can be when nothing is said', () => {
		repository({});
		expect(release([])).toEqual({
			status: 1,
			said: 'release: Say what to release: major, minor, patch\n',
		});
	});
});

describe('before a tag is published', () => {
	const dated = CHANGELOG.replace('## 0.1.0', '## 0.1.0 - 2026-01-31');

	it('the tag, the package, its lock file and the changelog name one version', () => {
		repository({ notes: dated });
		expect(release(['check', '0.1.0'])).toEqual({ status: 0, said: '' });
		expect(release(['check', '0.2.0']).said).toBe(
			'release: These do not name one version: {"tag":"0.2.0","package.json":"0.1.0",' +
				'"package-lock.json":"0.1.0","CHANGELOG.md":"0.1.0"}\n',
		);
	});

	it('the changelog has a date for it', () => {
		repository({});
		expect(release(['check', '0.1.0']).said).toBe('release: CHANGELOG.md has no date for 0.1.0\n');
	});

	it('nothing is left for the owner to fill in', () => {
		repository({ packageJson: { ...PACKAGE, bugs: undefined }, notes: dated });
		expect(release(['check', '0.1.0'])).toMatchObject({ status: 1 });
	});
});

it('npm publishes nothing from a folder, but tries it', () => {
	repository({});
	expect(release(['guard'])).toMatchObject({
		status: 1,
		said: expect.stringContaining('Not from a folder'),
	});
	expect(release(['guard'], { npm_config_dry_run: 'true' })).toEqual({ status: 0, said: '' });
});

describe('the changelog', () => {
	it('is read by its headings', () => {
		expect(changelog.sections(`${CHANGELOG}\n## 0.0.9 - 2026-01-31\n\nOld.\n`)).toEqual([
			{ name: 'Unreleased', date: undefined, notes: '- Prices in pounds.' },
			{ name: '0.1.0', date: undefined, notes: 'First release.' },
			{ name: '0.0.9', date: '2026-01-31', notes: 'Old.' },
		]);
	});
});

describe('the tarball', () => {
	const packageJson = {
		main: 'index.js',
		n8n: {
			nodes: ['dist/nodes/PriceCollection/PriceCollection.node.js'],
			credentials: ['dist/credentials/PriceCollectionApi.credentials.js'],
		},
	};
	const files = [
		'package.json',
		'README.md',
		'LICENSE.md',
		'index.js',
		'dist/THIRD-PARTY-LICENSES.txt',
		'dist/icons/priceCollection.dark.svg',
		'dist/credentials/PriceCollectionApi.credentials.js',
		'dist/nodes/PriceCollection/bundle.js',
		'dist/nodes/PriceCollection/PriceCollection.node.js',
		'dist/nodes/PriceCollection/PriceCollection.node.json',
		'dist/nodes/PriceCollection/__schema__/v1.0.0/job/collect.json',
	];

	it('holds the built package, and nothing is wrong with that', () => {
		expect(tarball.faults({ files, bytes: tarball.MAX_BYTES - 1, packageJson })).toEqual([]);
	});

	it.each([
		'dist/nodes/PriceCollection/bundle.js.map',
		'dist/nodes/PriceCollection/PriceCollection.node.ts',
		'dist/nodes/PriceCollection/PriceCollection.test.js',
		'test/unit/release.test.ts',
		'.env',
		'.npmrc',
		'dist/.env',
		'docs/architecture.md',
		'package-lock.json',
		'n8n-nodes-price-collection-0.1.0.tgz',
	])('does not hold %s', (stranger) => {
		expect(tarball.faults({ files: [...files, stranger], bytes: 1, packageJson })).toEqual([
			`${stranger} does not belong into the tarball`,
		]);
	});

	it('holds what package.json promises, and what people read', () => {
		expect(tarball.faults({ files: [], bytes: 1, packageJson })).toEqual(
			[
				'index.js',
				'dist/nodes/PriceCollection/PriceCollection.node.js',
				'dist/credentials/PriceCollectionApi.credentials.js',
				'README.md',
				'LICENSE.md',
			].map((file) => `${file} is missing from the tarball`),
		);
	});

	it('stays small', () => {
		expect(tarball.faults({ files, bytes: tarball.MAX_BYTES, packageJson })).toEqual([
			'the tarball has 204800 bytes, 204800 or more',
		]);
	});
});
