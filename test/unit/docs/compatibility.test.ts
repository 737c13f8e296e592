import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IExecuteFunctions } from 'n8n-workflow';

import { obstacleToSuspending } from '../../../nodes/PriceCollection/n8n/suspend';
import * as matrix from '../../versions/matrix.json';

const ROOT = path.join(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const page = read('docs/compatibility.md');
const rows = page.split('\n').filter((line) => /^\| \d/.test(line));
const columns = rows.map((row) => row.split('|').map((cell) => cell.trim()));
const tried = matrix.versions.map(({ n8n }) => n8n).filter((version) => version !== 'latest');

const isBefore = (one: string, other: string) => one.localeCompare(other, undefined, { numeric: true }) < 0;
const minor = (version: string) => version.split('.').slice(0, 2).join('.');

describe('docs/compatibility.md', () => {
	it('has a row for each version that is tried, oldest first', () => {
		expect(columns.map(([, version]) => version)).toEqual(tried);
		expect(tried.toSorted((one, other) => (isBefore(one, other) ? -1 : 1))).toEqual(tried);
	});

	it('names a Node that the versions are tried with', () => {
		expect(matrix.node).toEqual(expect.arrayContaining(columns.map(([, , node]) => node)));
	});

	it('says where suspending begins, as the suite tests it and as the node says it', () => {
		const { suspending } = matrix.since;
		for (const [, version = '', , , , suspends] of columns) {
			expect([version, suspends?.startsWith('poll')]).toEqual([version, isBefore(version, suspending)]);
		}
		const sentence = obstacleToSuspending({} as IExecuteFunctions, false) ?? '';
		expect(sentence).toContain(`version ${minor(suspending)},`);
		expect(page.replaceAll('\n  ', ' ')).toContain(sentence);
		expect(page).toContain(`**Suspending needs n8n ${minor(suspending)}**`);
	});

	it('names the oldest version, which must work, as must the one of all other suites', () => {
		const [oldest = ''] = tried;
		expect(page).toContain(`**n8n ${minor(oldest)} and later**`);
		const pinned = (JSON.parse(read('test/n8n/package.json')) as { dependencies: { n8n: string } })
			.dependencies;
		const must = matrix.versions.filter((version) => version.must).map(({ n8n }) => n8n);
		expect(must).toEqual([oldest, pinned.n8n]);
		expect(page).toContain(`\n${pinned.n8n} is the version that all other suites run in.`);
	});

	it('is right that package.json cannot say it', () => {
		const { peerDependencies } = JSON.parse(read('package.json')) as { peerDependencies: object };
		expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});
});
