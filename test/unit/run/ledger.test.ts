import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import * as module from '../../../nodes/PriceCollection/run/ledger';
import type { Creation } from '../../../nodes/PriceCollection/run/lookup/record';

const NOW = 1_800_000_000_000;
const BEGAN = NOW - 60_000;
const DAY_MS = 24 * 3_600_000;
const MADE: Creation = { sentAt: NOW, executionId: '7', jobId: 'j' };

let present: number;
beforeEach(() => {
	present = NOW;
	jest.spyOn(Date, 'now').mockImplementation(() => present);
});
afterEach(() => jest.restoreAllMocks());

const output = (...rows: IDataObject[]) => rows.map((json) => ({ json }));
/** As n8n's database gives it back. */
const saved = (stored: IDataObject) => JSON.parse(JSON.stringify(stored)) as IDataObject;

/** n8n's store of processed items, which is the same for all executions. */
class Processed {
	readonly asked: unknown[] = [];
	readonly checkProcessedAndRecord = async (texts: string[], ...how: unknown[]) => {
		const isNew = !this.asked.some((one) => JSON.stringify(one) === JSON.stringify([texts, ...how]));
		this.asked.push([texts, ...how]);
		return await Promise.resolve({ new: isNew ? texts : [], processed: isNew ? [] : texts });
	};
}

describe('the requests of an execution', () => {
	interface Try {
		executionId?: string;
		/** The round of the node in its execution, from 0. */
		round?: number;
		mode?: string;
		since?: number;
		processed?: Processed;
	}

	/** The ledger that a try finds in the context of its node, so long after the first one. */
	async function open(store: IDataObject, afterMs = 0, how: Try = {}) {
		const { executionId = '7', round = 0, mode = 'trigger', since, processed } = how;
		present = NOW + afterMs;
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getContext: (type: string) => (type === 'node' ? store : {}),
			getExecutionId: () => executionId,
			getMode: () => mode,
			getExecutionContext: () => ({ establishedAt: since }),
			getNode: () => ({ name: 'Prices', type: 'x', typeVersion: 1 }),
			getWorkflowDataProxy: () => ({ $runIndex: round }),
			helpers: { checkProcessedAndRecord: processed?.checkProcessedAndRecord },
		};
		return await module.openLedger(context as unknown as IExecuteFunctions);
	}
	async function withJob(): Promise<IDataObject> {
		const store: IDataObject = {};
		(await open(store)).note('made', MADE);
		return store;
	}

	it('are known to other tries of the same round, for less than 24 hours', async () => {
		const store = await withJob();
		const ledger = await open(store, DAY_MS - 1);
		const known = ['made', 'another', 'constructor'].map((one) => ledger.find(one));
		expect(known).toEqual([MADE, undefined, undefined]);
		expect([ledger.isOfTool, ledger.hasGaps, ledger.jobIds()]).toEqual([false, false, new Set(['j'])]);
		expect((await open(store, DAY_MS)).find('made')).toBeUndefined();
		// Where certainly nothing was created.
		ledger.note('made', undefined);
		expect((await open(store)).find('made')).toBeUndefined();
	});

	it('come with the groups of the items, which other fields and other rounds do not have', async () => {
		const store = await withJob();
		const groups = { group: [0, 1] };
		(await open(store)).noteGroups('fields', groups);
		const again = await open(store, 1, { executionId: '8' });
		again.note('made', undefined);
		expect([again.groupsBy('fields'), again.groupsBy('others')]).toEqual([groups, undefined]);
		expect((await open(saved(store), 1)).groupsBy('fields')).toEqual(groups);
		expect((await open(store, 1, { round: 1 })).groupsBy('fields')).toBeUndefined();
	});

	it('are others in each round, and keep their jobs accounted for in later ones, the latest hundred', async () => {
		const store = await withJob();
		const later = await open(store, 0, { round: 1 });
		expect([later.round, later.requests(), later.jobIds()]).toEqual(['1 ', [], new Set(['j'])]);
		for (let n = 0; n < 100; n++) later.note(`1 i${n}`, { ...MADE, jobId: `j${n}` });
		expect(later.requests()).toHaveLength(100);
		const known = (await open(store, 0, { round: 2 })).jobIds();
		expect([known.size, ...['j', 'j0', 'j99'].map((id) => known.has(id))]).toEqual([
			100,
			false,
			true,
			true,
		]);
	});

	it('go no further without knowing what exists', async () => {
		await expect(open({ priceCollectionRequests: 'text' })).rejects.toMatchObject({
			message:
				'The record of an earlier try has no version, so it is not known which jobs exist already',
			description:
				'Nothing was sent. Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
		});
	});

	describe('in a retry by hand', () => {
		const retry = (executionId: string, processed?: Processed, more: Try = {}): Try => ({
			...{ executionId, mode: 'retry', since: BEGAN, processed },
			...more,
		});
		/** What stands for a request that may have been sent meanwhile. */
		const lost = (sentAt: number, lostAt: number) => ({ sentAt, lostAt, executionId: '' });
		/** What the first execution has left: a job, and a request whose reply did not come. */
		async function left(): Promise<IDataObject> {
			const store = await withJob();
			(await open(store)).note('asked', { sentAt: NOW - 5, executionId: '7', nonce: 'n' });
			return store;
		}

		it('are trusted where it is the first one of that try', async () => {
			const processed = new Processed();
			const ledger = await open(await left(), 9, retry('8', processed));
			const found = [ledger.find('made'), ledger.find('asked')?.sentAt, ledger.find('any')];
			expect([...found, ledger.hasGaps]).toEqual([MADE, NOW - 5, undefined, false]);
			const how = { mode: 'entries', maxEntries: 1_000 };
			expect(processed.asked).toEqual([[['retry: try of 7'], 'node', how]]);
		});

		it('are trusted for their jobs only where another retry came to nothing, or n8n cannot tell', async () => {
			const processed = new Processed();
			const stored = await left();
			await open(saved(stored), 0, retry('8', processed));
			for (const store of [processed, undefined]) {
				const ledger = await open(saved(stored), 9, retry('9', store));
				const asked = { sentAt: NOW - 5, executionId: '7', nonce: 'n', lostAt: NOW + 9 };
				expect([ledger.find('made'), ledger.find('asked')]).toEqual([MADE, asked]);
				expect([ledger.find('any'), ledger.hasGaps]).toEqual([lost(BEGAN, NOW + 9), true]);
			}
		});

		it('may all have been sent where there is no record, since the first run began', async () => {
			const store: IDataObject = {};
			const processed = new Processed();
			const ledger = await open(store, 0, retry('8', processed));
			expect(ledger.find('any')).toEqual(lost(BEGAN, NOW));
			ledger.note('any', MADE);
			// Another try of the same execution, by Retry On Fail, knows what this one did.
			const again = await open(store, 5_000, retry('8', processed));
			expect([again.find('any'), again.find('other')]).toEqual([MADE, lost(BEGAN, NOW)]);
			expect(processed.asked).toEqual([]);
			const since = async (began?: number) =>
				(await open({}, 0, retry('8', processed, { since: began }))).find('any');
			expect(await since()).toEqual(lost(NOW - DAY_MS + 1, NOW));
			expect(await since(NOW - DAY_MS)).toBeUndefined();
		});

		it('keep the doubt for later rounds and further retries', async () => {
			const processed = new Processed();
			const store: IDataObject = {};
			await open(store, 0, retry('8', processed));
			const further = await open(saved(store), 1_000, retry('9', processed));
			expect(further.find('any')).toEqual(lost(BEGAN, NOW + 1_000));
			const next = await open(store, 2_000, retry('8', processed, { round: 1 }));
			expect(next.find('any')).toEqual(lost(BEGAN, NOW));
		});
	});
});

describe('the questions of a tool', () => {
	let workflow = '';
	let count = 0;
	// The process remembers, so that each test has a workflow of its own.
	beforeEach(() => (workflow = `workflow ${count++}`));

	/** The ledger of a tool with this static data; in another process of n8n where another module is given. */
	async function open(stored: IDataObject = {}, afterMs = 0, node = 'tool', { openLedger } = module) {
		present = NOW + afterMs;
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getNode: () => ({ id: node, name: 'Look up prices', type: 'x.priceCollectionTool' }),
			getWorkflow: () => ({ id: workflow }),
			getWorkflowStaticData: () => stored,
		};
		return await openLedger(context as unknown as IExecuteFunctions);
	}
	/** The same in another process, which has what n8n has saved. */
	async function elsewhere(stored: IDataObject, afterMs = 0) {
		let other = module;
		jest.isolateModules(() => {
			other = jest.requireActual('../../../nodes/PriceCollection/run/ledger');
		});
		return await open(saved(stored), afterMs, 'tool', other);
	}

	it('are known for less than 24 hours, to any process that has the static data of the workflow', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		ledger.note('asked', MADE);
		expect([ledger.isOfTool, ledger.hasGaps, ledger.jobIds()]).toEqual([true, false, new Set(['j'])]);
		expect((await elsewhere(stored, DAY_MS - 1)).find('asked')).toEqual(MADE);
		expect((await elsewhere(stored, DAY_MS)).find('asked')).toBeUndefined();
		expect((await elsewhere(stored)).find('another')).toBeUndefined();
		// Where certainly nothing was created.
		(await open(stored)).note('asked', undefined);
		expect((await open(stored)).find('asked')).toBeUndefined();
		expect((await elsewhere(stored)).find('asked')).toBeUndefined();
	});

	it('are known to the process although n8n saved nothing, as in the editor, in this workflow only', async () => {
		(await open()).note('asked', MADE);
		expect((await open()).find('asked')).toEqual(MADE);
		expect((await elsewhere({})).find('asked')).toBeUndefined();
		workflow = 'another';
		expect((await open()).find('asked')).toBeUndefined();
	});

	it('are known to the process for the 200 nodes that were used last', async () => {
		for (const node of ['first', 'second']) (await open({}, 0, node)).note('asked', MADE);
		for (let n = 0; n < 198; n++) await open({}, 0, `n${n}`);
		expect((await open({}, 0, 'first')).find('asked')).toBeDefined();
		await open({}, 0, 'last');
		expect((await open({}, 0, 'second')).find('asked')).toBeUndefined();
		expect((await open({}, 0, 'first')).find('asked')).toBeDefined();
	});

	it('are all saved by the last one of several executions at the same time', async () => {
		const [first, second]: [IDataObject, IDataObject] = [{}, {}];
		const slow = await open(second);
		(await open(first)).note('one', MADE);
		slow.note('two', { ...MADE, jobId: 'k' });
		expect((await elsewhere(second)).jobIds()).toEqual(new Set(['j', 'k']));
	});

	it('are as the process knows them, where what n8n saved is older', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		ledger.note('asked', { ...MADE, jobId: undefined });
		const older = saved(stored);
		ledger.note('asked', MADE);
		expect((await open(older)).find('asked')).toEqual(MADE);
	});

	it('make room for those that were asked later, in whatever order they are noted', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		for (let n = 200; n >= 0; n--) ledger.note(`q${n}`, { ...MADE, sentAt: NOW + n });
		const later = await elsewhere(stored);
		for (const one of [ledger, later])
			expect(['q0', 'q1', 'q200'].map((name) => one.find(name)?.jobId)).toEqual([undefined, 'j', 'j']);
	});

	const row = (success: boolean, reason: string | null = null) => ({ job_id: 'j', success, reason });
	it.each([
		['every value failed', output(row(false, 'failed to access source'), row(false)), undefined],
		['one value has an answer', output(row(false), row(true)), 'j'],
		['a value was not found, which costs as well', output(row(false), row(false, 'not found')), 'j'],
		['a value was notfound', output(row(false, 'NotFound')), 'j'],
		['its job still runs', output({ job_id: 'j', still_running: true }), 'j'],
		['another job failed', output({ ...row(false), job_id: 'k' }), 'j'],
		['nothing came', output(), 'j'],
	])('can be asked anew, or not: %s', async (_what, given, jobId) => {
		const ledger = await open();
		ledger.note('asked', MADE);
		ledger.forgetUnanswered(given);
		expect(ledger.find('asked')?.jobId).toBe(jobId);
	});

	it.each([
		['{"version":2,"questions":{"a":{}}}', 'is damaged at questions.a'],
		['{', 'has no version'],
	])('go no further without knowing what is paid for: %s', async (text, reason) => {
		await expect(open({ priceCollectionQuestions: text })).rejects.toMatchObject({
			message: `The memory of this tool ${reason}, so it is not known which questions are paid for already`,
			description:
				'Nothing was sent. Install the newer version again, or replace this node by a new one.',
		});
	});
});
