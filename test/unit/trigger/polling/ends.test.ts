import {
	ENDPOINTS,
	type Job,
	type JobResults,
	type Result,
} from '../../../../nodes/PriceCollection/service/types';
import type { IDataObject } from 'n8n-workflow';

import {
	isKnown,
	type OpenJob,
	type PollState,
} from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import {
	failure,
	success,
	type Problem,
	type ProblemKind,
} from '../../../../nodes/PriceCollection/service/problems';
import { emitEndedJobs, newlyEndedJobs } from '../../../../nodes/PriceCollection/trigger/polling/ends';
import type { TriggerSettings } from '../../../../nodes/PriceCollection/trigger/items';
import { fakeClient } from '../../fakeClient';
import { ago, ended, HOUR, lookOf, MINUTE, NOW, settingsOf, stateOf } from './polls';

const ids = (jobs: readonly Job[]) => jobs.map(({ job_id }) => job_id);
const knows = (state: PollState, ...jobIds: string[]) => jobIds.filter((jobId) => isKnown(state, jobId));
const working = (job_id: string): Job => ({ job_id, status: 'working', created_at: ago(MINUTE) });

describe('new ends', () => {
	const warned: string[] = [];
	beforeEach(() => warned.splice(0));
	const endsIn = (state: PollState, jobs: Job[], gone: string[] = []) =>
		ids(newlyEndedJobs(state, lookOf({ jobs, gone }), NOW, (message) => warned.push(message)));

	it('are those that nobody was told of, the earliest first', () => {
		const state = stateOf(['b']);
		expect(endsIn(state, [ended('c', HOUR), ended('b', 2 * HOUR), ended('a', 3 * HOUR)])).toEqual([
			'a',
			'c',
		]);
		expect(knows(state, 'a', 'b', 'c')).toEqual(['b']);
		expect(state.newest).toBe(NOW - HOUR);
	});

	it('never lower the latest date that was seen', () => {
		const state = stateOf([], {}, { newest: NOW });
		endsIn(state, [ended('a', HOUR)]);
		expect(state.newest).toBe(NOW);
	});

	it('are awaited of jobs that run, of which the ones seen last stand last', () => {
		const failing = { failingSince: 1, tryAt: 2 };
		const state = stateOf(['over'], { a: failing, b: failing, c: {} });
		expect(endsIn(state, [working('a'), working('new'), working('over')])).toEqual([]);
		expect([...state.open]).toEqual([
			['b', failing],
			['c', {}],
			['a', {}],
			['new', {}],
		]);
	});

	it('that are still listed are remembered longest', () => {
		const state = stateOf(['a', 'b']);
		endsIn(state, [ended('a', HOUR)]);
		expect([...state.known]).toEqual([...stateOf(['b', 'a']).known]);
	});

	describe('are old news', () => {
		const since = NOW - HOUR;
		const isNews = (job: Job, more: Partial<PollState> = {}, open = {}) => {
			const state = stateOf([], open, { since, createdBefore: NOW - MINUTE, ...more });
			const news = endsIn(state, [job]).length === 1;
			expect(knows(state, job.job_id)).toEqual(news ? [] : [job.job_id]);
			return news;
		};
		const old = ended('a', 2 * HOUR);

		it('where they lie before the first look', () => {
			expect(isNews(old)).toBe(false);
			expect(isNews({ ...old, created_at: undefined })).toBe(false);
			expect(isNews(old, { createdBefore: undefined })).toBe(false);
			expect(isNews({ ...old, created_at: ago(MINUTE) })).toBe(false);
		});

		it.each<[string, Job, Partial<PollState>, IDataObject]>([
			['ended since', { ...old, terminated_at: ago(HOUR) }, {}, {}],
			['does not say when it ended', { ...old, terminated_at: undefined }, {}, {}],
			['was seen to run', old, {}, { a: {} }],
			['was created since', { ...old, created_at: ago(MINUTE - 1) }, {}, {}],
			['ended when there was no first look', old, { since: undefined }, {}],
		])('but not that of a job which %s', (_name, job, more, open) => {
			expect(isNews(job, more, open)).toBe(true);
		});
	});

	describe('of jobs that the service does not know', () => {
		it('may still come: they are asked for again later, after the others', () => {
			const state = stateOf([], { a: {}, b: {} });
			endsIn(state, [], ['a']);
			expect([...state.open]).toEqual([
				['b', {}],
				['a', { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 }],
			]);
			expect(warned).toEqual([]);
		});

		it('are given up after days, and n8n is told so once', () => {
			const state = stateOf([], { a: { failingSince: NOW - 71 * HOUR } });
			endsIn(state, [], ['a']);
			expect([...state.open]).toEqual([]);
			expect(warned).toEqual([
				'Job a has been unknown to the service for days: whether it ended is not known',
			]);
		});
	});
});

describe('handing ends over', () => {
	/** What one poll of these ends does with a service that gives these results, or meets these problems. */
	async function emit(
		ends: Job[],
		{
			state = stateOf(),
			downloads = {},
			settings = settingsOf({ output: 'results', timeoutMs: 7_000 }, { columns: 'all' }),
			until = Infinity,
		}: {
			state?: PollState;
			downloads?: Record<string, Result[] | ProblemKind>;
			settings?: TriggerSettings;
			until?: number;
		} = {},
	) {
		const asked: Array<{ jobId: string; timeoutMs?: number }> = [];
		const client: ServiceClient = {
			...fakeClient({ now: () => NOW }).client,
			download: async (jobId, options) => {
				asked.push({ jobId, timeoutMs: options?.timeoutMs });
				const results = downloads[jobId] ?? [];
				const problem: Omit<Problem, 'kind'> = {
					endpoint: ENDPOINTS.download,
					effect: 'none',
				};
				if (typeof results === 'string') return failure({ ...problem, kind: results });
				return success({ job_id: jobId, status: 'finished', results } as JobResults);
			},
		};
		const times = { at: NOW, until };
		return { ...(await emitEndedJobs(client, settings, state, ends, times)), state, asked };
	}
	const [a, b, c] = [ended('a', 3 * HOUR), ended('b', 2 * HOUR), ended('c', HOUR)];
	const found = (value: string, count = 1): Result[] =>
		Array.from({ length: count }, () => ({ query: { value }, success: true, content: { name: value } }));

	it('gives their rows in order and remembers them', async () => {
		const downloads = { a: found('x', 2), b: found('y') };
		const { rows, handedOver, state, asked } = await emit([a, b], {
			state: stateOf([], { a: {} }),
			downloads,
		});
		expect(rows.map(({ job_id, value }) => [job_id, value])).toEqual([
			['a', 'x'],
			['a', 'x'],
			['b', 'y'],
		]);
		expect(handedOver).toEqual(['a', 'b']);
		expect([knows(state, 'a', 'b'), state.open.size]).toEqual([['a', 'b'], 0]);
		expect(asked).toEqual([
			{ jobId: 'a', timeoutMs: 7_000 },
			{ jobId: 'b', timeoutMs: 7_000 },
		]);
	});

	it('remembers an end that the trigger does not listen for, and gives nothing', async () => {
		const { rows, handedOver, state } = await emit([{ ...a, status: 'cancelled' }], {
			state: stateOf([], { a: {} }),
			settings: settingsOf({}, { events: ['finished'] }),
		});
		expect([rows, handedOver, knows(state, 'a'), state.open.size]).toEqual([[], [], ['a'], 0]);
	});

	describe('that take too long or are too many leaves the rest to the next poll', () => {
		it('but for the first, once the time is up', async () => {
			const { handedOver, state, asked } = await emit([a, b, c], { until: 0 });
			expect(handedOver).toEqual(['a']);
			expect([knows(state, 'a', 'b', 'c'), [...state.open.keys()]]).toEqual([['a'], ['b', 'c']]);
			expect(asked).toHaveLength(1);
		});

		it('once there are more than 50,000 rows', async () => {
			const downloads = { a: found('x', 50_000), b: found('y'), c: found('z') };
			const { handedOver, rows } = await emit([a, b, c], { downloads });
			expect([handedOver, rows.length]).toEqual([['a', 'b'], 50_001]);
		});

		it('with the failures that each had before', async () => {
			const failing = { failingSince: 1, tryAt: 2 };
			const { state } = await emit([a, b], { until: 0, state: stateOf([], { b: failing }) });
			expect([...state.open]).toEqual([['b', failing]]);
		});
	});

	describe('whose results cannot be had', () => {
		it('tries them again later, and does not hold up the others', async () => {
			const { rows, handedOver, state } = await emit([a, b], {
				downloads: { a: 'unavailable', b: found('y') },
			});
			expect([rows.length, handedOver]).toEqual([1, ['b']]);
			expect([knows(state, 'a'), [...state.open]]).toEqual([
				[],
				[['a', { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 }]],
			]);
		});

		it('does not ask again before its time', async () => {
			const later = { failingSince: NOW - MINUTE, tryAt: NOW + 1 };
			const { handedOver, asked, state } = await emit([a, b], { state: stateOf([], { a: later }) });
			expect([handedOver, asked.map(({ jobId }) => jobId)]).toEqual([['b'], ['b']]);
			expect([...state.open]).toEqual([['a', later]]);
		});

		it('asks for no more where every request would meet the same', async () => {
			const failing = { failingSince: NOW - HOUR, tryAt: NOW };
			const { handedOver, asked, state } = await emit([a, b, c], {
				downloads: { b: 'rateLimited' },
				state: stateOf([], { b: failing }),
			});
			expect([handedOver, asked.map(({ jobId }) => jobId)]).toEqual([['a'], ['a', 'b']]);
			expect([...state.open]).toEqual([
				['b', failing],
				['c', {}],
			]);
		});

		it.each<[string, ProblemKind, number | undefined, boolean]>([
			['that nothing will change, at once', 'tooLarge', undefined, true],
			['that may pass, not at once', 'unavailable', undefined, false],
			['that may pass, not after a day', 'unavailable', NOW - 24 * HOUR, false],
			['that may pass, after 71 hours', 'unavailable', NOW - 71 * HOUR, true],
			['that the job is gone, not at once', 'jobNotFound', undefined, false],
			[
				'that the job is gone, once it was said for ten minutes',
				'jobNotFound',
				NOW - 10 * MINUTE,
				true,
			],
		])('gives out the end with the reason %s', async (_name, kind, failingSince, isLost) => {
			const open: Record<string, OpenJob> =
				failingSince === undefined ? {} : { a: { failingSince, tryAt: NOW } };
			const { rows, handedOver, state } = await emit([a], {
				downloads: { a: kind },
				state: stateOf([], open),
			});
			expect(handedOver).toEqual(isLost ? ['a'] : []);
			expect(knows(state, 'a')).toEqual(handedOver);
			expect(rows).toEqual(
				isLost
					? [
							{
								...{ job_id: 'a', status: 'finished', success: false, found: false },
								reason: expect.stringMatching(/^[A-Z].*\. [A-Z]/) as string,
							},
						]
					: [],
			);
		});
	});
});
