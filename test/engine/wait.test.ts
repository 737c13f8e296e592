import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import { callsOf, collecting, useSandboxInTime } from './collecting';
import { errorOf, hints, items, outputItems, runWorkflow } from './harness';
import type { Scenario } from './harness';
import { resumeByTimer } from './resume';
import { locator } from './support';
import { time } from './virtualClock';
import { connect } from './workflow';

const sandbox = useSandboxInTime();

/** A job that exists already, as if created elsewhere. */
async function createJob(values: string): Promise<string> {
	const reply = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			topic: 'product_and_offers',
			source: 'google_shopping',
			country: 'de',
			key: 'term',
			values,
		}),
	});
	return ((await reply.json()) as { job_id: string }).job_id;
}

function waiting(
	input: IDataObject[],
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): Scenario {
	const jobId = locator('id', '={{ $json.job_id }}');
	return collecting(sandbox, input, { operation: 'wait', jobId, ...parameters }, more);
}

const links = (run: IRun) => items(run, 'Done').map(({ linked, value }) => `${linked} ${value}`);

describe('wait', () => {
	it('takes up jobs that were created elsewhere and pairs their rows to the item that named them', async () => {
		const one = await createJob('kettle\nmug');
		const two = await createJob('lid');
		const run = await runWorkflow(
			waiting([
				{ id: 'a', job_id: `${sandbox.url}/v2/jobs/${two}` },
				{ id: 'b', job_id: one },
			]),
		);
		expect(links(run)).toEqual(['a lid', 'b kettle', 'b mug']);
		expect(hints(run, 'Prices').map(({ message }) => message)).toEqual([
			expect.stringMatching(
				/^2 jobs, 3 values: 3 found, 0 not found, 0 failed\. 3 free credits used\.$/,
			),
		]);
		expect(callsOf(sandbox).download).toBe(2);
	});

	it('says how many values of a job have no answer', async () => {
		// The service leaves out what it was slow to find when its job is ended.
		const job = await createJob('kettle\nslow mug');
		sandbox.finishJob(job);
		const run = await runWorkflow(waiting([{ id: 'a', job_id: job }]));
		expect(links(run)).toEqual(['a kettle']);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^1 job, 2 values: 1 found, 0 not found, 0 failed, 1 unanswered\./),
		);
	});

	it('asks once for a job that two items name, and answers both', async () => {
		const job = await createJob('kettle');
		const run = await runWorkflow(
			waiting([
				{ id: 'a', job_id: job },
				{ id: 'b', job_id: job },
			]),
		);
		expect(links(run)).toEqual(['a kettle', 'b kettle']);
		expect(callsOf(sandbox).download).toBe(1);
	});

	it('gives out the job without a download with the output Status', async () => {
		const job = await createJob('kettle');
		const run = await runWorkflow(waiting([{ job_id: job }], { output: 'status' }));
		expect(items(run, 'Prices')).toMatchObject([{ job_id: job, status: 'finished', requested: 1 }]);
		expect(callsOf(sandbox).download).toBeUndefined();
	});

	it('fails at once for a job that the service does not know, naming the others', async () => {
		const job = await createJob('kettle');
		const run = await runWorkflow(waiting([{ job_id: job }, { job_id: '0123456789abcdef01234567' }]));
		expect(errorOf(run)?.message).toContain('does not know this job');
		expect(errorOf(run)?.description).toContain(job);
	});

	it('leaves the other jobs alone when one fails before their deadline', async () => {
		sandbox.setOptions({ jobDurationMs: 3_600_000 });
		const job = await createJob('kettle');
		sandbox.faults.add({
			match: { pathPattern: '/forbidden$' },
			fault: { type: 'refusal', reason: 'job forbidden', status: 403 },
		});
		const scene = waiting([{ job_id: job }, { job_id: 'forbidden' }], {
			waitMode: 'durable',
			waitOptions: { onDeadline: 'cancel' },
		});
		const run = await runWorkflow(scene);
		expect(errorOf(run)?.message).toBe('The key has no access to this');
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});

	it('goes on without the item concerned with Continue On Fail', async () => {
		const job = await createJob('kettle');
		const run = await runWorkflow(
			waiting(
				[{ id: 'a', job_id: 'unknown' }, { id: 'b' }, { id: 'c', job_id: job }],
				{},
				{ onError: 'continueErrorOutput' },
			),
		);
		expect(links(run)).toEqual(['c kettle']);
		expect(items(run, 'Failed')).toMatchObject([
			{ id: 'a', linked: 'a', error: expect.stringContaining('does not know') },
			{ id: 'b', linked: 'b', error: 'Job is empty' },
		]);
	});

	it('passes on what went wrong in the node before, in the place of a job', async () => {
		const message = 'These jobs were created and are running: j1.';
		const run = await runWorkflow(
			waiting(
				[{ error: 'The service is down', message }, { error: 'The service is down' }, { error: '' }],
				{},
				{ onError: 'continueRegularOutput' },
			),
		);
		const advice = 'Enter the ID or the address of a job, e.g. {{ $json.job_id }} after Create.';
		expect(items(run, 'Done').map(({ error, message: said }) => [error, said])).toEqual([
			['Job is empty, because the node before failed: The service is down', message],
			['Job is empty, because the node before failed: The service is down', advice],
			['Job is empty', advice],
		]);
	});

	it('gives out what still runs, with its own name for the next round', async () => {
		sandbox.setOptions({ jobDurationMs: 3_600_000 });
		const job = await createJob('kettle');
		const run = await runWorkflow(waiting([{ job_id: job }], { waitOptions: { maxWait: 1 } }));
		const [ticket] = outputItems(run, 'Prices', 1);
		expect(ticket).toMatchObject({
			json: { job_id: job, still_running: true, requested: 1, ticket: { givenUpBy: ['Prices'] } },
			pairedItem: { item: 0 },
		});
		const again = await runWorkflow(waiting([ticket?.json ?? {}]));
		expect(errorOf(again)?.message).toContain('at the deadline');
		const other = waiting([
			{ ...ticket?.json, ticket: { version: 1, since: 1, givenUpBy: ['Another node'] } },
		]);
		sandbox.finishJob(job);
		expect(errorOf(await runWorkflow(other))).toBeUndefined();
	});

	it('does not take results or foreign fields for a ticket', async () => {
		const job = await createJob('kettle');
		const run = await runWorkflow(
			waiting([
				{
					job_id: job,
					still_running: true,
					deadline: 'soon',
					ticket: {
						version: 1,
						origin: { values: 'kettle', asked: [1] },
						namedBy: { items: ['x'] },
					},
				},
			]),
		);
		expect(items(run, 'Prices')).toMatchObject([{ value: 'kettle', found: true }]);
	});

	it('keeps links and fields of jobs from elsewhere through its own suspensions', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const [one, two] = [await createJob('kettle'), await createJob('mug\nlid')];
		const scene = waiting(
			[
				{ id: 'a', job_id: two },
				{ id: 'b', job_id: one },
				{ id: 'c', job_id: two },
			],
			{ waitMode: 'durable' },
		);
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices'] });
		let run = await runWorkflow(scene);
		let timers = 0;
		for (; run.data.waitTill !== undefined; timers++) {
			time.skip(66_000);
			run = await resumeByTimer(scene, run);
		}
		expect(timers).toBe(4);
		expect(links(run)).toEqual(['a mug', 'a lid', 'c mug', 'c lid', 'b kettle']);
	});

	it('looks once at a job whose ticket says that it is over', async () => {
		const job = await createJob('kettle');
		const ticket = {
			job_id: job,
			status: 'working',
			still_running: true,
			deadline: '2000-01-01T00:00:00Z',
		};
		time.skip(20_000);
		const run = await runWorkflow(waiting([ticket]));
		expect(items(run, 'Done')).toHaveLength(1);
		expect(callsOf(sandbox)).toMatchObject({ status: 1, download: 1 });
	});
});
