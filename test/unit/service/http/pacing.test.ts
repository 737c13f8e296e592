import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import {
	failure,
	type Problem,
	PROBLEMS,
	type ProblemKind,
	success,
} from '../../../../nodes/PriceCollection/service/problems';
import {
	delayBeforeRepeat,
	readRetryAfter,
	STATUS_CALLS_PER_MINUTE,
	StatusBudget,
	type TurnRequest,
} from '../../../../nodes/PriceCollection/service/http/pacing';

/** The delays before a read, and before a request that changes something, is repeated after a problem. */
function delayAfter(kind: Problem['kind'], more: Partial<Problem> = {}, attempt = 1, random = 0): unknown[] {
	const problem: Problem = { kind, endpoint: ENDPOINTS.list, effect: 'none', ...more };
	return [ENDPOINTS.list, ENDPOINTS.create].map((endpoint) =>
		delayBeforeRepeat({ ...problem, endpoint }, attempt, random),
	);
}

const NOT = undefined;
test.each<[Problem['kind'], Partial<Problem>, unknown[]]>([
	['rateLimited', { effect: 'unknown' }, [250, NOT]],
	// The time that the service asks for, unless it is shorter than ours or longer than two minutes.
	['rateLimited', { retryAfterMs: 0 }, [250, 250]],
	['rateLimited', { retryAfterMs: 120_000 }, [120_000, 120_000]],
	['rateLimited', { retryAfterMs: 120_001 }, [NOT, NOT]],
])('after %s %j a read and a change are repeated in %j', (kind, more, delays) => {
	expect(delayAfter(kind, more)).toEqual(delays);
});

/** What cannot have reached the service, or what it says it did not do; and what passes, but may have been done. */
const REPEATED: Partial<Record<ProblemKind, unknown[]>> = {
	...{ connectionRefused: [250, 250], hostNotFound: [250, 250], rateLimited: [250, 250] },
	...{ closedEarly: [250, 250], proxyFailed: [250, 250] },
	...{ connectionLost: [250, NOT], timedOut: [250, NOT], notSent: [250, NOT] },
	...{ truncatedBody: [250, NOT], unavailable: [250, NOT], invalidHttp: [250, NOT] },
	...{ executionEnding: [250, NOT], toolTimeUsedUp: [250, NOT] },
};
test.each(Object.keys(PROBLEMS) as ProblemKind[])(
	'nothing is repeated in vain, and no creation that may have been done: %s',
	(kind) => {
		expect(delayAfter(kind)).toEqual(REPEATED[kind] ?? [NOT, NOT]);
	},
);

test('a read is repeated three times at the most, with pauses that double, between half and all of the ceiling', () => {
	const delays = (random: number) =>
		[1, 2, 3, 4].map((attempt) => delayAfter('unavailable', {}, attempt, random)[0]);
	expect(delays(0)).toEqual([250, 500, 1000, NOT]);
	expect(delays(1)).toEqual([500, 1000, 2000, NOT]);
});

test.each([
	['7', 7000],
	[' 0 ', 0],
	['1.25', 1250],
	['7s', NOT],
	// Node passes on only the first of several headers.
	['3, 120', NOT],
	['Thu, 01 Oct 2026 12:00:30 GMT', 30_000],
	['Thu, 01 Oct 2026 11:00:00 GMT', 0],
	// Date.parse reads all of these as times, most of them long past.
	['in 7', NOT],
	['-5', NOT],
	['2026-10-01T12:00:30Z', NOT],
	[NOT, NOT],
])('Retry-After %p is %p', (header, expected) => {
	expect(readRetryAfter(header, Date.parse('2026-10-01T12:00:00Z'))).toBe(expected);
});

const MINUTE = 60_000;

/** A clock whose sleepers wake one after the other, in the order of their times, like timers. */
class OrderedClock {
	time = 0;

	/** How far the machine's clock was set ahead, or back below zero. */
	setBy = 0;

	private sleepers: Array<{ due: number; wake: () => void }> = [];

	now = (): number => this.time + this.setBy;

	elapsed = (): number => this.time;

	pause = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve) => {
			this.sleepers.push({ due: this.time + milliseconds, wake: resolve });
			signal?.addEventListener('abort', () => resolve());
		});

	/** Lets time pass until no one sleeps, or until the given time. */
	async run(until = Infinity): Promise<void> {
		for (;;) {
			await new Promise(setImmediate);
			this.sleepers.sort((a, b) => a.due - b.due);
			const [next] = this.sleepers;
			if (next === undefined || next.due > until) break;
			this.sleepers.shift();
			this.time = Math.max(this.time, next.due);
			next.wake();
		}
		if (until !== Infinity) this.time = until;
	}
}

let clock: OrderedClock;
let budget: StatusBudget;
/** The calls made: by which caller, and when. */
let calls: Array<{ who: string; at: number }>;
beforeEach(() => {
	clock = new OrderedClock();
	budget = new StatusBudget(clock);
	calls = [];
});

const problem = (more: Partial<Problem>): Problem => ({
	...{ kind: 'rateLimited', endpoint: ENDPOINTS.get, effect: 'none', ...more },
});

/** One status call by this caller. */
async function send(who: string, more: Partial<TurnRequest> = {}, refusal?: Partial<Problem>) {
	return await budget.send({ until: Infinity, ...more }, async () => {
		calls.push({ who, at: clock.now() });
		return refusal === undefined ? success(who) : failure(problem(refusal));
	});
}

/** This many calls by one caller, all requested at once. */
const sendMany = (who: string, count: number, more: Partial<TurnRequest> = {}) =>
	Array.from({ length: count }, async () => await send(who, more));
const countOf = (who: string) => calls.filter((call) => call.who === who).length;

describe('the status calls of a key', () => {
	it('are 60 in any minute, and the next ones wait for theirs', async () => {
		const all = sendMany('a', 130);
		await clock.run();
		expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true);
		expect(calls.filter(({ at }) => at < MINUTE)).toHaveLength(STATUS_CALLS_PER_MINUTE);
		const within = (from: number) => calls.filter(({ at }) => at >= from && at < from + MINUTE).length;
		for (const { at } of calls) expect(within(at)).toBeLessThanOrEqual(STATUS_CALLS_PER_MINUTE);
		expect(calls).toHaveLength(130);
	});

	it('are made in the order of asking', async () => {
		const greedy = sendMany('a', 90);
		await clock.run(1_000);
		const late = [...sendMany('b', 2), ...sendMany('a', 60)];
		await clock.run();
		await Promise.all([...greedy, ...late]);
		expect(calls.map(({ who }) => who).join('')).toMatch(/^a{90}bba{60}$/);
	});

	it('leave alone what a share does not allow, which holds up nobody else', async () => {
		const modest = sendMany('trigger', 40, { share: 0.5 });
		await clock.run(100);
		expect(countOf('trigger')).toBe(30);
		const others = sendMany('run', 30);
		await clock.run(1_000);
		await Promise.all(others);
		expect(countOf('run')).toBe(30);
		await clock.run();
		await Promise.all(modest);
		expect(countOf('trigger')).toBe(40);
	});

	it.each([-60, -1, 60])(
		'are counted on when the machine’s clock is set by %i minutes',
		async (minutes) => {
			await Promise.all(sendMany('a', STATUS_CALLS_PER_MINUTE - 1));
			await send('a', {}, { retryAfterMs: 20_000 });
			clock.setBy = minutes * MINUTE;
			expect(budget.delay()).toBe(MINUTE + 1_000);
			await clock.run(21_000);
			expect(budget.delay()).toBe(40_000);
		},
	);
});

describe('a turn', () => {
	it('that cannot come in time is not waited for, and nothing is sent', async () => {
		const all = sendMany('a', 60);
		await clock.run(1_000);
		await Promise.all(all);
		const reply = await send('b', { until: 59_999 });
		const detail = 'This n8n has used up the 60 status calls a minute for this key, so nothing was sent';
		expect(reply).toEqual(failure(problem({ detail, retryAfterMs: 60_000 })));
		expect([countOf('b'), clock.now()]).toEqual([0, 1_000]);
	});

	it('ends with the execution that waits for it, and lets the next one have it', async () => {
		const all = sendMany('a', 60);
		await clock.run(1_000);
		await Promise.all(all);
		const controller = new AbortController();
		const stopped = send('b', { signal: controller.signal });
		const next = send('c');
		await clock.run(2_000);
		controller.abort();
		expect(await stopped).toMatchObject({ ok: false, problem: { kind: 'stopped', effect: 'none' } });
		await clock.run();
		expect((await next).ok).toBe(true);
		expect(countOf('b')).toBe(0);
	});

	it('is not taken by an execution that was stopped before, and is at the last moment', async () => {
		const signal = AbortSignal.abort();
		expect(await send('a', { signal })).toMatchObject({ problem: { kind: 'stopped' } });
		await send('a', {}, { retryAfterMs: 1_000 });
		const last = send('b', { until: 1_000 });
		await clock.run();
		expect(await last).toEqual(success('b'));
		expect(calls.map(({ at }) => at)).toEqual([0, 1_000]);
	});
});

describe('a refusal', () => {
	it.each<[string, Partial<Problem>, number]>([
		['with Retry-After', { retryAfterMs: 20_000 }, 20_000],
		['of another kind with Retry-After', { kind: 'unavailable', retryAfterMs: 7_000 }, 7_000],
		['with Retry-After, however short', { retryAfterMs: 100 }, 100],
		['without a time', {}, 5_000],
		['that says nothing about calls', { kind: 'jobNotFound' }, 0],
	])('%s makes everybody pause', async (_name, refusal, pause) => {
		await send('a', {}, refusal);
		expect(budget.delay()).toBe(pause);
		const other = send('b');
		await clock.run();
		await other;
		expect(calls.map(({ at }) => at)).toEqual([0, pause]);
	});

	it('without a time makes longer pauses each time, of a minute at the most, until one is answered', async () => {
		const delays: number[] = [];
		for (const refusal of [{}, {}, {}, {}, {}, undefined, {}]) {
			const sent = send('a', {}, refusal);
			await clock.run();
			await sent;
			delays.push(budget.delay());
		}
		expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 0, 5_000]);
	});

	it('never shortens a pause that was asked for before', async () => {
		const pauses = [30_000, 1_000].map(async (retryAfterMs) => await send('a', {}, { retryAfterMs }));
		await clock.run(0);
		await Promise.all(pauses);
		expect(budget.delay()).toBe(30_000);
	});

	it('of hours is one of two minutes for the key, and is passed on in the words of the service', async () => {
		const said = { kind: 'unavailable', reason: 'busy now', status: 503 } as const;
		const words = { ...said, retryAfterMs: 7_200_000 };
		expect(await send('a', {}, words)).toMatchObject({ ok: false, problem: words });
		const late = await send('b', { until: clock.now() + 100_000 });
		const detail = 'The service reported this a moment ago, so nothing was sent';
		expect(late).toMatchObject({ problem: { ...words, detail, effect: 'none' } });
		const next = send('c');
		await clock.run();
		expect(await next).toEqual(success('c'));
		expect(calls.map(({ who, at }) => `${who} ${at}`)).toEqual(['a 0', 'c 120000']);
	});
});
