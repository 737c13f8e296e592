import type { INodeExecutionData } from 'n8n-workflow';

import { jobIdsOf, Requests } from '../../../nodes/PriceCollection/run/requests';
import { nodeContext, type NodeStore, type Try } from './requestsIn';

const NOW = 1_800_000_000_000;
const DAY_MS = 24 * 3_600_000;

/** The requests that a try finds in a store, at a time after the first one. */
async function open(store: NodeStore, afterMs = 0, more: Try = {}): Promise<Requests> {
	return await Requests.open(nodeContext(store, more), { now: () => NOW + afterMs });
}

/** A store in which an earlier try has left one job. */
async function withJob(): Promise<NodeStore> {
	const store: NodeStore = {};
	(await open(store)).set('identity', { state: 'created', sentAt: NOW, jobId: 'j', evidence: 'reply' });
	return store;
}

const output = (json: INodeExecutionData['json']): INodeExecutionData[][] => [[{ json }], []];

describe('the record of requests', () => {
	it('knows what an earlier try of the same round has asked for', async () => {
		const requests = await open(await withJob());
		expect(requests.get('identity')).toEqual({
			state: 'created',
			sentAt: NOW,
			jobId: 'j',
			evidence: 'reply',
			executionId: '7',
		});
		expect(requests.get('another')).toBeUndefined();
		expect(requests.get('constructor')).toBeUndefined();
		expect(requests.jobIds()).toEqual({ known: new Set(['j']), claimed: new Set() });
	});

	it('counts a request for less than 24 hours', async () => {
		const store = await withJob();
		expect((await open(store, DAY_MS - 1)).get('identity')).toMatchObject({ jobId: 'j' });
		expect((await open(store, DAY_MS)).get('identity')).toBeUndefined();
	});

	it('knows nothing of other rounds', async () => {
		const requests = await open(await withJob(), 0, { round: 1 });
		expect(requests.get('identity')).toBeUndefined();
		expect(requests.jobIds()).toEqual({ known: new Set(), claimed: new Set() });
	});

	it('keeps the execution that a job calls back when a later one notes more of it', async () => {
		const store = await withJob();
		const later = await open(store, 0, { executionId: '8' });
		later.set('identity', { state: 'created', sentAt: NOW, jobId: 'j', evidence: 'list' });
		const entry = (await open(store)).get('identity');
		expect(entry).toMatchObject({ executionId: '7', evidence: 'list' });
		expect(entry && [later.callsElsewhere(entry), (await open(store)).callsElsewhere(entry)]).toEqual([
			true,
			false,
		]);
	});

	it('is never of a request that is being sent: a round has one try at a time', async () => {
		expect((await open(await withJob())).isBeingAsked()).toBe(false);
	});

	it('tells jobs that are accounted for from those that only their results can prove', async () => {
		const entry = { state: 'created', sentAt: NOW, executionId: '7' } as const;
		expect(
			jobIdsOf([
				{ ...entry, jobId: 'a', evidence: 'reply' },
				{ ...entry, jobId: 'b', evidence: 'list' },
				{ ...entry, jobId: 'c', evidence: 'results' },
				{ ...entry, jobId: 'd' },
				{ ...entry, state: 'sent' },
			]),
		).toEqual({ known: new Set(['a', 'b', 'd']), claimed: new Set(['c']) });
	});

	it('forgets what certainly created nothing', async () => {
		const store = await withJob();
		(await open(store)).set('identity', undefined);
		expect((await open(store)).get('identity')).toBeUndefined();
	});

	it('refuses to go on without knowing what exists', async () => {
		for (const [stored, reason] of [
			[{ version: 2, round: 0, requests: {} }, 'was written by a newer version of this package'],
			[{ round: 0, requests: {} }, 'has no version'],
			['text', 'has no version'],
			[
				{ version: 1, round: 0, requests: { a: { state: 'perhaps' } } },
				'is damaged at requests.a.state',
			],
		] as const) {
			await expect(open({ priceCollectionRequests: stored })).rejects.toThrow(
				expect.objectContaining({
					message: `The record of an earlier try ${reason}, so it is not known which jobs exist already`,
					description:
						'Nothing was sent. Look into the job list (Get Many), take up its jobs with Wait, or start the workflow anew.',
				}) as Error,
			);
		}
	});
});

describe('requests that are given out', () => {
	it.each<[string, INodeExecutionData['json'], boolean, boolean]>([
		['are forgotten', { value: 'a' }, true, true],
		['are kept where Retry On Fail takes the output for a failure', { error: 'x' }, true, false],
		['are forgotten where nothing tries again', { error: 'x' }, false, true],
	])('%s', async (_name, json, retryOnFail, forgotten) => {
		const store = await withJob();
		(await open(store, 0, { retryOnFail })).givenOut(output(json));
		expect((await open(store)).get('identity') === undefined).toBe(forgotten);
	});

	it.each([[[]], [[[]]]])('are forgotten where nothing left the node: %j', async (nothing) => {
		const store = await withJob();
		(await open(store, 0, { retryOnFail: true })).givenOut(nothing);
		expect((await open(store)).get('identity')).toBeUndefined();
	});

	it('keep their jobs accounted for in later rounds, the latest hundred', async () => {
		const store = await withJob();
		(await open(store)).set('lost', { state: 'unknown', sentAt: NOW });
		(await open(store)).givenOut(output({}));
		expect((await open(store, 0, { round: 1 })).jobIds().known).toEqual(new Set(['j']));
		const later = await open(store, 0, { round: 1 });
		for (let n = 0; n < 100; n++) later.set(`i${n}`, { state: 'created', sentAt: NOW, jobId: `j${n}` });
		later.givenOut(output({}));
		const { known } = (await open(store, 0, { round: 2 })).jobIds();
		expect([known.size, known.has('j'), known.has('j0'), known.has('j99')]).toEqual([
			...[100, false, true, true],
		]);
	});
});
