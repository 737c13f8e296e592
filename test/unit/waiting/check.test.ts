import fc from 'fast-check';

import { newRecord, type JobRecord } from '../../../nodes/PriceCollection/run/record';
import {
	afterCheck,
	afterReading,
	beginWait,
	CHECK_POLICIES,
	nextStep,
} from '../../../nodes/PriceCollection/waiting/check';
import type { CheckPolicy } from '../../../nodes/PriceCollection/waiting/check';
import { isOver } from '../../../nodes/PriceCollection/service/meaning/jobState';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { runs } from '../../support/runs';
import { fakeClient } from '../fakeClient';
import {
	endsAt,
	finished,
	HOUR,
	MINUTE,
	record,
	records,
	SECOND,
	START,
	working,
	type Answer,
} from './watchedJobs';

const { endOf } = fakeClient({}).client;

const POLL = CHECK_POLICIES.poll(30 * SECOND);
const ONCE = CHECK_POLICIES.once;

const trouble =
	(kind: Problem['kind'], more: Partial<Problem> = {}): Answer =>
	() =>
		failure({ kind, endpoint: ENDPOINTS.get, effect: 'none', ...more });
const unknown = trouble('jobNotFound', { reason: 'not found', about: 'job' });

const none = () => 0;

interface Course {
	turnGap?: () => number;
	lasts?: () => number;
	/** When the execution's time ends, in milliseconds after the start. */
	latest?: number;
}

/** Plays a wait under its own clock. Looks and ends are in milliseconds after the start. */
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
	const watching = beginWait(jobs, policy, moment(), latest === undefined ? latest : START + latest);
	for (let steps = 0; steps < 20_000; steps++) {
		const step = nextStep(watching, moment(), Math.max(0, turnAt - now));
		if (step.kind === 'done') return { looks, end: now - START, times: looks.map(({ at }) => at) };
		if (step.kind === 'sleep') {
			expect(step.milliseconds).toBeGreaterThan(0);
			now += step.milliseconds;
			continue;
		}
		if (step.kind === 'list') {
			afterReading(watching, step.open, undefined, moment(), endOf);
			continue;
		}
		now = Math.max(now, turnAt);
		const { record: job } = step.watch;
		const { job_id: jobId } = job.job;
		looks.push({ jobId, at: now - START, until: step.until - START, wasSettled: isOver(job) });
		const count = looks.filter((look) => look.jobId === jobId).length;
		const said = answer(jobId, now - START, count);
		turnAt = now + Math.max(turnGap(), (!said.ok && said.problem.retryAfterMs) || 0);
		const askedAt = now;
		now += lasts();
		afterCheck(watching, step.watch, said, { ...moment(), askedAt }, endOf);
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
		expect(order({ ...BRIEF, firstJobId: 'job1' })).toEqual(['job1', 'job4']);
		expect(order({ ...BRIEF, width: 5 })).toHaveLength(5);
		// The same at the very limit of its patience.
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
					// A passed deadline is noticed after one turn and one look at most.
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
