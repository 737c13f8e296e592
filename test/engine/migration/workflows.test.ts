import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import type { ConvertOptions, ConvertedWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import { KEY } from './build';
import { CASES } from './cases';

const FOLDER = join(__dirname, '../../fixtures/v1-workflows');
const MODES = ['replaceNodes', 'updateRequests'] as const;

const read = (...path: string[]) => JSON.parse(readFileSync(join(FOLDER, ...path), 'utf8'));
const names = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));
/**
 * Real workflows, and those that `e2e/migration` runs before and after conversion, with the nodes that must stay as
 * they are.
 */
const workflows: Array<[string, IDataObject, string[]]> = [
	...names.map((name): (typeof workflows)[number] => [name, read(`${name}.json`), []]),
	...CASES.map(({ name, nodes, connections, pinData, untouched = [] }): (typeof workflows)[number] => [
		name,
		{ nodes, connections, pinData } as unknown as IDataObject,
		untouched,
	]),
];
const cases = workflows.flatMap(([name, workflow, untouched]) =>
	MODES.map((conversion) => [name, conversion, workflow, untouched] as const),
);

const convert = (workflow: unknown, conversion: ConvertOptions['conversion']): ConvertedWorkflow => {
	const converted = convertWorkflow(workflow, {
		conversion,
		baseUrl: 'https://api.example.test/v2/',
		legacyBaseUrl: 'https://api.legacy.example/',
	});
	if ('problem' in converted) throw new Error(converted.problem);
	return converted;
};

it.each(cases)(
	'%s, %s: leaves its input alone, keeps what there is, and is done the first time',
	(_name, conversion, input, untouched) => {
		const before = JSON.stringify(input);
		const once = convert(input, conversion);
		expect(JSON.stringify(input)).toBe(before);
		for (const secret of ['ABCDEFGHIJKLMNOP', Buffer.from(KEY).toString('base64').slice(0, 40)])
			expect(JSON.stringify(once)).not.toContain(secret);
		expect(convert(once.workflow, conversion)).toMatchObject({
			...{ changed: false, changes: [], workflow: once.workflow },
		});
		const names = once.workflow.nodes.map((node) => node.name);
		expect(new Set(names).size).toBe(names.length);
		for (const kept of untouched) {
			const byName = ({ name }: { name: string }) => name === kept;
			expect(once.workflow.nodes.find(byName)).toEqual(
				(input.nodes as unknown as WorkflowNode[]).find(byName),
			);
		}
		for (const { id, name: now, position, disabled } of once.workflow.nodes) {
			if (String(id).endsWith('-version-1')) continue;
			const old = (input.nodes as unknown as WorkflowNode[]).find((node) => node.id === id);
			const adapted = `${String(old?.name)} (version 2)`;
			expect(now).toBe(names.includes(adapted) ? adapted : old?.name);
			expect([position, disabled]).toEqual([old?.position, old?.disabled]);
		}
		for (const [source, { main = [] }] of Object.entries(once.workflow.connections)) {
			const targets = main.flatMap((some) => (some ?? []).map(({ node }) => node));
			expect(names).toEqual(expect.arrayContaining([source, ...targets]));
		}
	},
);

/** What a case looks up if it differs from most cases. */
const LOOKED_UP: Record<string, object> = {
	'A job that takes two days': { options: { timeout: 4320 } },
	'JSON with a stringified hole': { values: '={{ $json.keyword }}' },
	'A form with + for spaces': { values: 'garden chair!' },
	'A query with + for spaces': { values: 'garden chair' },
	'JSON with a list': { values: '={{ [$json.one, $json.two] }}' },
	'JSON with numbers and arithmetic': {
		options: { maxAge: '={{ 60 * 24 }}', maxPages: '={{ $json.pages }}' },
	},
	'An object whose values are joined': { values: "={{ $json.terms.join('\\n') }}" },
	'Old options': { options: { maxAge: 1440, maxPages: 1 } },
	'A kind of lookup and a source from data': {
		source: { value: expect.stringContaining("source.replaceAll('-', '_')") },
		lookupKey: 'custom',
		customKey: expect.stringContaining("({ source_id: 'id', keyword: 'term' })"),
		options: { validateValues: false },
	},
	'source_id as a parameter': { source: { value: 'test' }, lookupKey: 'id', values: 'B000123456' },
	GTINs: { lookupKey: 'gtin', values: '={{ $json.gtin }}', options: { validateValues: false } },
	'A text with code in it': { values: '=new {{ $json.term }}' },
	'Code in a template string': { values: '=new {{ $json.term }}' },
};

it.each(CASES.filter(({ differs, name }) => !(differs === 'Create' && /^(JSON|An object)/.test(name))))(
	'$name: the creation asks for the same, whatever node it becomes',
	({ name, nodes, connections }) => {
		const [node, request] = MODES.map((conversion) =>
			convert({ nodes, connections }, conversion).workflow.nodes.find((one) => one.name === 'Create'),
		);
		expect(node?.parameters).toMatchObject({
			...{
				topic: 'product_and_offers',
				source: { value: 'google_shopping' },
				country: { value: 'de' },
			},
			...{ lookupKey: 'term', values: '={{ $json.term }}', ...LOOKED_UP[name] },
		});
		const words = JSON.stringify(request?.parameters);
		expect(words).toMatch(/product_and_offers/);
		expect(words).not.toMatch(/google-shopping|keyword\\*"|currentness/);
	},
);

describe('what is no workflow or no address', () => {
	const options = {
		conversion: 'replaceNodes',
		baseUrl: 'https://new.example',
		legacyBaseUrl: 'https://old.example',
	} as const;

	it.each([
		[undefined, 'The workflow cannot be converted: it is not an n8n workflow.'],
		[{}, 'The workflow cannot be converted: it is not an n8n workflow, because it has no "nodes".'],
		[{ nodes: 1 }, 'The workflow cannot be converted: "nodes" is not a list.'],
		[{ nodes: [{}] }, 'The workflow cannot be converted: a node in "nodes" has no name or no type.'],
		[
			{ nodes: [], connections: [] },
			'The workflow cannot be converted: "connections" does not have the format of n8n.',
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
			report: '## Workflow\n\nNothing was converted.',
		});
	});

	it.each([
		[
			{ legacyBaseUrl: '' },
			'The Legacy Base URL is not an address. Enter the one your workflows still use.',
		],
		[
			{ baseUrl: 'new' },
			'The Base URL is not an address. Enter the address of version 2 of the service.',
		],
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

it('writes a report for a person: what was converted, what to check, how to finish', () => {
	const { report } = convert(read('04-json-body-and-code.json'), 'replaceNodes');
	const [title, converted, check, finish] = report.split(/\n\n### .*\n\n/).map((part) => part.split('\n'));
	expect(report.match(/^### .*/gm)).toEqual([
		'### What was converted',
		'### What to check',
		'### How to finish',
	]);
	expect(title).toEqual(['## JSON body with expressions, one wait, a Code node']);
	expect(converted).toHaveLength(7);
	expect(converted?.[0]).toBe(
		'- **Create job**, `jsonBody.token`: The key was removed; the credential now holds it.',
	);
	const create =
		'Create a Price Collection API credential with Base URL "https://api.example.test", Authentication "Query Parameter", Parameter Name "token", API Key: the key used so far. Select it in "Create job", "Wait".';
	expect(check).toEqual([`- A credential has to be selected in "Create job", "Wait". ${create}`]);
	expect(finish?.slice(0, 2)).toEqual([`1. ${create}`, '2. Go through "What to check".']);
	expect(finish).toHaveLength(4);
});
