import type { INodeParameters } from 'n8n-workflow';

import { beside, callsOf, collecting, itemsOf, LEAVES, toItself } from '../support/collecting';
import { useCollecting, waiting, waitNode } from '../support/collecting';
import { items, outputItems, runUpTo, said } from '../support/harness';

const { sandbox, create, finish, play, wait } = useCollecting();

const HOUR_MS = 3_600_000;

describe('wait', () => {
	it('takes up jobs that were created elsewhere and pairs their rows to the item that named them', async () => {
		const [one, two] = [await create('kettle\nmug'), await create('lid')];
		const { rows, hints } = await wait([
			{ id: 'a', job_id: `${sandbox.url}/v2/jobs/${two}` },
			{ id: 'b', job_id: one },
		]);
		expect(rows).toEqual(['a lid true', 'b kettle true', 'b mug true']);
		expect(hints).toEqual([
			'2 jobs, 3 values: 3 found, 0 not found, 0 failed. Credits used: 0 paid, 3 free.',
		]);
		expect(callsOf(sandbox).download).toBe(2);
	});

	it('goes on without the item concerned with Continue On Fail', async () => {
		const input = [
			{ id: 'a', job_id: 'unknown' },
			{ id: 'b' },
			{ id: 'c', job_id: await create('kettle') },
		];
		const { rows, failed } = await wait(input, {}, { onError: 'continueErrorOutput' });
		expect(rows).toEqual(['c kettle true']);
		expect(failed).toMatchObject([
			{ id: 'a', linked: 'a', error: expect.stringContaining('does not know') },
			{ id: 'b', linked: 'b', error: 'Job is empty' },
		]);
	});

	it('gives out what still runs, with its own name for the next round', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		const job_id = await create('kettle');
		const { run } = await wait([{ job_id }], { waitOptions: { ...LEAVES, maxWait: 1 } });
		const [{ json: ticket, pairedItem } = { json: {} }] = outputItems(run, 'Prices', 1);
		const own = { timedOutNodes: ['Prices'] };
		expect(ticket).toMatchObject({ job_id, still_running: true, requested: 1, ticket: own });
		expect(pairedItem).toEqual({ item: 0 });
		expect((await wait([ticket])).error).toContain('is still running');
		finish(0);
		const other = { ...ticket, ticket: { version: 1, since: 1, timedOutNodes: ['Another node'] } };
		expect((await wait([other])).error).toBe('');
	});

	it('says that it does not know who asked where the editor runs it alone', async () => {
		const columns: INodeParameters = { columns: 'main', bestPriceOptions: { conditions: ['any'] } };
		const waitOptions = { ...LEAVES, maxWait: 0 };
		const base = collecting(sandbox, itemsOf('kettle', 'mug'), { ...columns, waitOptions });
		const scene = beside(base, [waitNode('Wait', columns)], { Prices: ['Done', 'Wait'], Wait: ['Done'] });
		const whole = await play(scene);
		const ofItems = ['a', 'b'].map((id) => expect.objectContaining({ id }) as object);
		expect(items(whole.run, 'Wait')).toEqual(ofItems);
		const hint =
			'This execution does not know which items asked for 1 job, so its rows have no input fields and no comparison with your prices. If you have run this node alone, run the whole workflow instead.';
		expect(said(whole.run, 'Wait')).not.toContain(hint);

		const { Prices } = whole.run.data.resultData.runData;
		const alone = await runUpTo(scene, 'Wait', { Prices: Prices! });
		expect(items(alone, 'Wait').map(({ id, result_value }) => [id, result_value])).toEqual([
			[undefined, 'kettle'],
			[undefined, 'mug'],
		]);
		expect(said(alone, 'Wait')).toContain(hint);
		const raw = beside(scene, [], {});
		raw.nodes = raw.nodes.map((one) =>
			one.name === 'Wait' ? { ...one, parameters: { ...one.parameters, columns: 'raw' } } : one,
		);
		expect(said(await runUpTo(raw, 'Wait', { Prices: Prices! }), 'Wait')).not.toContain(hint);
	});

	it('keeps links and fields of jobs from elsewhere through its own suspensions', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const [one, two] = [await create('kettle'), await create('mug\nlid')];
		const input = [two, one, two].map((job_id, index) => ({ id: 'abc'[index] ?? '', job_id }));
		const parked = await play(toItself(waiting(sandbox, input, { waitMode: 'durable' })));
		const given = ['a mug', 'a lid', 'c mug', 'c lid', 'b kettle'].map((row) => `${row} true`);
		expect((await parked.throughTimers()).rows).toEqual(given);
	});
});
