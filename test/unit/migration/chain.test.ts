import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/workflowJson';
import {
	convert,
	createNode,
	downloadNode,
	getNode,
	ifNode,
	links,
	messages,
	node,
	setNode,
	setValue,
	statusNode,
} from './builder';

const wait = (name = 'Wait', more = {}) => node(name, 'wait', { amount: 5 }, more);
const LOOP = ['Create>Wait', 'Wait>Status', 'Status>Finished?', 'Finished?>Download', 'Finished?:1>Wait'];
const all = () => [createNode(), wait(), statusNode(), ifNode(), downloadNode()];

const operations = (nodes: WorkflowNode[], connections: object, more?: object) =>
	convert(nodes, connections, 'replaceNodes', more).workflow.nodes.map((one) => [
		one.name,
		one.parameters.operation ?? one.type.replace('n8n-nodes-base.', ''),
	]);

const condition = (parameters: object) => node('Finished?', 'if', { conditions: parameters });
const listed = (leftValue: string, operation: string, rightValue: unknown = '') =>
	condition({ conditions: [{ leftValue, rightValue, operator: { type: 'string', operation } }] });

describe('becomes one node', () => {
	it('with a loop back to the Wait', () => {
		expect(operations(all(), links(...LOOP))).toEqual([['Create', 'collect']]);
	});

	it.each([
		[
			'a loop over a Wait of its own',
			['Create>Status', 'Status>Finished?', 'Finished?>Download', 'Finished?:1>Wait', 'Wait>Status'],
		],
		['no way back', ['Create>Wait', 'Wait>Status', 'Status>Finished?', 'Finished?>Download']],
	])('with %s', (_what, connections) => {
		expect(operations(all(), links(...connections))).toEqual([['Create', 'collect']]);
	});

	it('with one fixed wait', () => {
		const nodes = [createNode(), wait(), downloadNode()];
		expect(operations(nodes, links('Create>Wait', 'Wait>Download'))).toEqual([['Create', 'collect']]);
	});

	it.each([
		['equals', listed('={{ $json.status }}', 'equals', 'finished')],
		['the node by name', listed("={{ $('Status').item.json.status }}", 'equals', 'finished')],
		['a comparison', listed('={{ $json.status == "finished" }}', 'true')],
		[
			'a boolean',
			condition({ boolean: [{ value1: "={{ $json.status === 'finished' }}", value2: true }] }),
		],
		['two negations', condition({ boolean: [{ value1: "={{ $json.status !== 'finished' }}" }] })],
	])('when the IF asks with %s', (_what, test) => {
		const nodes = all().map((one) => (one.name === 'Finished?' ? test : one));
		expect(operations(nodes, links(...LOOP))).toEqual([['Create', 'collect']]);
	});

	it('inside a loop over items', () => {
		const nodes = [...all(), node('Loop', 'splitInBatches', {}, { typeVersion: 3 })];
		expect(operations(nodes, links(...LOOP, 'Loop:1>Create', 'Download>Loop'))).toEqual([
			['Create', 'collect'],
			['Loop', 'splitInBatches'],
		]);
	});

	it('and other nodes read it by the name of the first', () => {
		const nodes = [
			...all(),
			setNode('Set', "={{ $node.Download.json.products[0].name }} {{ $('Status').item.json.job_id }}"),
		];
		const result = convert(nodes, links(...LOOP, 'Download>Set'));
		expect(setValue(result, 'Set')).toBe(
			'={{ $node["Create"].json.results[0].content?.name }} {{ $(\'Create\').item.json.job_id }}',
		);
	});

	it('and takes over the pinned results', () => {
		const products = [{ source: 'test', value: '1', success: true, name: 'Pen' }];
		const pinData = { Create: [{ json: { job_id: 'a' } }], Download: [{ json: { products } }] };
		const result = convert(all(), links(...LOOP), 'replaceNodes', { pinData });
		expect(result.workflow.pinData).toEqual({
			Create: [
				{
					json: {
						results: [
							{
								query: { source: 'test', value: '1' },
								success: true,
								content: { name: 'Pen' },
							},
						],
					},
				},
			],
		});
	});

	it('and pinned results become rows where it gives rows', () => {
		const nodes = [...all(), node('Split', 'splitOut', { fieldToSplitOut: 'products' })];
		const pinData = { Download: [{ json: { products: [{ value: '1' }, { value: '2' }] } }] };
		const result = convert(nodes, links(...LOOP, 'Download>Split'), 'replaceNodes', { pinData });
		expect(result.workflow.pinData).toEqual({
			Create: [{ json: { value: '1' } }, { json: { value: '2' } }],
		});
		expect(result.workflow.nodes.map(({ type }) => type)).toEqual([
			'n8n-nodes-price-collection.priceCollection',
			'n8n-nodes-base.noOp',
		]);
	});

	it('and does not create jobs again by Retry On Fail', () => {
		const nodes = [createNode('Create', { retryOnFail: true }), ...all().slice(1)];
		const result = convert(nodes, links(...LOOP));
		expect(result.workflow.nodes[0]).not.toHaveProperty('retryOnFail');
		expect(messages(result.changes)).toContain(
			'Retry On Fail was switched off: it would create the job, and pay for it, again.',
		);
	});
});

describe('stays separate nodes', () => {
	const separate = [
		['Create', 'create'],
		['Wait', 'wait'],
		['Status', 'get'],
		['Finished?', 'if'],
		['Download', 'download'],
	];

	it.each([
		[
			'the IF asks for something else',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Finished?' ? listed('={{ $json.status }}', 'equals', 'done') : one,
				),
			LOOP,
		],
		[
			'a node is disabled',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) => (one.name === 'Status' ? { ...one, disabled: true } : one)),
			LOOP,
		],
		[
			'a node has an error output',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Download' ? { ...one, onError: 'continueErrorOutput' } : one,
				),
			LOOP,
		],
		[
			'the Wait waits for a call',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Wait' ? { ...one, parameters: { resume: 'webhook' } } : one,
				),
			LOOP,
		],
		[
			'the job is another one',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Download'
						? getNode('Download', '/products/bulk/{{ $json.other_id }}')
						: one,
				),
			LOOP,
		],
		[
			'the IF is inverted',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Finished?' ? listed('={{ $json.status }}', 'notEquals', 'finished') : one,
				),
			LOOP,
		],
	])('when %s', (_what, change, connections) => {
		expect(operations(change(all()), links(...connections))).toEqual(separate);
	});

	it('when something else leads into its middle', () => {
		const nodes = [...all(), node('Other', 'noOp')];
		expect(operations(nodes, links(...LOOP, 'Other>Status'))).toEqual([...separate, ['Other', 'noOp']]);
	});

	it('when another node reads what only one of them has, and says so', () => {
		const nodes = [...all(), setNode('Set', "={{ $('Status').item.json.progress }}")];
		const result = convert(nodes, links(...LOOP, 'Download>Set'));
		expect(result.workflow.nodes).toHaveLength(6);
		expect(messages(result.warnings)).toContain(
			'"Create", "Wait", "Status", "Finished?", "Download" stay separate nodes, because other nodes read "Status".',
		);
	});

	it('when another node reads one of them in a way that cannot be followed', () => {
		const nodes = [...all(), node('Code', 'code', { jsCode: "return $('Download').all();" })];
		expect(convert(nodes, links(...LOOP, 'Download>Code')).workflow.nodes).toHaveLength(6);
	});
});
