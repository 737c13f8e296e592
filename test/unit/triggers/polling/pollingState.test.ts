import type { IDataObject } from 'n8n-workflow';

import {
	failedAgain,
	fingerprint,
	hasFailedFor,
	isDue,
	limitFound,
	limitState,
	markHandled,
	newState,
	noteOpen,
	queueAgain,
	readState,
	storedState,
	type PollState,
} from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { ago, ended, HOUR, knows, MINUTE, NOW, queueOf, stateOf } from './polls';

/** What is stored, as n8n's database returns it. */
function written(more: Partial<PollState> = {}): IDataObject {
	const state = { ...stateOf(), ...more };
	limitState(state, NOW);
	return JSON.parse(JSON.stringify(storedState(state))) as IDataObject;
}
function opened(data: IDataObject): PollState {
	const read = readState(data);
	if (read.kind !== 'read') throw new Error(read.kind);
	return read.value;
}
const ids = (jobs: Iterable<string>) => [...jobs].join(' ');
const mapOf = (jobs: readonly Job[]) => new Map(jobs.map((job) => [job.job_id, job]));
/** This many jobs, the newest first, created and ended one second apart. */
const burst = (count: number, more: IDataObject = {}): Job[] =>
	Array.from({ length: count }, (_, n) => ended(`j${n}`, HOUR + n * 1_000, more));

describe('the memory of the polling trigger', () => {
	it('comes back as it was, also jobs whose IDs are numbers in their order', () => {
		const failing = { failingSince: NOW - HOUR, tryAt: NOW + MINUTE, deniedSince: NOW };
		const reading = {
			...{
				position: { query: { page: 3, per_page: 100 }, offset: 3 },
				begunAt: 4,
				newest: 3,
				oldest: 2,
			},
			...{ isSorted: true, missing: 1, unreadFrom: 1, isFirst: true },
		};
		const jobs = [ended('9', HOUR), ended('1', 2 * HOUR)];
		const state: PollState = {
			...stateOf(
				['a'],
				{ 20: {}, 3: failing, b: {} },
				{ since: 2, lastEnd: 3, settled: 4, forgotten: 5 },
			),
			...{ handledBy: { count: 1, time: 3 }, wholeReading: { newest: 1, seenAt: 2 }, reading },
			...{ found: mapOf(jobs), queue: queueOf([ended('7', HOUR), ended('5', HOUR)], { 5: failing }) },
		};
		state.open = new Map([...state.open].reverse());
		const again = opened(written(state));
		expect(again).toEqual(state);
		for (const name of ['open', 'found', 'queue'] as const)
			expect(ids(again[name].keys())).toBe(ids(state[name].keys()));
	});

	it('is absent before the first poll, and unreadable where it is something else or damaged', () => {
		expect(readState(undefined)).toEqual({ kind: 'absent' });
		const by = (what: string) => ({
			kind: 'unreadable',
			reason: `The memory of the polling trigger ${what}`,
		});
		expect(readState({ other: 1 })).toEqual(by('was written by another version of this package'));
		for (const damaged of ['[', '{}', 7])
			expect(readState({ ...written(), queue: damaged })).toEqual(by('is damaged at queue'));
	});

	it('holds jobs as short texts of one length in the order in which they were last added', () => {
		expect(written(stateOf(['a', 'b', 'a'])).handled).toBe(fingerprint('b') + fingerprint('a'));
		expect(fingerprint('a')).toMatch(/^[\w-]{8}$/);
	});
});

describe('the memory is bounded', () => {
	it('running jobs without room count as unread in the list', () => {
		const running = (n: number): Job => ({
			job_id: `r${n}`,
			status: 'working',
			created_at: ago(HOUR - n),
		});
		const reading = { isSorted: true, missing: 0 };
		const whole = { newest: NOW, seenAt: NOW };
		const state = stateOf([], {}, { settled: NOW, wholeReading: whole, reading });
		for (let n = 0; n < 10_000; n++) noteOpen(state, running(n));
		expect([state.settled, state.reading]).toEqual([NOW, { isSorted: true, missing: 0 }]);
		for (const n of [3, 10_001, 10_000]) noteOpen(state, running(n));
		expect([state.open.size, [...state.open.keys()].at(-1)]).toEqual([10_000, 'r3']);
		const unread = NOW - HOUR + 10_000;
		expect(state).toMatchObject({
			settled: unread,
			wholeReading: { newest: unread },
			reading: { unreadFrom: unread },
		});
		noteOpen(state, { job_id: 'undated', status: 'working' });
		expect(state).toMatchObject({ settled: 0, reading: { unreadFrom: 0 } });
	});

	it('of ends that wait, the earliest are kept, and the list counts as unread down to the others', () => {
		const long = { values: 'x'.repeat(10_000) };
		const [waiting, jobs] = [ended('first', 3 * HOUR, long), burst(300, long)];
		const queue = queueOf([waiting]);
		const kept = opened(written({ queue, found: mapOf(jobs), settled: NOW }));
		expect(ids(kept.queue.keys())).toBe('first');
		const found = [...kept.found.keys()];
		expect(found.at(-1)).toBe('j299');
		expect(found.length).toBeGreaterThan(150);
		const newestKept = Number(found[0]?.slice(1));
		expect(found).toHaveLength(300 - newestKept);
		expect(kept.settled).toBe(NOW - HOUR - (newestKept - 1) * 1_000);
		const all = written({ queue: queueOf(jobs), settled: NOW });
		expect(String(all.queue).length).toBeLessThan(2_010_000);
		expect([opened(all).queue.has('j0'), opened(all).queue.has('j299')]).toEqual([true, false]);
	});

	it('of ends that are read, the earliest 50,000 are kept', () => {
		const state = stateOf([], {}, { found: mapOf(burst(7)), reading: { isSorted: true, missing: 0 } });
		limitFound(state, 4);
		expect(state.found.size).toBe(7);
		limitFound(state, 3);
		expect(ids(state.found.keys())).toBe('j4 j5 j6');
		expect(state.reading?.unreadFrom).toBe(NOW - HOUR - 3_000);
	});

	const handled = (count: number, end: string, state = stateOf()) => {
		for (let n = 0; n < count; n++)
			markHandled(state, { job_id: `${end}${n}`, status: 'finished', terminated_at: end });
		return state;
	};

	it('of more than 20,000 handled ends, those of the latest minutes are kept, and the time of the others', () => {
		const state = handled(20_000, ago(HOUR));
		limitState(state, NOW);
		expect(state).toMatchObject({ handledBy: { count: 20_000, time: NOW - HOUR } });
		handled(2, ago(HOUR - 9 * MINUTE), state);
		limitState(state, NOW);
		expect([state.handled.size, state.forgotten]).toEqual([20_002, undefined]);
		handled(1, ago(HOUR - 10 * MINUTE), state);
		limitState(state, NOW);
		expect([state.handled.size, state.forgotten]).toEqual([3, NOW - HOUR]);
		expect(state.handledBy).toEqual({ count: 3, time: NOW - HOUR + 10 * MINUTE });
	});

	it.each([
		['without dates', undefined, 100_000],
		['with wrong dates', NOW + 25 * HOUR, 100_000],
		['with dates of another time zone', NOW + 23 * HOUR, 100_005],
	])('handled ends %s', (_name, lastEnd, kept) => {
		const prints = Array.from({ length: 100_005 }, (_, n) => String(n).padStart(8, '0'));
		const state = { ...newState('mine'), handled: new Set(prints), lastEnd };
		limitState(state, NOW);
		expect([state.handled.size, state.handled.has('00100004')]).toEqual([kept, true]);
	});
});

describe('what fails', () => {
	it('is tried again in growing steps up to half an hour', () => {
		let job = {};
		const tries: number[] = [];
		for (let now = 0; now <= 3 * HOUR; now += MINUTE) {
			if (!isDue(job, now)) continue;
			tries.push(now / MINUTE);
			job = failedAgain(job, now + 1);
		}
		expect(tries).toEqual([0, 1, 2, 4, 8, 16, 32, 62, 92, 122, 152]);
	});

	it('has failed since the first of its failures', () => {
		const job = failedAgain(failedAgain({}, 1), 500);
		expect([hasFailedFor(1_000, job, 1_000), hasFailedFor(1_000, job, 1_001)]).toEqual([false, true]);
		expect(hasFailedFor(0, {}, 1)).toBe(false);
	});

	it('waits as long as the service asks, up to half an hour', () => {
		expect(failedAgain({}, 0, 10 * MINUTE).tryAt).toBe(10 * MINUTE - 1_000);
		expect(failedAgain({}, 0, 10 * HOUR).tryAt).toBe(30 * MINUTE - 1_000);
	});
});

it('an end that is handled is no longer open, and the latest one is remembered', () => {
	const state = stateOf([], { a: {}, b: {} });
	for (const job of [
		ended('a', HOUR),
		ended('b', 2 * HOUR),
		ended('c', HOUR, { terminated_at: undefined }),
	])
		markHandled(state, job);
	expect([[...state.open], knows(state, 'a', 'b', 'c')]).toEqual([[], ['a', 'b', 'c']]);
	expect(state.lastEnd).toBe(NOW - HOUR + MINUTE);
});

it('ends that n8n could not store come again before all others', () => {
	const [a, b, c] = [ended('a', 3 * HOUR), ended('b', 2 * HOUR), ended('c', HOUR)];
	const state = stateOf([], {}, { queue: queueOf([c]), handledBy: { count: 2, time: NOW } });
	for (const job of [a, b]) markHandled(state, job);
	queueAgain(state, []);
	expect(state.handledBy).toBeDefined();
	queueAgain(state, [a, b]);
	expect([ids(state.queue.keys()), knows(state, 'a', 'b'), state.handledBy]).toEqual([
		'a b c',
		[],
		undefined,
	]);
});
