import { without, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import { CHECK_POLICIES } from '../../../nodes/PriceCollection/waiting/check';
import { checkJobs } from '../../../nodes/PriceCollection/waiting/checkJobs';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/api/client';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import { failure, success, type Outcome } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';
import { endsAt, finished, HOUR, MINUTE, records, SECOND, START, working, type Answer } from './watchedJobs';

const POLL = CHECK_POLICIES.poll(30 * SECOND);
const ONCE = CHECK_POLICIES.once;

describe('the states of many jobs', () => {
	const many = () => records(12, HOUR, HOUR);
	type Told = Record<string, string>;
	const entries = (told: Told) =>
		success(Object.entries(told).map(([job_id, status]) => ({ job_id, status })));
	const all = (status: string, count = 12): Told =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`job${index}`, status]));
	/**
	 * The requests to a service whose list and jobs answer like this. `delay`: milliseconds until a status call is
	 * allowed.
	 */
	async function asked(
		jobs: JobRecord[],
		list: (reading: number) => ReturnType<typeof entries> | Outcome<Job[]>,
		answer: Answer,
		{ policy = POLL, delay = 0 } = {},
	) {
		let now = START;
		let readings = 0;
		const log: string[] = [];
		const at = () => (now - START) / SECOND;
		const fake = fakeClient({
			now: () => now,
			pause: async (pause) => void (now += pause),
			list: () => {
				log.push(`${at()} list`);
				return list(++readings);
			},
		}).client;
		const client: ServiceClient = {
			...fake,
			statusDelay: () => delay,
			getJob: async (jobId) => {
				log.push(`${at()} ${jobId}`);
				return await Promise.resolve(answer(jobId, now - START, 0));
			},
		};
		const context = { getExecutionCancelSignal: () => undefined };
		await checkJobs({ context, client, choices: { first: {} }, records: jobs } as unknown as Run, policy);
		return log;
	}
	const over = all('finished');
	/** Readings of a list that lacks some of the jobs: it is also requested by page number, and repeats itself. */
	const PAGES = ['0 list', '0 list', '0 list'];

	test('are those of the job list, where the download must confirm an end', async () => {
		const jobs = many();
		expect(await asked(jobs, () => entries(over), working)).toEqual(['0 list']);
		expect(jobs.map(({ end, isEndListed }) => [end, isEndListed])).toEqual(
			many().map(() => ['results', true]),
		);
	});

	test('are asked one by one up to ten', async () => {
		const few = await asked(records(10, HOUR, HOUR), () => entries(over), finished);
		expect(few).toEqual(
			records(10, HOUR)
				.map(({ job }) => `0 ${job.job_id}`)
				.reverse(),
		);
	});

	test('are asked of each job that the list does not show', async () => {
		const shown = without(over, 'job3');
		expect(await asked(many(), () => entries(shown), finished)).toEqual([...PAGES, '0 job3']);
		const stateless = () => entries({ ...over, job3: '' });
		expect(await asked(many(), stateless, finished)).toEqual(['0 list', '0 job3']);
	});

	const REFUSED = failure({ kind: 'forbidden', endpoint: ENDPOINTS.list, effect: 'none' });
	test.each<[string, Outcome<Job[]>]>([
		['cannot be read', REFUSED],
		['shows none of them', entries({ other: 'finished' })],
		['is empty', entries({})],
	])('are asked of each job where the list %s', async (_name, list) => {
		const log = await asked(many(), () => list, finished);
		expect([log[0], new Set(log).size]).toEqual(['0 list', 13]);
		expect(log.filter((line) => !line.endsWith('list'))).toHaveLength(12);
	});

	test('are asked of each job once one says an end itself that a later reading does not know', async () => {
		const jobs = many();
		const log = await asked(jobs, () => entries(all('working')), finished);
		// job11 is asked directly and is over, but the next reading still says that it runs.
		expect(log.slice(0, 3)).toEqual(['0 list', '0 job11', '1 list']);
		expect(log.slice(3)).toEqual(
			many()
				.slice(0, 11)
				.map(({ job }) => `1.5 ${job.job_id}`)
				.reverse(),
		);
		expect(jobs.every(({ isEndListed }) => isEndListed === undefined)).toBe(true);
	});

	test('are not asked beside the list where the calls of the minute are used up', async () => {
		const list = (reading: number) => entries(reading < 3 ? all('working') : over);
		expect(await asked(many(), list, working, { delay: 30_000 })).toEqual([
			'0 list',
			'1 list',
			'2.5 list',
		]);
	});

	test('are read once in a round of a suspended wait', async () => {
		expect(await asked(many(), () => entries(all('working')), working, { policy: ONCE })).toEqual([
			'0 list',
		]);
	});

	test('are read once more at the deadline', async () => {
		const list = (reading: number) => entries(reading === 1 ? all('working') : over);
		const jobs = records(12, 400, HOUR);
		expect(await asked(jobs, list, working)).toEqual(['0 list', '0 job11', '0.4 list']);
		expect(jobs.every(({ end }) => end === 'results')).toBe(true);
	});

	test('are asked of each job where the list takes more pages than it shows of them', async () => {
		let page = 0;
		const one = () => entries({ [`job${page++}`]: 'working', [`other${page}`]: 'working' });
		const log = await asked(
			many().slice(0, 11),
			() => (page < 5 ? one() : entries({ x: 'new' })),
			finished,
		);
		expect(new Set(log.filter((line) => !line.endsWith('list'))).size).toBe(11);
		expect(log.filter((line) => line.endsWith('list')).length).toBeLessThan(9);
	});

	test('are read as rarely as their pages need', async () => {
		const jobs = records(1_000, HOUR, HOUR);
		const page = (reading: number) => {
			const place = ((reading - 1) % 10) * 100;
			const of = Array.from({ length: 100 }, (_, index) => `job${place + index}`);
			return entries(Object.fromEntries(of.map((id) => [id, reading > 30 ? 'finished' : 'working'])));
		};
		const log = await asked(jobs, page, working);
		const readings = log
			.filter((line) => line.endsWith('list'))
			.map((line) => Number(line.split(' ')[0]));
		expect([...new Set(readings)]).toEqual([0, 5, 12.5, 23.75]);
		expect(readings).toHaveLength(40);
	});
});

describe('a run of looks', () => {
	/** Looks at the jobs of a service with these answers. n8n stops the execution at the look with this number. */
	async function looked(jobs: JobRecord[], answer: Answer, stopAt = Infinity) {
		let now = START;
		const stop = new AbortController();
		const asked: unknown[] = [];
		const fake = fakeClient({ now: () => now, pause: async (pause) => void (now += pause) }).client;
		const client: ServiceClient = {
			...fake,
			getJob: async (jobId, options) => {
				asked.push([jobId, now - START, options]);
				if (asked.length === stopAt) stop.abort();
				return await Promise.resolve(answer(jobId, now - START, asked.length));
			},
		};
		const context = { getExecutionCancelSignal: () => stop.signal };
		const [choices, wait] = [{ first: { timeoutMs: 7_000 } }, { latest: START + HOUR + MINUTE }];
		await checkJobs(
			{ context, client, choices, records: jobs, wait } as unknown as Run,
			CHECK_POLICIES.poll(SECOND),
		);
		return asked;
	}

	test('asks without repeats, in the time of a request and of the execution, until all have ended', async () => {
		const [job] = records(1, HOUR) as [JobRecord];
		const options = { repeat: false, timeoutMs: 7_000 };
		expect(await looked([job], endsAt(1_500))).toEqual([
			['job0', 1_000, { ...options, turn: { until: START + HOUR + MINUTE } }],
			['job0', 2_000, { ...options, turn: { until: START + HOUR + MINUTE } }],
		]);
		expect(job.end).toBe('results');
	});

	test('ends when n8n stops the execution', async () => {
		expect(await looked(records(3, HOUR, HOUR), working, 2)).toHaveLength(2);
	});
});
