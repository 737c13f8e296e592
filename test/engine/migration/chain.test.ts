import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import { convert, createNode, downloadNode, getNode, ifNode, kinds, links, messages, node } from './convert';
import { nodeOf, setNode, statusNode } from './convert';

const wait = (parameters: object = { amount: 5, unit: 'seconds' }, more = {}) =>
	node('Wait', 'wait', parameters, more);
const LOOP = ['Create>Wait', 'Wait>Status', 'Status>Finished?', 'Finished?>Download', 'Finished?:1>Wait'];
const all = () => [createNode(), wait(), statusNode(), ifNode(), downloadNode()];
/** The nodes of the chain, with one of them changed. */
const changed = (name: string, more: Partial<WorkflowNode>) =>
	all().map((one) => (one.name === name ? { ...one, ...more } : one));

const condition = (parameters: object) => node('Finished?', 'if', { conditions: parameters });
const listed = (leftValue: string, operation: string, rightValue: unknown = '') =>
	condition({ conditions: [{ leftValue, rightValue, operator: { type: 'string', operation } }] });
const compared = (value1: string, more = {}) => condition({ boolean: [{ value1, ...more }] });

const ONE = ['Create collect', 'Download set'];
const END = [node('End', 'noOp')];

describe('becomes one node', () => {
	it.each<[string, string[], WorkflowNode[]]>([
		['with a loop back to the Wait', LOOP, all()],
		[
			'with a loop over a Wait of its own',
			['Create>Status', 'Status>Finished?', 'Finished?>Download', 'Finished?:1>Wait', 'Wait>Status'],
			all(),
		],
		['with no way back', LOOP.slice(0, 4), all()],
		['with one fixed wait', ['Create>Wait', 'Wait>Download'], [createNode(), wait(), downloadNode()]],
		...[
			listed('={{ $json.status }}', 'equals', 'finished'),
			listed("={{ $('Status').item.json.status }}", 'equals', 'finished'),
			listed('={{ $json.status == "finished" }}', 'true'),
			compared("={{ $json.status === 'finished' }}", { value2: true }),
			compared("={{ $json.status !== 'finished' }}"),
		].map((test): [string, string[], WorkflowNode[]] => [
			`when the IF asks with ${JSON.stringify(test.parameters)}`,
			LOOP,
			changed('Finished?', test),
		]),
	])('%s', (_name, wires, nodes) => {
		expect(kinds(convert(nodes, links(...wires)))).toEqual(['Create collect']);
		const read = convert([...nodes, ...END], links(...wires, 'Download>End'));
		expect(kinds(read)).toEqual([...ONE, 'End noOp']);
		expect(read.workflow.connections).toEqual(links('Create>Download', 'Download>End'));
		expect(nodeOf(read, 'End')).toEqual(END[0]);
	});

	it('inside a loop over items', () => {
		const nodes = [...all(), node('Loop', 'splitInBatches', {}, { typeVersion: 3 })];
		const result = convert(nodes, links(...LOOP, 'Loop:1>Create', 'Download>Loop'));
		expect(kinds(result)).toEqual([...ONE, 'Loop splitInBatches']);
	});

	it('and pinned results move with it', () => {
		const pinData = { Create: [{ json: { job_id: 'a' } }], Download: [{ json: { products: [] } }] };
		const result = convert(all(), links(...LOOP), 'replaceNodes', { pinData });
		expect(result.workflow.pinData).toEqual({ Create: [{ json: { products: [] } }] });
		expect(messages(result.changes)).toContain(
			'The pinned data of "Create" was removed: the node now outputs the results.',
		);
	});

	it('and leaves repeating to Collect', () => {
		const result = convert(changed('Create', { retryOnFail: true, maxTries: 3 }), links(...LOOP));
		expect(Object.keys(nodeOf(result, 'Create')).join()).not.toMatch(/retryOnFail|maxTries/);
		expect(messages(result.changes)).toContain(
			'Retry On Fail was switched off: Collect itself repeats the requests that it can repeat.',
		);
	});

	it('and carries the notes of its nodes, and that the download always outputs data', () => {
		const nodes = all().map((one) => ({
			...{ ...one, notes: `About ${one.name}`, alwaysOutputData: one.name === 'Download' },
		}));
		const result = convert([...nodes, ...END], links(...LOOP, 'Download>End'));
		const notes = ['Create', 'Wait', 'Status', 'Finished?'].map((name) => `About ${name}`);
		expect(nodeOf(result, 'Create').notes).toBe(notes.join('\n'));
		expect(nodeOf(result, 'Download')).toMatchObject({ notes: 'About Download', alwaysOutputData: true });
	});
});

describe('waits', () => {
	const waiting = (parameters: object, timeout?: unknown) => {
		const nodes = changed('Wait', wait(parameters, { typeVersion: 1.1 }));
		const [create] = nodes;
		const list = (create?.parameters.bodyParameters as { parameters: object[] }).parameters;
		if (timeout !== undefined) list.push({ name: 'timeout', value: timeout });
		return convert([...nodes, ...END], links(...LOOP, 'Download>End'));
	};

	it.each([
		[undefined, 1450],
		[4320, 4330],
		['5', 15],
		['={{ $json.minutes }}', '={{ Number($json.minutes) + 10 }}'],
	])('for a job with the timeout %j at most %j minutes, then fails', (timeout, maxWait) => {
		const waitOptions = { maxWait, onDeadline: 'error' };
		expect(nodeOf(waiting({ amount: 10 }, timeout), 'Create').parameters).toMatchObject({
			...{ waitMode: 'poll', waitOptions },
		});
	});

	it('suspended where the chain was suspended: the Wait node becomes the Wait operation, fed by Still Running', () => {
		const result = waiting({ amount: 2, unit: 'minutes' });
		expect(kinds(result)).toEqual(['Create collect', 'Wait wait', 'Download set', 'End noOp']);
		expect(result.workflow.connections).toEqual(
			links('Create>Download', 'Create:1>Wait', 'Wait>Download', 'Wait:1>Wait', 'Download>End'),
		);
		const waitOptions = { maxWait: 1450, pollInterval: 120 };
		expect(nodeOf(result, 'Create').parameters).toMatchObject({ waitMode: 'durable', waitOptions });
		expect(nodeOf(result, 'Wait').parameters).toEqual({
			...{ resource: 'job', operation: 'wait', waitMode: 'durable', output: 'job', options: {} },
			jobId: { __rl: true, mode: 'id', value: '={{ $json.job_id }}' },
			waitOptions: { pollInterval: 120, onDeadline: 'error' },
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
	const separate = ['Create create', 'Wait wait', 'Status get', 'Finished? if', 'Download download'];

	it.each<[string, Partial<WorkflowNode>]>([
		['Finished?', listed('={{ $json.status }}', 'equals', 'done')],
		['Finished?', listed('={{ $json.status }}', 'notEquals', 'finished')],
		['Status', { disabled: true }],
		['Download', { onError: 'continueErrorOutput' }],
		['Status', { onError: 'continueRegularOutput' }],
		['Download', { executeOnce: true }],
		['Create', { alwaysOutputData: true }],
		['Wait', { parameters: { resume: 'webhook' } }],
		['Download', getNode('Download', '/products/bulk/{{ $json.other_id }}')],
	])('when %s is %j', (name, more) => {
		expect(kinds(convert(changed(name, more), links(...LOOP)))).toEqual(separate);
	});

	it('when something else leads into its middle', () => {
		const nodes = [...all(), node('Other', 'noOp')];
		expect(kinds(convert(nodes, links(...LOOP, 'Other>Status')))).toEqual([...separate, 'Other noOp']);
	});

	it.each([
		["={{ $('Status').item.json.progress }}", '"Set" refers to "Status"'],
		['={{ $node["Status"].json.job_id }}', '"Set" refers to "Status"'],
		['={{ $node.Wait.json.job_id }}', '"Set" refers to "Wait"'],
		['={{ $(`Create`).all().length }}', '"Set" refers to "Create"'],
		['=In SQL {{ $items("Status")[0].json.job_id }}', '"Set" refers to "Status"'],
		['={{ $($json.name).item.json.job_id }}', '"Set" reads a node whose name is built at run time'],
		['={{ $node[$json.name].json.job_id }}', '"Set" reads a node whose name is built at run time'],
	])('when another node reads %s, and says so', (value, reason) => {
		const result = convert([...all(), setNode('Set', value)], links(...LOOP, 'Download>Set'));
		const downloads = ['Download (version 2) download', 'Download set'];
		expect(kinds(result)).toEqual([...separate.slice(0, 4), ...downloads, 'Set set']);
		expect(messages(result.warnings)).toContain(
			`"Create", "Wait", "Status", "Finished?", "Download" stay separate nodes, because ${reason}.`,
		);
	});
});
