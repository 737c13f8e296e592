import { Requests } from '../../../nodes/PriceCollection/run/requests';
import { nodeContext, Seen, type NodeStore, type Try } from './requestsIn';

const NOW = 1_800_000_000_000;
const BEGAN = NOW - 60_000;

async function open(store: NodeStore, given: Try, afterMs = 0): Promise<Requests> {
	return await Requests.open(nodeContext(store, given), { now: () => NOW + afterMs });
}

/** What n8n stores with an execution at its end, and gives to a retry of it. */
const copyOf = (store: NodeStore) => JSON.parse(JSON.stringify(store)) as NodeStore;

const TWO_RUNS = [
	{ executionIndex: 0, startTime: BEGAN },
	{ executionIndex: 1, startTime: BEGAN + 1 },
];
/** The first of them is of a run before the one in which the second was numbered. */
const RUNS_OF_TWO_EXECUTIONS = TWO_RUNS.map((run) => ({ ...run, executionIndex: 0 }));

/** What stands for a request that may have been sent since then, seen by an execution that opened its record later. */
const lost = (sentAt: number, lostAt: number) => ({ state: 'sent', sentAt, lostAt, executionId: '' });

describe('a retry by hand of a run in which n8n was killed', () => {
	it('cannot rule out that any request was sent, since that run began', async () => {
		const given: Try = { executionId: '8', retries: { since: BEGAN, runs: TWO_RUNS, seen: new Seen() } };
		const store: NodeStore = {};
		const requests = await open(store, given);
		expect(requests.get('any')).toEqual(lost(BEGAN, NOW));
		requests.set('any', { state: 'created', sentAt: NOW, jobId: 'j', evidence: 'list' });
		// A second try of the same execution, by Retry On Fail.
		const again = await open(store, given, 5_000);
		expect([again.get('any')?.jobId, again.get('other')]).toEqual(['j', lost(BEGAN, NOW)]);
		expect(given.retries?.seen?.asked).toEqual([]);
	});

	it('knows its beginning by the event log as well, to the second', async () => {
		const seconds = BEGAN / 1_000;
		const runs = [
			{ executionIndex: 0, startTime: seconds + 9, isLost: true } as const,
			{ executionIndex: 0, startTime: seconds, isLost: true } as const,
		];
		const requests = await open({}, { executionId: '8', retries: { runs } });
		expect(requests.get('any')).toEqual(lost(BEGAN, NOW));
	});

	it('is no longer in doubt a day after that', async () => {
		const given: Try = { executionId: '8', retries: { since: NOW - 24 * 3_600_000, runs: TWO_RUNS } };
		expect((await open({}, given)).get('any')).toBeUndefined();
	});

	it('keeps the doubt for its later rounds and retries', async () => {
		const seen = new Seen();
		const store: NodeStore = {};
		const first = await open(store, {
			executionId: '8',
			retries: { since: BEGAN, runs: TWO_RUNS, seen },
		});
		const retry: Try = { executionId: '9', retries: { since: BEGAN, seen } };
		expect((await open(copyOf(store), retry, 1_000)).get('any')).toEqual(lost(BEGAN, NOW + 1_000));
		first.givenOut([[{ json: { value: 'a' } }], []]);
		expect((await open(copyOf(store), { executionId: '8', round: 1 })).get('any')).toEqual(
			lost(BEGAN, NOW),
		);
	});

	it('is asked for in retries alone', async () => {
		const seen = new Seen();
		const given: Try = { mode: 'trigger', retries: { since: BEGAN, runs: TWO_RUNS, seen } };
		for (const executionId of ['8', '9']) {
			expect((await open({}, { ...given, executionId })).get('any')).toBeUndefined();
		}
		expect(seen.asked).toEqual([]);
	});

	it.each<[string, Try]>([
		['of an execution that n8n started itself', { executionId: '8' }],
		['where n8n does not tell when it began', { executionId: '8', retries: { runs: TWO_RUNS } }],
	])('does not concern a node %s', async (_name, given) => {
		expect((await open({}, given)).get('any')).toBeUndefined();
	});
});

describe('a retry by hand of a run that has ended', () => {
	/** What the first execution has left: a job that exists, and a request whose reply did not come. */
	async function left(): Promise<NodeStore> {
		const store: NodeStore = {};
		const requests = await open(store, { executionId: '7' });
		requests.set('made', { state: 'created', sentAt: NOW + 1, jobId: 'j', evidence: 'reply' });
		requests.set('asked', { state: 'sent', sentAt: NOW - 5 });
		return store;
	}

	it('trusts its record, and notes which try it retries', async () => {
		const seen = new Seen();
		const requests = await open(await left(), { executionId: '8', retries: { since: BEGAN, seen } });
		expect([requests.get('made')?.jobId, requests.get('asked')?.sentAt, requests.get('any')]).toEqual([
			...['j', NOW - 5, undefined],
		]);
		expect(seen.asked).toEqual([[['retry: try of 7'], 'node', { mode: 'entries', maxEntries: 1_000 }]]);
	});

	it('trusts only what it says of jobs where an earlier retry of the same try came to nothing', async () => {
		const seen = new Seen();
		const stored = await left();
		await open(copyOf(stored), { executionId: '8', retries: { since: BEGAN, seen } });
		// That one was killed: n8n gives out once more what the first execution has left.
		const requests = await open(copyOf(stored), { executionId: '9', retries: { since: BEGAN, seen } }, 9);
		expect(requests.get('made')).toMatchObject({ state: 'created', jobId: 'j' });
		expect(requests.get('asked')).toEqual(lost(NOW - 5, NOW + 9));
		expect(requests.get('any')).toEqual(lost(NOW - 5, NOW + 9));
	});

	it('is in doubt since that try was opened where it knows of no earlier request', async () => {
		const seen = new Seen();
		const store: NodeStore = {};
		await open(store, { executionId: '7' });
		for (const executionId of ['8', '9']) {
			const given: Try = { executionId, retries: { since: BEGAN, seen } };
			const requests = await open(copyOf(store), given, 9);
			expect(requests.get('any')).toEqual(executionId === '8' ? undefined : lost(NOW, NOW + 9));
		}
	});

	it('doubts from the earliest moment on where a retry of a killed run was killed as well', async () => {
		const seen = new Seen();
		const store: NodeStore = {};
		await open(store, { executionId: '8', retries: { since: BEGAN, runs: TWO_RUNS, seen } });
		for (const executionId of ['9', '10']) {
			const requests = await open(copyOf(store), { executionId, retries: { since: BEGAN, seen } }, 9);
			expect(requests.get('any')).toEqual(lost(BEGAN, NOW + 9));
		}
	});

	it('knows a round that the run did not come to by the beginning of the run', async () => {
		const seen = new Seen();
		const retried = { since: BEGAN, runs: RUNS_OF_TWO_EXECUTIONS, seen };
		expect((await open({}, { executionId: '8', retries: retried })).get('any')).toBeUndefined();
		expect(seen.asked).toEqual([
			[[`retry: round 0 since ${BEGAN}`], 'node', { mode: 'entries', maxEntries: 1_000 }],
		]);
		expect((await open({}, { executionId: '9', retries: retried })).get('any')).toEqual(lost(BEGAN, NOW));
		expect((await open({}, { executionId: '9', round: 1, retries: retried })).get('any')).toBeUndefined();
	});

	it('takes itself for a later one where the store of n8n cannot be asked', async () => {
		const given: Try = { executionId: '8', retries: { since: BEGAN } };
		expect((await open(await left(), given)).get('any')).toEqual(lost(NOW - 5, NOW));
	});

	it('takes a record that does not say who has opened it as it is: an earlier version left it', async () => {
		const made = { state: 'created', sentAt: NOW, jobId: 'j', evidence: 'reply', executionId: '7' };
		for (const mode of ['trigger', 'retry'] as const) {
			const seen = new Seen();
			const store = { priceCollectionRequests: { version: 1, round: 0, requests: { made } } };
			const given: Try = { executionId: '8', mode, retries: { since: BEGAN, seen } };
			const requests = await open(store, given);
			expect([requests.get('made'), requests.get('any')]).toEqual([made, undefined]);
			expect(seen.asked).toEqual([]);
		}
	});

	it('asks nobody where an n8n knows no beginning', async () => {
		const seen = new Seen();
		const given: Try = { executionId: '8', retries: { runs: RUNS_OF_TWO_EXECUTIONS, seen } };
		expect((await open({}, given)).get('any')).toBeUndefined();
		expect(seen.asked).toEqual([]);
	});
});
