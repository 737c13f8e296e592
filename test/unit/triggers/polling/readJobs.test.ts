import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../../../../nodes/PriceCollection/service/api/client';
import type { JobPage } from '../../../../nodes/PriceCollection/service/api/jobList';
import { failure, type Problem, success } from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import type { CallOptions } from '../../../../nodes/PriceCollection/service/http/wire';
import type {
	PollState,
	PollReading,
	Tries,
} from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import {
	type Polling,
	readJobs,
	stateOfAccount,
} from '../../../../nodes/PriceCollection/triggers/polling/readJobs';
import { dialectOf, fakeClient } from '../../fakeClient';
import { ago, ended, HOUR, knows, MINUTE, NOW, queueOf, settingsOf, stateOf } from './polls';

const problem = (more: Partial<Problem>): Problem => ({
	...{ kind: 'refused', endpoint: ENDPOINTS.list, effect: 'none' },
	...more,
});
const ids = (jobs: Iterable<string>) => [...jobs].join('');
const named = <T>(prefix: string, count: number, job: T) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, job]));

/** A service that knows these jobs, and whose list gives these pages or problems in order. */
function serviceOf(pages: Array<Job[] | JobPage | Problem>, jobs: Record<string, Job | Problem> = {}) {
	const lists: Array<{ query: IDataObject; options?: CallOptions }> = [];
	const singles: Array<{ jobId: string; options?: CallOptions }> = [];
	const warned: string[] = [];
	let now = NOW;
	const client: ServiceClient = {
		...fakeClient({ now: () => now, clockAheadMs: 0 }).client,
		listJobs: async (query, options) => {
			lists.push({ query, options });
			const page = pages[lists.length - 1] ?? [];
			now += 1_000;
			if ('kind' in page) return failure(page);
			return success(Array.isArray(page) ? { jobs: page } : page);
		},
		getJob: async (jobId, options) => {
			singles.push({ jobId, options });
			const known = jobs[jobId] ?? problem({ kind: 'jobNotFound', reason: 'no' });
			return 'kind' in known ? failure(known as Problem) : success(known as Job);
		},
	};
	const warn = (message: string) => void warned.push(message);
	const read = async (state: PollState, more: Partial<Polling> = {}) => {
		const polling = {
			client,
			settings: settingsOf(),
			startedAt: NOW,
			until: Infinity,
			isStuck: false,
			warn,
		};
		return await readJobs(state, { ...polling, ...more });
	};
	return { client, lists, singles, warned, read, asked: () => singles.map(({ jobId }) => jobId) };
}
const begun = (more: Partial<PollReading> = {}): PollReading => ({ isSorted: true, missing: 0, ...more });
/** The state before the first poll of an account. */
const fresh = () => stateOf([], {}, { reading: begun({ isFirst: true }) });
const [d, c, b, a] = [ended('d', HOUR), ended('c', HOUR), ended('b', 2 * HOUR), ended('a', 3 * HOUR)];
const running: Job = { job_id: 'r', status: 'working', created_at: ago(MINUTE) };

describe('the first reading', () => {
	it('goes to the end of the list, takes what has ended for old, and asks for no single job', async () => {
		const { lists, read, singles } = serviceOf([[running, c, b], [a]]);
		const state = fresh();
		const done = await read(state, { settings: settingsOf({ timeoutMs: 7_000 }) });
		expect(done.ok && [...done.value.statuses.keys()]).toEqual(['working', 'finished']);
		expect(lists).toEqual(
			[{}, { page: 1 }, { page: 2 }].map((page) => ({
				...{ query: { ...page, per_page: 100 }, options: { timeoutMs: 7_000 } },
			})),
		);
		expect([knows(state, 'a', 'b', 'c', 'r'), ids(state.open.keys()), singles]).toEqual([
			['a', 'b', 'c'],
			'r',
			[],
		]);
		expect(state).toMatchObject({ since: NOW - HOUR, lastEnd: NOW - HOUR + MINUTE });
		expect([state.reading, state.found.size, state.queue.size]).toEqual([undefined, 0, 0]);
	});

	it.each<[string, Job, number | undefined]>([
		['no time to go by where nothing is dated', { job_id: 'a', status: 'finished' }, undefined],
		['none where nothing has ended', running, undefined],
		['the clock where a status is not shown', { ...running, status: '' }, NOW - MINUTE + 1_000],
		['the clock where an end is dated ahead', ended('a', -HOUR), NOW - MINUTE + 2_000],
	])('has %s', async (_name, job, since) => {
		const state = fresh();
		await serviceOf([[job]]).read(state);
		expect(state.since).toBe(since);
	});

	it('takes nothing for old where the user wants that', async () => {
		const state = stateOf([], {}, { reading: begun({ isFirst: false }) });
		await serviceOf([[c, b], [a]]).read(state);
		expect([ids(state.queue.keys()), state.since]).toEqual(['abc', undefined]);
	});

	it('fails with a page that cannot be read', async () => {
		const denied = problem({ kind: 'wrongAddress', status: 404 });
		expect(await serviceOf([[c, b], denied]).read(fresh())).toEqual(failure(denied));
	});
});

describe('the list is asked for', () => {
	it('as the credential says', async () => {
		const { client, lists, read } = serviceOf([]);
		const connection = dialectOf({ pagination: 'offset', pageParameter: 'skip', pageSizeParameter: '' });
		await read(fresh(), { client: { ...client, connection } });
		expect(lists.map(({ query }) => query)).toEqual([{ skip: 0 }]);
	});
});

describe('the rest of the list is left unread', () => {
	const late = { failingSince: NOW, tryAt: NOW + 1 };
	const undated = (job: Job): Job => ({ ...job, created_at: undefined });
	const opened = (jobs: Record<string, Tries>) => ({ open: stateOf([], jobs).open });
	const { handled } = stateOf(['b', 'd']);

	it.each<[string, boolean, Job[], Partial<PollState>?]>([
		['everything on its first page was seen, and what follows is settled', true, [d, c, b]],
		['one of them is open', true, [d, c, b], { handled, ...opened({ c: {} }) }],
		['its last job is just old enough', true, [d, c, ended('b', HOUR + 10 * MINUTE + 1)]],
		['it is not', false, [d, c, ended('b', HOUR + 10 * MINUTE)]],
		['nothing is settled', false, [d, c, b], { settled: undefined }],
		['one job is new', false, [d, c, b], { handled }],
		['all its jobs have one date', false, [d, c]],
		['its last job has no date', false, [d, c, undated(b)]],
		['its first job has no date', false, [undated(d), c, b]],
		['one between has no date', false, [d, undated(c), b]],
		['it begins with the oldest', false, [b, c, d]],
		['it is not in order', false, [d, ended('c', 3 * HOUR), b]],
		['ten are missing', true, [d, c, b], opened(named('m', 10, {}))],
		['eleven are', false, [d, c, b], opened(named('m', 11, {}))],
		['more are missing, but not due', true, [d, c, b], opened(named('m', 11, late))],
	])('where %s: %s', async (_name, isLeft, page, more = {}) => {
		const { lists, read } = serviceOf([page, [ended('z', 4 * HOUR)]]);
		const state = { ...stateOf(['b', 'c', 'd']), settled: NOW - HOUR, ...more };
		await read(state);
		expect([lists.length, state.reading]).toEqual([isLeft ? 1 : 3, undefined]);
	});
});

describe('what is settled', () => {
	const settledAfter = async (state: PollState, pages: Job[][], at = NOW) => {
		const { client, read } = serviceOf(pages);
		await read(state, { client: { ...client, clock: { ...client.clock, now: () => at } } });
		return state.settled && (state.settled - NOW) / HOUR;
	};

	it('is the newest job of a reading that has come to what was settled', async () => {
		const state = { ...stateOf(['b']), settled: NOW - 1.5 * HOUR };
		expect(await settledAfter(state, [[d, b]])).toBe(-1);
		expect(state.wholeReading).toBeUndefined();
	});

	it('needs two readings, half a minute apart, that the end of the list ended', async () => {
		const state = stateOf();
		expect(await settledAfter(state, [[b]])).toBeUndefined();
		expect(await settledAfter(state, [[d, b]], NOW + 29_999)).toBeUndefined();
		expect(await settledAfter(state, [[d, b]], NOW + 30_000)).toBe(-2);
		expect(await settledAfter(state, [[d, b]], NOW + 60_000)).toBe(-1);
	});

	it('reaches no further than what there was room for', async () => {
		const reading = begun({ unreadFrom: NOW - 1.75 * HOUR });
		const state = { ...stateOf(), settled: NOW - 2 * HOUR, reading };
		expect(await settledAfter(state, [[d, ended('z', 4 * HOUR)]])).toBe(-1.75);
	});

	it.each([
		['without dates', [{ job_id: 'x', status: 'finished' }]],
		['in another order', [b, d]],
		['with a date that must be wrong', [ended('x', -25 * HOUR)]],
	])('is nothing of a list %s', async (_name, page: Job[]) => {
		const state = stateOf();
		for (const at of [NOW, NOW + HOUR]) expect(await settledAfter(state, [page], at)).toBeUndefined();
	});
});

describe('a reading that runs out of time', () => {
	const settled = { settled: NOW - 10 * HOUR };

	it('puts nothing in the queue, and goes on with the page that it read last', async () => {
		const state = { ...stateOf([], { r: {} }), ...settled };
		const { lists, read } = serviceOf([[d], [d], [c], [c, b], [a]]);
		await read(state, { until: NOW - 1 });
		expect([lists.length, ids(state.found.keys()), state.queue.size]).toEqual([1, 'd', 0]);
		expect(state.reading).toEqual({
			...{ isSorted: true, missing: 1, begunAt: NOW + 1_000, newest: NOW - HOUR, oldest: NOW - HOUR },
			position: { query: { per_page: 100 }, offset: 0 },
		});
		await read(state, { until: NOW - 1 });
		expect(state.reading?.position).toEqual({ query: { page: 1, per_page: 100 }, offset: 1 });
		await read(state);
		expect(lists.map(({ query }) => query.page)).toEqual([undefined, undefined, 1, 1, 2, 3]);
		expect([ids(state.queue.keys()), state.found.size, state.reading]).toEqual(['abcd', 0, undefined]);
	});

	it('leaves ends that came meanwhile to the next one, which may find earlier ones', async () => {
		const state = { ...stateOf(), ...settled };
		const meanwhile = { ...b, terminated_at: new Date(NOW + 1_500).toISOString() };
		const { read } = serviceOf([[c], [c], [meanwhile], [], [c]]);
		await read(state);
		expect([ids(state.queue.keys()), ids(state.found.keys())]).toEqual(['c', 'b']);
		await read(state);
		expect([ids(state.queue.keys()), state.found.size]).toEqual(['cb', 0]);
	});

	const reading = begun({
		...{ position: { query: { cursor: 'x' }, offset: 3 }, newest: NOW - HOUR, oldest: NOW - 2 * HOUR },
		...{ begunAt: NOW - MINUTE, missing: 0 },
	});
	it.each<[string, Job[] | Problem, boolean, Partial<Polling>?]>([
		['goes on where the page begins with the last job', [b], false],
		['goes on where it begins with an earlier one', [c, b], false],
		['begins again where jobs are missing between', [a], true],
		[
			'begins again where the service denies the page',
			problem({ status: 400, reason: 'no such cursor' }),
			true,
		],
		['waits where the page cannot be had', problem({ kind: 'unavailable', status: 503 }), false],
		['waits where a web page comes', problem({ kind: 'htmlBody', status: 400 }), false],
		[
			'begins again after failing for long',
			problem({ kind: 'unavailable', status: 503 }),
			true,
			{ isStuck: true },
		],
	])('%s', async (_name, page, isAnew, more = {}) => {
		const state = { ...stateOf(['b', 'c']), settled: NOW - 10 * HOUR, reading: { ...reading } };
		const { lists, read } = serviceOf([page, [c], [c], [a]]);
		const result = await read(state, { until: NOW - 1, ...more });
		const [, next] = lists.map(({ query }) => query);
		expect(result.ok).toBe(isAnew || Array.isArray(page));
		if (isAnew) expect([next, state.reading?.begunAt]).toEqual([{ per_page: 100 }, NOW - MINUTE]);
		else expect(next).toEqual(result.ok ? { page: 4, per_page: 100 } : undefined);
	});

	it('keeps what was read before a page that fails', async () => {
		const state = { ...stateOf(), ...settled };
		const broken = problem({ kind: 'unavailable', status: 503 });
		expect(await serviceOf([[d], [d], [c], broken]).read(state)).toEqual(failure(broken));
		expect([ids(state.found.keys()), state.reading?.position?.offset]).toEqual(['dc', 2]);
	});

	it('asks for jobs that no page has shown, whichever poll read it', async () => {
		const state = { ...stateOf([], { r: {}, m: {} }), ...settled };
		const { asked, read } = serviceOf([[running], [running], [c], [c]]);
		await read(state, { until: NOW - 1 });
		expect([ids(state.open.keys()), state.reading?.missing]).toEqual(['mr', 1]);
		await read(state);
		expect(asked()).toEqual(['m']);
	});
});

describe('jobs that arrive while the list is read', () => {
	it('shift pages, which is not the end of the list', async () => {
		const state = { ...stateOf(), settled: NOW - 10 * HOUR };
		const { lists, read } = serviceOf([[d, c], [d, c], [b], [c, b], [a]]);
		await read(state);
		expect([lists.length, ids(state.queue.keys())]).toEqual([6, 'abcd']);
	});

	it('but only so often without a new job', async () => {
		const state = { ...stateOf(), settled: NOW - 10 * HOUR };
		const pages = Array.from({ length: 30 }, (_, n) => (n % 2 ? [d] : [c]));
		const { lists, read } = serviceOf([[d, c], [d, c], [b], ...pages]);
		await read(state);
		expect(lists).toHaveLength(14);
	});
});

describe('open jobs whose status the list does not show', () => {
	const list = [[ended('listed', HOUR)]];
	const bare = (count: number) =>
		Array.from({ length: count }, (_, n) => ended(`b${n}`, HOUR + n, { status: n % 2 ? ' ' : '' }));
	const failing = { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 };

	it('are asked for one by one, with a quarter of all status calls and no patience', async () => {
		const jobs = { two: { job_id: 'TWO', status: 'working' }, three: ended('three', HOUR) };
		const { read, singles } = serviceOf(list, jobs);
		const state = stateOf([], { listed: {}, one: {}, two: { failingSince: 1 }, three: {} });
		const done = await read(state, { settings: settingsOf({ timeoutMs: 7_000 }) });
		expect(done.ok && [...done.value.statuses.keys()]).toEqual(['finished', 'working']);
		const options = { timeoutMs: 7_000, repeat: false, turn: { until: NOW + 4_000, share: 0.25 } };
		expect(singles).toEqual(['one', 'two', 'three'].map((jobId) => ({ jobId, options })));
		expect([...state.open]).toEqual(Object.entries({ one: failing, two: {} }));
		expect([...state.queue.keys()]).toEqual(['three', 'listed']);
	});

	const called = (prefix: string, count: number) => Object.keys(named(prefix, count, {}));
	const [soon, now] = [NOW + 1, NOW].map((tryAt) => ({ failingSince: 1, tryAt })) as [Tries, Tries];
	it.each<[string, Job[][], PollState, string[]]>([
		['until they are due', list, stateOf([], { a: soon, b: now }), ['b']],
		['but for ten', list, stateOf([], named('m', 12, {})), called('m', 10)],
		['unless they are listed without it', [bare(2)], stateOf([], { b1: {} }), ['b1']],
		['in the first reading', [bare(2)], fresh(), []],
	])('are left alone %s', async (_name, pages, state, expected) => {
		const { asked, read } = serviceOf(pages);
		await read(state);
		expect(asked()).toEqual(expected);
	});

	it('wait for another poll where the service cannot be asked', async () => {
		const { asked, read } = serviceOf(list, { one: problem({ kind: 'unavailable' }) });
		const state = stateOf([], { one: {}, two: {} });
		await read(state);
		expect([asked(), [...state.open.keys()], [...state.queue.keys()]]).toEqual([
			['one'],
			['one', 'two'],
			['listed'],
		]);
	});

	it('keep their failures where a single answer does not show it either', async () => {
		const state = stateOf([], { one: { failingSince: 1 }, two: {} });
		await serviceOf(list, {
			one: { job_id: 'one', status: '' },
			two: { job_id: 'two', status: 'x' },
		}).read(state);
		expect([...state.open]).toEqual(Object.entries({ one: { failingSince: 1 }, two: {} }));
	});

	it('are given up when the service has not known them for days, and n8n is told so', async () => {
		const { read, warned } = serviceOf(list);
		const state = stateOf([], { a: { failingSince: NOW - 71 * HOUR } });
		await read(state);
		expect([state.open.size, warned]).toEqual([
			...[0, ['Job a has been unknown to the service for days, so it is no longer checked']],
		]);
	});
});

describe('a list that cannot be read whole', () => {
	const more = { total: 9 };
	const past = { settled: NOW - 5 * HOUR };
	it.each<[string, Job[], Omit<JobPage, 'jobs'>, Partial<PollState>, number | undefined]>([
		['where new jobs can stand beyond', [b, d], more, past, 2],
		['where it has no dates', [{ job_id: 'x', status: 'finished' }], more, {}, 1],
		['where it begins with the newest, and shows none of the jobs before', [d, b], more, past, 2],
		['not where it shows some of them', [d, b], more, { ...past, ...stateOf(['b']) }, undefined],
		['not where none were before', [d, b], more, {}, undefined],
		['not where it does not say that there are more', [b, d], {}, past, undefined],
	])('is cut %s', async (_name, jobs, says, before, cutAt) => {
		const page = { jobs, ...says };
		const result = await serviceOf([page, page, page]).read({ ...stateOf(), ...before });
		expect(result.ok && result.value.cutAt).toBe(cutAt);
	});

	it('is cut also where it says that there are more, but not how to ask for them', async () => {
		const { client, read } = serviceOf([{ jobs: [d, b], goesOn: true }]);
		const connection = dialectOf({ pagination: 'cursor' });
		const result = await read({ ...stateOf(), ...past }, { client: { ...client, connection } });
		expect(result.ok && result.value.cutAt).toBe(2);
	});

	it('is said in the log of n8n where only its jobs tell', async () => {
		for (const [settled, said] of [
			[NOW - 5 * HOUR, 1],
			[NOW - HOUR, 0],
		] as const) {
			const { read, warned } = serviceOf([
				[d, b],
				[d, b],
				[d, b],
			]);
			await read({ ...stateOf(), settled });
			const text = 'Only 2 jobs of the list can be read, so ends of older ones may be missing';
			expect(warned).toEqual(Array.from({ length: said }, () => text));
		}
	});
});

it('of an account with another key everything is kept but what was known about its list', () => {
	const whole = { newest: 1, seenAt: 2 };
	const gap = {
		settled: NOW,
		reading: begun(),
		wholeReading: whole,
		forgotten: 1,
		handledBy: { count: 1, time: 1 },
	};
	const before = {
		...stateOf(['old'], { open: {} }),
		since: 1,
		lastEnd: NOW - HOUR,
		queue: queueOf([a]),
		...gap,
	};
	expect(stateOfAccount(before, 'mine', NOW)).toBe(before);
	const { account, handled, open, found, queue, lastEnd } = before;
	expect(account).toBe('mine');
	expect(stateOfAccount(before, 'new', NOW)).toEqual({
		...{ account: 'new', handled, open, found, queue, lastEnd, since: NOW - HOUR - MINUTE },
	});
	expect(stateOfAccount({ ...before, lastEnd: undefined }, 'new', NOW).since).toBeUndefined();
	expect(stateOfAccount({ ...before, lastEnd: NOW + HOUR }, 'new', NOW).since).toBe(NOW - MINUTE);
});
