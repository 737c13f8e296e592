import fc from 'fast-check';

import { newRecord, without, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import {
	afterCheck,
	afterReading,
	beginWait,
	checkJobs,
	CHECK_POLICIES,
	nextStep,
} from '../../../nodes/PriceCollection/waiting/check';
import type { CheckPolicy } from '../../../nodes/PriceCollection/waiting/check';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/api/client';
import { isOver } from '../../../nodes/PriceCollection/service/meaning/jobState';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../nodes/PriceCollection/service/problems';
import { runs } from '../../runs';
import { fakeClient } from '../fakeClient';

const { endOf } = fakeClient({}).client;

const START = 1_800_000_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const POLL = CHECK_POLICIES.poll(30 * SECOND);
const ONCE = CHECK_POLICIES.once;

/** What the service says of a job so long after the start, at the look of this number. */
type Answer = (jobId: string, at: number, count: number) => Outcome<Job>;

const working: Answer = (job_id) => success({ job_id, status: 'working' });
const finished: Answer = (job_id) => success({ job_id, status: 'finished' });
const endsAt =
	(end: number): Answer =>
	(jobId, at) =>
		at < end ? working(jobId, at, 0) : finished(jobId, at, 0);
const trouble =
	(kind: Problem['kind'], more: Partial<Problem> = {}): Answer =>
	() =>
		failure({ kind, endpoint: ENDPOINTS.get, effect: 'none', ...more });
const unknown = trouble('jobNotFound', { reason: 'not found', about: 'job' });

/** A job that was created now, or so long ago, and is waited for until so long after the start. */
function record(jobId: string, deadlineMs: number, ageMs = 0): JobRecord {
	const creation = { sentAt: START - ageMs, executionId: '7' };
	return { ...newRecord(jobId, [{ item: 0 }]), creation, deadline: START + deadlineMs };
}
const records = (count: number, deadlineMs: number, ageMs = 0) =>
	Array.from({ length: count }, (_, index) => record(`job${index}`, deadlineMs, ageMs));

const none = () => 0;

interface Course {
	turnGap?: () => number;
	lasts?: () => number;
	/** When the time of the execution ends, so long after the start. */
	latest?: number;
}

/** Plays a wait under a clock of its own. Looks and ends are told in milliseconds after the start. */
function play(
	jobs: JobRecord[],
	policy: CheckPolicy,
	answer: Answer,
	{ turnGap = none, lasts = none, latest }: Course = {},
) {
	let now = START;
	let turnAt = START;
	const looks: Array<{ jobId: string; at: number; until: number; wasSettled: boolean }> = [];
	const moment = () => ({ now, elapsed: now - START });
	const wait = beginWait(jobs, policy, moment(), latest === undefined ? latest : START + latest);
	for (let steps = 0; steps < 20_000; steps++) {
		const step = nextStep(wait, moment(), Math.max(0, turnAt - now));
		if (step.kind === 'done') return { looks, end: now - START, times: looks.map(({ at }) => at) };
		if (step.kind === 'sleep') {
			expect(step.milliseconds).toBeGreaterThan(0);
			now += step.milliseconds;
			continue;
		}
		if (step.kind === 'list') {
			afterReading(wait, step.open, undefined, moment(), endOf);
			continue;
		}
		now = Math.max(now, turnAt);
		const { record: job } = step.watch;
		const { job_id: jobId } = job.job;
		looks.push({ jobId, at: now - START, until: step.until - START, wasSettled: isOver(job) });
		const count = looks.filter((look) => look.jobId === jobId).length;
		const said = answer(jobId, now - START, count);
		turnAt = now + Math.max(turnGap(), (!said.ok && said.problem.retryAfterMs) || 0);
		now += lasts();
		afterCheck(wait, step.watch, said, moment(), endOf);
	}
	throw new Error('It never ends');
}

describe('looks at a job', () => {
	test('come soon at first and back off to the interval', () => {
		const { times } = play(records(1, HOUR), POLL, endsAt(200 * SECOND));
		const gaps = times.map((at, index) => at - (times[index - 1] ?? 0));
		expect(gaps.slice(0, 4)).toEqual([1_000, 1_500, 2_250, 3_375]);
		expect(gaps.slice(-2)).toEqual([30_000, 30_000]);
		expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
	});

	test('never pause longer than a short interval, and come at once for an older job', () => {
		const { times } = play(records(1, HOUR, 500), { ...POLL, intervalMs: SECOND }, endsAt(3_400));
		expect(times).toEqual([500, 1_500, 2_500, 3_500]);
		expect(play(records(1, HOUR, HOUR), POLL, finished).times).toEqual([0]);
	});

	test('come once more at the deadline, not after it, and for each job at its own', () => {
		const { looks, end } = play([record('a', 10_000), record('b', 20_000)], POLL, working);
		const last = (jobId: string) => looks.filter((look) => look.jobId === jobId).at(-1)?.at;
		expect([last('a'), last('b'), end]).toEqual([10_000, 20_000, 20_000]);
	});

	test('are made a moment after the deadline, too, and once where it has passed', () => {
		const late = play(records(1, 1_500, HOUR), POLL, working, { turnGap: () => 2_000 });
		expect(late.times).toEqual([0, 2_000]);
		const tooLate = { turnGap: () => 121_501 };
		expect(play(records(1, 1_500, HOUR), POLL, working, tooLate).times).toEqual([0]);
		expect(play(records(3, -HOUR, 2 * HOUR), POLL, working).times).toEqual([0, 0, 0]);
	});

	test('keep the fields of the creation where a status says less, and the ID whatever it says', () => {
		const job = record('a', HOUR);
		job.job.requested = 3;
		play([job], POLL, () => success({ job_id: 'b', status: ' Canceled ' }));
		expect(job.job).toEqual({ job_id: 'a', status: ' Canceled ', requested: 3 });
		expect(job.checkedAt).toBe(START + SECOND);
	});

	test('take turns, those first that were not looked at for the longest time', () => {
		const jobs = records(3, HOUR, HOUR).map((job, index) => ({ ...job, checkedAt: 3 - index }));
		const { looks } = play(jobs, ONCE, working, { turnGap: () => 1_000 });
		expect(looks.map(({ jobId }) => jobId)).toEqual(['job2', 'job1', 'job0']);
	});
});

describe('a wait that is not to take long', () => {
	const BRIEF: CheckPolicy = { ...CHECK_POLICIES.beforeSuspending, width: 2, holdMs: Infinity };

	test('looks at a few jobs only, the one that called first and then those created last', () => {
		const order = (policy: CheckPolicy) => {
			const { looks } = play(records(5, HOUR, HOUR), policy, working, { lasts: () => 1 });
			return [...new Set(looks.map(({ jobId }) => jobId))];
		};
		expect(order(BRIEF)).toEqual(['job4', 'job3']);
		expect(order({ ...BRIEF, first: 'job1' })).toEqual(['job1', 'job4']);
		expect(order({ ...BRIEF, width: 5 })).toHaveLength(5);
		// At the very limit of its patience as well.
		const { looks } = play(records(4, HOUR, HOUR), BRIEF, working);
		expect(new Set(looks.map(({ jobId }) => jobId))).toEqual(new Set(['job3', 'job2']));
	});

	test('ends after its patience, which begins anew with each end, and goes on to the next jobs', () => {
		const ends = { job2: 2_000, job1: 4_500, job0: HOUR };
		const answer: Answer = (...said) => endsAt(ends[said[0] as keyof typeof ends])(...said);
		const { looks, end } = play(records(3, HOUR, HOUR), { ...BRIEF, width: 1 }, answer);
		expect([...new Set(looks.map(({ jobId }) => jobId))]).toEqual(['job2', 'job1', 'job0']);
		expect(end).toBe(5_000 + 3_000);
		expect(play(records(2, HOUR, HOUR), BRIEF, working).end).toBe(3_000);
	});
});

describe('trouble on the way', () => {
	test('never ends the wait where it passes, and is told only as long as it lasts', () => {
		const kinds = ['connectionLost', 'timedOut', 'hostNotFound', 'htmlBody', 'unavailable'] as const;
		const passing = kinds.map((kind) => trouble(kind));
		const [job] = records(1, HOUR) as [JobRecord];
		const { looks } = play([job], POLL, (...said) => (passing[said[2] - 1] ?? finished)(...said));
		expect([looks.length, job.job.status, job.trouble]).toEqual([6, 'finished', undefined]);
		const [never] = records(1, MINUTE) as [JobRecord];
		play([never], POLL, trouble('unavailable'));
		expect([never.trouble?.kind, never.problem]).toEqual(['unavailable', undefined]);
	});

	const once: Answer = (...said) => (said[2] === 5 ? unknown : endsAt(MINUTE))(...said);
	const between: Answer = (...said) =>
		(Math.abs(said[1] - 39 * SECOND) > 11 * SECOND ? unknown : working)(...said);
	const refused = trouble('unauthorized', { reason: 'unauthorized', about: 'key' });
	const forbidden = trouble('forbidden', { reason: 'job forbidden', about: 'job' });
	const mixed: Answer = (...said) => [unknown, refused, forbidden][said[2] % 3]!(...said);
	const busy = trouble('unavailable');
	const interrupted: Answer = (...said) => (said[2] % 2 === 0 ? busy : unknown)(...said);
	const wordless: Answer = (...said) => trouble(said[2] % 2 ? 'jobNotFound' : 'unauthorized')(...said);
	/** A job that the service denied in an earlier round. */
	const before = { ...record('a', HOUR, HOUR), deniedSince: START - 25 * SECOND };
	test.each<[string, JobRecord, Answer, [string, number]]>([
		['a new job is given up when that is said for 30 s', record('a', HOUR), unknown, ['gone', 32]],
		['so is an old one', record('a', HOUR, HOUR), unknown, ['gone', 31]],
		['in whatever words', record('a', HOUR, HOUR), mixed, ['gone', 31]],
		['whatever proves nothing comes between', record('a', HOUR, HOUR), interrupted, ['gone', 31]],
		['never without words of the service', record('a', MINUTE, HOUR), wordless, ['', 60]],
		['one that was denied before, sooner', before, unknown, ['gone', 7]],
		['not at its deadline, where that is sooner', record('a', 29_000, HOUR), unknown, ['', 29]],
		['one denial of a job that was seen says nothing', record('a', HOUR, HOUR), once, ['finished', 73]],
		['any word of the job begins the time anew', record('a', HOUR), between, ['gone', 104]],
	])('denied: %s', (_name, job, answer, [outcome, end]) => {
		const played = play([job], POLL, answer);
		expect(job.problem === undefined ? job.job.status : 'gone').toBe(outcome);
		expect(Math.floor(played.end / SECOND)).toBe(end);
	});

	test('is obeyed for all jobs where it asks for time, and no job is held up past its deadline', () => {
		const busy = trouble('rateLimited', { retryAfterMs: 90 * SECOND });
		const answer: Answer = (...said) => (said[1] < 2 * SECOND ? busy : finished)(...said);
		const all = play(records(3, HOUR), POLL, answer);
		expect(all.times).toEqual([1_000, 91_000, 91_000, 91_000]);
		const job = record('a', 10 * MINUTE);
		const { times, end } = play([job], POLL, trouble('rateLimited', { retryAfterMs: 24 * HOUR }));
		expect([times, end, job.trouble?.kind]).toEqual([[1_000], 10 * MINUTE, 'rateLimited']);
	});
});

describe('jobs that nobody has looked at', () => {
	test('are looked at past the deadline, for 120 seconds in all', () => {
		const perSecond = { turnGap: () => SECOND };
		expect(play(records(150, 0, HOUR), POLL, working, perSecond).looks).toHaveLength(121);
		expect(play(records(100, 0, HOUR), POLL, working, perSecond).looks).toHaveLength(100);
		const mixed = [...records(5, 10_000, HOUR), record('late', 15_000, HOUR)];
		const slow = play(mixed, POLL, working, { turnGap: () => 20 * SECOND });
		expect(new Set(slow.looks.map(({ jobId }) => jobId)).size).toBe(6);
	});

	test('are looked at until the time of the execution ends', () => {
		const course = { turnGap: () => SECOND, latest: 30 * SECOND };
		expect(play(records(150, 0, HOUR), POLL, working, course).looks).toHaveLength(31);
	});

	test('do not wait out a longer pause', () => {
		const busy = trouble('rateLimited', { retryAfterMs: HOUR });
		const { looks, end } = play(records(3, 0, HOUR), POLL, busy);
		expect([looks.length, end]).toEqual([1, 0]);
	});
});

describe('the states of many jobs', () => {
	const many = () => records(12, HOUR, HOUR);
	type Told = Record<string, string>;
	const entries = (told: Told) =>
		success(Object.entries(told).map(([job_id, status]) => ({ job_id, status })));
	const all = (status: string, count = 12): Told =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`job${index}`, status]));
	/** What is asked of a service whose list says this at each reading, and whose jobs say that, until so many minutes later. */
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
	/** A page that is not all that is looked for: it is asked for by number, too, and repeats itself. */
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
		// job11 is asked beside the list and is over; the next reading still says that it runs.
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

describe('any jobs, ends, lapses and turns', () => {
	const job = fc.record({
		deadline: fc.integer({ min: -60, max: 600 }),
		age: fc.integer({ min: 0, max: 100 }),
		end: fc.integer({ min: 0, max: 900 }),
		lapse: fc.option(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 90 }))),
	});
	const gaps = fc.infiniteStream(fc.integer({ min: 0, max: 5 * SECOND }));
	const durations = fc.infiniteStream(fc.integer({ min: 0, max: 2 * SECOND }));
	const some = fc.array(job, { minLength: 1, maxLength: 12 });

	test('each is looked at while that makes sense, and the wait ends', () => {
		fc.assert(
			fc.property(some, gaps, durations, (specs, turnGaps, lasting) => {
				const jobs = specs.map(({ deadline, age }, index) =>
					record(String(index), deadline * SECOND, age * SECOND),
				);
				const answer: Answer = (jobId, at, count) => {
					const { end = 0, lapse } = specs[Number(jobId)] ?? {};
					const [from, length] = lapse ?? [0, 0];
					const isAway = at >= from * SECOND && at < (from + length) * SECOND;
					return (isAway ? unknown : endsAt(end * SECOND))(jobId, at, count);
				};
				const next = (stream: Iterator<number>) => () => Number(stream.next().value);
				const course = { turnGap: next(turnGaps), lasts: next(lasting) };
				const { looks, end } = play(jobs, POLL, answer, course);
				const seen = new Set<string>();
				for (const { jobId, at, until, wasSettled } of looks) {
					const deadline = (specs[Number(jobId)]?.deadline ?? 0) * SECOND;
					expect(wasSettled).toBe(false);
					expect(at).toBeLessThanOrEqual(until);
					// That its deadline has passed is noticed after a turn and a look at most.
					const noticed = Math.max(deadline, 0) + 7 * SECOND;
					expect(until).toBeLessThanOrEqual(noticed + 2 * MINUTE);
					seen.add(jobId);
				}
				expect(seen.size).toBe(jobs.length);
				for (const [index, { problem, job: seenLast, deadline }] of jobs.entries()) {
					const { lapse } = specs[index] ?? {};
					if (!isOver({ ...newRecord('', []), problem, end: endOf(seenLast.status) }))
						expect(deadline - START).toBeLessThanOrEqual(end);
					if (problem === undefined) continue;
					const own = looks.filter(({ jobId }) => jobId === String(index));
					const since =
						own.find(({ at }) => at >= (lapse?.[0] ?? Infinity) * SECOND)?.at ?? Infinity;
					expect((own.at(-1)?.at ?? 0) + 2 * SECOND - since).toBeGreaterThanOrEqual(30 * SECOND);
				}
			}),
			{ numRuns: runs(300) },
		);
	});
});

describe('a run of looks', () => {
	/** Looks at jobs of a service that answers so; n8n stops the execution at the look of this number. */
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
