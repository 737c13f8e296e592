import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ConvertOptions, ConvertedWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';

const FOLDER = join(__dirname, '../../fixtures/v1-workflows');
const MODES = ['replaceNodes', 'updateRequests'] as const;

const read = (...path: string[]) => JSON.parse(readFileSync(join(FOLDER, ...path), 'utf8'));
const names = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));
const cases = names.flatMap((name) => MODES.map((conversion) => [name, conversion] as const));

const convert = (workflow: unknown, conversion: ConvertOptions['conversion']): ConvertedWorkflow => {
	const converted = convertWorkflow(workflow, {
		conversion,
		baseUrl: 'https://api.example.test/v2/',
		legacyBaseUrl: 'https://api.legacy.example/',
	});
	if ('problem' in converted) throw new Error(converted.problem);
	return converted;
};

describe.each(cases)('%s, %s', (name, conversion) => {
	const input = read(`${name}.json`);

	it('gives exactly the expected workflow and report', () => {
		expect(convert(input, conversion)).toEqual(read('expected', `${name}.${conversion}.json`));
	});

	it('does not alter its input', () => {
		const before = JSON.stringify(input);
		convert(input, conversion);
		expect(JSON.stringify(input)).toBe(before);
	});

	it('changes nothing more the second time', () => {
		const once = convert(input, conversion);
		const twice = convert(once.workflow, conversion);
		expect(twice.changed).toBe(false);
		expect(twice.changes).toEqual([]);
		expect(twice.workflow).toEqual(once.workflow);
	});

	it('leaves no key anywhere', () => {
		expect(JSON.stringify(convert(input, conversion))).not.toContain('ABCDEFGHIJKLMNOP');
	});

	it('keeps ids, names, positions and notes, and every connection leads to a node that is there', () => {
		const { workflow } = convert(input, conversion);
		const before = new Map(input.nodes.map((node: { name: string }) => [node.name, node]));
		const identity = ({ id, name, position, notes, disabled }: Record<string, unknown>) => ({
			id,
			name,
			position,
			notes,
			disabled,
		});
		for (const node of workflow.nodes) {
			expect(identity(node)).toEqual(identity(before.get(node.name) as Record<string, unknown>));
		}
		const present = new Set(workflow.nodes.map((node) => node.name));
		for (const [source, { main = [] }] of Object.entries(workflow.connections)) {
			expect(present).toContain(source);
			for (const target of main.flatMap((targets) => targets ?? []))
				expect(present).toContain(target.node);
		}
	});
});

it('updateRequests keeps every node and every connection', () => {
	for (const name of names) {
		const input = read(`${name}.json`);
		const { workflow } = convert(input, 'updateRequests');
		expect(workflow.nodes.map((node) => node.type)).toEqual(
			input.nodes.map((node: { type: string }) => node.type),
		);
		expect(workflow.connections).toEqual(input.connections);
	}
});

describe('what is no workflow or no address', () => {
	const options = {
		conversion: 'replaceNodes',
		baseUrl: 'https://new.example',
		legacyBaseUrl: 'https://old.example',
	} as const;

	it.each([
		[undefined, 'This is not a workflow of n8n: it is not an object.'],
		[{}, 'This is not a workflow of n8n: it has no "nodes".'],
		[{ nodes: 1 }, 'This is not a workflow of n8n: "nodes" is not a list.'],
		[{ nodes: [{}] }, 'This is not a workflow of n8n: a node in "nodes" has no name or no type.'],
		[
			{ nodes: [], connections: [] },
			'This is not a workflow of n8n: "connections" is not what n8n writes.',
		],
	])('says what is wrong with %j', (value, problem) => {
		expect(convertWorkflow(value, options)).toEqual({ problem });
	});

	it('takes a workflow out of what wraps it', () => {
		const workflow = { nodes: [], connections: {} };
		expect(convertWorkflow({ data: workflow }, options)).toEqual({
			workflow,
			changes: [],
			warnings: [],
			changed: false,
		});
	});

	it.each([
		[
			{ legacyBaseUrl: '' },
			'The Legacy Base URL is not an address. Enter the one your workflows use so far.',
		],
		[{ baseUrl: 'new' }, 'The Base URL is not an address. Enter that of version 2 of the service.'],
		[
			{ baseUrl: 'http://old.example/v2' },
			'Base URL and Legacy Base URL are the same. Enter the new address in Base URL.',
		],
	])('refuses %j', (change, problem) => {
		expect(convertWorkflow({ nodes: [], connections: {} }, { ...options, ...change })).toEqual({
			problem,
		});
	});
});
