import type { INode, INodeParameters, IRun } from 'n8n-workflow';

import { callsOf, collecting, itemsOf, useSandboxInTime } from './collecting';
import { errorOf, hints, items, runUpTo, runWorkflow } from './harness';
import type { Scenario } from './harness';
import { resumeByTimer, resumeByUrl } from './resume';
import { locator, TYPE } from './support';
import { time } from './virtualClock';
import { connect } from './workflow';

const sandbox = useSandboxInTime({ jobDurationMs: 3_600_000, webhookDelayMs: 2 ** 30 });

const ITEMS = itemsOf('kettle', 'mug');

/** Items → Prices → Done, and nothing behind Still Running. */
function unwired(parameters: INodeParameters = {}, more: Partial<INode> = {}): Scenario {
	const scenario = collecting(sandbox, ITEMS, parameters, more);
	return { ...scenario, connections: connect({ Items: ['Prices'], Prices: ['Done', [], 'Failed'] }) };
}

/** The same for a Wait node; the job runs. */
async function waiting(parameters: INodeParameters): Promise<Scenario> {
	await runWorkflow(collecting(sandbox, ITEMS, { operation: 'create' }));
	const jobId = locator('id', idOf());
	return unwired({ operation: 'wait', jobId, ...parameters });
}

const idOf = (index = 0) => String(sandbox.jobs[index]?.job_id);
const lostText = (index = 0) =>
	`Job ${idOf(index)} was still ${sandbox.jobs[index]?.status}, and nothing is connected to the output Still Running`;
const descriptionOf = (run: IRun) => {
	const error = errorOf(run);
	return error !== undefined && 'description' in error ? String(error.description) : '';
};

describe('a job that would leave by Still Running with nothing wired to it', () => {
	it.each(['poll', 'durable'])('fails Collect with Wait Mode %s, and is named', async (waitMode) => {
		const run = await runWorkflow(unwired({ waitMode, options: { maxValuesPerJob: 1 } }));
		expect(run.status).toBe('error');
		expect(run.data.waitTill).toBeUndefined();
		expect(errorOf(run)?.message).toBe(`${lostText()}`);
		expect(descriptionOf(run)).toBe(
			`It keeps running at the service. Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself. Jobs of this run: ${idOf(0)}, ${idOf(1)}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`,
		);
		expect(callsOf(sandbox)).not.toHaveProperty('cancel');
	});

	it.each(['poll', 'durable'])('fails Wait with Wait Mode %s, and is named', async (waitMode) => {
		const run = await runWorkflow(await waiting({ waitMode }));
		expect(run.data.waitTill).toBeUndefined();
		expect(errorOf(run)?.message).toBe(`${lostText()}`);
	});

	it('is an error item of all that asked where the node goes on, beside the rows of what is over', async () => {
		const scenario = unwired(
			{ options: { maxValuesPerJob: 1 }, waitOptions: { maxWait: 1 } },
			{ onError: 'continueErrorOutput' },
		);
		const finishFirst = () => {
			if (sandbox.jobs.length === 2) sandbox.finishJob(idOf());
		};
		time.listeners.add(finishFirst);
		const run = await runWorkflow(scenario);
		time.listeners.delete(finishFirst);
		expect(items(run, 'Done')).toMatchObject([{ linked: 'a', value: 'kettle' }]);
		expect(items(run, 'Failed')).toMatchObject([{ id: 'b', linked: 'b', error: `${lostText(1)}` }]);
	});

	it('fails nothing where it is cancelled instead', async () => {
		const run = await runWorkflow(unwired({ waitOptions: { maxWait: 1, onDeadline: 'cancel' } }));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Done')).toMatchObject([{ status: 'cancelled' }]);
	});

	it('fails nothing in a tool, which tells the agent', async () => {
		const scenario = unwired({ waitOptions: { maxWait: 0 } }, { type: `${TYPE}Tool` });
		const own = scenario.nodeTypes[TYPE];
		if (own === undefined) throw new Error('The scenario has no node of ours');
		scenario.nodeTypes[`${TYPE}Tool`] = own;
		const run = await runWorkflow(scenario);
		expect(items(run, 'Prices')).toMatchObject([{ job_id: idOf(), still_running: true }]);
	});

	it.each(['poll', 'durable'])('fails nothing where the jobs end in time, with %s', async (waitMode) => {
		sandbox.setOptions({ jobDurationMs: 1_000 });
		const run = await runWorkflow(unwired({ waitMode }));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Done').map(({ linked, value }) => `${linked} ${value}`)).toEqual([
			'a kettle',
			'b mug',
		]);
	});

	it('fails nothing where the editor runs one node only: n8n cuts what is wired to it', async () => {
		const wired = collecting(sandbox, ITEMS, { waitOptions: { maxWait: 0 } });
		const run = await runUpTo(wired, 'Prices');
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Prices', 1)).toMatchObject([{ job_id: idOf(), still_running: true }]);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContain(
			'Not over yet: 1 job, see the output Still Running.',
		);
	});
});

describe('until a webhook, with nothing wired to Still Running', () => {
	it('gives out rows when the callback comes', async () => {
		const scenario = unwired({ waitMode: 'webhook' });
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const woken = await resumeByUrl(scenario, run, String(sandbox.jobs[0]?.webhookUrl), {
			body: { job_id: idOf() },
		});
		const resumed = woken.status === 200 ? woken.run : undefined;
		expect(resumed && items(resumed, 'Done').map(({ linked }) => linked)).toEqual(['a', 'b']);
	});

	it.each<[NonNullable<INode['onError']>, string]>([
		['stopWorkflow', 'Done'],
		['continueErrorOutput', 'Failed'],
	])('leaves an error that names the job when none comes, with %s', async (onError, target) => {
		const scenario = unwired({ waitMode: 'webhook', waitOptions: { maxWait: 30 } }, { onError });
		const late = await resumeByTimer(scenario, await runWorkflow(scenario));
		expect(items(late, target)).toMatchObject([
			{
				error: `Job ${idOf()} was still running at the deadline, and nothing is connected to the output Still Running`,
				message: expect.stringContaining('Wait or Download gets its results'),
			},
		]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1 });
	});
});
