import type { IDataObject, INodeParameters, INodeType, IRun } from 'n8n-workflow';

import { callsOf, collecting, collectingInLoop, itemsOf, useSandboxInTime } from './collecting';
import { errorOf, hints, items, rounds, runWorkflow, startWorkflow, type Scenario } from './harness';
import { resumeByTimer, resumeByUrl } from './resume';
import { locator, TYPE } from './support';
import { time } from './virtualClock';
import { connect, node } from './workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const sandbox = useSandboxInTime({ webhookDelayMs: 2 ** 30 });

const present = () => Date.now() + time.skipped;
const terms = (count: number) => itemsOf(...Array.from({ length: count }, (_, index) => `term ${index}`));
const single: INodeParameters = { options: { maxValuesPerJob: 1 } };
const idOf = (index: number) => String(sandbox.jobs[index]?.job_id);

/** The service calls back at the end of one job. */
async function callBack(scene: Scenario, run: IRun, index: number): Promise<IRun | undefined> {
	const url = String(sandbox.jobs[index]?.webhookUrl);
	const reply = await resumeByUrl(scene, run, url, { body: { job_id: idOf(index) } });
	return 'run' in reply ? reply.run : undefined;
}

/** Lets timers pass until the run ends, or until so many have. */
async function throughTimers(scene: Scenario, first: IRun, most = 200): Promise<IRun> {
	let run = first;
	for (let timers = 0; run.data.waitTill !== undefined && timers < most; timers++) {
		time.skip(Math.max(0, new Date(run.data.waitTill).getTime() - present()));
		run = await resumeByTimer(scene, run);
	}
	return run;
}

/** All items that left by `Done`, in whichever round. */
const doneOf = (run: IRun): IDataObject[] =>
	Array.from({ length: rounds(run, 'Done') }, (_, round) => items(run, 'Done', 0, round)).flat();

/** A node type that does nothing but this with its items. */
function nodeType(name: string, act: (given: IDataObject[]) => Promise<IDataObject[]>): INodeType {
	return {
		description: {
			...{ displayName: name, name, group: ['transform'], version: 1, description: '' },
			...{ defaults: { name }, inputs: ['main'], outputs: ['main'], properties: [] },
		},
		async execute() {
			const given = this.getInputData().map(({ json }) => json);
			const made = await act(given);
			return [made.map((json, item) => ({ json, pairedItem: { item } }))];
		},
	};
}

describe('many jobs whose callbacks wake the run', () => {
	it('do not leave before the last of them is over, however many are', async () => {
		sandbox.setOptions({ jobDurationMs: 10 * HOUR_MS });
		const scene = collecting(sandbox, terms(25), { waitMode: 'webhook', ...single });
		let run = await runWorkflow(scene);
		for (let index = 4; index < 25; index++) sandbox.finishJob(idOf(index));
		run = (await callBack(scene, run, 24)) ?? run;
		expect(run.data.waitTill).toBeDefined();
		expect([items(run, 'Done'), items(run, 'Running')]).toEqual([[], []]);
		for (let index = 0; index < 4; index++) sandbox.finishJob(idOf(index));
		run = (await callBack(scene, run, 0)) ?? run;
		expect(run.data.waitTill).toBeUndefined();
		expect(items(run, 'Done').map(({ linked }) => linked)).toEqual(terms(25).map(({ id }) => id));
	});

	it('are given out although the status of another one could not be read at the last callback', async () => {
		sandbox.setOptions({ jobDurationMs: 10 * HOUR_MS });
		const scene = collecting(sandbox, terms(2), { waitMode: 'webhook', ...single });
		const run = await runWorkflow(scene);
		sandbox.finishJob(idOf(0));
		sandbox.finishJob(idOf(1));
		sandbox.faults.add({
			match: { pathPattern: `/jobs/${idOf(0)}$` },
			times: 3,
			fault: { type: 'htmlUnavailable' },
		});
		const resumed = await callBack(scene, run, 1);
		expect(resumed && items(resumed, 'Done')).toHaveLength(2);
	});

	it.each(['poll', 'durable', 'webhook'])(
		'are given out completely where 40 end within a minute and 60 status calls a minute are allowed: %s',
		async (waitMode) => {
			sandbox.setOptions({ jobDurationMs: 10 * HOUR_MS, statusRateLimit: 60 });
			const scene = collectingInLoop(sandbox, terms(40), { waitMode, ...single });
			const endThem = () => {
				if (sandbox.jobs.length === 40)
					for (const { job_id } of sandbox.jobs) sandbox.finishJob(job_id);
			};
			if (waitMode === 'poll') time.listeners.add(endThem);
			let run = await runWorkflow(scene);
			time.listeners.delete(endThem);
			if (waitMode !== 'poll') {
				expect(run.data.waitTill).toBeDefined();
				endThem();
			}
			if (waitMode === 'webhook') {
				for (let index = 0; index < 40 && run.data.waitTill !== undefined; index++) {
					time.skip(1_400);
					run = (await callBack(scene, run, index)) ?? run;
				}
			}
			run = await throughTimers(scene, run);
			expect(errorOf(run)).toBeUndefined();
			const given = doneOf(run).map(({ linked }) => String(linked));
			expect(given.sort()).toEqual(
				terms(40)
					.map(({ id }) => String(id))
					.sort(),
			);
			expect(callsOf(sandbox)).toMatchObject({ create: 40, download: 40 });
		},
	);
});

describe('the loop of a durable wait', () => {
	it('goes by the job of the ticket, whatever the field Job says of it', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const created = await runWorkflow(collecting(sandbox, itemsOf('kettle'), { operation: 'create' }));
		const input = [{ id: 'a', priceJob: items(created, 'Done')[0]?.job_id ?? '' }];
		const jobId = locator('id', '={{ $json.priceJob }}');
		const scene = collecting(
			sandbox,
			input,
			{ operation: 'wait', jobId, waitMode: 'durable' },
			{ onError: 'continueErrorOutput' },
		);
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices', 'Failed'] });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(rounds(run, 'Prices')).toBeGreaterThan(2);
		expect(items(run, 'Failed')).toEqual([]);
		expect(items(run, 'Done')).toMatchObject([{ linked: 'a', value: 'kettle' }]);
	});

	it('adds less than 2 KB a round to the execution, also where a node copies the items', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const values = Array.from({ length: 1000 }, (_, index) => `a term of some length ${index}`);
		const base = collectingInLoop(sandbox, [{ id: 'a', term: values.join('\n') }]);
		const scene: Scenario = {
			...base,
			nodeTypes: {
				...base.nodeTypes,
				copy: nodeType('copy', async (given) => structuredClone(given)),
			},
			nodes: [...base.nodes, node('Copy', 'copy')],
			connections: connect({
				Items: ['Prices'],
				Prices: ['Done', 'Copy'],
				Copy: ['Wait'],
				Wait: ['Done', 'Copy'],
			}),
		};
		const size = (run: IRun) => JSON.stringify(run.data).length;
		const parked = await runWorkflow(scene);
		expect(JSON.stringify(items(parked, 'Prices', 1)).length).toBeLessThan(1024);
		const first = await throughTimers(scene, parked, 3);
		const later = await throughTimers(scene, first, 10);
		const added = rounds(later, 'Wait') - rounds(first, 'Wait');
		expect(added).toBe(10);
		// Without the nodes' run records, which n8n itself keeps: those of Copy and of Wait.
		expect((size(later) - size(first)) / added).toBeLessThan(2 * 2048);
	});

	it('goes round the less often the longer it lasts, and still ends at the deadline', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const start = present();
		const scene = collectingInLoop(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 720 } });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)?.message).toContain('at the deadline');
		expect(Math.abs(present() - start - 12 * HOUR_MS)).toBeLessThan(2 * MINUTE_MS);
		expect(rounds(run, 'Wait')).toBeLessThan(100);
	});

	it('cancels each job at its own deadline', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const created = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug'), { operation: 'create', ...single }),
		);
		const start = present();
		const at = (ms: number) => new Date(start + ms).toISOString();
		const input = items(created, 'Done').map(({ job_id }, index) => ({
			...{ id: index === 0 ? 'a' : 'b', job_id, still_running: true, status: 'new' },
			...{ deadline: at(index === 0 ? 5 * HOUR_MS : 10 * MINUTE_MS) },
			ticket: { version: 1, since: start, givenUpBy: [] },
		})) as IDataObject[];
		const scene = collecting(sandbox, input, {
			...{ operation: 'wait', jobId: locator('id', 'ignored'), waitMode: 'durable', output: 'status' },
			// Longer than either of them has left: the deadlines count.
			waitOptions: { onDeadline: 'cancel', pollInterval: 10 * 3600 },
		});
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices', 'Failed'] });
		await throughTimers(scene, await runWorkflow(scene));
		expect(sandbox.jobs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
		const minutes = sandbox.jobs.map(({ endedAt }) => Math.round((Number(endedAt) - start) / MINUTE_MS));
		expect(minutes[1]).toBeGreaterThanOrEqual(10);
		expect(minutes[1]).toBeLessThanOrEqual(12);
		expect(minutes[0]).toBeGreaterThanOrEqual(300);
		expect(minutes[0]).toBeLessThanOrEqual(302);
	});

	it('ends where two nodes hand jobs to each other', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 1 } });
		const wait = (name: string) =>
			node(
				name,
				TYPE,
				{
					...{ resource: 'job', operation: 'wait', jobId: locator('id', '={{ $json.job_id }}') },
					waitOptions: { maxWait: 1 },
				},
				{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } } },
			);
		const run = await runWorkflow({
			...base,
			nodes: [...base.nodes, wait('One'), wait('Two')],
			connections: connect({
				Items: ['Prices'],
				Prices: ['Done', 'One'],
				One: ['Done', 'Two'],
				Two: ['Done', 'One'],
			}),
		});
		expect(errorOf(run)?.message).toContain('at the deadline');
		expect([rounds(run, 'One'), rounds(run, 'Two')]).toEqual([2, 1]);
	});
});

describe('results that cannot be told to belong to a value', () => {
	it('share words that the service levels to one echo', async () => {
		sandbox.setOptions({ valueEcho: 'lowerCase' });
		const run = await runWorkflow(collecting(sandbox, itemsOf('iPhone 15', 'iphone 15')));
		expect(items(run, 'Done').map(({ linked, value, found }) => `${linked} ${value} ${found}`)).toEqual([
			'a iPhone 15 true',
			'b iphone 15 true',
		]);
	});

	it('find their values without accents and punctuation', async () => {
		sandbox.setOptions({ valueEcho: 'plain' });
		const run = await runWorkflow(collecting(sandbox, itemsOf('Café crème', 'USB-C/Kabel (2 m)')));
		expect(items(run, 'Done').map(({ linked, value, found }) => `${linked} ${value} ${found}`)).toEqual([
			'a Café crème true',
			'b USB-C/Kabel (2 m) true',
		]);
	});

	it('leave as rows of their own where the service echoes nothing, and every value says so', async () => {
		sandbox.setOptions({ valueEcho: 'nothing' });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		const rows = items(run, 'Prices');
		const reason =
			'not matched: of what the job brought, 2 results, which do not say what they are for, nothing is clearly for this value';
		expect(rows.map(({ value, found, reason: why }) => [value, found, why])).toEqual([
			['kettle', false, reason],
			['mug', false, reason],
			[null, true, null],
			[null, true, null],
		]);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			'2 results could not be matched to a value: they are rows of their own, linked to all items of the job.',
		);
	});

	it('do not make a value unanswered that was answered', async () => {
		sandbox.setOptions({ extraResults: 2 });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		const rows = items(run, 'Prices');
		expect(rows.slice(0, 2).map(({ value, found }) => [value, found])).toEqual([
			['kettle', true],
			['mug', true],
		]);
		expect(rows).toHaveLength(4);
	});
});

describe('a job that the service does not know', () => {
	it('is looked for again as long as it may be entered late', async () => {
		sandbox.setOptions({ statusLagMs: 25_000 });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(items(run, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
	});

	it('is given up after that, by its name', async () => {
		sandbox.setOptions({ statusLagMs: 2 * HOUR_MS });
		const start = present();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(errorOf(run)?.message).toContain('The service does not know this job');
		const error = errorOf(run);
		expect(error && 'description' in error && error.description).toContain(`Job: ${idOf(0)}.`);
		expect(present() - start).toBeGreaterThan(30_000);
		expect(present() - start).toBeLessThan(70_000);
	});
});

describe('the end of a wait', () => {
	it('cancels nothing where the status of another job answers that nobody may ask for it', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const forbid = () => {
			if (sandbox.jobs.length < 2) return;
			time.listeners.delete(forbid);
			sandbox.faults.add({
				match: { pathPattern: `/jobs/${idOf(1)}$` },
				times: 'always',
				fault: { type: 'refusal', reason: 'forbidden', status: 403 },
			});
		};
		time.listeners.add(forbid);
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug'), {
				...single,
				waitOptions: { maxWait: 1, onDeadline: 'cancel' },
			}),
		);
		expect(errorOf(run)?.message).toContain('The key has no access to this');
		const error = errorOf(run);
		expect(error && 'description' in error && error.description).toContain(
			`Jobs of this run: ${idOf(0)}, ${idOf(1)}. Nothing is lost`,
		);
		expect(callsOf(sandbox).cancel).toBeUndefined();
		expect(sandbox.jobs[0]?.status).not.toBe('cancelled');
	});

	it('comes before the workflow settings end the execution', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const scene = collecting(sandbox, itemsOf('kettle'), { waitMode: 'webhook' });
		// n8n notes when its nodes began by the clock of the machine.
		time.skipped = 0;
		const start = present();
		const run = await runWorkflow({ ...scene, settings: { executionTimeout: 600 } });
		const asleep = Number(run.data.waitTill?.getTime()) - start;
		expect(asleep).toBeGreaterThan(7 * MINUTE_MS);
		expect(asleep).toBeLessThanOrEqual(8 * MINUTE_MS + 1_000);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringContaining('the jobs are waited for no longer than 8 minutes'),
		);
	});

	it('ends what On Stop: Cancel is for: a job that has left the node runs on', async () => {
		sandbox.setOptions({ jobDurationMs: 1000 * HOUR_MS });
		const base = collecting(sandbox, itemsOf('kettle'), {
			waitOptions: { maxWait: 0, onStop: 'cancel' },
		});
		let stop = () => {};
		const slow = nodeType('slow', async (given) => {
			stop();
			for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
			return given;
		});
		const { run, cancel } = await startWorkflow({
			...base,
			nodeTypes: { ...base.nodeTypes, slow },
			nodes: [...base.nodes, node('Slow', 'slow')],
			connections: connect({ Items: ['Prices'], Prices: ['Done', 'Slow'] }),
		});
		stop = () => void cancel();
		expect((await run).status).toBe('canceled');
		expect(sandbox.jobs).toHaveLength(1);
		expect(callsOf(sandbox).cancel).toBeUndefined();
	});
});
