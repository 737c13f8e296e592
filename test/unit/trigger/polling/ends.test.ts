import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import type { JobPage } from '../../../../nodes/PriceCollection/service/jobList';
import { failure, type ProblemKind, success } from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import type { Job, JobResults, Result } from '../../../../nodes/PriceCollection/service/types';
import type { Download } from '../../../../nodes/PriceCollection/service/download';
import type { CallOptions } from '../../../../nodes/PriceCollection/service/wire';
import type { TriggerSettings } from '../../../../nodes/PriceCollection/trigger/items';
import {
	emitEndedJobs,
	endsInOrder,
	look,
	newlyEndedJobs,
	stateFor,
	type Look,
} from '../../../../nodes/PriceCollection/trigger/polling/ends';
import { isHandled } from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import type { OpenJob, PollState } from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import { dialectOf, fakeClient } from '../../fakeClient';
import { ago, ended, HOUR, lookOf, MINUTE, NOW, settingsOf, stateOf } from './polls';

type Said = Exclude<Download<JobResults>, { kind: 'results' }>;
const { endOf } = fakeClient({}).client;
const ids = (jobs: readonly Job[]) => jobs.map(({ job_id }) => job_id);
const knows = (state: PollState, ...jobIds: string[]) =>
	jobIds.filter((jobId) => isHandled(state, { job_id: jobId }));
const problem = (kind: ProblemKind, reason?: string) =>
	failure({ kind, reason, endpoint: ENDPOINTS.list, effect: 'none' });
const jobsCalled = <T>(prefix: string, count: number, job: T) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, job]));

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
			return typeof known === 'string' ? problem(known, 'no') : success(known);
		},
	};
	const seen = async (state?: PollState, settings = settingsOf()) => {
		const result = await look(client, state, settings, Infinity);
		if (!result.ok) throw new Error(result.problem.kind);
		return { ...result.value, asked: singles.map(({ jobId }) => jobId) };
	};
	return { client, lists, singles, seen };
}

describe('the first look', () => {
	const pages = [[ended('c', HOUR), ended('b', 2 * HOUR)], [ended('a', 3 * HOUR)]];

	it('reads the list to its end, and asks for no single job', async () => {
		const { lists, seen } = serviceOf(pages);
		expect(await seen(undefined, settingsOf({ timeoutMs: 7_000 }))).toEqual({
			...{ jobs: pages.flat(), gone: [], asked: [] },
		});
		expect(lists).toEqual(
			[{}, { page: 1 }, { page: 2 }].map((page) => ({
				query: { ...page, per_page: 100 },
				options: { timeoutMs: 7_000 },
			})),
		);
	});

	it('asks with the parameters that the user sets', async () => {
		const { seen, lists } = serviceOf([]);
		const queryParameters = { parameter: [{ name: 'status', value: 'finished' }] };
		const options = { queryParameters, pageParameter: 'p', pageSizeParameter: 'size' };
		await seen(undefined, settingsOf({}, { options }));
		expect(lists.map(({ query }) => query)).toEqual([{ size: 100, status: 'finished' }]);
	});

	it('asks as the credential says where its own options are empty', async () => {
		const { client, lists } = serviceOf([]);
		const connection = dialectOf({ pagination: 'offset', pageParameter: 'skip', pageSizeParameter: '' });
		const options = { pagination: '', firstPage: '', pageParameter: ' ' };
		await look({ ...client, connection }, undefined, settingsOf({}, { options }), Infinity);
		expect(lists.map(({ query }) => query)).toEqual([{ skip: 0 }]);
	});

	it('fails where a page cannot be read, instead of taking half a list for all of it', async () => {
		const denied = {
			kind: 'wrongAddress',
			endpoint: ENDPOINTS.list,
			effect: 'none',
			status: 404,
		} as const;
		const { client } = serviceOf([]);
		const listJobs: ServiceClient['listJobs'] = async ({ page }) =>
			page === undefined ? success({ jobs: pages.flat() }) : failure(denied);
		expect(await look({ ...client, listJobs }, undefined, settingsOf(), Infinity)).toEqual(
			failure(denied),
		);
	});
});

describe('the rest of the list is left unread', () => {
	const [d, c, b] = [ended('d', HOUR), ended('c', HOUR), ended('b', 2 * HOUR)];
	const ALL = stateOf(['b', 'c', 'd']);
	const late = { failingSince: NOW, tryAt: NOW + 1 };
	const undated = (job: Job): Job => ({ ...job, created_at: undefined });

	const opened = (jobs: Record<string, OpenJob>) => ({ open: stateOf([], jobs).open });
	const { handled } = stateOf(['b', 'd']);
	it.each<[string, boolean, Job[], Partial<PollState>?]>([
		['everything on its first page was seen, and what follows is older', true, [d, c, b]],
		['one of them is open', true, [d, c, b], { handled, ...opened({ c: {} }) }],
		['its last job is just old enough', true, [d, c, ended('b', HOUR + 10 * MINUTE)]],
		['it is not', false, [d, c, ended('b', HOUR + 10 * MINUTE - 1)]],
		['one job is new', false, [d, c, b], { handled }],
		['all its jobs have one date', false, [d, c]],
		['its last job has no date', false, [d, c, undated(b)]],
		['its first job has no date', false, [undated(d), c, b]],
		['one between has no date', false, [d, undated(c), b]],
		['it begins with the oldest', false, [b, c, d]],
		['it is not in order', false, [d, ended('c', 3 * HOUR), b]],
		['ten are missing', true, [d, c, b], opened(jobsCalled('m', 10, {}))],
		['eleven are', false, [d, c, b], opened(jobsCalled('m', 11, {}))],
		['more are missing, but not due', true, [d, c, b], opened(jobsCalled('m', 11, late))],
	])('where %s: %s', async (_name, isLeft, page, more = {}) => {
		const { lists, seen } = serviceOf([page, [ended('a', 3 * HOUR)]]);
		expect((await seen({ ...ALL, ...more })).cutAt).toBeUndefined();
		expect(lists).toHaveLength(isLeft ? 1 : 3);
	});
});

describe('open jobs whose status the list does not show', () => {
	const list = [[ended('listed', HOUR)]];
	const bare = (count: number) =>
		Array.from({ length: count }, (_, n) => ended(`b${n}`, HOUR + n, { status: n % 2 ? ' ' : '' }));

	it('are asked for one by one, with a quarter of all status calls and no patience', async () => {
		const two: Job = { job_id: 'TWO', status: 'working' };
		const { singles, seen } = serviceOf(list, { two });
		const state = stateOf([], { listed: {}, one: {}, two: {} });
		const { jobs, gone } = await seen(state, settingsOf({ timeoutMs: 7_000 }));
		expect(jobs).toEqual([...list.flat(), { ...two, job_id: 'two' }]);
		expect(gone).toEqual(['one']);
		const options = { timeoutMs: 7_000, repeat: false, turn: { until: NOW + 2_000, share: 0.25 } };
		expect(singles).toEqual(['one', 'two'].map((jobId) => ({ jobId, options })));
	});

	const called = (prefix: string, count: number) => Object.keys(jobsCalled(prefix, count, {}));
	const [soon, now] = [NOW + 1, NOW].map((tryAt) => ({ failingSince: 1, tryAt })) as [OpenJob, OpenJob];
	it.each<[string, Job[][], PollState | undefined, string[]]>([
		['until they are due', list, stateOf([], { a: soon, b: now }), ['b']],
		['but for ten', list, stateOf([], jobsCalled('m', 12, {})), called('m', 10)],
		['unless they are listed without it', [bare(2)], stateOf([], { b1: {} }), ['b1']],
		['when there is no state', [bare(2)], undefined, []],
	])('are left alone %s', async (_name, pages, state, expected) => {
		const { asked, gone } = await serviceOf(pages).seen(state);
		expect([asked, gone]).toEqual([expected, expected]);
	});

	it('wait for another poll where the service cannot be asked', async () => {
		const { seen } = serviceOf(list, { one: 'unavailable' });
		const state = stateOf([], { one: {}, two: {} });
		expect(await seen(state)).toMatchObject({ jobs: list.flat(), gone: [], asked: ['one'] });
	});
});

describe('a list that cannot be read whole', () => {
	const many = (count: number, dated: (index: number) => Partial<Job>) =>
		Array.from({ length: count }, (_, index) => ended(`j${index}`, HOUR, dated(index)));
	const oldestFirst = (index: number) => ({ created_at: ago(HOUR - index) });
	const newestFirst = (index: number) => ({ created_at: ago(HOUR + index) });

	it.each<[string, Job[] | JobPage, number | undefined]>([
		['where new jobs can stand beyond', many(10_000, oldestFirst), 10_000],
		['where it has no dates', many(10_000, () => ({ created_at: undefined })), 10_000],
		['where it says that there are more', { jobs: many(2, oldestFirst), total: 3 }, 2],
		['not where it is whole', many(9_999, oldestFirst), undefined],
		['not where it says that these are all', { jobs: many(2, oldestFirst), total: 2 }, undefined],
		['not where it begins with the newest', many(10_000, newestFirst), undefined],
		['not where all have one date', many(10_000, () => ({})), undefined],
	])('is cut %s', async (_name, page, cutAt) => {
		expect((await serviceOf([page]).seen(stateOf())).cutAt).toBe(cutAt);
	});

	it('is cut where the time of the poll is up, and nothing is concluded from it', async () => {
		const undated = (job_id: string): Job => ({ job_id, status: 'finished' });
		const { client, lists } = serviceOf([[undated('a')], [undated('b')]]);
		const seen = await look(client, undefined, settingsOf(), NOW - 1);
		expect(seen).toEqual(success({ jobs: [], gone: [], cutAt: 1 }));
		expect(lists).toHaveLength(1);
	});
});

describe('new ends', () => {
	const warned: string[] = [];
	beforeEach(() => warned.splice(0));
	const endsIn = (state: PollState, jobs: Job[], gone: string[] = []) =>
		ids(
			newlyEndedJobs(fakeClient({}).client, state, lookOf({ jobs, gone }), NOW, (message) =>
				warned.push(message),
			),
		);
	const working = (job_id: string): Job => ({ job_id, status: 'working', created_at: ago(MINUTE) });

	it('are those that nobody was told of, the earliest first', () => {
		const state = stateOf(['b']);
		const listed = [ended('c', HOUR), ended('b', 2 * HOUR), ended('a', 3 * HOUR)];
		expect(endsIn(state, listed)).toEqual(['a', 'c']);
		expect(knows(state, 'a', 'b', 'c')).toEqual(['b']);
	});

	it('are awaited of jobs that run, of which the ones seen last stand last', () => {
		const failing = { failingSince: 1, tryAt: 2 };
		const state = stateOf(['over'], { a: failing, b: failing, c: {} });
		expect(endsIn(state, [working('a'), working('new'), working('over')])).toEqual([]);
		const open = { b: failing, c: {}, a: {}, new: {} };
		expect([...state.open]).toEqual(Object.entries(open));
	});

	it('that are still listed are remembered longest', () => {
		const state = stateOf(['a', 'b']);
		endsIn(state, [ended('a', HOUR)]);
		expect([...state.handled]).toEqual([...stateOf(['b', 'a']).handled]);
	});

	it('of which the list says nothing leave an open job and its failures as they are', () => {
		const failing = { failingSince: 1, tryAt: 2 };
		const state = stateOf([], { a: failing });
		const bare = (job_id: string): Job => ({ job_id, status: '' });
		expect(endsIn(state, [bare('a'), bare('new')])).toEqual([]);
		expect([...state.open]).toEqual(Object.entries({ a: failing, new: {} }));
	});

	const old = ended('a', 2 * HOUR);
	it.each<[string, Job, number | undefined, boolean]>([
		['lies before the first look', old, NOW - HOUR, false],
		['came since', old, NOW - 2 * HOUR + MINUTE, true],
		['does not say when it was', { ...old, terminated_at: undefined }, NOW - HOUR, true],
		['came when nothing is old', old, undefined, true],
	])('where an end %s', (_name, job, since, isNews) => {
		const state = stateOf([], {}, { since });
		expect(endsIn(state, [job])).toEqual(isNews ? ['a'] : []);
		expect(knows(state, 'a')).toEqual(isNews ? [] : ['a']);
	});

	it('of jobs that the service does not know may still come: they are asked for again later', () => {
		const state = stateOf([], { a: {}, b: {} });
		endsIn(state, [], ['a']);
		const failing = { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 };
		expect([...state.open]).toEqual(Object.entries({ b: {}, a: failing }));
		expect(warned).toEqual([]);
	});

	it('of jobs that the service has not known for days are given up, and n8n is told so once', () => {
		const state = stateOf([], { a: { failingSince: NOW - 71 * HOUR } });
		endsIn(state, [], ['a']);
		endsIn(state, [], ['a']);
		expect(warned).toEqual([
			'Job a has been unknown to the service for days: whether it ended is not known',
		]);
	});
});

describe('handing ends over', () => {
	interface Scene {
		state?: PollState;
		downloads?: Record<string, Result[] | Said>;
		settings?: TriggerSettings;
		until?: number;
	}
	const ROWS = settingsOf({ output: 'results', timeoutMs: 7_000 }, { columns: 'all' });
	const said = (kind: Said['kind'], why: ProblemKind) =>
		({ kind, why: problem(why).problem, end: 'failed', reason: 'the job failed' }) as Said;
	const SLOW: Partial<Scene> = { downloads: { b: said('notYet', 'rateLimited') } };

	/** What one poll of these ends does with a service that gives these results, or meets these problems. */
	async function emit(ends: Job[], scene: Scene = {}) {
		const { state = stateOf(), downloads = {}, settings = ROWS, until = Infinity } = scene;
		const asked: unknown[] = [];
		const client: ServiceClient = {
			...fakeClient({ now: () => NOW }).client,
			download: async ({ jobId }, options) => {
				asked.push([jobId, options?.timeoutMs]);
				const results = downloads[jobId] ?? found(jobId);
				if (!Array.isArray(results)) return results;
				const value: JobResults = { job_id: jobId, status: 'finished', results };
				return { kind: 'results', value, isEmpty: results.length === 0 };
			},
		};
		const emitted = await emitEndedJobs(client, settings, state, ends, { at: NOW, until });
		return { ...emitted, asked, known: knows(state, ...'abc'), open: Object.fromEntries(state.open) };
	}
	const [a, b, c] = [ended('a', 3 * HOUR), ended('b', 2 * HOUR), ended('c', HOUR)];
	const failing = { failingSince: NOW - HOUR, tryAt: NOW };
	const found = (value: string, count = 1): Result[] =>
		Array.from({ length: count }, () => ({ query: { value }, success: true, content: { name: value } }));

	it('gives their rows in order and remembers them', async () => {
		const downloads = { a: found('x', 2), b: found('y') };
		const { rows, ...others } = await emit([a, b], { state: stateOf([], { a: {} }), downloads });
		const given = rows.map(({ job_id, value }) => `${String(job_id)} ${String(value)}`);
		expect(given).toEqual(['a x', 'a x', 'b y']);
		const asked = ['a', 'b'].map((jobId) => [jobId, 7_000]);
		expect(others).toEqual({ handedOver: ['a', 'b'], known: ['a', 'b'], open: {}, asked });
	});

	it('remembers an end that the trigger does not listen for, and gives nothing', async () => {
		const settings = settingsOf({}, { events: ['finished'] });
		const state = stateOf([], { a: {} });
		expect(await emit([{ ...a, status: 'cancelled' }], { state, settings })).toEqual({
			...{ rows: [], handedOver: [], known: ['a'], open: {}, asked: [] },
		});
	});

	it('leaves the rest to the next poll once there are more than 50,000 rows', async () => {
		const downloads = { a: found('x', 50_000), b: found('y'), c: found('z') };
		const { handedOver, rows } = await emit([a, b, c], { downloads });
		expect([handedOver, rows.length]).toEqual([['a', 'b'], 50_001]);
	});

	const [LATE, GONE] = [said('notYet', 'unavailable'), said('denied', 'jobNotFound')];
	const RUNS = said('notYet', 'notFinished');
	const denied = { a: { failingSince: NOW, deniedSince: NOW - HOUR } };
	const later = { failingSince: NOW - MINUTE, tryAt: NOW + 1 };
	const again = { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 };
	it.each<[string, Record<string, OpenJob>, Partial<Scene>, string, string, Record<string, OpenJob>]>([
		['once the time is up', { b: failing }, { until: 0 }, 'a', 'a', { b: failing, c: {} }],
		['that cannot be had', {}, { downloads: { a: LATE } }, 'abc', 'bc', { a: again }],
		[
			'that are denied once',
			{},
			{ downloads: { a: GONE } },
			'abc',
			'bc',
			{ a: { ...again, deniedSince: NOW } },
		],
		['that run again', denied, { downloads: { a: RUNS } }, 'abc', 'bc', { a: again }],
		['before their time', { a: later }, {}, 'bc', 'bc', { a: later }],
		['where all would meet the same', { b: failing }, SLOW, 'ab', 'a', { b: failing, c: {} }],
	])(
		'leaves those to another poll %s, and gives the others',
		async (_name, open, scene, asked, given, left) => {
			const outcome = await emit([a, b, c], { state: stateOf([], open), ...scene });
			expect(outcome.asked).toEqual([...asked].map((jobId) => [jobId, 7_000]));
			expect(outcome).toMatchObject({ handedOver: [...given], known: [...given], open: left });
		},
	);

	it.each<[string, Said | [], OpenJob, boolean, unknown?]>([
		['more than n8n takes', said('impossible', 'tooLarge'), {}, true],
		['not there once', LATE, {}, false],
		['not there for a day', LATE, { failingSince: NOW - 24 * HOUR }, false],
		['not there for as long as results are kept', LATE, { failingSince: NOW - 71 * HOUR }, true],
		['denied once', GONE, {}, false],
		['denied twice, too soon', GONE, { failingSince: NOW - HOUR, deniedSince: NOW - 29_999 }, false],
		['denied twice', GONE, { failingSince: NOW - HOUR, deniedSince: NOW - 30_000 }, true],
		['empty after it was not there', [], { failingSince: NOW - HOUR }, false],
		['empty twice', [], { deniedSince: NOW - 30_000 }, true, 'the job has no results'],
		['of a job that failed, said once', said('none', 'jobFailed'), {}, false],
		[
			'of a job that failed, said twice',
			said('none', 'jobFailed'),
			{ deniedSince: 1 },
			true,
			'the job failed',
		],
	])(
		'gives out the end with the reason where it is %s',
		async (_name, download, open, isLost, why = expect.stringMatching(/^[A-Z].*\. [A-Z]/)) => {
			const state = stateOf([], { a: open });
			const { rows, handedOver, known } = await emit([a], { downloads: { a: download }, state });
			const reason = why as string;
			const item = { job_id: 'a', status: 'finished', success: false, found: false, reason };
			expect([rows, handedOver, known]).toEqual(isLost ? [[item], ['a'], ['a']] : [[], [], []]);
		},
	);
});

describe('the state for a poll', () => {
	const running: Job = { job_id: 'r', status: 'working', created_at: ago(MINUTE) };
	const jobs = [running, ended('b', HOUR), ended('a', 2 * HOUR)];
	const first = (seen: Partial<Look>, emitExisting = false) =>
		stateFor(undefined, 'mine', lookOf(seen), { emitExisting, at: NOW, endOf });

	it('takes all ends of the first look for old, and those that fell into it for news', () => {
		const state = first({ jobs });
		expect(knows(state, 'a', 'b', 'r')).toEqual(['a', 'b']);
		expect(state).toMatchObject({ account: 'mine', since: NOW - HOUR, open: new Map() });
	});

	it('has no time to go by where nothing is dated, and goes by the clock where a status is not shown', () => {
		expect(first({ jobs: [{ job_id: 'a', status: 'finished' }] }).since).toBeUndefined();
		expect(first({ jobs: [{ ...running, status: '' }] }).since).toBe(NOW - MINUTE);
	});

	it('goes by the clock where the service dates an end ahead', () => {
		expect(first({ jobs: [ended('a', -HOUR)] }).since).toBe(NOW - MINUTE);
	});

	it('takes none for old where the user wants them', () => {
		const state = first({ jobs }, true);
		expect([knows(state, 'a', 'b'), state.since]).toEqual([[], undefined]);
	});

	it('is the one before, after a change of the key with what ended since the last known end as news', () => {
		const before = stateOf(['old'], { open: {} }, { since: 1, lastEnd: NOW - HOUR });
		const next = (state: PollState, account: string) =>
			stateFor(state, account, lookOf({ jobs }), { emitExisting: false, at: NOW, endOf });
		expect(next(before, 'mine')).toBe(before);
		expect(next(before, 'new')).toEqual({ ...before, account: 'new', since: NOW - HOUR - MINUTE });
		expect(next(stateOf(['old'], {}, { since: 1 }), 'new').since).toBeUndefined();
	});
});

describe('the order of ends', () => {
	/** A job that ended and was created so many seconds into a minute. */
	const over = (job_id: string, end?: number, start?: number): Job => {
		const at = (second?: number) => second && `2026-01-01T00:00:0${second}Z`;
		return { job_id, status: 'finished', terminated_at: at(end), created_at: at(start) };
	};

	it.each<[string, Job[]]>([
		['is that of terminated_at', [over('b', 2), over('c', 3), over('a', 1)]],
		['is the list backwards within a second', [over('c', 1), over('b', 1), over('a', 1)]],
		['is that of creation within a second', [over('a', 9, 1), over('b', 9, 2), over('c', 9, 3)]],
		['is the list backwards of one creation', [over('c', 9, 1), over('b', 9, 1), over('a', 9, 1)]],
		['is the list backwards where one is not said', [over('c', 9, 2), over('b', 9, 1), over('a', 9)]],
		['is the list backwards without dates', [over('c'), over('b'), over('a')]],
		['puts jobs without a date first', [over('c', 1), over('b'), over('a')]],
		['keeps a job without date behind the one before it', [over('c', 3), over('b'), over('a', 1)]],
		['leaves out jobs that run', [{ job_id: 'r', status: 'finishing' }, over('c'), over('b'), over('a')]],
	])('%s', (_name, jobs) => {
		expect(ids(endsInOrder(jobs, endOf))).toEqual(['a', 'b', 'c']);
	});
});
