import type { ServiceClient } from '../../../../nodes/PriceCollection/service/api/client';
import { failure, success } from '../../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem, ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import { endOf } from '../../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import { Confirmations } from '../../../../nodes/PriceCollection/triggers/webhook/confirm';
import { dialectOf } from '../../fakeClient';

const problem = (kind: ProblemKind, more: Partial<Problem> = {}): Outcome<Job> =>
	failure({ kind, endpoint: ENDPOINTS.get, effect: 'none', ...more });
const refused = (kind: ProblemKind) => problem(kind, { reason: 'no' });
const job = (status: string, job_id = 'a'): Outcome<Job> => success({ job_id, status });

/** A service that gives these replies in order, repeating the last one, and a clock that only waits move. */
function world(replies: Array<Outcome<Job>>, pages: Array<Job[] | undefined> = []) {
	const state = { time: 0, lists: 0 };
	const waits: number[] = [];
	const asked: Array<{ jobId: string; options: unknown }> = [];
	const clock = {
		now: () => state.time,
		elapsed: () => state.time,
		random: () => 1,
		pause: async (ms: number) => {
			waits.push(ms);
			state.time += ms;
		},
	};
	const client = {
		connection: dialectOf(),
		endOf: (status: unknown) => endOf(status, dialectOf()),
		clock,
		async getJob(jobId: string, options: unknown) {
			asked.push({ jobId, options });
			return replies[Math.min(asked.length, replies.length) - 1];
		},
		// Pages count from 1.
		async listJobs({ page = 1 }: { page?: number }) {
			state.lists++;
			if (page <= pages.length && pages[page - 1] === undefined) return problem('htmlBody');
			return success({ jobs: pages[page - 1] ?? [] });
		},
	} as unknown as ServiceClient;
	const confirmations = new Confirmations();
	const confirm = async (jobId = 'a') => await confirmations.confirm(client, jobId);
	return { waits, asked, confirm, state };
}

describe('confirming the end of a job', () => {
	it('takes one status call, for which half of all calls are enough', async () => {
		const { confirm, asked } = world([job('finished')]);
		expect(await confirm()).toEqual(job('finished'));
		const turn = { until: 500, share: 0.5 };
		expect(asked).toEqual([{ jobId: 'a', options: { timeoutMs: 15_000, repeat: false, turn } }]);
	});

	type Case = [string, Array<Outcome<Job>>, 'ended' | 'not ended' | 'problem', number];
	it.each<Case>([
		['is about to end', [job('finishing'), job('finishing'), job('finished')], 'ended', 3],
		['is cancelled, in any spelling', [job('Canceled')], 'ended', 1],
		['runs on', [job('working')], 'not ended', 3],
		['runs, without a turn for a further look', [job('working'), problem('rateLimited')], 'not ended', 2],
		['is in no table of words', [job('archived')], 'not ended', 3],
		['is known after unavailable', [problem('unavailable'), job('finished')], 'ended', 2],
		...(['nothingThere', 'jobNotFound', 'forbidden', 'invalidValue', 'refused'] as const).map(
			(kind): Case => {
				const replies = [refused(kind), refused(kind), job('finished')];
				return [`is known after ${kind}`, replies, 'ended', 3];
			},
		),
		['stays unknown', [refused('jobNotFound')], 'not ended', 3],
		['is hidden by a page', [problem('nothingThere')], 'problem', 1],
		['is answered for with another job', [job('finished', 'A')], 'not ended', 3],
		['is hidden by a wrong key', [refused('unauthorized')], 'problem', 1],
		['is hidden by something else', [problem('unexpectedBody')], 'problem', 1],
	])('of a job that %s', async (_name, replies, outcome, looks) => {
		const { confirm, waits, asked, state } = world(replies);
		const confirmed = await confirm();
		const status = confirmed.ok ? confirmed.value?.status : undefined;
		const ended = endOf(status, dialectOf()) === undefined ? 'not ended' : 'ended';
		expect(confirmed.ok ? ended : 'problem').toBe(outcome);
		expect(waits).toEqual([0, 1_000, 3_000].slice(0, looks));
		const shares = asked.map(({ options }) => (options as { turn: { share: number } }).turn.share);
		expect(shares).toEqual([0.5, 0.25, 0.25].slice(0, looks));
		expect(state.lists).toBe(0);
	});
});

describe('many calls while status calls are short', () => {
	const page = (from: number, count: number): Job[] =>
		Array.from({ length: count }, (_, n) => ({ job_id: `j${from + n}`, status: 'finished' }));

	it('are confirmed by one list, page by page', async () => {
		const pages = Array.from({ length: 50 }, (_, n) => page(n * 100, 100));
		const { confirm, state } = world([problem('rateLimited', { retryAfterMs: 30_000 })], pages);
		const all = await Promise.all(Array.from({ length: 5_000 }, async (_, n) => await confirm(`j${n}`)));
		expect(all.filter(({ ok }) => ok)).toHaveLength(5_000);
		expect(state.lists).toBeLessThanOrEqual(100);
	});

	it('confirm no job by a list that does not show its end', async () => {
		const listed = ['working', ''].map((status) => ({ job_id: `r${status}`, status }));
		const { confirm } = world([problem('rateLimited')], [listed]);
		for (const jobId of ['rworking', 'r', 'x'])
			expect(await confirm(jobId)).toEqual(problem('rateLimited'));
	});

	it('are confirmed by what came of a list of which a page could not be read', async () => {
		const { confirm } = world([problem('rateLimited')], [page(0, 1), undefined, page(1, 1)]);
		expect(await confirm('j1')).toEqual(problem('rateLimited'));
		expect(await confirm('j0')).toEqual(job('finished', 'j0'));
	});

	it('are confirmed later too by what the list has shown, but for 120 pages a minute at the most', async () => {
		const pages = Array.from({ length: 200 }, (_, n) => page(n * 100, 100));
		const { confirm, state } = world([problem('rateLimited')], pages);
		for (let n = 0; n < 100; n++) expect(await confirm(`j${n}`)).toHaveProperty('value');
		expect(state.lists).toBe(1);
		for (let n = 0; n < 1_000; n++) await confirm(`made-up-${n}`);
		expect(state.lists).toBe(120);
		state.time += 61_000;
		await confirm('made-up');
		expect(state.lists).toBeGreaterThan(120);
	});
});
