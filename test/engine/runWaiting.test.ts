import type { IDataObject, INode, INodeParameters, INodeType, IRun } from 'n8n-workflow';

import { startSandbox, type Sandbox } from '../sandbox/sandbox';
import { callsOf, collecting, collectingInLoop, itemsOf } from './collecting';
import { errorOf, hints, items, rounds, runWorkflow, type Scenario } from './harness';
import { resumeByTimer } from './resume';
import { locator } from './support';
import { now, time } from './virtualClock';
import { connect, node } from './workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let sandbox: Sandbox;
beforeAll(async () => {
	const start = Date.now();
	time.base = () => start;
	// n8n notes by its own clock when a node began.
	jest.spyOn(Date, 'now').mockImplementation(now);
	sandbox = await startSandbox({ manualClock: true, jobDurationMs: 10_000 }, time.base);
	time.listeners.add((milliseconds) => sandbox.advance(milliseconds));
});
afterAll(async () => {
	time.listeners.clear();
	jest.restoreAllMocks();
	await sandbox.close();
});
beforeEach(() => {
	sandbox.reset();
	// Later: no budget of an earlier test counts.
	time.skip(3 * HOUR_MS);
});

const idOf = (index = 0) => String(sandbox.jobs[index]?.job_id);
const STATUS = { method: 'GET', pathPattern: '/jobs/[^/]+$' };

async function createJob(values: string): Promise<string> {
	const asked = {
		topic: 'product_and_offers',
		source: 'google_shopping',
		country: 'de',
		key: 'term',
		values,
	};
	const reply = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(asked),
	});
	return ((await reply.json()) as { job_id: string }).job_id;
}

const waiting = (input: IDataObject[], parameters: INodeParameters = {}, more: Partial<INode> = {}) =>
	collecting(
		sandbox,
		input,
		{ operation: 'wait', jobId: locator('id', '={{ $json.job_id }}'), ...parameters },
		more,
	);

/** A node that does this with its items. */
function itemsType(name: string, act: (given: IDataObject[]) => IDataObject[]): INodeType {
	return {
		description: {
			...{ displayName: name, name, group: ['transform'], version: 1, description: '' },
			...{ defaults: { name }, inputs: ['main'], outputs: ['main'], properties: [] },
		},
		async execute() {
			const made = act(this.getInputData().map(({ json }) => json));
			return [made.map((json, item) => ({ json, pairedItem: { item } }))];
		},
	};
}

/** Lets timers pass until the run ends. */
async function throughTimers(scene: Scenario, first: IRun): Promise<IRun> {
	let run = first;
	for (let timers = 0; run.data.waitTill !== undefined && timers < 100; timers++) {
		time.skip(Math.max(0, new Date(run.data.waitTill).getTime() - now()));
		run = await resumeByTimer(scene, run);
	}
	return run;
}

describe('a workflow that n8n ends after twelve minutes, eight of which a node before has used', () => {
	const LIMIT = { minutes: 12, used: 8 };
	const slow = itemsType('slow', (given) => {
		time.skip(LIMIT.used * MINUTE_MS);
		return given;
	});

	/** Runs it, and gives how many minutes that took. */
	async function run(parameters: INodeParameters): Promise<{ minutes: number; run: IRun }> {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const base = collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 30 }, ...parameters });
		const scene: Scenario = {
			...base,
			nodeTypes: { ...base.nodeTypes, slow },
			nodes: [...base.nodes, node('Slow', 'slow')],
			connections: { ...base.connections, ...connect({ Items: ['Slow'], Slow: ['Prices'] }) },
			settings: { executionTimeout: LIMIT.minutes * 60 },
			startsAt: now(),
		};
		const begin = now();
		const ended = await throughTimers(scene, await runWorkflow(scene));
		return { minutes: (now() - begin) / MINUTE_MS, run: ended };
	}

	it.each(['poll', 'webhook'])('gives its jobs out before that: %s', async (waitMode) => {
		const { minutes, run: ended } = await run({ waitMode });
		expect(items(ended, 'Running')).toMatchObject([{ job_id: idOf(), still_running: true }]);
		expect(minutes).toBeLessThan(LIMIT.minutes);
		expect(minutes).toBeGreaterThan(LIMIT.used);
	});

	it('does so where creating the job took a while as well', async () => {
		sandbox.faults.add({
			match: { method: 'POST' },
			fault: { type: 'tooManyRequests', retryAfterSeconds: 100 },
		});
		const { minutes, run: ended } = await run({});
		expect(items(ended, 'Running')).toMatchObject([{ job_id: idOf(), still_running: true }]);
		expect(minutes).toBeLessThan(LIMIT.minutes);
	});

	it('says why it waits no longer', async () => {
		const { run: ended } = await run({});
		expect(hints(ended, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringContaining('the jobs are waited for no longer than 4 minutes'),
		);
	});
});

describe('more jobs than can be looked at in time', () => {
	it('do not hold the node past their deadline for longer than two minutes in all', async () => {
		const JOBS = 300;
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, statusRateLimit: 60 });
		const input: IDataObject[] = [];
		for (let count = 0; count < JOBS; count++) input.push({ job_id: await createJob(`term ${count}`) });
		const begin = now();
		const run = await runWorkflow(waiting(input, { waitOptions: { maxWait: 0 } }));
		expect(items(run, 'Running')).toHaveLength(JOBS);
		expect((now() - begin) / 1000).toBeLessThan(130);
	});

	it('take turns over the rounds of a wait', async () => {
		const JOBS = 150;
		sandbox.setOptions({ jobDurationMs: 30 * MINUTE_MS, statusRateLimit: 60 });
		const input: IDataObject[] = [];
		for (let count = 0; count < JOBS; count++)
			input.push({ id: `${count}`, job_id: await createJob(`notfound ${count}`) });
		const scene = waiting(input, { waitMode: 'durable' });
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices'] });
		const run = await throughTimers(scene, await runWorkflow(scene));
		const done = Array.from({ length: rounds(run, 'Done') }, (_, round) =>
			items(run, 'Done', 0, round),
		).flat();
		expect(new Set(done.map(({ linked }) => linked)).size).toBe(JOBS);
	});
});

describe('a service that asks for a pause of two hours', () => {
	const pause = (nth: number) =>
		sandbox.faults.add({
			match: { ...STATUS, nth },
			fault: { type: 'tooManyRequests', retryAfterSeconds: 7200 },
		});

	it.each(['stillRunning', 'cancel', 'error'])(
		'at one look is asked again sooner, and the job is given out: On Deadline %s',
		async (onDeadline) => {
			pause(1);
			const run = await runWorkflow(
				collecting(sandbox, itemsOf('kettle'), { waitOptions: { onDeadline } }),
			);
			expect(errorOf(run)).toBeUndefined();
			expect(items(run, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
			expect(callsOf(sandbox).cancel).toBeUndefined();
		},
	);

	it('does not silence the other nodes of the process', async () => {
		pause(1);
		await runWorkflow(collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 1 } }));
		time.skip(2 * MINUTE_MS);
		const run = await runWorkflow(
			collecting(sandbox, [{}], { operation: 'get', jobId: locator('id', idOf()) }),
		);
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Prices')).toMatchObject([{ job_id: idOf(), status: 'finished' }]);
	});
});

describe('a job that the service does not know', () => {
	const unknown = (nth: number[]) =>
		sandbox.faults.add({
			match: { ...STATUS, nth },
			fault: { type: 'refusal', reason: 'job not found', status: 404 },
		});

	it.each(['poll', 'durable'])('yet is waited for after Create: %s', async (waitMode) => {
		sandbox.setOptions({ statusLagMs: 25_000 });
		const created = await runWorkflow(collecting(sandbox, itemsOf('kettle'), { operation: 'create' }));
		const [job] = items(created, 'Done');
		const scene = waiting([{ id: 'a', job_id: job?.job_id ?? '' }], { waitMode });
		scene.connections = connect({ Items: ['Prices'], Prices: ['Done', 'Prices'] });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Done')).toMatchObject([{ linked: 'a', value: 'kettle', found: true }]);
	});

	it.each(['poll', 'durable'])('for a moment, minutes after it was seen, runs on: %s', async (waitMode) => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
		unknown([6]);
		const scene = collectingInLoop(sandbox, itemsOf('kettle'), { waitMode });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Done')).toMatchObject([{ linked: 'a', value: 'kettle', found: true }]);
	});

	it.each(['poll', 'durable'])('any more is given up: %s', async (waitMode) => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		unknown(Array.from({ length: 500 }, (_, index) => 6 + index));
		const begin = now();
		const scene = collectingInLoop(sandbox, itemsOf('kettle'), { waitMode });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(errorOf(run)?.message).toContain('The service does not know this job');
		expect(now() - begin).toBeLessThan(10 * MINUTE_MS);
	});
});

describe('Still Running wired to a disabled node', () => {
	const disabled = (parameters: INodeParameters, more: Partial<INode> = {}): Scenario => {
		const base = collectingInLoop(sandbox, itemsOf('kettle'), parameters, {}, more);
		const nodes = base.nodes.map((one) => (one.name === 'Wait' ? { ...one, disabled: true } : one));
		return { ...base, nodes };
	};

	it.each(['poll', 'durable'])(
		'counts as wired to nothing: the node fails and names the job, %s',
		async (waitMode) => {
			sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS });
			const run = await runWorkflow(disabled({ waitMode, waitOptions: { maxWait: 1 } }));
			expect(errorOf(run)?.message).toMatch(
				new RegExp(
					`^Job ${idOf()} was still .*, and nothing is connected to the output Still Running$`,
				),
			);
			expect(items(run, 'Done')).toEqual([]);
		},
	);

	it('names the job in the end although the disabled node leads back in a loop', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const base = disabled({ waitMode: 'webhook', waitOptions: { maxWait: 30 } });
		const scene: Scenario = {
			...base,
			nodeTypes: { ...base.nodeTypes, nothing: itemsType('nothing', () => []) },
			nodes: [...base.nodes, node('Nothing', 'nothing')],
			connections: {
				...base.connections,
				...connect({ Wait: [['Done', 'Nothing']], Nothing: ['Prices'] }),
			},
		};
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(items(run, 'Done')).toMatchObject([
			{ error: expect.stringContaining(`Job ${idOf()} was still running at the deadline`) },
		]);
	});

	it('never hands a job that runs on among the rows, also where only a callback could have woken it', async () => {
		sandbox.setOptions({ jobDurationMs: 100 * HOUR_MS, webhookDelayMs: 2 ** 30 });
		const scene = disabled({ waitMode: 'webhook', waitOptions: { maxWait: 30 } });
		const run = await throughTimers(scene, await runWorkflow(scene));
		expect(rounds(run, 'Done')).toBe(1);
		expect(items(run, 'Done')).toMatchObject([
			{ error: expect.stringContaining(`Job ${idOf()} was still running at the deadline`) },
		]);
	});
});

describe('a Max Wait of which there is no date', () => {
	it.each(['poll', 'durable', 'webhook'])('is refused before anything is sent: %s', async (waitMode) => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { waitMode, waitOptions: { maxWait: 999999999999 } }),
		);
		expect(errorOf(run)?.message).toBe('Max Wait cannot be 999999999999');
		expect(sandbox.requests).toEqual([]);
	});
});

describe('Topic and Look Up By that an expression gives, or nobody', () => {
	const sent = () => sandbox.jobs.map(({ topic, key, values }) => [topic, key, ...values]);

	it.each<[string, INodeParameters, [string, string]]>([
		['a topic by an expression', { topic: "={{ 'search' }}", lookupKey: 'term' }, ['search', 'term']],
		['both by expressions', { topic: "={{ 'reviews' }}", lookupKey: "={{ 'id' }}" }, ['reviews', 'id']],
		[
			'a topic of one’s own by an expression',
			{ topic: "={{ 'custom' }}", customTopic: 'offers', lookupKey: 'id' },
			['offers', 'id'],
		],
	])('%s', async (_how, parameters, [topic, key]) => {
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), parameters));
		expect(errorOf(run)).toBeUndefined();
		expect(sent()).toEqual([[topic, key, 'kettle']]);
	});

	it.each([
		['search', 'term'],
		['reviews', 'gtin'],
	])('nobody: the default of the topic %s counts', async (topic) => {
		const ask = async (parameters: INodeParameters) => {
			sandbox.reset();
			const base = collecting(sandbox, itemsOf('96385074'), parameters);
			const nodes = structuredClone(base.nodes);
			for (const one of nodes) delete one.parameters.lookupKey;
			const run = await runWorkflow({ ...base, nodes });
			expect(errorOf(run)).toBeUndefined();
			return sandbox.jobs.map(({ key }) => key);
		};
		const [usual] = await ask({ topic });
		expect(usual).toEqual(expect.any(String));
		expect(await ask({ topic: `={{ '${topic}' }}` })).toEqual([usual]);
		expect(await ask({ topic: 'custom', customTopic: topic })).toEqual([usual]);
	});
});

describe('an additional parameter that is null', () => {
	it('is not sent', async () => {
		const parameter = [
			{ name: 'max_pages', value: '={{ null }}' },
			{ name: 'value', value: '={{ null }}' },
			{ name: 'condition', value: 'new' },
		];
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { options: { additionalParameters: { parameter } } }),
		);
		const [creation] = sandbox.requests;
		const body = JSON.parse(String(creation?.body)) as IDataObject;
		expect(body).toMatchObject({ value: 'kettle', condition: 'new' });
		expect(body).not.toHaveProperty('max_pages');
		expect(items(run, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
	});
});
