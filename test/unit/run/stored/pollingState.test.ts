import type { IDataObject } from 'n8n-workflow';

import {
	fingerprint,
	KnownJobs,
	readState,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/run/stored/pollingState';

const state = (more: Partial<PollState> = {}): PollState => ({
	...{ account: 'mine', known: new KnownJobs(), open: new Map() },
	...more,
});
/** What is stored, as n8n's database gives it back. */
const saved = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
function written(more: Partial<PollState> = {}): IDataObject {
	const data: IDataObject = {};
	writeState(data, state(more));
	return saved(data);
}
function opened(data: IDataObject): PollState {
	const read = readState(data);
	if (read.kind !== 'read') throw new Error(read.kind);
	return read.value;
}

describe('the jobs that are known', () => {
	it('are those that were added and not taken out again', () => {
		const known = new KnownJobs();
		known.add('a');
		known.add('b');
		known.remove('b');
		expect(['a', 'b', 'c'].map((jobId) => known.has(jobId))).toEqual([true, false, false]);
	});

	it('stand as short texts of one length in the order in which they were last added', () => {
		const known = new KnownJobs();
		for (const jobId of ['a', 'b', 'a']) known.add(jobId);
		expect(known.stored()).toBe(fingerprint('b') + fingerprint('a'));
		expect(fingerprint('a')).toMatch(/^[\w-]{8}$/);
		expect(new KnownJobs(known.stored()).has('b')).toBe(true);
	});

	it('are the latest 20,000', () => {
		const known = new KnownJobs();
		for (let n = 0; n <= 20_000; n++) known.add(`j${n}`);
		const later = new KnownJobs(known.stored());
		expect([later.has('j0'), later.has('j1'), later.has('j20000')]).toEqual([false, true, true]);
	});
});

describe('the memory of the polling trigger', () => {
	it('comes back as it was', () => {
		const known = new KnownJobs(fingerprint('a'));
		const times = { newest: 1, since: 2, createdBefore: 3, lookedAt: 4 };
		const open = new Map([
			['b', {}],
			['c', { failingSince: 1_800_000_000_000, tryAt: 1_800_000_060_000 }],
		]);
		expect(opened(written({ ...times, known, open }))).toEqual({
			account: 'mine',
			...times,
			known,
			open,
		});
	});

	it('tries at once what has failed and has no time for another try', () => {
		const open = new Map([['a', { failingSince: 5 }]]);
		expect(opened(written({ open })).open.get('a')).toEqual({ failingSince: 5, tryAt: 5 });
	});

	it('has no times that nobody knows', () => {
		expect(Object.keys(written())).toEqual(['version', 'account', 'known', 'open']);
	});

	it('takes for a fresh job what it cannot make out', () => {
		const open = { a: 'x5 6', b: '5 6x', c: '', d: 7 };
		expect([...opened({ ...written(), open }).open.values()]).toEqual([{}, {}, {}, {}]);
	});

	it('holds the latest 10,000 open jobs', () => {
		const open = new Map(Array.from({ length: 10_001 }, (_, n) => [`j${n}`, {}]));
		const kept = opened(written({ open })).open;
		expect([kept.size, kept.has('j0'), kept.has('j1')]).toEqual([10_000, false, true]);
	});

	it('is absent from the static data of a new node, and unreadable where it is something else', () => {
		expect(readState({})).toEqual({ kind: 'absent' });
		expect(readState({ other: 1 })).toEqual({
			kind: 'unreadable',
			reason: 'The memory of the polling trigger has no version',
		});
	});

	it('is written only where it has changed, because n8n then saves the workflow', () => {
		const before = written({ newest: 1, open: new Map([['a', {}]]) });
		const changes: Array<[string, unknown]> = [];
		const watched = new Proxy(before, {
			set: (target, name, value: IDataObject[string]) => {
				changes.push([String(name), value]);
				target[String(name)] = value;
				return true;
			},
		});
		writeState(watched, opened(before));
		expect(changes).toEqual([]);
		writeState(watched, { ...opened(before), newest: 2 });
		expect(changes).toEqual([['newest', 2]]);
	});

	it('of version 1 starts with a fresh count of failures', () => {
		const first = { ...written(), version: 1, open: { a: 3 } };
		expect([...opened(first).open]).toEqual([['a', {}]]);
		expect(opened({ ...first, open: 'x' }).open.size).toBe(0);
	});
});
