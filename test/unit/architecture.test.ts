import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import rules from '../../.dependency-cruiser.cjs';

const ROOT = path.resolve(__dirname, '../..');
const RULES = path.join(ROOT, '.dependency-cruiser.cjs');
const CRUISER = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const NODE = 'nodes/PriceCollection';

/** Import statements by file; `type:` before a target makes it an import of types. */
type Tree = Record<string, string[]>;

/** A house in order. Each room has a file `main` that uses the rooms below, and a file `part` that uses nothing. */
const CLEAN: Tree = {
	[`${NODE}/PriceCollection.node.ts`]: [
		'n8n-workflow',
		'./actions/router',
		'./methods/main',
		'./trigger/webhook/main',
		'./trigger/polling/main',
	],
	[`${NODE}/actions/router.ts`]: ['./operations'],
	[`${NODE}/actions/operations.ts`]: ['./job/main', './usage/main', './part'],
	[`${NODE}/actions/job/main.ts`]: ['./part', '../../run/main', '../../migration/main', '../part'],
	[`${NODE}/actions/usage/main.ts`]: ['./part', '../../n8n/main', '../../service/client'],
	[`${NODE}/methods/main.ts`]: ['./part', '../n8n/main'],
	[`${NODE}/trigger/webhook/main.ts`]: ['./part', '../main', '../../callback/main'],
	[`${NODE}/trigger/polling/main.ts`]: ['./part', '../main', '../../run/stored/main'],
	[`${NODE}/trigger/main.ts`]: ['./part', '../output/main', '../descriptions/main'],
	[`${NODE}/run/main.ts`]: ['./part', './waiting/main', './lookup/main', '../descriptions/main'],
	[`${NODE}/run/waiting/main.ts`]: ['./part', '../stored/main', '../../service/client'],
	[`${NODE}/run/stored/main.ts`]: ['./part', '../lookup/main', 'zod', 'node:crypto'],
	[`${NODE}/run/lookup/main.ts`]: ['./part', '../../output/main', 'type:n8n-workflow'],
	[`${NODE}/output/main.ts`]: ['./part', '../service/types', 'type:../n8n/main'],
	[`${NODE}/callback/main.ts`]: ['./part', '../service/types', 'node:crypto'],
	[`${NODE}/descriptions/main.ts`]: ['./part', '../n8n/main', '../service/types'],
	[`${NODE}/migration/main.ts`]: ['./part', 'acorn', 'type:n8n-workflow'],
	[`${NODE}/n8n/main.ts`]: ['./part', '../service/client', 'n8n-workflow'],
	[`${NODE}/service/client.ts`]: ['./wire', './decode/main', './types', 'type:n8n-workflow'],
	[`${NODE}/service/decode/main.ts`]: ['saxes', '../types'],
	[`${NODE}/service/wire.ts`]: [],
	[`${NODE}/service/types.ts`]: [],
	'credentials/PriceCollectionApi.credentials.ts': [`../${NODE}/service/types`, 'type:n8n-workflow'],
	'test/sandbox/service.ts': ['./part', 'node:http', 'fastify'],
	'test/sandbox/part.ts': [],
	'tools/part.ts': [],
	...Object.fromEntries(
		[
			'actions',
			'actions/job',
			'actions/usage',
			'methods',
			'trigger/webhook',
			'trigger/polling',
			'trigger',
			'run',
			'run/waiting',
			'run/stored',
			'run/lookup',
			'output',
			'callback',
			'descriptions',
			'migration',
			'n8n',
		].map((room) => [`${NODE}/${room}/part.ts`, []]),
	),
};

/** One import that breaks one rule, each. */
const BROKEN: Array<[rule: string, file: string, target: string]> = [
	['room assembly', 'PriceCollection.node.ts', './migration/part'],
	['room actions', 'actions/job/main.ts', '../../trigger/part'],
	['room actions', 'actions/router.ts', '../methods/part'],
	['room methods', 'methods/main.ts', '../actions/part'],
	['room trigger/webhook', 'trigger/webhook/main.ts', '../polling/part'],
	['room trigger/polling', 'trigger/polling/main.ts', '../../run/part'],
	['room trigger/polling', 'trigger/polling/main.ts', '../webhook/part'],
	['room trigger', 'trigger/main.ts', './webhook/part'],
	['room trigger', 'trigger/main.ts', '../run/waiting/part'],
	['room run', 'run/main.ts', '../actions/part'],
	['room run', 'run/main.ts', '../migration/part'],
	['room run/waiting', 'run/waiting/main.ts', '../part'],
	['room run/stored', 'run/stored/main.ts', '../waiting/part'],
	['room run/lookup', 'run/lookup/main.ts', 'type:../stored/part'],
	['room output', 'output/main.ts', 'type:../descriptions/part'],
	['room callback', 'callback/main.ts', 'type:../migration/part'],
	['room descriptions', 'descriptions/main.ts', '../run/lookup/part'],
	['room migration', 'migration/main.ts', '../callback/part'],
	['room n8n', 'n8n/main.ts', '../run/stored/part'],
	['room credentials', '../../credentials/PriceCollectionApi.credentials.ts', `../${NODE}/n8n/part`],
	['room service', 'service/client.ts', 'type:../n8n/part'],
	['in a room', 'shape.ts', './service/types'],
	['own resource', 'actions/job/main.ts', '../usage/part'],
	['pure', 'run/lookup/main.ts', 'n8n-workflow'],
	['pure', 'output/main.ts', '../n8n/part'],
	['pure', 'callback/main.ts', '../n8n/part'],
	['pure', 'service/wire.ts', 'n8n-workflow'],
	['service doors', 'run/main.ts', '../service/wire'],
	['service doors', 'output/main.ts', '../service/decode/main'],
	['product only', 'n8n/main.ts', '../../../tools/part'],
	['product only', 'run/main.ts', '../../../test/sandbox/part'],
	['crypto only', 'n8n/main.ts', 'node:fs'],
	['known library', 'service/wire.ts', 'fastify'],
	['resolvable', 'service/wire.ts', './gone'],
	['sandbox apart', '../../test/sandbox/service.ts', `../../${NODE}/service/types`],
];

const IMPORT = /^(type:)?(.*)$/;

function sourceOf(targets: string[]): string {
	return targets
		.map((target, index) => {
			const [, type = '', name = ''] = IMPORT.exec(target) ?? [];
			return `import ${type === '' ? '' : 'type '}{ name${index} } from '${name}';`;
		})
		.join('\n');
}

const folders: string[] = [];

/** A temporary folder with these files, and with packages that can be found. */
function plant(tree: Tree): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-rules-'));
	folders.push(folder);
	const packages = ['n8n-workflow', 'zod', 'acorn', 'saxes', 'fastify'];
	const manifest = { devDependencies: Object.fromEntries(packages.map((name) => [name, '1.0.0'])) };
	const files: Record<string, string> = { 'package.json': JSON.stringify(manifest) };
	for (const name of packages) {
		files[`node_modules/${name}/package.json`] = JSON.stringify({ name, version: '1.0.0' });
		files[`node_modules/${name}/index.js`] = '';
	}
	for (const [file, targets] of Object.entries(tree)) files[file] = sourceOf(targets);
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
		writeFileSync(path.join(folder, file), text);
	}
	return folder;
}

interface Cruised {
	summary: { violations: Array<{ rule: { name: string }; from: string; to: string }> };
}

/** What dependency-cruiser finds: `rule: from → to`. */
function violations(tree: Tree): string[] {
	const args = [
		CRUISER,
		'--config',
		RULES,
		'--output-type',
		'json',
		'nodes',
		'credentials',
		'test/sandbox',
	];
	const { stdout, stderr } = spawnSync(process.execPath, args, {
		cwd: plant(tree),
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	if (stdout === '') throw new Error(stderr);
	const { summary } = JSON.parse(stdout) as Cruised;
	return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

const fileOf = (file: string) => path.posix.join(NODE, file);

/** The target as dependency-cruiser names it. */
function resolved(file: string, target: string): string {
	const [, , name = ''] = IMPORT.exec(target) ?? [];
	if (name.startsWith('node:')) return name.slice('node:'.length);
	if (!name.startsWith('.')) return `node_modules/${name}/index.js`;
	return name === './gone' ? name : `${path.posix.join(path.posix.dirname(fileOf(file)), name)}.ts`;
}

afterAll(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('a house in order passes', () => {
	expect(violations(CLEAN)).toEqual([]);
});

describe('every rule finds what breaks it', () => {
	let found: string[];
	beforeAll(() => {
		const tree: Tree = {
			...CLEAN,
			[fileOf('run/dead.ts')]: [],
			[fileOf('service/wire.ts')]: ['./client'],
		};
		for (const [, file, target] of BROKEN) {
			tree[fileOf(file)] = [...(tree[fileOf(file)] ?? []), target];
		}
		found = violations(tree);
	});

	test.each(BROKEN)('%s: %s imports %s', (rule, file, target) => {
		expect(found).toContain(`${rule}: ${fileOf(file)} → ${resolved(file, target)}`);
	});

	test('no dead file: nobody imports run/dead.ts', () => {
		const dead = fileOf('run/dead.ts');
		expect(found).toContain(`no dead file: ${dead} → ${dead}`);
	});

	test('no circle: service/wire.ts imports ./client, which imports it', () => {
		expect(found).toContain(`no circle: ${fileOf('service/client.ts')} → ${fileOf('service/wire.ts')}`);
	});

	test('no rule of the file is left out here', () => {
		const broken = new Set([...BROKEN.map(([rule]) => rule), 'no dead file', 'no circle']);
		expect(rules.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
	});
});

test('a room cannot be allowed to import upwards', () => {
	const file = path.join(plant({}), 'rules.cjs');
	const text = readFileSync(RULES, 'utf8');
	expect(text).toContain('\tservice: [],');
	writeFileSync(file, text.replace('\tservice: [],', "\tservice: ['run'],"));
	const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
	expect(status).toBe(1);
	expect(stderr).toContain('run does not stand below service');
});

describe('the picture', () => {
	const PAGE = 'docs/architecture.md';
	const EMPTY =
		'Before\n<!-- drawn by `npm run architecture:draw` -->\n<!-- end of the drawing -->\nAfter\n';

	function run(folder: string, ...args: string[]) {
		const script = path.join(ROOT, 'tools/architecture.mjs');
		return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
	}

	test('is drawn between its marks, and is out of date when a room imports from another one', () => {
		const folder = plant(CLEAN);
		const page = path.join(folder, PAGE);
		mkdirSync(path.dirname(page));
		writeFileSync(page, EMPTY);
		expect(run(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('out of date') });
		expect(run(folder, '--draw').status).toBe(0);
		const drawn = readFileSync(page, 'utf8');
		expect(drawn).toMatch(/^Before\n<!-- drawn .* -->\n```mermaid\nflowchart TD\n/);
		expect(drawn).toMatch(/\n```\n<!-- end of the drawing -->\nAfter\n$/);
		expect(drawn.match(/^.*-->.*$/gm)?.slice(1, -1)).toEqual([
			'	assembly --> actions',
			'	assembly --> trigger_webhook',
			'	assembly --> trigger_polling',
			'	assembly --> methods',
			'	actions --> run',
			'	actions --> migration',
			'	trigger_webhook --> trigger',
			'	trigger_webhook --> callback',
			'	trigger_polling --> trigger',
			'	trigger_polling --> run_stored',
			'	trigger --> descriptions',
			'	trigger --> output',
			'	methods --> n8n',
			'	run --> run_waiting',
			'	run --> descriptions',
			'	run_waiting --> run_stored',
			'	run_stored --> run_lookup',
			'	run_lookup --> output',
			'	descriptions --> n8n',
			'	output --> n8n',
			'	callback --> service',
			'	n8n --> service',
			'	credentials --> service',
		]);
		expect(run(folder)).toMatchObject({ status: 0, stderr: '' });
		const main = path.join(folder, fileOf('migration/main.ts'));
		writeFileSync(main, sourceOf([...(CLEAN[fileOf('migration/main.ts')] ?? []), '../service/types']));
		expect(run(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('out of date') });
	});
});

test('docs/architecture.md has a line for every room, from top to bottom', () => {
	const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
	const rooms = rules.forbidden.flatMap(({ name }) => (name.startsWith('room ') ? [name.slice(5)] : []));
	expect([...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, room]) => room)).toEqual(rooms);
});
