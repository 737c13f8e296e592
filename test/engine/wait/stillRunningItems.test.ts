import type { INode, INodeParameters } from 'n8n-workflow';

import { operationOf } from '../../../nodes/PriceCollection/actions/operations';
import {
	beside,
	collecting,
	collectingInLoop,
	itemsOf,
	LEAVES,
	toItself,
	useCollecting,
} from '../support/collecting';
import { nodeType, type Scenario } from '../support/harness';
import { node } from '../support/workflow';

/** Ways in which n8n would put a Still Running item among the rows. */

const { sandbox, play, idOf } = useCollecting({ jobDurationMs: 3_600_000, webhookDelayMs: 2 ** 30 });

const disabled = (scene: Scenario, name: string): Scenario => ({
	...scene,
	nodes: scene.nodes.map((one): INode => (one.name === name ? { ...one, disabled: true } : one)),
});

const lostText = () =>
	`Job ${idOf()} is still running, and the node "Wait" behind the output Still Running is disabled`;
const ENABLE = 'n8n would pass the job on as if it were a row. Enable that node, or remove it.';

describe('a Wait that is disabled', () => {
	const WIRES = {
		alone: { Prices: ['Done', 'Wait', 'Failed'] },
		'beside another node': { Prices: ['Done', ['Running', 'Wait'], 'Failed'] },
		'behind another node': { Prices: ['Done', 'Running', 'Failed'], Running: ['Wait'] },
	};
	const sceneOf = (wires: Record<string, Array<string | string[]>>, parameters: INodeParameters) =>
		disabled(beside(collectingInLoop(sandbox, itemsOf('kettle'), parameters), [], wires), 'Wait');

	it.each(
		Object.entries(WIRES).flatMap(([how, wires]) =>
			['poll', 'durable'].map((waitMode) => ({ how, waitMode, wires })),
		),
	)('fails the node with Wait Mode $waitMode: $how', async ({ waitMode, wires }) => {
		const { done, running, error } = await play(
			sceneOf(wires, { waitMode, waitOptions: { ...LEAVES, maxWait: 1 } }),
		);
		expect([done, running]).toEqual([[], []]);
		expect(error).toContain(lostText());
		expect(error).toContain(ENABLE);
	});

	it.each(Object.entries(WIRES))('gets no job with Sleep Until Called: %s', async (_how, wires) => {
		const begun = await play(
			sceneOf(wires, { waitMode: 'webhook', waitOptions: { ...LEAVES, maxWait: 1 } }),
		);
		const { done, running, error } = await begun.throughTimers();
		expect([error, running]).toEqual(['', []]);
		expect(done).toEqual([{ error: lostText(), message: expect.stringContaining(ENABLE) }]);
	});
});

describe('a Still Running item that reaches a Collect', () => {
	const PARAMETERS = {
		...{ columns: 'main', values: '={{ $json.term ?? "" }}' },
		waitOptions: { ...LEAVES, maxWait: 1 },
		options: { includeInputFields: true },
	};
	const mark = nodeType('mark', async function () {
		return [
			this.getInputData().map(({ json }, item) => ({
				json: { ...json, shop: 'A' },
				pairedItem: { item },
			})),
		];
	});

	it('leaves none of its own fields beside the row', async () => {
		const marked = { Prices: ['Done', 'Mark', 'Failed'], Mark: ['Prices'] };
		const base = toItself(collecting(sandbox, itemsOf('kettle'), PARAMETERS));
		const { done, error } = await play(beside(base, [node('Mark', 'mark')], marked, { mark }));
		expect([error, done.length]).toEqual(['', 1]);
		expect(done[0]).toMatchObject({ shop: 'A', result_found: false });
		for (const field of ['still_running', 'ticket', 'deadline', 'checked_at', 'job_id', 'status'])
			expect(done[0]).not.toHaveProperty(field);
	});
});

it('a Wait that cannot be loaded gives error items where it goes on', async () => {
	const wait = operationOf('job', 'wait');
	if (wait === undefined) throw new Error('There is no Wait');
	const load = jest.spyOn(wait, 'load').mockRejectedValue(new Error('Cannot find module'));
	const begun = collectingInLoop(
		sandbox,
		itemsOf('kettle'),
		{ waitMode: 'poll', waitOptions: { ...LEAVES, maxWait: 1 } },
		{},
		{ onError: 'continueErrorOutput' },
	);
	const { done, failed } = await play(begun);
	load.mockRestore();
	expect(done).toEqual([]);
	expect(failed).toMatchObject([{ job_id: idOf(), error: 'Cannot find module' }]);
});
