import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import type { Sandbox } from '../sandbox/sandbox';
import { collecting, itemsOf, resetInTime, startSandboxInTime, TERMS } from './collecting';
import { items, runWorkflow } from './harness';
import type { Scenario } from './harness';
import { locator, TYPE } from './support';
import { time } from './virtualClock';
import { node } from './workflow';

jest.mock('../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./virtualClock'));

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandboxInTime();
});
afterAll(async () => {
	time.listeners.clear();
	await sandbox.close();
});
beforeEach(() => resetInTime(sandbox));

/** The node as n8n hands it to an agent: under a type of its own, and read by its first output only. */
function asTool(parameters: INodeParameters, ...terms: string[]): Scenario {
	const base = collecting(sandbox, itemsOf(...terms), parameters, { type: `${TYPE}Tool` });
	return { ...base, nodeTypes: { ...base.nodeTypes, [`${TYPE}Tool`]: new PriceCollection() } };
}

describe('collect as a tool of an AI agent', () => {
	it('polls, whatever Wait Mode was set to', async () => {
		const run = await runWorkflow(asTool({ waitMode: 'durable' }, 'kettle'));
		expect(run.data.waitTill).toBeUndefined();
		expect(items(run, 'Prices')).toMatchObject([{ value: 'kettle', found: true }]);
	});

	it('gives rows without empty columns', async () => {
		const run = await runWorkflow(asTool({}, 'kettle', 'notfound-x'));
		const [found, notFound] = items(run, 'Prices');
		expect(Object.values({ ...found }).filter((value) => value === null || value === '')).toEqual([]);
		expect(notFound).not.toHaveProperty('reason');
		expect(notFound).toMatchObject({ value: 'notfound-x', found: false });
	});

	it('is bounded, and tells the agent which job to ask for again', async () => {
		sandbox.setOptions({ jobDurationMs: 86_400_000 });
		const start = Date.now() + time.skipped;
		const run = await runWorkflow(asTool({ waitOptions: { maxWait: 600 } }, 'kettle'));
		expect(Date.now() + time.skipped - start).toBeLessThan(660_000);
		const [ticket] = items(run, 'Prices');
		expect(ticket).toMatchObject({ still_running: true, job_id: sandbox.jobs[0]?.job_id });
		expect(ticket).not.toHaveProperty('ticket');
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		const jobId = locator('id', String(ticket?.job_id));
		const again = await runWorkflow(asTool({ operation: 'wait', jobId }, 'kettle'));
		expect(items(again, 'Prices')).toMatchObject([{ value: 'kettle', found: true }]);
	});

	it('says what is wrong with a value in a text that an agent can act on', async () => {
		const run = await runWorkflow(asTool({ lookupKey: 'gtin', values: '4006381333932' }, 'kettle'));
		expect(items(run, 'Prices')).toMatchObject([
			{ success: false, reason: expect.stringContaining('"4006381333932" is not a valid GTIN') },
		]);
	});

	it('describes itself by what it does', () => {
		const tool = node('Prices', `${TYPE}Tool`, TERMS);
		expect(NodeHelpers.getToolDescriptionForNode(tool, new PriceCollection())).toBe(
			'Look up prices and other product data in Price Collection',
		);
	});
});
