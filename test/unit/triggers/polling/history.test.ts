import fc from 'fast-check';

import { runs, someOf } from '../../../support/runs';
import { Account, type ListStyle, USUAL_LIST } from './account';
import { HOUR, MINUTE, settingsOf } from './polls';

const style: fc.Arbitrary<ListStyle> = fc
	.record({
		order: fc.constantFrom('newest', 'newest', 'oldest', 'shuffled'),
		paging: fc.constantFrom('numbers', 'numbers', 'offset', 'cursor', 'ignored', 'repeatLast'),
		perPage: fc.integer({ min: 1, max: 9 }),
		pageMs: fc.constantFrom(0, 1_000, 30_000, 100_000),
		shows: fc.constantFrom(
			{ status: true, times: true },
			{ status: true, times: true },
			{ status: true, times: false },
			{ status: false, times: true },
		),
		says: fc.boolean(),
		aheadMs: fc.constantFrom(0, 0, 0, 2 * HOUR, -2 * HOUR, undefined),
	})
	// Without the status, only dates by the service's clock show which jobs are old.
	.map((list) => (list.shows.status ? list : { ...list, aheadMs: 0 }));

const share = fc.integer({ min: 0, max: 100 });
const burst = fc.record({
	kind: fc.constant('create'),
	many: fc.integer({ min: 1, max: 25 }),
	apart: fc.constantFrom(0, 1_000, MINUTE),
});
const ending = fc.record({ kind: fc.constant('end'), share, turn: fc.integer({ min: 0, max: 6 }) });
const happening = fc.oneof(burst, ending);
const step = fc.oneof(
	{ weight: 3, arbitrary: burst },
	{ weight: 4, arbitrary: ending },
	{ weight: 6, arbitrary: fc.record({ kind: fc.constant('poll') }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('wait'),
			time: fc.constantFrom(MINUTE, 11 * MINUTE, 3 * HOUR),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), many: fc.integer({ min: 1, max: 3 }) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('lose') }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), share }) },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('meanwhile'),
			pages: fc.integer({ min: 0, max: 3 }),
			happening,
		}),
	},
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays one step. To end jobs, it takes a share of the running ones, starting at one of them. */
async function play(account: Account, one: Step, endsBefore: Set<string>): Promise<void> {
	if (one.kind === 'create') account.create(one.many, one.apart);
	else if (one.kind === 'end') {
		const running = account.running();
		const first = Math.floor((running.length * one.turn) / 7);
		const turned = [...running.slice(first), ...running.slice(0, first)];
		account.end(turned.slice(0, Math.ceil((running.length * one.share) / 100)));
	} else if (one.kind === 'poll') await account.poll();
	else if (one.kind === 'wait') account.now += one.time;
	else if (one.kind === 'fail') account.failures = one.many;
	else if (one.kind === 'lose') account.loseExecution();
	else if (one.kind === 'remove') {
		// Only a job that is old or whose end was output goes away.
		const done = [...new Set([...endsBefore, ...account.output])];
		account.remove(done[Math.floor((done.length * one.share) / 101)] ?? '');
	} else if (one.kind === 'meanwhile') {
		for (let page = 0; page < one.pages; page++) account.meanwhile.push(() => undefined);
		account.meanwhile.push(() => void play(account, one.happening, endsBefore));
	}
}

it('gives each end once, in order, in whatever happens', async () => {
	const history = fc.record({
		style,
		before: fc.array(happening, { maxLength: 4 }),
		steps: fc.array(step, { minLength: 1, maxLength: 25 }),
		cursorsExpire: fc.boolean(),
		downloadMs: fc.constantFrom(0, 0, 1_000, 40_000),
	});
	const property = fc.asyncProperty(
		history,
		async ({ style: list, before, steps, cursorsExpire, downloadMs }) => {
			const settings =
				downloadMs > 0 ? settingsOf({ output: 'results' }, { columns: 'all' }) : settingsOf();
			// A list that is too slow for one poll cannot be read if its cursors expire with the poll.
			const pageMs = cursorsExpire ? 0 : list.pageMs;
			const account = new Account({ ...list, pageMs }, settings);
			account.cursorsExpire = cursorsExpire;
			account.downloadMs = downloadMs;
			for (const one of before) await play(account, one, new Set());
			account.now += MINUTE;
			const old = new Set(
				account.jobs.filter(({ endedAt }) => endedAt !== undefined).map(({ job_id }) => job_id),
			);
			// During the first reading, only dates by the service's clock show what ended before.
			if (list.aheadMs !== 0 || !list.shows.times) account.style.pageMs = 0;
			await account.poll();
			account.style.pageMs = pageMs;
			account.now += 1_000;
			const ends = new Map<string, number>();
			const note = () => {
				for (const { job_id, endedAt } of account.jobs)
					if (endedAt !== undefined) ends.set(job_id, endedAt);
			};
			for (const one of steps) {
				await play(account, one, old);
				note();
				account.now += 1_000;
			}
			account.failures = 0;
			account.meanwhile.splice(0);
			account.now += MINUTE;
			await account.settle();
			account.end(account.running());
			note();
			await account.settle();
			const expected = [...ends.keys()].filter((jobId) => !old.has(jobId));
			expect([...account.output].sort()).toEqual(expected.sort());
			// If a page of jobs arrives exactly between two pages, the list seems to end; the next readings find the
			// rest.
			const arrives = steps.some((one) => one.kind === 'meanwhile' && one.happening.kind === 'create');
			if (!arrives && list.shows.times && list.shows.status && list.aheadMs === 0) {
				const times = account.output.map((jobId) => ends.get(jobId));
				expect(times).toEqual([...times].sort((a = 0, b = 0) => a - b));
			}
		},
	);
	await fc.assert(property, { numRuns: runs(1_000) });
});

describe('any number of ends', () => {
	const LISTS: Array<[string, number, number, ListStyle]> = [
		['15,000 between two polls', 15_000, 0, USUAL_LIST],
		['15,000 of a list that takes a minute for 5,000', 15_000, 1_200, USUAL_LIST],
		['2,000 of a list of which a page takes longer than a poll', 2_000, 200_000, USUAL_LIST],
		['40,000 whose list takes several polls', 40_000, 1_000, { ...USUAL_LIST, perPage: 1_000 }],
		['2,000 of a list with slow pages', 2_000, 40_000, USUAL_LIST],
		['15,000 of a list that begins with the oldest', 15_000, 700, { ...USUAL_LIST, order: 'oldest' }],
	];
	it.each(someOf(LISTS, 2))('%s', async (_name, many, pageMs, list) => {
		const account = new Account({ ...list, pageMs });
		account.end(account.create(300));
		await account.poll();
		account.now += HOUR;
		const created = account.create(many);
		account.end(created.slice().reverse(), 100);
		await account.settle();
		expect([account.output.length, account.output.join() === created.reverse().join()]).toEqual([
			many,
			true,
		]);
		expect(account.stored?.length).toBeLessThan(4_000_000);
	});
});
