import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import { convert, createNode, downloadNode, getNode, ifNode, kinds, links } from './convert';
import { node, nodeOf, setNode } from './convert';

const split = node('Split', 'splitOut', { fieldToSplitOut: 'products' });

/** What the adapter's expression makes of a reply. */
function adapted(adapter: WorkflowNode, json: unknown): unknown {
	const [, code = ''] = /^=\{\{([\s\S]*)\}\}$/.exec(String(adapter.parameters.jsonOutput)) ?? [];
	const run = new Function('$json', `return (${code});`) as (json: unknown) => unknown;
	return run(json);
}

const RESULT = {
	query: { source: 'google_shopping', country: 'de', topic: 'product_and_offers', key: 'term', value: 'x' },
	success: true,
	metadata: { from_cache: false },
	content: { name: 'Pen', offers: [] },
};

describe('behind a download', () => {
	it.each(['replaceNodes', 'updateRequests'] as const)('takes its name and what it feeds, %s', (mode) => {
		const result = convert(
			[node('Start', 'noOp'), downloadNode(), split],
			links('Start>Download', 'Download>Split'),
			mode,
		);
		expect(kinds(result)).toEqual([
			'Start noOp',
			`Download (version 2) ${mode === 'replaceNodes' ? 'download' : 'httpRequest'}`,
			'Download set',
			'Split splitOut',
		]);
		expect(result.workflow.connections).toEqual(
			links('Start>Download (version 2)', 'Download>Split', 'Download (version 2)>Download'),
		);
		expect(nodeOf(result, 'Download (version 2)').id).toBe('Download');
		expect(nodeOf(result, 'Download')).toMatchObject({ id: 'Download-version-1', typeVersion: 3.4 });
		expect(nodeOf(result, 'Split')).toEqual(split);
	});

	it('stands in front of the first output only', () => {
		const failing = downloadNode('Download', { onError: 'continueErrorOutput' });
		const result = convert(
			[failing, split, node('Failed', 'noOp')],
			links('Download>Split', 'Download:1>Failed'),
		);
		expect(result.workflow.connections).toEqual(
			links('Download (version 2)>Download', 'Download (version 2):1>Failed', 'Download>Split'),
		);
	});

	it('is there for reads by name alone, and not where nothing reads', () => {
		expect(kinds(convert([downloadNode()], {}))).toEqual(['Download download']);
		const named = setNode('Set', "={{ $('Download').item.json.products.length }}");
		expect(kinds(convert([downloadNode(), named], {}))).toContain('Download set');
	});

	it('leaves a taken name alone', () => {
		const nodes = [downloadNode(), split, node('Download (version 2)', 'noOp')];
		expect(kinds(convert(nodes, links('Download>Split')))).toContain('Download (version 2) 2 download');
	});

	it('is not needed for version 2 on the retired address', () => {
		const nodes = [getNode('Download', '/v2/jobs/abc/download'), split];
		const own = kinds(convert(nodes, links('Download>Split')));
		expect(own).toEqual(['Download download', 'Split splitOut']);
	});

	it('keeps pinned data with the request, where it costs nothing', () => {
		const pinned = [{ json: { products: [{ name: 'Pen' }] } }];
		const result = convert([downloadNode(), split], links('Download>Split'), 'updateRequests', {
			pinData: { Download: pinned },
		});
		expect(result.workflow.pinData).toEqual({ 'Download (version 2)': pinned });
		expect(adapted(nodeOf(result, 'Download'), pinned[0]?.json)).toBe(pinned[0]?.json);
	});
});

describe('gives the version 1 shape', () => {
	const adapter = (creation: object[] = [], options = {}) => {
		const create = createNode('Create');
		create.parameters.bodyParameters = { parameters: creation } as never;
		const download = downloadNode();
		download.parameters.options = options;
		return nodeOf(convert([create, download, split], links('Download>Split')), 'Download');
	};

	it('with flat fields, old words and reason null, and every other field of the root in its place', () => {
		const root = {
			job_id: 'a',
			results: [
				RESULT,
				{ query: { ...RESULT.query, key: 'id' }, success: false, reason: 'no', content: null },
			],
			paid_credits: 1,
		};
		const product = { source: 'google-shopping', country: 'de', key: 'keyword', value: 'x' };
		const given = adapted(adapter(), root);
		expect(given).toEqual({
			job_id: 'a',
			products: [
				{ ...product, success: true, reason: null, name: 'Pen', offers: [] },
				{ ...product, key: 'source_id', success: false, reason: 'no' },
			],
			paid_credits: 1,
		});
		expect(Object.keys(given as object)).toEqual(['job_id', 'products', 'paid_credits']);
	});

	it('with the words that the workflow itself used in version 1', () => {
		const own = adapter([
			{ name: 'source', value: 'google_shopping' },
			{ name: 'key', value: 'term' },
		]);
		expect(adapted(own, { results: [RESULT] })).toMatchObject({
			products: [{ source: 'google_shopping', key: 'term' }],
		});
	});
});

it('lists the reads that no adapter serves', () => {
	const code = (name: string, jsCode: string) => node(name, 'code', { jsCode });
	const nodes = [
		getNode('Status', '/jobs/abc'),
		setNode('Set', '={{ $json.products[0].name }}'),
		getNode('Text', '/products/bulk/{{ $json.id }}.xml'),
		code('Code', 'const { data } = $json;\nreturn parse(data).products;'),
		node('Sheet', 'googleSheets', { columns: { mappingMode: 'autoMapInputData' } }),
		code('Other', 'const url = `${base}/jobs`;\nreturn "https://other.example/jobs";'),
		code('Unrelated', 'return shop.products;'),
	];
	const result = convert(nodes, links('Status>Set', 'Status>Sheet', 'Text>Code'), 'replaceNodes');
	const found = result.warnings.map(({ node: name, parameter, line }) => `${name} ${parameter} ${line}`);
	const own = found.filter((text) => !/^(Status|Text|undefined) /.test(text));
	expect([...new Set(own)].sort()).toEqual([
		...['Code jsCode 2', 'Other jsCode 1', 'Set assignments.assignments[0].value 1'],
		'Sheet undefined undefined',
	]);
	expect(found.filter((text) => text.startsWith('Other'))).toHaveLength(1);
});

it('lists the retired address wherever it is left', () => {
	const sql = node('SQL', 'postgres', { query: "SELECT 'https://api.legacy.example/x'" });
	const { warnings } = convert([downloadNode(), sql], {});
	const message = 'The retired address is used here in a way that could not be converted.';
	expect(warnings).toContainEqual(
		expect.objectContaining({ node: 'SQL', parameter: 'query', line: 1, message }),
	);
});

const MODES = ['replaceNodes', 'updateRequests'] as const;

describe.each(MODES)('a download whose results go to whoever called the workflow, %s', (mode) => {
	it.each([
		node('Called', 'executeWorkflowTrigger'),
		node('Called', 'webhook', { responseMode: 'lastNode' }),
	])('keeps the shape of version 1 whichever way a condition took: %j', (called) => {
		const result = convert(
			[called, ifNode('By GTIN?'), createNode('A'), createNode('B'), downloadNode()],
			links('Called>By GTIN?', 'By GTIN?>A', 'By GTIN?:1>B', 'A>Download', 'B>Download'),
			mode,
		);
		expect(kinds(result).at(-1)).toBe('Download set');
	});
});
