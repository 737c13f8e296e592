import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import {
	convert,
	createNode,
	downloadNode,
	getNode,
	ifNode,
	kinds,
	links,
	messages,
	node,
	nodeOf,
	setNode,
	statusNode,
} from './convert';

const wait = (name = 'Wait', more = {}) => node(name, 'wait', { amount: 5, unit: 'seconds' }, more);
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
			['Download', 'set'],
			['Loop', 'splitInBatches'],
		]);
	});

	it('and the download becomes the adapter where something reads it', () => {
		const split = node('Split', 'splitOut', { fieldToSplitOut: 'products' });
		const result = convert([...all(), split], links(...LOOP, 'Download>Split'));
		expect(kinds(result)).toEqual(['Create collect', 'Download set', 'Split splitOut']);
		expect(result.workflow.connections).toEqual(links('Create>Download', 'Download>Split'));
		expect(nodeOf(result, 'Split')).toEqual(split);
	});

	it('and pinned results move with it', () => {
		const pinData = { Create: [{ json: { job_id: 'a' } }], Download: [{ json: { products: [] } }] };
		const result = convert(all(), links(...LOOP), 'replaceNodes', { pinData });
		expect(result.workflow.pinData).toEqual({ Create: [{ json: { products: [] } }] });
		expect(messages(result.changes)).toContain(
			'The pinned data of "Create" was dropped: the node now gives the results.',
		);
	});

	it('and does not create jobs again by Retry On Fail', () => {
		const nodes = [createNode('Create', { retryOnFail: true, maxTries: 3 }), ...all().slice(1)];
		const result = convert(nodes, links(...LOOP));
		expect(result.workflow.nodes[0]).not.toHaveProperty('retryOnFail');
		expect(result.workflow.nodes[0]).not.toHaveProperty('maxTries');
		expect(messages(result.changes)).toContain(
			'Retry On Fail was switched off: it would create the job, and pay for it, again.',
		);
	});

	it('and carries the notes of its nodes, and that the download always outputs data', () => {
		const nodes = all().map((one) => ({
			...one,
			notes: `About ${one.name}`,
			alwaysOutputData: one.name === 'Download',
		}));
		const result = convert([...nodes, node('End', 'noOp')], links(...LOOP, 'Download>End'));
		expect(nodeOf(result, 'Create').notes).toBe(
			'About Create\nAbout Wait\nAbout Status\nAbout Finished?',
		);
		expect(nodeOf(result, 'Download')).toMatchObject({ notes: 'About Download', alwaysOutputData: true });
	});
});

describe('waits', () => {
	const waiting = (parameters: object, timeout?: unknown) => {
		const create = createNode();
		const list = (create.parameters.bodyParameters as { parameters: object[] }).parameters;
		if (timeout !== undefined) list.push({ name: 'timeout', value: timeout });
		const nodes = [
			create,
			node('Wait', 'wait', parameters, { typeVersion: 1.1 }),
			...all().slice(2),
			node('End', 'noOp'),
		];
		return convert(nodes, links(...LOOP, 'Download>End'));
	};

	it.each([
		[undefined, 1450],
		[4320, 4330],
		['5', 15],
		['={{ $json.minutes }}', '={{ Number($json.minutes) + 10 }}'],
	])('for a job with the timeout %j at most %j minutes, then fails', (timeout, maxWait) => {
		expect(nodeOf(waiting({ amount: 10 }, timeout), 'Create').parameters).toMatchObject({
			waitMode: 'poll',
			waitOptions: { maxWait, onDeadline: 'error' },
		});
	});

	it('suspended where the chain was suspended: the Wait node becomes the Wait operation, fed by Still Running', () => {
		const result = waiting({ amount: 2, unit: 'minutes' });
		expect(kinds(result)).toEqual(['Create collect', 'Wait wait', 'Download set', 'End noOp']);
		expect(result.workflow.connections).toEqual({
			...links('Create>Download', 'Create:1>Wait', 'Wait>Download', 'Wait:1>Wait', 'Download>End'),
		});
		expect(nodeOf(result, 'Create').parameters).toMatchObject({
			waitMode: 'durable',
			waitOptions: { maxWait: 1450, pollInterval: 120 },
		});
		expect(nodeOf(result, 'Wait').parameters).toEqual({
			resource: 'job',
			operation: 'wait',
			jobId: { __rl: true, mode: 'id', value: '={{ $json.job_id }}' },
			waitMode: 'durable',
			waitOptions: { pollInterval: 120, onDeadline: 'error' },
			output: 'job',
			options: {},
		});
	});

	it.each([
		[{ amount: 64 }, 'poll'],
		[{ amount: 65 }, 'durable'],
		[{ amount: 1, unit: 'hours' }, 'durable'],
		[{ amount: '={{ $json.pause }}' }, 'durable'],
		[{}, 'poll'],
	])('with a Wait of %j as %s', (parameters, mode) => {
		expect(nodeOf(waiting(parameters), 'Create').parameters.waitMode).toBe(mode);
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
			'a node in it goes on after an error',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) =>
					one.name === 'Status' ? { ...one, onError: 'continueRegularOutput' } : one,
				),
			LOOP,
		],
		[
			'a node in it executes once',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) => (one.name === 'Download' ? { ...one, executeOnce: true } : one)),
			LOOP,
		],
		[
			'a node in it always outputs data',
			(nodes: WorkflowNode[]) =>
				nodes.map((one) => (one.name === 'Create' ? { ...one, alwaysOutputData: true } : one)),
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

	it.each([
		["={{ $('Status').item.json.progress }}", '"Set" names "Status"'],
		['={{ $node["Status"].json.job_id }}', '"Set" names "Status"'],
		['={{ $node.Wait.json.job_id }}', '"Set" names "Wait"'],
		['={{ $(`Create`).all().length }}', '"Set" names "Create"'],
		['=In SQL {{ $items("Status")[0].json.job_id }}', '"Set" names "Status"'],
		['={{ $($json.name).item.json.job_id }}', '"Set" reads a node by a name that is put together'],
		['={{ $node[$json.name].json.job_id }}', '"Set" reads a node by a name that is put together'],
	])('when another node reads %s, and says so', (value, reason) => {
		const nodes = [...all(), setNode('Set', value)];
		const result = convert(nodes, links(...LOOP, 'Download>Set'));
		expect(kinds(result)).toEqual([
			'Create create',
			'Wait wait',
			'Status get',
			'Finished? if',
			'Download (version 2) download',
			'Download set',
			'Set set',
		]);
		expect(messages(result.warnings)).toContain(
			`"Create", "Wait", "Status", "Finished?", "Download" stay separate nodes, because ${reason}.`,
		);
	});
});
