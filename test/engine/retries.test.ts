import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode, INodeParameters, INodeType, IRun } from 'n8n-workflow';

import { callsOf, collecting, collectingInLoop, itemsOf, useSandboxInTime, THROWING } from './collecting';
import { useDedupeStore, type DedupeStore } from './dedupeStore';
import { errorOf, hints, items, rounds, runWorkflow, type Scenario } from './harness';
import { resumeByTimer, resumeByUrl, retryAfterKill, retryByHand } from './resume';
import { now, time } from './virtualClock';
import { connect, node } from './workflow';

const HOUR_MS = 3_600_000;
const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };

const sandbox = useSandboxInTime();
let retried: DedupeStore;
beforeAll(async () => {
	retried = await useDedupeStore();
});
beforeEach(() => {
	retried.rows.clear();
	retried.fault = undefined;
});

const rowsOf = (run: IRun, round = 0) =>
	items(run, 'Done', 0, round).map(({ linked, value, found }) => `${linked} ${value} ${found}`);
const hintsOf = (run: IRun) => hints(run, 'Prices').map(({ message }) => message);
const creations = () => sandbox.requests.filter(({ method }) => method === 'POST').length;
const valuesOfJobs = () => sandbox.jobs.map(({ values }) => values);
const idsOfJobs = () => sandbox.jobs.map(({ job_id }) => job_id);
const descriptionOf = (run: IRun) => {
	const error = errorOf(run);
	return error !== undefined && 'description' in error ? String(error.description) : '';
};
/** The node's operation `create`. */
const CREATE: INodeParameters = { operation: 'create' };
const perItem: INodeParameters = { options: { grouping: 'perItem' } };

const noCredits = (nth: number) =>
	sandbox.faults.add({
		match: { method: 'POST', nth },
		fault: { type: 'refusal', reason: 'not enough free credits', status: 402 },
	});
const noCreditsForSecond = () => noCredits(2);
const failingDownload = (times = 4) =>
	sandbox.faults.add({ match: { pathPattern: '/download' }, times, fault: { type: 'serverError' } });
const lostReply = (when?: 'after') =>
	sandbox.faults.add({ match: { method: 'POST', nth: 1 }, fault: { type: 'reset', when } });
/** The list is down: for good, or for as long as one try of the node asks for it. */
const listDown = (times: number | 'always' = 'always') =>
	sandbox.faults.add({
		match: { method: 'GET', pathPattern: '/jobs$' },
		times,
		fault: { type: 'serverError' },
	});
const ONE_TRY = 4;

/** A node that hands its items on, or fails. */
const failing = (isBroken: () => boolean): INodeType => ({
	description: {
		displayName: 'Fails',
		name: 'fails',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Fails' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		if (isBroken()) throw new NodeOperationError(this.getNode(), 'broken');
		return [this.getInputData()];
	},
});

describe.each(['with its event log', 'without its event log'] as const)(
	'a retry by hand after n8n was killed, %s',
	(eventLog) => {
		/** A run that had come so far when n8n was killed; gives when it began. */
		const killed = async (scene: Scenario) => {
			const startedAt = now();
			failingDownload();
			await runWorkflow(scene);
			sandbox.faults.clear();
			return startedAt;
		};

		it('takes up the jobs that the list proves to be those of the killed run', async () => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			const scene = collecting(sandbox, itemsOf('kettle', 'mug'), perItem);
			const run = await retryAfterKill(scene, '43', await killed(scene), eventLog);
			expect(rowsOf(run)).toEqual(['a kettle true', 'b mug true']);
			expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		});

		it('creates what the killed run had not come to', async () => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			noCreditsForSecond();
			const scene = collecting(sandbox, itemsOf('kettle', 'mug'), perItem);
			const run = await retryAfterKill(scene, '43', await killed(scene), eventLog);
			expect(rowsOf(run)).toEqual(['a kettle true', 'b mug true']);
			expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		});

		it('creates nothing where the list shows too little to prove a job, and names it', async () => {
			const scene = collecting(sandbox, itemsOf('kettle'));
			const run = await retryAfterKill(scene, '43', await killed(scene), eventLog);
			expect(descriptionOf(run)).toContain(`one of these jobs may be this one: ${idsOfJobs()[0]}.`);
			expect(creations()).toBe(1);
		});

		it('knows its job although nobody knows the mark in its callback URL', async () => {
			sandbox.setOptions({
				listFields: ['order', 'times', 'values', 'webhookUrl'],
				webhookDelayMs: 2 ** 30,
			});
			const scene = collecting(
				sandbox,
				itemsOf('kettle'),
				{ options: { webhookUrl: 'https://n8n.example.test/webhook/x' } },
				{},
				{ webhookSecret: 'the secret of the callbacks' },
			);
			const run = await retryAfterKill(scene, '43', await killed(scene), eventLog);
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(creations()).toBe(1);
		});

		it('takes no job from before the killed run', async () => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			const scene = collecting(sandbox, itemsOf('kettle'));
			await killed(scene);
			time.skip(HOUR_MS);
			const run = await retryAfterKill(scene, '43', now(), eventLog);
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(creations()).toBe(2);
		});

		it('looks once more when Retry On Fail tries again', async () => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			const scene = collecting(sandbox, itemsOf('kettle'), {}, RETRY);
			const startedAt = now();
			failingDownload(3 * ONE_TRY);
			await runWorkflow(scene);
			sandbox.faults.clear();
			listDown(ONE_TRY);
			const run = await retryAfterKill(scene, '43', startedAt, eventLog);
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(creations()).toBe(1);
		});

		it('creates nothing where several jobs may be that of the killed run, and names them', async () => {
			const scene = collecting(sandbox, itemsOf('kettle'));
			const startedAt = await killed(scene);
			await killed(scene);
			const run = await retryAfterKill(scene, '43', startedAt, eventLog);
			expect(creations()).toBe(2);
			expect(errorOf(run)?.message).toBe(
				'An earlier try of this node may have created this job already',
			);
			for (const id of idsOfJobs()) expect(descriptionOf(run)).toContain(id);
		});
	},
);

describe('a retry by hand', () => {
	it('of an execution that its callback was to wake takes up its job, and hears of its end', async () => {
		sandbox.setOptions({ jobDurationMs: 20_000, webhookDelayMs: 2 ** 30 });
		const scene = collecting(sandbox, itemsOf('kettle', 'mug'), { waitMode: 'webhook', ...perItem });
		noCreditsForSecond();
		const failed = await runWorkflow(scene);
		expect(errorOf(failed)?.message).toContain('not enough credits');
		const { run, scenario } = await retryByHand(scene, failed, '43');
		expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		expect(hintsOf(run)).toContainEqual(
			expect.stringContaining('created by an earlier execution and call that execution back'),
		);
		// Only the second job can wake the new execution.
		expect(run.data.waitTill).toBeDefined();
		const [first, second] = sandbox.jobs.map(({ webhookUrl }) => String(webhookUrl));
		expect([first, second].map((url) => url?.split('/')[4])).toEqual(['42', '43']);
		sandbox.finishJob(idsOfJobs()[1] ?? '');
		const reply = await resumeByUrl(scenario, run, second ?? '', { body: { job_id: idsOfJobs()[1] } });
		expect('run' in reply && reply.run && rowsOf(reply.run)).toEqual(['a kettle true', 'b mug true']);
		expect(sandbox.jobs).toHaveLength(2);
	});

	it('takes up its job', async () => {
		const scene = collecting(sandbox, itemsOf('kettle', 'mug'));
		failingDownload();
		const failed = await runWorkflow(scene);
		expect(descriptionOf(failed)).toContain(idsOfJobs()[0]);
		const { run } = await retryByHand(scene, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true', 'b mug true']);
		expect(creations()).toBe(1);
	});

	const lists = () => sandbox.requests.filter(({ path }) => /\/jobs$/.test(path)).length - creations();

	it('looks before it pays where a node before it had failed: nothing says that it was not killed since', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		const fails = node('Fails', 'test.fails');
		const scene = collecting(sandbox, itemsOf('kettle'));
		const [start, ...others] = scene.nodes;
		let isBroken = true;
		const broken: Scenario = {
			...scene,
			nodeTypes: { ...scene.nodeTypes, 'test.fails': failing(() => isBroken) },
			nodes: [...(start ? [start] : []), fails, ...others],
			connections: { ...scene.connections, ...connect({ Items: ['Fails'], Fails: ['Prices'] }) },
		};
		const failed = await runWorkflow(broken);
		expect(errorOf(failed)?.message).toBe('broken');
		await runWorkflow(collecting(sandbox, itemsOf('mug')));
		isBroken = false;
		const { run } = await retryByHand(broken, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true']);
		expect(creations()).toBe(2);
		expect(lists()).toBeGreaterThan(0);
	});

	it('asks for its own job, whatever else was asked, where it had failed before it sent anything', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		const failed = await runWorkflow({ ...scene, credentials: {} });
		expect(failed.status).toBe('error');
		expect(creations()).toBe(0);
		await runWorkflow(scene);
		const { run } = await retryByHand(scene, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true']);
		expect([creations(), lists()]).toEqual([2, 0]);
	});

	describe('that n8n was killed in, retried once more', () => {
		/** What fails before anything was created, a retry that creates and is lost, and another one. */
		const retriedTwice = async (scene: Scenario, fault: () => void) => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			fault();
			const failed = await runWorkflow(scene);
			expect(failed.status).toBe('error');
			expect(sandbox.jobs).toEqual([]);
			sandbox.faults.clear();
			time.skip(HOUR_MS);
			await retryByHand(scene, failed, '43');
			expect(idsOfJobs()).toHaveLength(1);
			time.skip(HOUR_MS);
			return (await retryByHand(scene, failed, '44')).run;
		};

		it.each([
			['refused', () => noCredits(1)],
			[
				'lost on its way',
				() => {
					lostReply();
					listDown(ONE_TRY);
				},
			],
		])('takes up the job of that retry, where the creation before was %s', async (_, fault) => {
			const run = await retriedTwice(collecting(sandbox, itemsOf('kettle')), fault);
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(sandbox.jobs).toHaveLength(1);
		});

		it("takes it up where n8n's store cannot be asked, either", async () => {
			retried.fault = new Error('The database is busy');
			const run = await retriedTwice(collecting(sandbox, itemsOf('kettle')), () => noCredits(1));
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(sandbox.jobs).toHaveLength(1);
		});
	});

	it('asks anew after 24 hours', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		failingDownload();
		const failed = await runWorkflow(scene);
		time.skip(24 * HOUR_MS);
		const { run } = await retryByHand(scene, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true']);
		expect(creations()).toBe(2);
	});

	it('of a creation without a reply looks for its job first, and takes what the list proves', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		const scene = collecting(sandbox, itemsOf('kettle'));
		lostReply('after');
		listDown(ONE_TRY);
		const failed = await runWorkflow(scene);
		expect(descriptionOf(failed)).toContain('the job may exist');
		const { run } = await retryByHand(scene, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true']);
		expect(creations()).toBe(1);
	});

	it('creates nothing while it cannot be known whether the job exists', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		lostReply('after');
		listDown();
		const failed = await runWorkflow(scene);
		const { run } = await retryByHand(scene, failed, '43');
		expect(errorOf(run)?.message).toBe('An earlier try of this node may have created this job already');
		expect(descriptionOf(run)).toContain('The job list could not be read to find out');
		expect(creations()).toBe(1);
	});

	it('creates the job once the whole list shows that there is none', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		lostReply();
		const failed = await runWorkflow(scene);
		expect(descriptionOf(failed)).toContain('none of them can be this one');
		const { run } = await retryByHand(scene, failed, '43');
		expect(rowsOf(run)).toEqual(['a kettle true']);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('of a record that cannot be read sends nothing, and says so', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		failingDownload();
		const failed = await runWorkflow(scene);
		const context = failed.data.executionData?.contextData['node:Prices'] as IDataObject;
		const record = context.priceCollectionRequests as IDataObject;
		for (const [spoilt, reason] of [
			[{ ...record, version: 99 }, 'was written by a newer version of this package'],
			[{ ...record, requests: [] }, 'is damaged at requests'],
			['nonsense', 'has no version'],
		] as const) {
			context.priceCollectionRequests = spoilt;
			const { run } = await retryByHand(scene, failed, '43');
			expect(errorOf(run)?.message).toBe(
				`The record of an earlier try ${reason}, so it is not known which jobs exist already`,
			);
		}
		expect(creations()).toBe(1);
	});
});

describe('Retry On Fail', () => {
	it.each(['tag', ' tag '])(
		'takes a parameter that differs in every run for the same: %j',
		async (name) => {
			const additionalParameters = { parameter: [{ name, value: '={{ $now.toMillis() }}' }] };
			const scene = collecting(
				sandbox,
				itemsOf('kettle'),
				{ options: { additionalParameters } },
				RETRY,
			);
			failingDownload();
			const run = await runWorkflow(scene);
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(creations()).toBe(1);
		},
	);

	it('still tells the items apart whose parameters differ in every run', async () => {
		const value = '={{ $now.toMillis() + $itemIndex * 1000000 }}';
		const options = { additionalParameters: { parameter: [{ name: 'tag', value }] } };
		const scene = collecting(sandbox, itemsOf('kettle', 'kettle'), { options }, RETRY);
		failingDownload(5);
		const run = await runWorkflow(scene);
		expect(rowsOf(run)).toEqual(['a kettle true', 'b kettle true']);
		expect(creations()).toBe(2);
	});

	it('does not repeat a creation whose outcome is unknown', async () => {
		lostReply('after');
		listDown();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), {}, RETRY));
		expect(descriptionOf(run)).toContain('the job may exist');
		expect(creations()).toBe(1);
	});

	it('takes equal requests of two items for two, and never the job of one for that of the other', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		const scene = collecting(sandbox, itemsOf('kettle', 'kettle'), perItem, RETRY);
		sandbox.faults.add({ match: { method: 'POST', nth: 2 }, fault: { type: 'reset' } });
		const run = await runWorkflow(scene);
		expect(rowsOf(run)).toEqual(['a kettle true', 'b kettle true']);
		expect(sandbox.jobs).toHaveLength(2);
	});
});

describe('create', () => {
	const created = (run: IRun) => items(run, 'Done').map(({ job_id }) => job_id);

	it('pays for nothing twice where Retry On Fail meets a job that was refused', async () => {
		noCreditsForSecond();
		const scene = collecting(sandbox, itemsOf('kettle', 'mug'), { ...CREATE, ...perItem }, RETRY);
		const run = await runWorkflow(scene);
		expect(valuesOfJobs()).toEqual([['kettle'], ['mug']]);
		expect(created(run)).toEqual(idsOfJobs());
		expect(items(run, 'Done')).toMatchObject([{ requested: 1 }, { requested: 1 }]);
	});

	it.each(['Retry On Fail', 'a retry by hand'])(
		'pays for nothing twice by %s after a lost reply',
		async (how) => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
			const byHand = how === 'a retry by hand';
			const scene = collecting(sandbox, itemsOf('kettle'), CREATE, byHand ? {} : RETRY);
			lostReply('after');
			const down = listDown(ONE_TRY);
			const first = await runWorkflow(scene);
			const run = byHand ? (await retryByHand(scene, first, '43')).run : first;
			expect(created(run)).toEqual(idsOfJobs());
			expect(down.played).toBe(ONE_TRY);
			expect(creations()).toBe(1);
		},
	);

	it('never gives out a job that only could be the one, and creates no other', async () => {
		lostReply('after');
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), CREATE, RETRY));
		expect(descriptionOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}`);
		expect(creations()).toBe(1);
	});
});

describe('a job of the list that only could be the one', () => {
	it.each(['results', 'entries', 'job', 'file', 'status'])(
		'is named and not taken with the output %s',
		async (output) => {
			lostReply('after');
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), { output }));
			expect(descriptionOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}`);
			expect(items(run, 'Done')).toEqual([]);
		},
	);

	/** Somebody else asks at the moment when our request gets lost. */
	async function askElsewhere(values: string, more: IDataObject = {}): Promise<void> {
		await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				...{ topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'term' },
				...more,
				values,
			}),
		});
		sandbox.clearRequests();
	}

	it('is not ours for one value that both asked for', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		await askElsewhere('kettle\nsocks');
		lostReply();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		expect(descriptionOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}`);
		expect(items(run, 'Done')).toEqual([]);
	});

	it("is not taken for yesterday's values where the list tells no time", async () => {
		sandbox.setOptions({ listFields: ['order', 'values'] });
		await askElsewhere('kettle');
		sandbox.finishJob(idsOfJobs()[0] ?? '');
		time.skip(24 * HOUR_MS);
		lostReply();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(descriptionOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}`);
		expect(items(run, 'Done')).toEqual([]);
	});

	it.each(['oldest', 'newest', 'shuffled'] as const)(
		'is found among many, in a list that has the %s first',
		async (listOrder) => {
			sandbox.setOptions({ listFields: ['order', 'times', 'values'], listOrder });
			for (let count = 0; count < 150; count++) await askElsewhere(`other ${count}`);
			time.skip(HOUR_MS);
			lostReply('after');
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
			expect(rowsOf(run)).toEqual(['a kettle true']);
			expect(sandbox.jobs).toHaveLength(151);
		},
	);
});

describe('rounds of a loop', () => {
	/** Hands the given items back, until the node before has run so often. */
	const again = (input: IDataObject[], times: number): INodeType => ({
		description: {
			...{ displayName: 'Again', name: 'again', group: ['transform'], version: 1, description: '' },
			...{ defaults: { name: 'Again' }, inputs: ['main'], outputs: ['main'], properties: [] },
		},
		async execute() {
			const { $runIndex } = this.getWorkflowDataProxy(0) as unknown as { $runIndex: number };
			return [$runIndex + 1 < times ? input.map((json) => ({ json })) : []];
		},
	});

	function looping(input: IDataObject[], parameters: INodeParameters, more: Partial<INode>): Scenario {
		const base = collecting(sandbox, input, parameters, more);
		return {
			...base,
			nodeTypes: { ...base.nodeTypes, again: again(input, 3) },
			nodes: [...base.nodes, node('Again', 'again')],
			connections: connect({
				Items: ['Prices'],
				Prices: [['Done', 'Again'], 'Running', 'Failed'],
				Again: ['Prices'],
			}),
		};
	}

	it.each<[string, Partial<INode>]>([
		['with an error item first', { ...RETRY, onError: 'continueRegularOutput' }],
		['without', {}],
	])('are different requests, %s', async (name, more) => {
		const input = itemsOf(...(name === 'without' ? ['kettle'] : ['throws', 'kettle']));
		const run = await runWorkflow(looping(input, THROWING, more));
		expect(rounds(run, 'Prices')).toBe(3);
		expect(valuesOfJobs()).toEqual([['kettle'], ['kettle'], ['kettle']]);
		const given = [0, 1, 2].map(
			(round) => items(run, 'Prices', 0, round).find(({ value }) => value === 'kettle')?.job_id,
		);
		expect(given).toEqual(idsOfJobs());
	});

	it('are different requests in a retry of a killed run, too', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		const more: Partial<INode> = { ...RETRY, onError: 'continueRegularOutput' };
		const scene = looping(itemsOf('throws', 'kettle'), THROWING, more);
		const run = await retryAfterKill(scene, '43', now(), 'without its event log');
		expect(rounds(run, 'Prices')).toBe(3);
		const given = [0, 1, 2].map(
			(round) => items(run, 'Prices', 0, round).find(({ value }) => value === 'kettle')?.job_id,
		);
		expect(given).toEqual(idsOfJobs());
	});

	it('are so too where a later one is retried by hand', async () => {
		const scene = looping(itemsOf('kettle'), {}, {});
		sandbox.faults.add({
			match: { pathPattern: '/download', nth: [2, 3, 4, 5] },
			fault: { type: 'serverError' },
		});
		const failed = await runWorkflow(scene);
		expect(sandbox.jobs).toHaveLength(2);
		const { run } = await retryByHand(scene, failed, '43');
		expect(errorOf(run)).toBeUndefined();
		expect(sandbox.jobs).toHaveLength(3);
	});
});

describe('a suspended run that cannot be read', () => {
	/** Spoils what the node keeps. */
	const spoil = (run: IRun, name: string, changes: IDataObject) => {
		const context = run.data.executionData?.contextData[name] as Record<string, IDataObject>;
		for (const [key, stored] of Object.entries(context)) {
			if (key !== 'priceCollectionRequests') context[key] = { ...stored, ...changes };
		}
	};

	it.each<[string, IDataObject]>([
		['newer', { version: 99 }],
		['damaged', { records: {} }],
	])('answers its callback that it cannot be handled, and creates nothing: %s', async (_name, changes) => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS, webhookDelayMs: 2 ** 30 });
		const scene = collecting(sandbox, itemsOf('kettle'), { waitMode: 'webhook' });
		const run = await runWorkflow(scene);
		spoil(run, 'node:Prices', changes);
		sandbox.finishJob(idsOfJobs()[0] ?? '');
		const url = String(sandbox.jobs[0]?.webhookUrl);
		const reply = await resumeByUrl(scene, run, url, { body: { job_id: idsOfJobs()[0] } });
		expect(reply).toMatchObject({
			response: { status: 503, headers: { 'retry-after': '60' } },
		});
		expect(reply).not.toHaveProperty('run');
		expect(creations()).toBe(1);
	});

	it('links its rows to the Still Running items instead, and says so', async () => {
		sandbox.setOptions({ jobDurationMs: 60_000 });
		const scene = collectingInLoop(sandbox, itemsOf('kettle'));
		const run = await runWorkflow(scene);
		spoil(run, 'flow', { version: 99 });
		time.skip(66_000);
		const resumed = await resumeByTimer(scene, run);
		expect(hints(resumed, 'Wait').map(({ message }) => message)).toContainEqual(
			'The record of who asked for the jobs that still run was written by a newer version of this package. Rows are linked to the Still Running items instead of to the items that asked.',
		);
		expect(items(resumed, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
	});
});
