import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import type { Ledger } from '../../../nodes/PriceCollection/creation/ledger';
import * as module from '../../../nodes/PriceCollection/creation/openLedger';
import type { Creation } from '../../../nodes/PriceCollection/run/record';

const NOW = 1_800_000_000_000;
const BEGAN = NOW - 60_000;
const DAY_MS = 24 * 3_600_000;
const REQUEST = { parameters: { topic: 'search' }, key: 'term', values: ['a'] };
const MADE: Creation = { sentAt: NOW, executionId: '7', jobId: 'j' };

let present: number;
beforeEach(() => {
	present = NOW;
	jest.spyOn(Date, 'now').mockImplementation(() => present);
});
afterEach(() => jest.restoreAllMocks());

/** The purchase of a value by the first item, or by another one. */
const bought = (ledger: Ledger, value = 'a', item = 0) => ledger.find(what(ledger), item, value);
const what = (ledger: Ledger, parameters = {}) => ledger.whatOf(parameters, 'webhook_url');
/** Buys a value for the first item. */
const buy = (ledger: Ledger, creation: Creation = MADE, value = 'a') =>
	ledger.enter(what(ledger), [[0, value]], creation, REQUEST);

/** The data as n8n's database returns them. */
const saved = (stored: IDataObject) => JSON.parse(JSON.stringify(stored)) as IDataObject;

/** n8n's store of processed items, which all executions share. */
class Processed {
	readonly asked: unknown[] = [];
	readonly checkProcessedAndRecord = async (texts: string[], ...how: unknown[]) => {
		const isNew = !this.asked.some((one) => JSON.stringify(one) === JSON.stringify([texts, ...how]));
		this.asked.push([texts, ...how]);
		return await Promise.resolve({ new: isNew ? texts : [], processed: isNew ? [] : texts });
	};
}

describe('the purchases of an execution', () => {
	interface Try {
		executionId?: string;
		/** The round of the node in its execution, from 0. */
		round?: number;
		mode?: string;
		since?: number;
		processed?: Processed;
		parameters?: INodeParameters;
	}

	/** The ledger that a try finds in its node's context, this long after the first try. */
	async function open(store: IDataObject, afterMs = 0, how: Try = {}) {
		const { executionId = '7', round = 0, mode = 'trigger', since, processed, parameters = {} } = how;
		present = NOW + afterMs;
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getContext: (type: string) => (type === 'node' ? store : {}),
			getExecutionId: () => executionId,
			getMode: () => mode,
			getExecutionContext: () => ({ establishedAt: since }),
			getNode: () => ({ name: 'Prices', type: 'x', typeVersion: 1, parameters }),
			getWorkflowDataProxy: () => ({ $runIndex: round }),
			helpers: { checkProcessedAndRecord: processed?.checkProcessedAndRecord },
		};
		return await module.openLedger(context as unknown as IExecuteFunctions);
	}
	async function withJob(): Promise<IDataObject> {
		const store: IDataObject = {};
		buy(await open(store));
		return store;
	}

	it('are known to other tries of the same round, for less than 24 hours, whatever their job answered', async () => {
		const store = await withJob();
		const ledger = await open(saved(store), DAY_MS - 1);
		ledger.forget('j');
		expect(bought(ledger)?.creation).toEqual(MADE);
		expect([bought(ledger, 'b'), bought(ledger, 'constructor')]).toEqual([undefined, undefined]);
		expect([ledger.outlivesExecution, ledger.gap, ...ledger.jobs()]).toEqual([
			false,
			undefined,
			['j', NOW],
		]);
		expect(bought(await open(store, DAY_MS))).toBeUndefined();
	});

	it('are those of a value, an item and the stored fields, whatever is sent', async () => {
		const ledger = await open({});
		const purchase = ledger.enter(what(ledger, { max_age: 1 }), [[0, 'a']], MADE, REQUEST);
		ledger.extend(purchase, [[2, 'a']]);
		const found = [bought(ledger), bought(ledger, 'a', 2), bought(ledger, 'a', 1)];
		expect(found.map((one) => one?.creation.jobId)).toEqual(['j', 'j', undefined]);
		const hashes = ['={{ $now }}', 'x'].map(async (country) =>
			what(await open({}, 0, { parameters: { country, waitMode: country } })),
		);
		expect(new Set(await Promise.all(hashes)).size).toBe(2);
	});

	it('hold what was sent until its job is known', async () => {
		const store: IDataObject = {};
		const ledger = await open(store);
		const purchase = buy(ledger, { ...MADE, jobId: undefined });
		expect(bought(await open(saved(store)))?.sent).toEqual(REQUEST);
		expect(ledger.jobs()).toEqual(new Map());
		ledger.note(purchase, MADE);
		const again = bought(await open(saved(store)));
		expect(again).toEqual({ what: what(ledger), values: [[0, 'a']], creation: MADE });
	});

	it('still hold what was sent where something else than its job becomes known', async () => {
		const store: IDataObject = {};
		const ledger = await open(store);
		const asked = { sentAt: NOW, executionId: '7' };
		const purchase = buy(ledger, asked);
		ledger.note(purchase, { ...asked, lostAt: NOW + 1 });
		expect(bought(await open(saved(store)))).toEqual({
			...{ what: what(ledger), values: [[0, 'a']], sent: REQUEST },
			creation: { ...asked, lostAt: NOW + 1 },
		});
	});

	it('are under way while their request is sent, and no longer, also where that fails', async () => {
		const ledger = await open({});
		const [purchase, other] = [buy(ledger), buy(ledger, MADE, 'b')];
		const underWay = () => [ledger.isUnderWay(purchase), ledger.isUnderWay(other)];
		expect(underWay()).toEqual([false, false]);
		const reply = await ledger.during(purchase, async () => await Promise.resolve(underWay()));
		expect([reply, underWay()]).toEqual([
			[true, false],
			[false, false],
		]);
		const failing = ledger.during(purchase, async () => await Promise.reject(new Error('no reply')));
		expect(underWay()).toEqual([true, false]);
		await expect(failing).rejects.toThrow('no reply');
		expect(underWay()).toEqual([false, false]);
	});

	it('can be of further values, each once, and of none any more', async () => {
		const store: IDataObject = {};
		const ledger = await open(store);
		const purchase = buy(ledger);
		ledger.extend(purchase, [[0, 'a']]);
		ledger.extend(purchase, [[1, 'b']]);
		expect(bought(await open(saved(store)), 'b', 1)?.values).toEqual([
			[0, 'a'],
			[1, 'b'],
		]);
		expect(ledger.has(purchase)).toBe(true);
		ledger.drop(purchase);
		const found = [bought(ledger), bought(await open(saved(store)), 'b', 1)];
		expect([ledger.has(purchase), ...found]).toEqual([false, undefined, undefined]);
	});

	it('stay found by the later purchase of a value where the earlier one is dropped', async () => {
		const ledger = await open({});
		const [first, second] = [buy(ledger), buy(ledger, { ...MADE, jobId: 'k' })];
		ledger.drop(first);
		expect(bought(ledger)).toBe(second);
		expect(ledger.creations().map(({ jobId }) => jobId)).toEqual(['k']);
	});

	it('are others in each round, and keep their jobs accounted for in later ones, the latest hundred', async () => {
		const store = await withJob();
		const later = await open(store, 0, { round: 1 });
		expect([bought(later), later.creations(), ...later.jobs()]).toEqual([undefined, [], ['j', 0]]);
		for (let n = 0; n < 100; n++) buy(later, { ...MADE, jobId: `j${n}` }, `v${n}`);
		expect(later.creations()).toHaveLength(100);
		const known = (await open(store, 0, { round: 2 })).jobs();
		const of = ['j', 'j0', 'j99'].map((id) => known.get(id));
		expect([known.size, ...of]).toEqual([100, undefined, 0, 0]);
	});

	it('go no further without knowing what exists', async () => {
		await expect(open({ priceCollectionPurchases: 'text' })).rejects.toMatchObject({
			message:
				'The record of an earlier try was written by another version of this package, so it is not known which jobs already exist',
			description:
				'Nothing was sent. Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
		});
	});

	describe('in a retry by hand', () => {
		const retry = (executionId: string, processed?: Processed, more: Try = {}): Try => ({
			...{ executionId, mode: 'retry', since: BEGAN, processed },
			...more,
		});
		const ASKED = { sentAt: NOW - 5, executionId: '7', nonce: 'n' };
		/** What the first execution left: a job, and a request without a reply. */
		async function left(): Promise<IDataObject> {
			const store = await withJob();
			buy(await open(store), ASKED, 'asked');
			return saved(store);
		}
		const creationsIn = (ledger: Ledger) =>
			['a', 'asked', 'any'].map((value) => bought(ledger, value)?.creation);

		it('are trusted where it is the first one of that try', async () => {
			const processed = new Processed();
			const ledger = await open(await left(), 9, retry('8', processed));
			expect([creationsIn(ledger), ledger.gap]).toEqual([[MADE, ASKED, undefined], undefined]);
			const how = { mode: 'entries', maxEntries: 1_000 };
			expect(processed.asked).toEqual([[['retry: try of 7'], 'node', how]]);
		});

		it('may not be all where another retry came to nothing, or n8n cannot tell', async () => {
			const processed = new Processed();
			const stored = await left();
			await open(saved(stored), 0, retry('8', processed));
			for (const store of [processed, undefined]) {
				const ledger = await open(saved(stored), 9, retry('9', store));
				expect(creationsIn(ledger)).toEqual([MADE, { ...ASKED, lostAt: NOW + 9 }, undefined]);
				expect(ledger.gap).toEqual({ from: BEGAN, to: NOW + 9 });
			}
		});

		it('may not be all where there is no record, since the first run began if that is known', async () => {
			const store: IDataObject = {};
			const processed = new Processed();
			const ledger = await open(store, 0, retry('8', processed));
			expect(ledger.gap).toEqual({ from: BEGAN, to: NOW });
			buy(ledger);
			// Retry On Fail starts another try of the same execution, which knows what this one did.
			const again = await open(store, 5_000, retry('8', processed));
			expect([bought(again)?.creation, again.gap]).toEqual([MADE, { from: BEGAN, to: NOW }]);
			expect(processed.asked).toEqual([]);
			const gapSince = async (since?: number) =>
				(await open({}, 0, retry('8', processed, { since }))).gap;
			expect(await gapSince(NOW - DAY_MS + 1)).toEqual({ from: NOW - DAY_MS + 1, to: NOW });
			for (const since of [NOW - DAY_MS, undefined]) expect(await gapSince(since)).toEqual({ to: NOW });
		});

		it('keep the doubt for later rounds and further retries', async () => {
			const processed = new Processed();
			const store: IDataObject = {};
			await open(store, 0, retry('8', processed));
			const further = await open(saved(store), 1_000, retry('9', processed));
			expect(further.gap).toEqual({ from: BEGAN, to: NOW + 1_000 });
			const next = await open(store, 2_000, retry('8', processed, { round: 1 }));
			expect(next.gap).toEqual({ from: BEGAN, to: NOW });
		});
	});
});

describe('the questions of a tool', () => {
	let workflow = '';
	let count = 0;
	// The process remembers, so each test needs another workflow.
	beforeEach(() => (workflow = `workflow ${count++}`));

	/** The ledger of a tool with this static data. Another module stands for another process of n8n. */
	async function open(stored: IDataObject = {}, afterMs = 0, node: object = {}, { openLedger } = module) {
		present = NOW + afterMs;
		const tool = { id: 'tool', name: 'Look up prices', type: 'x.priceCollectionTool', parameters: {} };
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getNode: () => ({ ...tool, ...node }),
			getWorkflow: () => ({ id: workflow }),
			getWorkflowStaticData: () => stored,
		};
		return await openLedger(context as unknown as IExecuteFunctions);
	}
	/** The same in another process, which has what n8n saved. */
	async function elsewhere(stored: IDataObject, afterMs = 0) {
		let other = module;
		const n8n = jest.requireActual<object>('n8n-workflow');
		jest.isolateModules(() => {
			// Processes share none of our state. Loading n8n's modules again would take long.
			jest.doMock('n8n-workflow', () => n8n);
			other = jest.requireActual('../../../nodes/PriceCollection/creation/openLedger');
		});
		return await open(saved(stored), afterMs, {}, other);
	}
	const jobOf = (ledger: Ledger, value?: string) => bought(ledger, value)?.creation.jobId;

	it('are known for less than 24 hours, to any process that has the static data of the workflow', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		const purchase = buy(ledger);
		expect([ledger.outlivesExecution, ledger.gap, ...ledger.jobs()]).toEqual([
			true,
			undefined,
			['j', NOW],
		]);
		// Purchases for other questions do not concern this ledger.
		expect(ledger.creations()).toEqual([]);
		expect(jobOf(await elsewhere(stored, DAY_MS - 1))).toBe('j');
		expect(bought(await elsewhere(stored, DAY_MS))).toBeUndefined();
		expect(bought(await elsewhere(stored), 'b')).toBeUndefined();
		ledger.drop(purchase);
		for (const later of [await open(stored), await elsewhere(stored)])
			expect(bought(later)).toBeUndefined();
	});

	it('are the same whoever asks and wherever the answer goes, for an account and the parameters that are sent', async () => {
		const ledger = await open();
		ledger.enter(what(ledger, { max_age: 1, webhook_url: 'x' }), [[3, 'a']], MADE, REQUEST);
		const known = (one: Ledger, parameters: IDataObject, item = 0) =>
			one.find(what(one, parameters), item, 'a')?.creation.jobId;
		expect(known(ledger, { max_age: 1 })).toBe('j');
		expect(known(ledger, { webhook_url: 'y', max_age: '1' }, 7)).toBe('j');
		expect(known(ledger, { max_age: 2 })).toBeUndefined();
		const account = await open({}, 0, { credentials: { priceCollectionApi: { id: '2', name: 'x' } } });
		const fields = await open({}, 0, { parameters: { country: 'de' } });
		for (const other of [account, fields]) expect(known(other, { max_age: 1 })).toBeUndefined();
	});

	it('are known to the process although n8n saved nothing, as in the editor, in this workflow only', async () => {
		buy(await open());
		expect(jobOf(await open())).toBe('j');
		expect(bought(await elsewhere({}))).toBeUndefined();
		workflow = 'another';
		expect(bought(await open())).toBeUndefined();
	});

	it('are known to the process for 24 hours, whatever number of other tools is used', async () => {
		const ids = Array.from({ length: 500 }, (_, n) => `n${n}`);
		for (const id of ids) buy(await open({}, 0, { id }));
		for (const id of ids) expect(jobOf(await open({}, DAY_MS - 1, { id }))).toBe('j');
	});

	it('leave the memory of the process after 24 hours, but for an execution that still goes on', async () => {
		const [idle, busy] = [await open({}, 0, { id: 'idle' }), await open({}, 0, { id: 'busy' })];
		buy(idle);
		buy(busy, { ...MADE, sentAt: NOW + 1 });
		await open({}, DAY_MS, { id: 'another' });
		// As if the clock was set back: only what is still in memory counts then.
		expect(bought(await open({}, 0, { id: 'idle' }))).toBeUndefined();
		expect(jobOf(await open({}, 0, { id: 'busy' }))).toBe('j');
	});

	it('are all saved by the last one of several executions at the same time', async () => {
		const [first, second]: [IDataObject, IDataObject] = [{}, {}];
		const slow = await open(second);
		buy(await open(first));
		buy(slow, { ...MADE, jobId: 'k' }, 'b');
		expect([...(await elsewhere(second)).jobs().keys()].sort()).toEqual(['j', 'k']);
	});

	it('are known with all of their values, although the process has bought one of these itself', async () => {
		const ledger = await open();
		buy(ledger);
		const creation = { ...MADE, sentAt: MADE.sentAt + 1, jobId: 'k' };
		const both = {
			what: what(ledger),
			values: [
				[0, 'a'],
				[0, 'b'],
			],
			creation,
		};
		const stored = { priceCollectionPurchases: JSON.stringify({ version: 1, purchases: [both] }) };
		const later = await open(stored);
		expect([jobOf(later, 'a'), jobOf(later, 'b')]).toEqual(['j', 'k']);
	});

	it('are as the process knows them, where what n8n saved is older', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		const purchase = buy(ledger, { ...MADE, jobId: undefined });
		const older = saved(stored);
		ledger.note(purchase, MADE);
		expect(jobOf(await open(older))).toBe('j');
		expect((await open(older)).jobs().size).toBe(1);
	});

	it('are all known, however many there are, until they are 24 hours old', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		for (let n = 300; n >= 0; n--) buy(ledger, { ...MADE, sentAt: NOW + n }, `q${n}`);
		const names = ['q0', 'q1', 'q300'];
		const known = async (afterMs: number) => {
			const both = [await elsewhere(stored, afterMs), await open(stored, afterMs)];
			return both.map((one) => names.map((name) => jobOf(one, name)));
		};
		expect(await known(DAY_MS - 1)).toEqual(Array(2).fill(['j', 'j', 'j']));
		expect(await known(DAY_MS)).toEqual(Array(2).fill([undefined, 'j', 'j']));
		buy(ledger, { ...MADE, sentAt: NOW + DAY_MS }, 'new');
		expect(String(stored.priceCollectionPurchases)).not.toContain('"q0"');
	});

	it('take little room once their job is known', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		const [sentAt, jobId, nonce] = [NOW, 'f93d0c354ff2f886c19a0549', 'a'.repeat(32)];
		const purchase = buy(ledger, { sentAt, executionId: '123', nonce }, '4006381333931');
		const lost = { ...purchase, creation: { sentAt, executionId: '123', nonce } };
		const read = () => (JSON.parse(String(stored.priceCollectionPurchases)) as IDataObject).purchases;
		expect(read()).toEqual([lost]);
		ledger.note(purchase, { sentAt, executionId: '123', nonce, jobId });
		const { what } = purchase;
		const creation = { sentAt, executionId: '123', jobId };
		expect(read()).toEqual([{ what, values: [[0, '4006381333931']], creation }]);
		expect(JSON.stringify(read()).length).toBeLessThan(160);
	});

	it('are forgotten with a job that answered nothing, and with no other', async () => {
		const stored: IDataObject = {};
		const ledger = await open(stored);
		buy(ledger);
		buy(ledger, MADE, 'b');
		buy(ledger, { ...MADE, jobId: 'k' }, 'c');
		ledger.forget('j');
		for (const one of [ledger, await elsewhere(stored)])
			expect(['a', 'b', 'c'].map((value) => jobOf(one, value))).toEqual([undefined, undefined, 'k']);
	});

	it.each([
		['{"version":1,"purchases":[{}]}', 'is damaged at purchases.0.what'],
		['{"version":2,"purchases":[]}', 'was written by another version of this package'],
		['{', 'was written by another version of this package'],
	])('go no further without knowing what is paid for: %s', async (text, reason) => {
		await expect(open({ priceCollectionPurchases: text })).rejects.toMatchObject({
			message: `The memory of this tool ${reason}, so it is not known which questions are already paid for`,
			description:
				'Nothing was sent. Install the newer version again, or replace this node with a new one.',
		});
	});
});
