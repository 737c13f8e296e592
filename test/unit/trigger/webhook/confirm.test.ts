import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import {
	failure,
	type Outcome,
	type ProblemKind,
	success,
} from '../../../../nodes/PriceCollection/service/problems';
import { ANSWERS } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { Confirmations } from '../../../../nodes/PriceCollection/trigger/webhook/confirm';
import { dialectOf } from '../../fakeClient';

const problem = (kind: ProblemKind, retryAfterMs?: number): Outcome<Job> =>
	failure({ kind, endpoint: ENDPOINTS.get, effect: 'none', retryAfterMs });
const job = (status: string, job_id = 'a'): Outcome<Job> => success({ job_id, status });

/** A service that gives these replies one after the other, the last one for ever, and a clock that only waits move. */
function world(replies: Array<Outcome<Job>>, pages: Job[][] = []) {
	const state = { time: 0, lists: 0 };
	const waits: number[] = [];
	const asked: Array<{ jobId: string; options: unknown }> = [];
	const clock = {
		now: () => state.time,
		random: () => 1,
		pause: async (ms: number) => {
			waits.push(ms);
			state.time += ms;
		},
	};
	const client = {
		connection: dialectOf(),
		clock,
		async getJob(jobId: string, options: unknown) {
			asked.push({ jobId, options });
			return replies[Math.min(asked.length, replies.length) - 1];
		},
		async listJobs({ page }: { page: number }) {
			state.lists++;
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
		expect(await confirm()).toEqual({
			job: { job_id: 'a', status: 'finished' },
			answer: ANSWERS.accepted,
		});
		const turn = { until: 500, share: 0.5 };
		expect(asked).toEqual([{ jobId: 'a', options: { timeoutMs: 15_000, repeat: false, turn } }]);
	});

	const unknown = (['jobNotFound', 'forbidden', 'invalidValue', 'refused'] as const).map((kind): Case => [
		`may only become known later, after ${kind}`,
		[problem(kind), problem(kind), job('finished')],
		'accepted',
		3,
	]);
	type Case = [string, Array<Outcome<Job>>, keyof typeof ANSWERS, number];
	it.each<Case>([
		['is about to end', [job('finishing'), job('finishing'), job('finished')], 'accepted', 3],
		['is cancelled, in any spelling', [job('Canceled')], 'accepted', 1],
		['runs on', [job('working')], 'running', 3],
		[
			'runs, and there is no turn for a further look',
			[job('working'), problem('rateLimited')],
			'running',
			2,
		],
		[
			'meets problems that pass',
			[problem('unavailable'), problem('connectionLost'), job('finished')],
			'accepted',
			3,
		],
		...unknown,
		['stays unknown', [problem('jobNotFound')], 'unknownJob', 3],
		['is answered for with another job', [job('finished', 'A')], 'unknownJob', 3],
		['is hidden by a wrong key', [problem('unauthorized')], 'unconfirmed', 1],
		['is hidden by a retired address', [problem('retired')], 'unconfirmed', 1],
		['is hidden by an odd body', [problem('unexpectedBody')], 'unconfirmed', 1],
	])('of a job that %s', async (_name, replies, answer, looks) => {
		const { confirm, waits, asked, state } = world(replies);
		const confirmed = await confirm();
		expect(confirmed.answer).toBe(ANSWERS[answer]);
		expect(confirmed.job !== undefined).toBe(answer === 'accepted');
		expect(confirmed.problem !== undefined).toBe(answer === 'unconfirmed');
		expect(waits).toEqual([0, 1_000, 3_000].slice(0, looks));
		expect(asked.slice(1).every(({ options }) => JSON.stringify(options).includes('"share":0.25'))).toBe(
			true,
		);
		expect(state.lists).toBe(0);
	});
});

describe('many calls while status calls are short', () => {
	const page = (from: number, count: number): Job[] =>
		Array.from({ length: count }, (_, n) => ({ job_id: `j${from + n}`, status: 'finished' }));

	it('are confirmed by one list, page by page', async () => {
		const pages = Array.from({ length: 50 }, (_, n) => page(n * 100, 100));
		const { confirm, state } = world([problem('rateLimited', 30_000)], pages);
		const all = await Promise.all(Array.from({ length: 5_000 }, async (_, n) => await confirm(`j${n}`)));
		expect(all.filter(({ job }) => job !== undefined)).toHaveLength(5_000);
		expect(state.lists).toBeLessThanOrEqual(100);
	});

	it('confirm no job by a list that does not show its end', async () => {
		const listed = [
			{ job_id: 'r', status: 'working' },
			{ job_id: 'n', status: '' },
		];
		const { confirm } = world([problem('rateLimited')], [listed]);
		for (const jobId of ['r', 'n', 'x']) {
			expect(await confirm(jobId)).toMatchObject({ answer: ANSWERS.unconfirmed });
		}
	});

	it('are confirmed later too by what the list has shown', async () => {
		const { confirm, state } = world([problem('rateLimited')], [page(0, 100)]);
		for (let n = 0; n < 100; n++) expect(await confirm(`j${n}`)).toHaveProperty('job');
		expect(state.lists).toBe(1);
	});

	it('read never more than 120 pages a minute for made-up jobs', async () => {
		const pages = Array.from({ length: 200 }, (_, n) => page(n * 100, 100));
		const { confirm, state } = world([problem('rateLimited')], pages);
		for (let n = 0; n < 1_000; n++) await confirm(`made-up-${n}`);
		expect(state.lists).toBeLessThanOrEqual(120);
	});
});
