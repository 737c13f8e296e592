import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import { failure, success } from '../../../../nodes/PriceCollection/service/problems';
import type { Outcome, ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { confirmEnd } from '../../../../nodes/PriceCollection/trigger/webhook/confirm';

const problem = (kind: ProblemKind, retryAfterMs?: number): Outcome<Job> =>
	failure({ kind, endpoint: 'GET /v2/jobs/{job_id}', effect: 'none', retryAfterMs });
const job = (status: string, job_id = 'a'): Outcome<Job> => success({ job_id, status });

/** A service that gives these replies one after the other, the last one for ever, and a clock that only waits move. */
function world(...replies: Array<Outcome<Job>>) {
	let time = 0;
	const waits: number[] = [];
	const asked: unknown[] = [];
	const client = {
		async getJob(jobId: string, options: unknown) {
			asked.push({ jobId, options });
			return replies[Math.min(asked.length, replies.length) - 1];
		},
	} as Pick<ServiceClient, 'getJob'> as ServiceClient;
	const clock = {
		now: () => time,
		random: () => 1,
		pause: async (ms: number) => {
			waits.push(ms);
			time += ms;
		},
	};
	return { waits, asked, confirm: async () => await confirmEnd(client, 'a', clock) };
}

describe('confirming the end of a job', () => {
	it('takes one status call', async () => {
		const { confirm, asked } = world(job('finished'));
		expect(await confirm()).toEqual({
			kind: 'ended',
			end: 'finished',
			job: { job_id: 'a', status: 'finished' },
		});
		expect(asked).toEqual([{ jobId: 'a', options: { timeoutMs: 15_000, repeat: false } }]);
	});

	it('knows every spelling of cancelled', async () => {
		expect(await world(job('Canceled')).confirm()).toMatchObject({ kind: 'ended', end: 'cancelled' });
	});

	it('waits a moment for a job that is about to end', async () => {
		const { confirm, waits } = world(job('finishing'), job('finishing'), job('finished'));
		expect(await confirm()).toMatchObject({ kind: 'ended' });
		expect(waits).toEqual([1_000, 3_000]);
	});

	it('does not wait for ever', async () => {
		const { confirm, asked } = world(job('working'));
		expect(await confirm()).toEqual({ kind: 'running' });
		expect(asked).toHaveLength(3);
	});

	it.each<[ProblemKind]>([['jobNotFound'], ['forbidden'], ['invalidValue'], ['refused']])(
		'takes %s for an unknown job, at once',
		async (kind) => {
			const { confirm, asked } = world(problem(kind));
			expect(await confirm()).toEqual({ kind: 'unknown' });
			expect(asked).toHaveLength(1);
		},
	);

	it('takes the answer about another job for an unknown one', async () => {
		expect(await world(job('finished', 'A')).confirm()).toEqual({ kind: 'unknown' });
	});

	it('asks again after a problem that passes', async () => {
		const { confirm, waits } = world(problem('unavailable'), problem('connectionLost'), job('finished'));
		expect(await confirm()).toMatchObject({ kind: 'ended' });
		expect(waits).toEqual([500, 1_000]);
	});

	it.each<[ProblemKind]>([['unauthorized'], ['retired'], ['unexpectedBody']])(
		'does not repeat after %s, which says nothing about the job',
		async (kind) => {
			const { confirm, asked } = world(problem(kind));
			expect(await confirm()).toMatchObject({ kind: 'unavailable', problem: { kind } });
			expect(asked).toHaveLength(1);
		},
	);

	it('obeys Retry-After within the patience of a caller', async () => {
		const { confirm, waits } = world(problem('rateLimited', 5_000), job('finished'));
		expect(await confirm()).toMatchObject({ kind: 'ended' });
		expect(waits).toEqual([5_000]);
	});

	it('gives up where the service asks for more patience than a caller has', async () => {
		const { confirm, waits } = world(problem('rateLimited', 60_000));
		expect(await confirm()).toMatchObject({ kind: 'unavailable' });
		expect(waits).toEqual([]);
	});
});
