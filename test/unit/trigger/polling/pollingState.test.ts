import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import type { Look } from '../../../../nodes/PriceCollection/trigger/polling/look';
import {
	accountInState,
	failedAgain,
	fingerprint,
	hasFailedFor,
	isDue,
	isKnown,
	nextState,
	readState,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/trigger/polling/pollingState';
import { dialectOf } from '../../fakeClient';
import { ended, HOUR, lookOf, MINUTE, NOW, stateOf } from './polls';

const knows = (state: PollState, ...jobIds: string[]) => jobIds.filter((jobId) => isKnown(state, jobId));

/** What is stored, as n8n's database gives it back. */
const saved = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
function written(more: Partial<PollState> = {}): IDataObject {
	const data: IDataObject = {};
	writeState(data, { ...stateOf(), ...more });
	return saved(data);
}
function opened(data: IDataObject, unstored: string[] = []): PollState {
	const read = readState(data, unstored);
	if (read.kind !== 'read') throw new Error(read.kind);
	return read.value;
}

describe('the jobs that are known', () => {
	it('stand as short texts of one length in the order in which they were last added', () => {
		expect([...stateOf(['a', 'b', 'a']).known]).toEqual([fingerprint('b'), fingerprint('a')]);
		expect(written(stateOf(['b', 'a'])).known).toBe(fingerprint('b') + fingerprint('a'));
		expect(fingerprint('a')).toMatch(/^[\w-]{8}$/);
	});

	it('are the latest 20,000', () => {
		const jobs = Array.from({ length: 20_001 }, (_, n) => `j${n}`);
		expect(knows(opened(written(stateOf(jobs))), 'j0', 'j1', 'j20000')).toEqual(['j1', 'j20000']);
	});
});

describe('the memory of the polling trigger', () => {
	it('comes back as it was', () => {
		const { known } = stateOf(['a']);
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

	it('takes ends that n8n could not store for open again', () => {
		const { known } = stateOf(['a', 'b']);
		const state = opened(written({ known, open: new Map([['c', {}]]) }), ['b']);
		expect([knows(state, 'a', 'b'), [...state.open]]).toEqual([
			['a'],
			[
				['c', {}],
				['b', {}],
			],
		]);
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

describe('an account', () => {
	const accountFor = (fields: CredentialFields) => accountInState(dialectOf(fields));

	it('is told apart by service, key, user and password', () => {
		const accounts = [
			{},
			{ baseUrl: 'https://other.example.test' },
			{ apiKey: 'ANOTHERKEY' },
			{ username: 'u' },
			{ username: 'u', password: 'pq' },
			{ username: 'up', password: 'q' },
		].map(accountFor);
		expect(new Set(accounts).size).toBe(accounts.length);
	});

	it('stays the same with another webhook secret, and in states of earlier versions', () => {
		const account = accountFor({ apiKey: 'KEYKEYKEY' });
		expect(accountFor({ apiKey: 'KEYKEYKEY', webhookSecret: 'x' })).toBe(account);
		expect(account).toBe(fingerprint(['https://api.example.test', 'KEYKEYKEY', '', ''].join('\n')));
	});
});

describe('a trigger that has seen nothing yet', () => {
	const running: Job = { job_id: 'r', status: 'working', created_at: ended('r', MINUTE).created_at };
	const jobs = [running, ended('b', HOUR), ended('a', 2 * HOUR)];
	const first = (seen: Partial<Look>, emitExisting = false) =>
		nextState(undefined, 'mine', lookOf(seen), { emitExisting, at: NOW });

	it('takes all ends for old, and those that fell into its first look for news', () => {
		const state = first({ jobs });
		expect(knows(state, 'a', 'b', 'r')).toEqual(['a', 'b']);
		expect(state).toMatchObject({
			account: 'mine',
			since: NOW - HOUR + MINUTE - MINUTE,
			createdBefore: NOW - MINUTE,
			open: new Map(),
		});
	});

	it('has no time to go by where nothing is dated', () => {
		const state = first({ jobs: [{ job_id: 'a', status: 'finished' }] });
		expect([state.since, state.createdBefore]).toEqual([undefined, undefined]);
		expect('since' in state).toBe(false);
	});

	it('goes by the clock where the list does not show which jobs have ended', () => {
		expect(first({ jobs: [running], isUnclear: true }).since).toBe(NOW - MINUTE);
	});

	it('takes none for old where the user wants them', () => {
		const state = first({ jobs }, true);
		expect(knows(state, 'a', 'b')).toEqual([]);
		expect([state.since, state.createdBefore]).toEqual([undefined, undefined]);
	});
});

describe('a trigger with a state', () => {
	const before = stateOf(['old'], { open: {} }, { lookedAt: NOW - HOUR, newest: 1 });
	const strange = [ended('x', HOUR), ended('y', 2 * HOUR)];
	const next = (state: PollState, account: string) =>
		nextState(state, account, lookOf({ jobs: strange }), { emitExisting: false, at: NOW });

	it('goes on with it', () => {
		expect(next(before, 'mine')).toBe(before);
	});

	it('takes what ended since the last look for news after a change of the key, and forgets nothing', () => {
		const thresholds = { since: NOW - HOUR - MINUTE, createdBefore: NOW - HOUR };
		expect(next(before, 'new')).toEqual({ ...before, account: 'new', ...thresholds });
	});

	it('goes by the present where its last look has no time', () => {
		expect(next(stateOf(['old']), 'new').since).toBe(NOW - MINUTE);
	});
});
