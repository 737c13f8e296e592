import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../../../../nodes/PriceCollection/service/types';
import type { Look } from '../../../../nodes/PriceCollection/trigger/polling/ends';
import {
	endsInOrder,
	failedAgain,
	fingerprint,
	hasFailedFor,
	isDue,
	isKnown,
	latestOf,
	nextState,
	readState,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import { fakeClient } from '../../fakeClient';
import { ended, HOUR, lookOf, MINUTE, NOW, stateOf } from './polls';

const { endOf } = fakeClient({}).client;

const knows = (state: PollState, ...jobIds: string[]) => jobIds.filter((jobId) => isKnown(state, jobId));

/** What is stored, as n8n's database gives it back. */
function written(more: Partial<PollState> = {}): IDataObject {
	const data: IDataObject = {};
	writeState(data, { ...stateOf(), ...more });
	return JSON.parse(JSON.stringify(data)) as IDataObject;
}
function opened(data: IDataObject, unstored: string[] = []): PollState {
	const read = readState(data, unstored);
	if (read.kind !== 'read') throw new Error(read.kind);
	return read.value;
}

describe('the memory of the polling trigger', () => {
	it('comes back as it was', () => {
		const times = { newest: 1, since: 2, createdBefore: 3, lookedAt: 4 };
		const failing = { failingSince: 1_800_000_000_000, tryAt: 1_800_000_060_000 };
		const state = stateOf(['a'], { b: {}, c: failing }, times);
		expect(opened(written(state))).toEqual(state);
	});

	it('holds jobs as short texts of one length in the order in which they were last added', () => {
		expect(written(stateOf(['a', 'b', 'a'])).known).toBe(fingerprint('b') + fingerprint('a'));
		expect(fingerprint('a')).toMatch(/^[\w-]{8}$/);
	});

	it('holds the latest 20,000 ends and the latest 10,000 open jobs', () => {
		const jobs = Array.from({ length: 20_001 }, (_, n) => `j${n}`);
		const open = new Map(jobs.slice(0, 10_001).map((jobId) => [jobId, {}]));
		const kept = opened(written({ ...stateOf(jobs), open }));
		expect(knows(kept, 'j0', 'j1', 'j20000')).toEqual(['j1', 'j20000']);
		expect([kept.open.size, kept.open.has('j0'), kept.open.has('j1')]).toEqual([10_000, false, true]);
	});

	it('has no times that nobody knows', () => {
		expect(Object.keys(written())).toEqual(['version', 'account', 'known', 'open']);
	});

	it('takes only two times of an open job for its failures, and tries it at once without the second', () => {
		const readAs = (a: unknown) => opened({ ...written(), open: { a } as IDataObject }).open.get('a');
		expect(readAs('5 6')).toEqual({ failingSince: 5, tryAt: 6 });
		for (const other of ['x5 6', '5 6x', '', 7]) expect(readAs(other)).toEqual({});
		const open = new Map([['a', { failingSince: 5 }]]);
		expect(opened(written({ open })).open.get('a')).toEqual({ failingSince: 5, tryAt: 5 });
	});

	it('is absent from the static data of a new node, and unreadable where it is something else', () => {
		expect(readState({})).toEqual({ kind: 'absent' });
		const reason = 'The memory of the polling trigger was written by another version of this package';
		expect(readState({ other: 1 })).toEqual({ kind: 'unreadable', reason });
	});

	it('takes ends that n8n could not store for open again', () => {
		const { known } = stateOf(['a', 'b']);
		const state = opened(written({ known, open: new Map([['c', {}]]) }), ['b']);
		expect([knows(state, 'a', 'b'), Object.fromEntries(state.open)]).toEqual([['a'], { c: {}, b: {} }]);
	});

	it('is written only where it has changed, because n8n then saves the workflow', () => {
		const before = written({ newest: 1, open: new Map([['a', {}]]) });
		const changes: unknown[] = [];
		const set = (target: IDataObject, name: string, value: IDataObject[string]) => {
			changes.push([name, value]);
			return Reflect.set(target, name, value);
		};
		const watched = new Proxy(before, { set: set as ProxyHandler<IDataObject>['set'] });
		writeState(watched, opened(before));
		expect(changes).toEqual([]);
		writeState(watched, { ...opened(before), newest: 2 });
		expect(changes).toEqual([['newest', 2]]);
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

describe('the order of ends', () => {
	/** A job that ended and was created so many seconds into a minute. */
	const over = (job_id: string, end?: number, start?: number): Job => {
		const at = (second?: number) => second && `2026-01-01T00:00:0${second}Z`;
		return { job_id, status: 'finished', terminated_at: at(end), created_at: at(start) };
	};
	const ids = (jobs: Job[]) => endsInOrder(jobs, endOf).map((job) => job.job_id);

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
		expect(ids(jobs)).toEqual(['a', 'b', 'c']);
	});

	it('goes with the latest time of a kind, if there is any', () => {
		const jobs = [over('a', 2, 1), over('b', 3), { job_id: 'c', status: 'new' }];
		expect(latestOf(jobs, 'created_at')).toBe(Date.parse('2026-01-01T00:00:01Z'));
		expect(latestOf(jobs, 'terminated_at')).toBe(Date.parse('2026-01-01T00:00:03Z'));
		expect(latestOf(jobs.slice(2), 'created_at')).toBeUndefined();
	});
});

describe('a trigger that has seen nothing yet', () => {
	const running: Job = { job_id: 'r', status: 'working', created_at: ended('r', MINUTE).created_at };
	const jobs = [running, ended('b', HOUR), ended('a', 2 * HOUR)];
	const first = (seen: Partial<Look>, emitExisting = false) =>
		nextState(undefined, 'mine', lookOf(seen), { emitExisting, at: NOW, endOf });
	const noTimes = { since: undefined, createdBefore: undefined };

	it('takes all ends for old, and those that fell into its first look for news', () => {
		const state = first({ jobs });
		expect(knows(state, 'a', 'b', 'r')).toEqual(['a', 'b']);
		const times = { since: NOW - HOUR, createdBefore: NOW - MINUTE };
		expect(state).toMatchObject({ account: 'mine', ...times, open: new Map() });
	});

	it('has no time to go by where nothing is dated, and goes by the clock where no end is shown', () => {
		const state = first({ jobs: [{ job_id: 'a', status: 'finished' }] });
		expect({ ...noTimes, ...state }).toMatchObject(noTimes);
		expect(first({ jobs: [running], isUnclear: true }).since).toBe(NOW - MINUTE);
	});

	it('takes none for old where the user wants them', () => {
		const state = first({ jobs }, true);
		expect(knows(state, 'a', 'b')).toEqual([]);
		expect({ ...noTimes, ...state }).toMatchObject(noTimes);
	});
});

describe('a trigger with a state', () => {
	const before = stateOf(['old'], { open: {} }, { lookedAt: NOW - HOUR, newest: 1 });
	const strange = [ended('x', HOUR), ended('y', 2 * HOUR)];
	const next = (state: PollState, account: string) =>
		nextState(state, account, lookOf({ jobs: strange }), { emitExisting: false, at: NOW, endOf });

	it('goes on with it, after a change of the key with what ended since the last look as news', () => {
		expect(next(before, 'mine')).toBe(before);
		const thresholds = { since: NOW - HOUR - MINUTE, createdBefore: NOW - HOUR };
		expect(next(before, 'new')).toEqual({ ...before, account: 'new', ...thresholds });
		expect(next(stateOf(['old']), 'new').since).toBe(NOW - MINUTE);
	});
});
