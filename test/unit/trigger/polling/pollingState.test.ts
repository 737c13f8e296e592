import type { IDataObject } from 'n8n-workflow';

import {
	failedAgain,
	fingerprint,
	hasFailedFor,
	isDue,
	handle,
	isHandled,
	readState,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import { ended, HOUR, MINUTE, NOW, stateOf } from './polls';

const knows = (state: PollState, ...jobIds: string[]) =>
	jobIds.filter((jobId) => isHandled(state, { job_id: jobId }));

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
		const times = { since: 2, lastEnd: 3 };
		const failing = { failingSince: 1_800_000_000_000, tryAt: 1_800_000_060_000 };
		const state = stateOf(['a'], { b: {}, c: failing }, times);
		expect(opened(written(state))).toEqual(state);
	});

	it('holds jobs as short texts of one length in the order in which they were last added', () => {
		expect(written(stateOf(['a', 'b', 'a'])).handled).toBe(fingerprint('b') + fingerprint('a'));
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
		expect(Object.keys(written())).toEqual(['version', 'account', 'handled', 'open']);
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
		const { handled } = stateOf(['a', 'b']);
		const state = opened(written({ handled, open: new Map([['c', {}]]) }), ['b']);
		expect([knows(state, 'a', 'b'), Object.fromEntries(state.open)]).toEqual([['a'], { c: {}, b: {} }]);
	});

	it('is written only where it has changed, because n8n then saves the workflow', () => {
		const before = written({ since: 1, open: new Map([['a', {}]]) });
		const changes: unknown[] = [];
		const set = (target: IDataObject, name: string, value: IDataObject[string]) => {
			changes.push([name, value]);
			return Reflect.set(target, name, value);
		};
		const watched = new Proxy(before, { set: set as ProxyHandler<IDataObject>['set'] });
		writeState(watched, opened(before));
		expect(changes).toEqual([]);
		writeState(watched, { ...opened(before), since: 2 });
		expect(changes).toEqual([['since', 2]]);
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
		handle(state, job);
	expect([[...state.open], knows(state, 'a', 'b', 'c')]).toEqual([[], ['a', 'b', 'c']]);
	expect(state.lastEnd).toBe(NOW - HOUR + MINUTE);
});
