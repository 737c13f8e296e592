import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import type { CallOptions } from '../../../../nodes/PriceCollection/service/wire';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import type { JobPage } from '../../../../nodes/PriceCollection/service/jobList';
import { failure, success, type ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import { look } from '../../../../nodes/PriceCollection/trigger/polling/look';
import type { IDataObject } from 'n8n-workflow';

import { fakeClient } from '../../fakeClient';
import { ago, ended, HOUR, MINUTE, NOW, settingsOf, stateOf } from './polls';

const problem = (kind: ProblemKind) => failure({ kind, endpoint: ENDPOINTS.list, effect: 'none' });

/** A service whose list has these pages, and which knows these jobs or meets these problems. */
function serviceOf(pages: Array<Job[] | JobPage>, jobs: Record<string, Job | ProblemKind> = {}) {
	const lists: Array<{ query: IDataObject; options?: CallOptions }> = [];
	const singles: Array<{ jobId: string; options?: CallOptions }> = [];
	const client: ServiceClient = {
		...fakeClient({ now: () => NOW }).client,
		listJobs: async (query, options) => {
			lists.push({ query, options });
			const page = pages[lists.length - 1] ?? [];
			return success(Array.isArray(page) ? { jobs: page } : page);
		},
		getJob: async (jobId, options) => {
			singles.push({ jobId, options });
			const known = jobs[jobId] ?? 'jobNotFound';
			return typeof known === 'string' ? problem(known) : success(known);
		},
	};
	return { client, lists, singles };
}

const seen = async (outcome: ReturnType<typeof look>) => {
	const result = await outcome;
	if (!result.ok) throw new Error(result.problem.kind);
	return result.value;
};

describe('the first look', () => {
	const pages = [[ended('c', HOUR), ended('b', 2 * HOUR)], [ended('a', 3 * HOUR)]];

	it('reads the list to its end, and asks for no single job', async () => {
		const { client, lists, singles } = serviceOf(pages);
		expect(await seen(look(client, undefined, settingsOf({ timeoutMs: 7_000 })))).toEqual({
			jobs: pages.flat(),
			gone: [],
			isUnclear: false,
			newest: NOW - HOUR,
			cutAt: undefined,
		});
		expect(lists).toEqual(
			[1, 2, 3].map((page) => ({ query: { page, per_page: 100 }, options: { timeoutMs: 7_000 } })),
		);
		expect(singles).toEqual([]);
	});

	it('asks with the parameters that the user sets', async () => {
		const { client, lists } = serviceOf([]);
		const queryParameters = { parameter: [{ name: 'status', value: 'finished' }] };
		const options = { queryParameters, pageParameter: 'p', pageSizeParameter: 'size' };
		await look(client, undefined, settingsOf({}, { options }));
		expect(lists.map(({ query }) => query)).toEqual([{ p: 1, size: 100, status: 'finished' }]);
	});

	it('says why the list cannot be read', async () => {
		const broken: ServiceClient = {
			...serviceOf([]).client,
			listJobs: async () => problem('unauthorized'),
		};
		expect(await look(broken, undefined, settingsOf())).toEqual(problem('unauthorized'));
	});
});

describe('the rest of the list is left unread', () => {
	const page = [ended('d', HOUR), ended('c', HOUR), ended('b', 2 * HOUR)];
	const newest = NOW - HOUR;
	const listsReadFor = async (
		jobs: Job[],
		known: string[],
		open: Parameters<typeof stateOf>[1] = {},
		more: Parameters<typeof stateOf>[2] = { newest },
	) => {
		const { client, lists } = serviceOf([jobs, [ended('a', 3 * HOUR)]]);
		const { cutAt } = await seen(look(client, stateOf(known, open, more), settingsOf()));
		expect(cutAt).toBeUndefined();
		return lists.length;
	};
	const ALL = ['b', 'c', 'd'];
	const undated = (job: Job): Job => ({ ...job, created_at: undefined });

	it('where everything on its first page was seen, and what follows is older', async () => {
		expect(await listsReadFor(page, ALL)).toBe(1);
		expect(await listsReadFor(page, ['b', 'd'], { c: {} })).toBe(1);
	});

	it('also where its last job is just old enough', async () => {
		const old = (by: number) => [...page.slice(0, 2), ended('b', HOUR + by)];
		expect(await listsReadFor(old(10 * MINUTE), ALL)).toBe(1);
		expect(await listsReadFor(old(10 * MINUTE - 1), ALL)).toBe(3);
	});

	it.each<[string, () => Promise<number>]>([
		['nothing is known of earlier polls', async () => await listsReadFor(page, ALL, {}, {})],
		['one job is new', async () => await listsReadFor(page, ['b', 'd'])],
		[
			'its last job has no date',
			async () => await listsReadFor([...page.slice(0, 2), undated(page[2]!)], ALL),
		],
		[
			'its first job has no date',
			async () => await listsReadFor([undated(page[0]!), ...page.slice(1)], ALL),
		],
		[
			'one between has no date',
			async () => await listsReadFor([page[0]!, undated(page[1]!), page[2]!], ALL),
		],
		[
			'it does not begin with the newest job',
			async () => await listsReadFor(page, ALL, {}, { newest: newest + 1 }),
		],
		[
			'it is not in order',
			async () => await listsReadFor([page[0]!, ended('c', 3 * HOUR), page[2]!], ALL),
		],
		[
			'more jobs are missing than are asked for one by one',
			async () =>
				await listsReadFor(
					page,
					ALL,
					Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`m${n}`, {}])),
				),
		],
	])('but not where %s', async (_name, listsRead) => {
		expect(await listsRead()).toBe(3);
	});

	it('where as many are missing as are asked for one by one, or more that wait for another try', async () => {
		const missing = (count: number, job = {}) =>
			Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, job]));
		expect(await listsReadFor(page, ALL, missing(10))).toBe(1);
		expect(await listsReadFor(page, ALL, missing(11, { failingSince: NOW, tryAt: NOW + 1 }))).toBe(1);
	});
});

describe('open jobs that the list does not show', () => {
	const list = [[ended('listed', HOUR)]];
	const open = { listed: {}, one: {}, two: {} };

	it('are asked for one by one, with few of the status calls and no patience', async () => {
		const two: Job = { job_id: 'TWO', status: 'working' };
		const { client, singles } = serviceOf(list, { two });
		const { jobs, gone } = await seen(look(client, stateOf([], open), settingsOf({ timeoutMs: 7_000 })));
		expect(jobs).toEqual([...list.flat(), { ...two, job_id: 'two' }]);
		expect(gone).toEqual(['one']);
		const options = { timeoutMs: 7_000, repeat: false, turn: { until: NOW + 2_000, share: 0.25 } };
		expect(singles).toEqual([
			{ jobId: 'one', options },
			{ jobId: 'two', options },
		]);
	});

	it('are left alone until they are due', async () => {
		const later = { failingSince: NOW - MINUTE, tryAt: NOW + 1 };
		const due = { failingSince: NOW - MINUTE, tryAt: NOW };
		const { client, singles } = serviceOf(list);
		await look(client, stateOf([], { later, due }), settingsOf());
		expect(singles.map(({ jobId }) => jobId)).toEqual(['due']);
	});

	it('are ten at the most', async () => {
		const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`m${n}`, {}]));
		const { client, singles } = serviceOf(list);
		const { gone } = await seen(look(client, stateOf([], many), settingsOf()));
		expect(gone).toEqual(Object.keys(many).slice(0, 10));
		expect(singles).toHaveLength(10);
	});

	it('wait for another poll where the service cannot be asked', async () => {
		const { client, singles } = serviceOf(list, { one: 'unavailable' });
		expect(await seen(look(client, stateOf([], open), settingsOf()))).toMatchObject({
			jobs: list.flat(),
			gone: [],
		});
		expect(singles.map(({ jobId }) => jobId)).toEqual(['one']);
	});
});

describe('listed jobs without a status', () => {
	const bare = (count: number) =>
		Array.from({ length: count }, (_, n) => ended(`b${n}`, HOUR + n, { status: '' }));

	it('are asked for one by one, and are as good as listed then', async () => {
		const { client } = serviceOf([bare(2)], { b0: ended('b0', HOUR), b1: ended('b1', HOUR) });
		const { jobs, isUnclear } = await seen(look(client, undefined, settingsOf()));
		expect([jobs.map(({ job_id }) => job_id), isUnclear]).toEqual([['b0', 'b1'], false]);
	});

	it('leave half of the ten to open jobs', async () => {
		const open = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`o${n}`, {}]));
		const { client, singles } = serviceOf([bare(20)], {});
		expect((await seen(look(client, stateOf([], open), settingsOf()))).isUnclear).toBe(true);
		const asked = singles.map(({ jobId }) => jobId);
		expect(asked).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'o0', 'o1', 'o2', 'o3', 'o4']);
	});

	it('are not asked for again once they are known', async () => {
		const { client, singles } = serviceOf([bare(2)], {});
		await look(client, stateOf(['b0'], {}), settingsOf());
		expect(singles.map(({ jobId }) => jobId)).toEqual(['b1']);
	});
});

describe('a list that cannot be read whole', () => {
	const many = (count: number, dated: (index: number) => Partial<Job>) =>
		Array.from({ length: count }, (_, index) => ended(`j${index}`, HOUR, dated(index)));
	const cutAt = async (page: Job[] | JobPage, state = stateOf()) =>
		(await seen(look(serviceOf([page]).client, state, settingsOf()))).cutAt;
	const oldestFirst = (index: number) => ({ created_at: ago(HOUR - index) });

	it('is said to be cut where new jobs can stand beyond', async () => {
		expect(await cutAt(many(10_000, oldestFirst))).toBe(10_000);
		expect(await cutAt(many(9_999, oldestFirst))).toBeUndefined();
		expect(await cutAt(many(10_000, () => ({ created_at: undefined })))).toBe(10_000);
	});

	it('is not where it begins with the newest', async () => {
		expect(await cutAt(many(10_000, (index) => ({ created_at: ago(HOUR + index) })))).toBeUndefined();
		expect(await cutAt(many(10_000, () => ({})))).toBeUndefined();
	});

	it('is where the list itself says that there are more', async () => {
		expect(await cutAt({ jobs: many(2, oldestFirst), total: 3 })).toBe(2);
		expect(await cutAt({ jobs: many(2, oldestFirst), total: 2 })).toBeUndefined();
	});
});
