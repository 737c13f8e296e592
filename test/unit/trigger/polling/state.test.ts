import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import {
	accountInState,
	fingerprint,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/run/stored/pollingState';
import type { CredentialFields } from '../../../../nodes/PriceCollection/service/dialect';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import type { Look } from '../../../../nodes/PriceCollection/trigger/polling/look';
import { stateFor, storedState } from '../../../../nodes/PriceCollection/trigger/polling/state';
import { dialectOf } from '../../fakeClient';
import { ended, HOUR, lookOf, MINUTE, NOW, stateOf } from './polls';

/** What the state needs of n8n. */
function contextOf(data: IDataObject) {
	const context: Partial<Record<keyof IPollFunctions, unknown>> = {
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
		getNode: () => ({ name: 'Ends', type: 'x', typeVersion: 1 }),
	};
	return context as unknown as IPollFunctions;
}

const knows = ({ known }: PollState, ...jobIds: string[]) => jobIds.filter((jobId) => known.has(jobId));

describe('the state of a trigger', () => {
	const stored = (): IDataObject => {
		const data: IDataObject = {};
		writeState(data, stateOf(['a', 'b'], { c: {} }));
		return data;
	};

	it('is absent before the first poll', () => {
		expect(storedState(contextOf({}), ['a'])).toBeUndefined();
	});

	it('is that of the poll before', () => {
		const state = storedState(contextOf(stored()), [])!;
		expect([knows(state, 'a', 'b', 'c'), [...state.open]]).toEqual([['a', 'b'], [['c', {}]]]);
	});

	it('takes ends that n8n could not store for open again', () => {
		const state = storedState(contextOf(stored()), ['b'])!;
		expect([knows(state, 'a', 'b'), [...state.open.keys()]]).toEqual([['a'], ['c', 'b']]);
		expect(state.open.get('b')).toEqual({});
	});

	it('that cannot be read stops the trigger', () => {
		expect(() => storedState(contextOf({ version: 99 }), [])).toThrow(
			expect.objectContaining({
				message: 'The memory of the polling trigger was written by a newer version of this package',
				description:
					'Update the package, or put a new trigger in place of this one, which begins with the next end.',
			}) as Error,
		);
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
		stateFor(undefined, 'mine', lookOf(seen), { emitExisting, at: NOW });

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
		stateFor(state, account, lookOf({ jobs: strange }), { emitExisting: false, at: NOW });

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
