import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { writeState, type PollState } from '../../../../nodes/PriceCollection/run/stored/pollingState';
import type { CredentialFields } from '../../../../nodes/PriceCollection/service/dialect';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { accountOf, stateFor, storedState } from '../../../../nodes/PriceCollection/trigger/polling/memory';
import { fakeClient } from '../../fakeClient';
import { ended, HOUR, MINUTE, NOW, stateOf } from './polls';

/** What the memory needs of n8n; `warned` is what its log was told. */
function contextOf(data: IDataObject = {}, credential: CredentialFields = {}) {
	const warned: string[] = [];
	const context: Partial<Record<keyof IPollFunctions, unknown>> = {
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
		getNode: () => ({ name: 'Ends', type: 'x', typeVersion: 1 }),
		getCredentials: async (type: string) => (type === 'priceCollectionApi' ? credential : {}),
		logger: { warn: (message: string) => warned.push(message) },
	};
	return { context: context as unknown as IPollFunctions, warned };
}

const knows = ({ known }: PollState, ...jobIds: string[]) => jobIds.filter((jobId) => known.has(jobId));

describe('the memory of a trigger', () => {
	const stored = (): IDataObject => {
		const data: IDataObject = {};
		writeState(data, stateOf(['a', 'b'], { c: {} }));
		return data;
	};

	it('is absent before the first poll', () => {
		expect(storedState(contextOf().context, ['a'])).toBeUndefined();
	});

	it('is that of the poll before', () => {
		const state = storedState(contextOf(stored()).context, [])!;
		expect([knows(state, 'a', 'b', 'c'), [...state.open]]).toEqual([['a', 'b'], [['c', {}]]]);
	});

	it('takes ends that n8n could not store for open again', () => {
		const state = storedState(contextOf(stored()).context, ['b'])!;
		expect([knows(state, 'a', 'b'), [...state.open.keys()]]).toEqual([['a'], ['c', 'b']]);
		expect(state.open.get('b')).toEqual({});
	});

	it('that cannot be read stops the trigger', () => {
		const { context } = contextOf({ version: 99 });
		expect(() => storedState(context, [])).toThrow(
			expect.objectContaining({
				message: 'The memory of the polling trigger was written by a newer version of this package',
				description:
					'Update the package, or put a new trigger in place of this one, which begins with the next end.',
			}) as Error,
		);
	});
});

describe('an account', () => {
	const accountFor = async (fields: CredentialFields) =>
		await accountOf(contextOf({}, fields).context, fakeClient({ fields }).client);

	it('is told apart by service, key, user and password', async () => {
		const accounts = await Promise.all(
			[
				{},
				{ baseUrl: 'https://other.example.test' },
				{ apiKey: 'ANOTHERKEY' },
				{ username: 'u' },
				{ username: 'u', password: 'pq' },
				{ username: 'up', password: 'q' },
			].map(accountFor),
		);
		expect(new Set(accounts).size).toBe(accounts.length);
	});

	it('stays the same with another webhook secret, and says nothing of the key', async () => {
		const account = await accountFor({ apiKey: 'KEYKEYKEY' });
		expect(await accountFor({ apiKey: 'KEYKEYKEY', webhookSecret: 'x' })).toBe(account);
		expect(await accountFor({ apiKey: 'KEYKEYKEY', username: '', password: '' })).toBe(account);
		expect(account).toMatch(/^[\w-]{8}$/);
	});
});

describe('a trigger that has seen nothing yet', () => {
	const running: Job = { job_id: 'r', status: 'working', created_at: ended('r', MINUTE).created_at };
	const jobs = [running, ended('b', HOUR), ended('a', 2 * HOUR)];

	it('takes all ends for old, and those that fell into its first look for news', () => {
		const state = stateFor(contextOf().context, undefined, 'mine', jobs, false);
		expect(knows(state, 'a', 'b', 'r')).toEqual(['a', 'b']);
		expect(state).toMatchObject({
			account: 'mine',
			since: NOW - HOUR + MINUTE - MINUTE,
			createdBefore: NOW - MINUTE,
			open: new Map(),
		});
	});

	it('has no time to go by where nothing is dated', () => {
		const undated = [{ job_id: 'a', status: 'finished' }];
		const state = stateFor(contextOf().context, undefined, 'mine', undated, false);
		expect([state.since, state.createdBefore]).toEqual([undefined, undefined]);
		expect('since' in state).toBe(false);
	});

	it('takes none for old where the user wants them', () => {
		const state = stateFor(contextOf().context, undefined, 'mine', jobs, true);
		expect(knows(state, 'a', 'b')).toEqual([]);
		expect([state.since, state.createdBefore]).toEqual([undefined, undefined]);
	});
});

describe('a trigger with a memory', () => {
	const before = stateOf(['old'], { open: {} }, { lookedAt: NOW - HOUR, newest: 1 });
	const strange = [ended('x', HOUR), ended('y', 2 * HOUR)];

	it('goes on with it', () => {
		expect(stateFor(contextOf().context, before, 'mine', strange, false)).toBe(before);
	});

	it.each([
		['nothing is listed', []],
		['a job is listed whose end was handled', [...strange, ended('old', HOUR)]],
		['a job is listed that was open', [ended('open', HOUR), ...strange]],
	])('goes on with it after a change of the key where %s', (_name, jobs) => {
		const { context, warned } = contextOf();
		expect(stateFor(context, before, 'new', jobs, false)).toEqual({ ...before, account: 'new' });
		expect(warned).toEqual([]);
	});

	it('takes what ended since the last look for news where no job was seen before', () => {
		expect(stateFor(contextOf().context, before, 'new', strange, false)).toEqual({
			...before,
			account: 'new',
			since: NOW - HOUR - MINUTE,
			createdBefore: NOW - HOUR,
		});
	});

	it.each<[string, PollState, Job[]]>([
		['its last look has no time', stateOf(['old']), strange],
		['an end has none', before, [...strange, ended('z', HOUR, { terminated_at: undefined })]],
	])('begins anew and says so where %s', (_name, state, jobs) => {
		const { context, warned } = contextOf();
		const begun = stateFor(context, state, 'new', jobs, false);
		expect(knows(begun, 'old', 'x', 'y')).toEqual(['x', 'y']);
		expect(begun.account).toBe('new');
		expect(warned).toEqual([
			'Ends: none of the jobs of the changed credential was seen before, and the list does not say when they ended. Those that have ended count as handled.',
		]);
	});
});
