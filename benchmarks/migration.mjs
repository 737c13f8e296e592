/**
 * Converts 500 workflows of 50 nodes each, as a whole instance would be converted, and prints the
 * CPU time, which depends little on what else the machine does. Every workflow has requests to
 * convert: most of a real instance has none and costs next to nothing.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

import { buildSync } from 'esbuild';
import { printMachine, printTable, printTargets } from './support/report.mjs';

const WORKFLOWS = 500;
const NODES = 50;
const TARGET_MS = 2000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const fixtures = join(root, 'test/fixtures/v1-workflows');
const addresses = { baseUrl: 'https://api.example.test', legacyBaseUrl: 'https://api.legacy.example' };

function loadConversion() {
	const folder = mkdtempSync(join(tmpdir(), 'migration-'));
	const outfile = join(folder, 'workflow.cjs');
	buildSync({
		entryPoints: [join(root, 'nodes/PriceCollection/migration/workflow.ts')],
		bundle: true,
		platform: 'node',
		outfile,
		logLevel: 'error',
	});
	const loaded = createRequire(import.meta.url)(outfile);
	rmSync(folder, { recursive: true });
	return loaded.convertWorkflow;
}

/** Renames everything in a fixture, so that several fit into one workflow. */
function copyOf(text, names, number) {
	let copy = text;
	for (const name of names) {
		for (const quote of ['"', "'", '\\"']) {
			copy = copy.split(`${quote}${name}${quote}`).join(`${quote}${name} ${number}${quote}`);
		}
	}
	return JSON.parse(copy);
}

/** Fixtures side by side until a workflow has its nodes; what is left are plain ones. */
function buildWorkflow(parts, number) {
	const workflow = { name: `Workflow ${number}`, nodes: [], connections: {}, settings: {} };
	for (let at = 0; ; at++) {
		const { text, names } = parts[(number + at) % parts.length];
		if (workflow.nodes.length + names.length > NODES) break;
		const { nodes, connections } = copyOf(text, names, at);
		workflow.nodes.push(...nodes);
		Object.assign(workflow.connections, connections);
	}
	while (workflow.nodes.length < NODES) {
		const name = `Plain ${workflow.nodes.length}`;
		const parameters = { assignments: { assignments: [{ name: 'a', value: '={{ $json.a + 1 }}' }] } };
		workflow.nodes.push({
			name,
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [0, 0],
			parameters,
		});
	}
	return workflow;
}

const convertWorkflow = loadConversion();
const parts = readdirSync(fixtures)
	.filter((file) => file.endsWith('.json'))
	.map((file) => readFileSync(join(fixtures, file), 'utf8'))
	.map((text) => ({ text, names: JSON.parse(text).nodes.map(({ name }) => name) }));
const workflows = Array.from({ length: WORKFLOWS }, (_one, number) => buildWorkflow(parts, number));

const measured = ['replaceNodes', 'updateRequests'].map((conversion) => {
	const before = performance.now();
	const cpu = process.cpuUsage();
	let changes = 0;
	for (const workflow of workflows) {
		const converted = convertWorkflow(workflow, { conversion, ...addresses });
		if ('problem' in converted) throw new Error(converted.problem);
		changes += converted.changes.length;
	}
	const wall = performance.now() - before;
	const { user, system } = process.cpuUsage(cpu);
	return { conversion, used: (user + system) / 1000, wall, changes };
});
printMachine();
printTargets(
	measured.map(({ conversion, used }) => ({
		what: `${conversion}: ${WORKFLOWS} workflows of ${NODES} nodes, CPU ms`,
		measured: used,
		most: TARGET_MS,
	})),
);
printTable(
	['conversion', 'CPU ms', 'by the clock, ms', 'changes'],
	measured.map(({ conversion, used, wall, changes }) => [conversion, used, wall, changes]),
);
