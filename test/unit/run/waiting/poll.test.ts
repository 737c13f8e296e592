import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/endpoints';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import type { Clock } from '../../../../nodes/PriceCollection/service/clock';
import { failure, success } from '../../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../../nodes/PriceCollection/service/problems';
import { StatusBudget } from '../../../../nodes/PriceCollection/service/statusBudget';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { pollUntilEnded } from '../../../../nodes/PriceCollection/run/waiting/poll';
import type { PollSettings } from '../../../../nodes/PriceCollection/run/waiting/poll';
import * as clock from '../../../engine/virtualClock';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { now, time } = clock;
const SETTINGS: PollSettings = { intervalMs: 30 * SECOND, firstLookMs: SECOND };

/** The present of every test; looks are told in milliseconds after it. */
let start: number;
let looks: Array<{ jobId: string; at: number }>;

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
	start = now();
	looks = [];
});
afterEach(() => jest.restoreAllMocks());

type Answer = (jobId: string, at: number, count: number) => Outcome<Job>;

const running = (jobId: string): Outcome<Job> => success({ job_id: jobId, status: 'working' });
const finished = (jobId: string): Outcome<Job> => success({ job_id: jobId, status: 'finished' });
const trouble = (kind: Problem['kind'], more: Partial<Problem> = {}): Outcome<Job> =>
	failure({ kind, endpoint: ENDPOINTS.get, effect: 'none', ...more });

/** A service that gives these answers. */
function clientWith(answer: Answer): ServiceClient {
	const budget = new StatusBudget(clock);
	const getJob: ServiceClient['getJob'] = async (jobId, options) => {
		expect(options?.repeat).toBe(false);
		return await budget.send({ until: Infinity, ...options?.turn }, async () => {
			const at = now() - start;
			looks.push({ jobId, at });
			return answer(jobId, at, looks.filter((look) => look.jobId === jobId).length);
		});
	};
	return { getJob, clock, statusDelay: () => budget.delay() } as Partial<ServiceClient> as ServiceClient;
}

async function poll(answer: Answer, count = 1, deadlineMs = HOUR, more: Partial<PollSettings> = {}) {
	const jobs = Array.from({ length: count }, (_, index) => ({
		job: { job_id: `job${index}`, status: 'new' },
		deadline: start + deadlineMs,
	}));
	return await pollUntilEnded(clientWith(answer), jobs, { ...SETTINGS, ...more });
}

const times = () => looks.map(({ at }) => at / SECOND);

/** The most calls that fell into any minute. */
function busiestMinute(): number {
	return Math.max(
		...looks.map(({ at }) => looks.filter((look) => look.at >= at && look.at < at + MINUTE).length),
	);
}

describe('pollUntilEnded', () => {
	it('looks soon at first and backs off to the interval', async () => {
		await poll((jobId, at) => (at > 200 * SECOND ? finished(jobId) : running(jobId)));
		const gaps = times().map((at, index, all) => at - (all[index - 1] ?? 0));
		expect(gaps.slice(0, 4)).toEqual([1, 1.5, 2.25, 3.375]);
		expect(gaps.slice(-2)).toEqual([30, 30]);
		expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
	});

	it('never pauses longer than a short interval', async () => {
		await poll((jobId, at) => (at > 5 * SECOND ? finished(jobId) : running(jobId)), 1, HOUR, {
			intervalMs: SECOND,
		});
		expect(times()).toEqual([1, 2, 3, 4, 5, 6]);
	});

	it('shares 60 calls a minute among all jobs of a run, and leaves none out', async () => {
		const states = await poll(
			(jobId, at) => (at > 10 * MINUTE ? finished(jobId) : running(jobId)),
			100,
			HOUR,
			{ intervalMs: SECOND },
		);
		expect(busiestMinute()).toBe(60);
		expect(states.every(({ job }) => job.status === 'finished')).toBe(true);
		const first = looks.slice(0, 100).map(({ jobId }) => jobId);
		expect(new Set(first).size).toBe(100);
	});

	it('stops looking at jobs that are over, in whatever spelling', async () => {
		const states = await poll(
			(jobId) =>
				jobId === 'job0' ? success({ job_id: jobId, status: ' Canceled ' }) : finished(jobId),
			2,
		);
		expect(looks).toHaveLength(2);
		expect(states.map(({ job }) => job.job_id)).toEqual(['job0', 'job1']);
	});

	it('does not ask for jobs that are known to be over', async () => {
		const jobs = [{ job: { job_id: 'a', status: 'finished' }, deadline: start }];
		await pollUntilEnded(clientWith(running), jobs, SETTINGS);
		expect(looks).toEqual([]);
	});

	it('keeps the fields of the creation when a status says less', async () => {
		const jobs = [{ job: { job_id: 'a', status: 'new', requested: 3 }, deadline: start + HOUR }];
		const [state] = await pollUntilEnded(clientWith(finished), jobs, SETTINGS);
		expect(state?.job).toEqual({ job_id: 'a', status: 'finished', requested: 3 });
	});

	it('looks once more at the deadline, and not after it', async () => {
		const [state] = await poll(running, 1, 100 * SECOND);
		expect(times().at(-1)).toBe(100);
		expect(state).toEqual({ job: { job_id: 'job0', status: 'working' }, trouble: undefined });
	});

	it('looks once at a job whose deadline has passed', async () => {
		await poll(running, 3, -HOUR);
		expect(times()).toEqual([0, 0, 0]);
	});

	it('waits for different deadlines one by one', async () => {
		const jobs = [10, 20].map((seconds) => ({
			job: { job_id: `${seconds}`, status: 'new' },
			deadline: start + seconds * SECOND,
		}));
		await pollUntilEnded(clientWith(running), jobs, SETTINGS);
		expect(looks.filter(({ jobId }) => jobId === '10').at(-1)?.at).toBe(10 * SECOND);
		expect(looks.filter(({ jobId }) => jobId === '20').at(-1)?.at).toBe(20 * SECOND);
	});
});

describe('trouble on the way', () => {
	it('never ends the wait where it passes', async () => {
		const passing: Array<Problem['kind']> = [
			'connectionRefused',
			'connectionLost',
			'timedOut',
			'hostNotFound',
			'htmlBody',
			'truncatedBody',
			'unavailable',
			'emptyBody',
		];
		const [state] = await poll((jobId, _at, count) => {
			const kind = passing[count - 1];
			return kind === undefined ? finished(jobId) : trouble(kind);
		});
		expect(looks).toHaveLength(passing.length + 1);
		expect(state).toMatchObject({ job: { status: 'finished' } });
		expect(state?.trouble).toBeUndefined();
	});

	it.each([
		'unauthorized',
		'forbidden',
		'jobNotFound',
		'retired',
		'wrongAddress',
		'certificate',
		'addressForbidden',
		'notSent',
	] as const)('ends at once for a problem that no later look cures: %s', async (kind) => {
		const [first, second] = await poll(
			(jobId) => (jobId === 'job0' ? trouble(kind) : finished(jobId)),
			2,
		);
		expect(first?.problem?.kind).toBe(kind);
		expect(second?.job.status).toBe('finished');
		expect(looks).toHaveLength(2);
	});

	it('tells the trouble of the last look at the deadline', async () => {
		const [state] = await poll(() => trouble('unavailable'), 1, MINUTE);
		expect(state).toMatchObject({ job: { status: 'new' }, trouble: { kind: 'unavailable' } });
		expect(state?.problem).toBeUndefined();
	});

	it('lets a job that was just created be unknown for a while, and only then', async () => {
		const answer: Answer = (jobId, at) => (at < 20 * SECOND ? trouble('jobNotFound') : finished(jobId));
		const [late] = await poll(answer, 1, HOUR, { unknownForMs: 30 * SECOND });
		expect(late?.job.status).toBe('finished');
		const [never] = await poll(() => trouble('jobNotFound'), 1, HOUR, { unknownForMs: 30 * SECOND });
		expect(never?.problem?.kind).toBe('jobNotFound');
	});

	it('obeys Retry-After for all jobs of the run', async () => {
		await poll((jobId, at) => {
			if (at < 2 * SECOND) return trouble('rateLimited', { retryAfterMs: 90 * SECOND });
			return finished(jobId);
		}, 3);
		expect(times()).toEqual([1, 91, 91, 91]);
	});

	it('slows down by itself when it is refused without a time', async () => {
		await poll(() => trouble('rateLimited'), 5, 5 * MINUTE);
		expect(looks.length).toBeLessThan(60);
	});

	it('makes the last look although a real clock is a moment past the deadline by then', async () => {
		const client = clientWith((jobId, at) => (at < 10 * SECOND ? running(jobId) : finished(jobId)));
		const pause: Clock['pause'] = async (milliseconds) => await clock.pause(milliseconds + 2);
		const job = { job_id: 'job0', status: 'new' };
		const jobs = [{ job, deadline: start + 10 * SECOND }];
		const states = await pollUntilEnded({ ...client, clock: { ...clock, pause } }, jobs, SETTINGS);
		expect(states).toEqual([{ job: { job_id: 'job0', status: 'finished' } }]);
	});

	it('keeps its deadline when the service asks for more time than is left', async () => {
		const [state] = await poll(() => trouble('rateLimited', { retryAfterMs: 24 * HOUR }), 1, 10 * MINUTE);
		expect(times()).toEqual([1]);
		expect(now() - start).toBe(10 * MINUTE);
		expect(state?.trouble?.kind).toBe('rateLimited');
	});

	it('looks at least once at each of many jobs although the deadline passes meanwhile', async () => {
		await poll(running, 150, 0);
		expect(new Set(looks.map(({ jobId }) => jobId)).size).toBe(150);
		expect(busiestMinute()).toBe(60);
	});

	it('leaves a job as it was last seen where the service allows no look before its deadline', async () => {
		const onLook = jest.fn();
		const answer: Answer = (jobId) =>
			jobId === 'job0' ? running(jobId) : trouble('rateLimited', { retryAfterMs: 24 * HOUR });
		const [state] = await poll(answer, 2, 10 * MINUTE, { onLook });
		expect(times()).toEqual([1, 1]);
		expect(onLook).toHaveBeenCalledTimes(2);
		expect(state).toEqual({ job: { job_id: 'job0', status: 'working' }, trouble: undefined });
	});

	it('does not wait out a long pause for a job that it has never seen', async () => {
		const states = await poll(() => trouble('rateLimited', { retryAfterMs: HOUR }), 3, 0);
		expect(looks).toHaveLength(1);
		expect(states.map(({ job }) => job.status)).toEqual(['new', 'new', 'new']);
		expect(now() - start).toBe(0);
	});
});

describe('stopping', () => {
	it('ends at once, with the jobs as last seen', async () => {
		const controller = new AbortController();
		const stopAt = (milliseconds: number) => {
			if (milliseconds > 0 && now() - start > 3 * SECOND) controller.abort();
		};
		time.listeners.add(stopAt);
		const states = await poll(running, 2, HOUR, { signal: controller.signal });
		time.listeners.delete(stopAt);
		expect(looks.length).toBeLessThan(8);
		expect(states.map(({ job }) => job.status)).toEqual(['working', 'working']);
	});

	it('asks nothing when it was stopped before', async () => {
		await poll(running, 1, HOUR, { signal: AbortSignal.abort() });
		expect(looks).toEqual([]);
	});
});
