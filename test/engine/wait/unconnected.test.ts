import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { beside, callsOf, collecting, itemsOf, LEAVES, useCollecting } from '../support/collecting';
import { runUpTo, said, items } from '../support/harness';
import { locator, TYPE, valuesPerJob } from '../support/common';
import { time } from '../support/virtualClock';

const { sandbox, collect, finish, idOf, play } = useCollecting({
	jobDurationMs: 3_600_000,
	webhookDelayMs: 2 ** 30,
});

const ITEMS = itemsOf('kettle', 'mug');
const EACH = valuesPerJob(1);

/** Items → Prices → Done, and nothing behind Still Running. */
async function unwired(
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
	credential: IDataObject = {},
) {
	const base = collecting(sandbox, ITEMS, { waitOptions: LEAVES, ...parameters }, more, credential);
	return await play(beside(base, [], { Prices: ['Done', [], 'Failed'] }));
}

const lostText = (index = 0) =>
	`Job ${idOf(index)} is still running, and nothing is connected to the output Still Running`;
const statusText = () => `Its status is "${sandbox.jobs[0]?.status}".`;

describe('a job that would leave by Still Running with nothing wired to it', () => {
	it.each(['poll', 'durable'])('fails Collect with Wait Mode %s, and is named', async (waitMode) => {
		const { run, isAsleep, error } = await unwired({ waitMode }, {}, EACH);
		expect([run.status, isAsleep]).toEqual(['error', false]);
		expect(error).toBe(
			`${lostText()} ${statusText()} It keeps running at the service. Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself. Jobs of this run: ${idOf(0)}, ${idOf(1)}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`,
		);
		expect(callsOf(sandbox)).not.toHaveProperty('cancel');
	});

	it.each(['poll', 'durable'])('fails Wait with Wait Mode %s, and is named', async (waitMode) => {
		await collect(ITEMS, { operation: 'create' });
		const { isAsleep, error } = await unwired({
			operation: 'wait',
			jobId: locator('id', idOf()),
			waitMode,
		});
		expect([isAsleep, error]).toEqual([false, expect.stringContaining(lostText())]);
	});

	it.each(
		['collect', 'wait'].flatMap((operation) =>
			['cancel', 'error', 'rows'].map((onDeadline) => [operation, onDeadline]),
		),
	)(
		'fails %s long before Max Wait, whatever happens then (%s), and is not cancelled',
		async (...[operation, onDeadline]) => {
			const parameters = { operation, waitMode: 'durable', waitOptions: { onDeadline } };
			if (operation === 'wait') await collect(ITEMS, { operation: 'create' });
			const job = operation === 'wait' ? { jobId: locator('id', idOf()) } : {};
			const { isAsleep, error } = await unwired({ ...parameters, ...job });
			expect([isAsleep, error]).toEqual([false, expect.stringContaining(lostText())]);
			expect(callsOf(sandbox)).not.toHaveProperty('cancel');
		},
	);

	it('is an error item of all that asked where the node goes on, beside the rows of what is over', async () => {
		const finishFirst = () => sandbox.jobs.length === 2 && finish(0);
		time.listeners.add(finishFirst);
		const parameters = { waitOptions: { ...LEAVES, maxWait: 1 } };
		const { done, failed } = await unwired(parameters, { onError: 'continueErrorOutput' }, EACH);
		time.listeners.delete(finishFirst);
		expect(done).toMatchObject([{ linked: 'a', value: 'kettle' }]);
		expect(failed).toMatchObject([{ id: 'b', linked: 'b', error: lostText(1) }]);
	});

	it('fails nothing in a tool, which tells the agent', async () => {
		const base = collecting(sandbox, ITEMS, { waitOptions: { maxWait: 0 } }, { type: `${TYPE}Tool` });
		const types = { [`${TYPE}Tool`]: base.nodeTypes[TYPE]! };
		const { given } = await play(beside(base, [], { Prices: ['Done', [], 'Failed'] }, types));
		expect(given).toMatchObject([{ job_id: idOf(), still_running: true }]);
	});

	it('fails nothing where the editor runs one node only: n8n cuts what is wired to it', async () => {
		const waitOptions = { ...LEAVES, maxWait: 0 };
		const run = await runUpTo(collecting(sandbox, ITEMS, { waitOptions }), 'Prices');
		expect(items(run, 'Prices', 1)).toMatchObject([{ job_id: idOf(), still_running: true }]);
		expect(said(run)).toContain(
			'On the output Still Running: 1 job. A Price Collection node set to Wait, connected there, gets the results.',
		);
	});
});

describe('until a webhook, with nothing wired to Still Running', () => {
	it('gives out rows when the callback comes', async () => {
		const run = await unwired({ waitMode: 'webhook' });
		finish(0);
		expect((await run.callBack()).rows).toEqual(['a kettle true', 'b mug true']);
	});

	it.each<[INode['onError'], 'done' | 'failed', boolean]>([
		['stopWorkflow', 'done', false],
		['stopWorkflow', 'done', true],
		['continueErrorOutput', 'failed', false],
		['continueErrorOutput', 'failed', true],
	])('names the job in an error, with %s (%s), retried: %s', async (onError, target, retryOnFail) => {
		const retry = { retryOnFail, maxTries: 2, waitBetweenTries: 1 };
		// Values that are not sent have rows only if the output is results.
		const wait = { output: 'job', waitMode: 'webhook', waitOptions: { maxWait: 30 } };
		const parked = await unwired(wait, { onError, ...retry });
		expect([parked.isAsleep, parked.error]).toEqual([true, '']);
		const message = expect.stringContaining('Wait and Download get the results') as string;
		const error = lostText();
		expect((await parked.byTimer())[target]).toMatchObject([{ error, message }]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1 });
	});
});
