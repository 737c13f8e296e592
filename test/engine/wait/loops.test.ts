import type { INode, INodeParameters } from 'n8n-workflow';

import { beside, collectingInLoop, itemsOf, useCollecting, type Outcome } from '../support/collecting';
import { allItems, type Scenario } from '../support/harness';
import { SORTERS } from '../support/sorters';
import { valuesPerJob } from '../support/common';
import { node } from '../support/workflow';

/** What Collect says in a loop, and what a sleeping sub-workflow hands over. */

const { sandbox, play, creations, finish } = useCollecting({ webhookDelayMs: 2 ** 30 });

const ITEMS = itemsOf('kettle', 'mug', 'pan', 'cup', 'jug');
const TEXT =
	'This node runs once for each batch of "Loop". It needs no loop: it takes all items at once, and puts their values into as few jobs as possible. Without the loop, the jobs also run in parallel.';

/** The runs in which the node showed this hint. */
const runsWithHint = ({ run }: Outcome) =>
	(run.data.resultData.runData.Prices ?? []).flatMap(({ hints = [] }, index) =>
		hints
			.filter(({ message }) => message.includes('needs no loop'))
			.map(({ message }) => [index, message]),
	);

const LOOP = node('Loop', 'n8n-nodes-base.splitInBatches', {}, { typeVersion: 3 });
const AROUND = {
	Items: ['Loop'],
	Loop: ['Done', 'Prices'],
	Prices: ['Loop', 'Wait'],
	Wait: ['Loop', 'Wait'],
};

const looped = (
	parameters: INodeParameters,
	wires: Record<string, string[]> = AROUND,
	loop: INode = LOOP,
): Scenario => beside(collectingInLoop(sandbox, ITEMS, parameters), [loop], wires, SORTERS);

describe('the hint that no loop is needed', () => {
	it('comes once, from the second batch on', async () => {
		const over = await play(looped({ waitMode: 'poll' }));
		expect([over.error, creations(), runsWithHint(over)]).toEqual(['', 3, [[1, TEXT]]]);
	});

	it('comes while the second batch sleeps; n8n drops it with the run', async () => {
		sandbox.setOptions({ jobDurationMs: 30_000 });
		let run = await play(looped({ waitMode: 'durable' }));
		const seen: Array<[batches: number, hints: number]> = [];
		for (; run.isAsleep; run = await run.byTimer()) seen.push([creations(), runsWithHint(run).length]);
		expect(seen).toEqual([
			[1, 0],
			[2, 1],
			[3, 1],
		]);
		expect(runsWithHint(run)).toEqual([]);
	});

	it('stays with a run that a callback wakes', async () => {
		sandbox.setOptions({ autoFinish: false });
		let run = await play(looped({ waitMode: 'webhook' }));
		for (const index of [0, 1, 2]) {
			finish(index);
			run = await run.callBack(index);
		}
		expect([run.isAsleep, runsWithHint(run)]).toEqual([false, [[1, TEXT]]]);
	});

	it('comes in the second run of Create', async () => {
		const over = await play(looped({ operation: 'create' }, { ...AROUND, Prices: ['Loop'] }));
		expect(runsWithHint(over)).toEqual([[1, TEXT]]);
	});

	it('does not come before a second batch', async () => {
		const { input, ...scene } = looped({ waitMode: 'poll' });
		const over = await play({ ...scene, input: input?.slice(0, 2) });
		expect([over.rows.length > 0, runsWithHint(over)]).toEqual([true, []]);
	});

	it.each([
		[
			'which is disabled',
			{ ...LOOP, disabled: true },
			{ ...AROUND, Loop: ['Prices', 'Prices'], Prices: ['Done'] },
		],
		[
			'to which it does not lead back',
			LOOP,
			{ ...AROUND, Loop: ['Prices', 'Loop'], Prices: ['Done', 'Running'] },
		],
	])('does not come of a loop %s', async (_which, loop, wires) => {
		const over = await play(looped({ waitMode: 'poll' }, wires, loop));
		expect([over.error, over.rows.length > 0, runsWithHint(over)]).toEqual(['', true, []]);
	});
});

describe('a sub-workflow whose caller waits for it', () => {
	const parentExecution = { executionId: '41', workflowId: 'wf0' };

	it.each(['durable', 'webhook'])(
		'gives all rows in the last run of its last node, which is all that n8n hands over: %s',
		async (waitMode) => {
			sandbox.setOptions({ autoFinish: false });
			const base = collectingInLoop(sandbox, ITEMS.slice(0, 3), { waitMode }, {}, {}, valuesPerJob(1));
			let run = await play({ ...base, parentExecution });
			expect(run.hints).toContainEqual(expect.stringContaining('"Run once with all items"'));
			for (const index of [2, 0, 1]) {
				finish(index);
				expect([run.isAsleep, run.rows]).toEqual([true, []]);
				run = await run.byTimer();
			}
			run = await run.throughTimers();
			expect(run.rows).toEqual(['a kettle true', 'b mug true', 'c pan true']);
			expect(run.run.data.resultData).toMatchObject({
				lastNodeExecuted: 'Done',
				runData: { Done: [{}] },
			});
		},
	);

	it('gives rows as jobs end where the caller does not wait', async () => {
		sandbox.setOptions({ autoFinish: false });
		const base = collectingInLoop(sandbox, ITEMS.slice(0, 2), {}, {}, {}, valuesPerJob(1));
		const begun = await play({ ...base, parentExecution: { ...parentExecution, shouldResume: false } });
		finish(1);
		const run = await begun.throughTimers(2);
		expect([run.isAsleep, allItems(run.run, 'Wait')]).toEqual([
			true,
			[expect.objectContaining({ value: 'mug' })],
		]);
	});
});
