import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import {
	STATUS_CALLS_PER_MINUTE,
	StatusBudget,
	type TurnRequest,
} from '../../../nodes/PriceCollection/service/statusBudget';

const MINUTE = 60_000;

interface Sleeper {
	due: number;
	wake: () => void;
	signal?: AbortSignal;
}

/** A clock whose sleepers wake one after the other, in the order of their time, as timers do. */
class OrderedClock {
	private time = 0;

	private readonly sleepers: Sleeper[] = [];

	/** How much longer than asked for everybody sleeps who goes to sleep now. */
	oversleep = 0;

	now = (): number => this.time;

	pause = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve) =>
			this.sleepers.push({
				due: this.time + milliseconds + this.oversleep,
				wake: () => resolve(),
				signal,
			}),
		);

	/** Lets time pass until nobody sleeps, or until the given time. */
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

	/** Wakes those whose signal was aborted. */
	async abort(controller: AbortController): Promise<void> {
		controller.abort();
		for (const sleeper of this.sleepers.filter(({ signal }) => signal?.aborted)) {
			this.sleepers.splice(this.sleepers.indexOf(sleeper), 1);
			sleeper.wake();
		}
		await new Promise(setImmediate);
	}
}

let clock: OrderedClock;
let budget: StatusBudget;
/** The calls that were made: by whom, and when. */
let calls: Array<{ who: string; at: number }>;
beforeEach(() => {
	clock = new OrderedClock();
	budget = new StatusBudget(clock);
	calls = [];
});

const problem = (more: Partial<Problem>): Problem => ({
	kind: 'rateLimited',
	endpoint: ENDPOINTS.get,
	effect: 'none',
	...more,
});

/** One status call by somebody. */
async function send(who: string, more: Partial<TurnRequest> = {}, refusal?: Partial<Problem>) {
	return await budget.send({ until: Infinity, ...more }, async () => {
		calls.push({ who, at: clock.now() });
		return refusal === undefined ? success(who) : failure(problem(refusal));
	});
}

/** So many calls by somebody, all asked for at once. */
const sendMany = (who: string, count: number, more: Partial<TurnRequest> = {}) =>
	Array.from({ length: count }, async () => await send(who, more));
const countOf = (who: string) => calls.filter((call) => call.who === who).length;

describe('the status calls of a key', () => {
	it('are 60 in any minute, and the next ones wait for theirs', async () => {
		const all = sendMany('a', 130);
		await clock.run();
		expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true);
		expect(calls.filter(({ at }) => at < MINUTE)).toHaveLength(STATUS_CALLS_PER_MINUTE);
		for (const { at } of calls) {
			const within = calls.filter((call) => call.at >= at && call.at < at + MINUTE);
			expect(within.length).toBeLessThanOrEqual(STATUS_CALLS_PER_MINUTE);
		}
		expect(calls).toHaveLength(130);
	});

	it('are made in the order of asking, so that a latecomer is not overtaken for long', async () => {
		const greedy = sendMany('a', 90);
		await clock.run(1_000);
		const late = sendMany('b', 2);
		const later = sendMany('a', 60);
		await clock.run();
		await Promise.all([...greedy, ...late, ...later]);
		const order = calls.map(({ who }) => who).join('');
		expect(order.indexOf('b')).toBe(90);
		expect(order.slice(90, 92)).toBe('bb');
	});

	it('are shared by two that each ask one by one', async () => {
		const oneByOne = async (who: string) => {
			for (let count = 0; count < 60; count++) await send(who);
		};
		const both = Promise.all([oneByOne('a'), oneByOne('b')]);
		await clock.run();
		await both;
		const first = calls.slice(0, 60).filter(({ who }) => who === 'a').length;
		expect(first).toBeGreaterThanOrEqual(28);
		expect(first).toBeLessThanOrEqual(32);
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
});

describe('a turn', () => {
	it('that cannot come in time is not waited for, and nothing is sent', async () => {
		const all = sendMany('a', 60);
		await clock.run(1_000);
		await Promise.all(all);
		const reply = await send('b', { until: 59_999 });
		expect(reply).toEqual({
			ok: false,
			problem: {
				kind: 'rateLimited',
				detail: 'This n8n has used up the 60 status calls a minute for this key, so nothing was sent',
				retryAfterMs: 60_000,
				endpoint: ENDPOINTS.get,
				effect: 'none',
			},
		});
		expect([countOf('b'), clock.now()]).toEqual([0, 1_000]);
	});

	it('that comes at the last moment is taken', async () => {
		await send('a', {}, { retryAfterMs: 1_000 });
		const last = send('b', { until: 1_000 });
		await clock.run();
		expect((await last).ok).toBe(true);
		expect(calls).toEqual([
			{ who: 'a', at: 0 },
			{ who: 'b', at: 1_000 },
		]);
	});

	it('ends with the execution that waits for it, and lets the next one have it', async () => {
		const all = sendMany('a', 60);
		await clock.run(1_000);
		await Promise.all(all);
		const controller = new AbortController();
		const stopped = send('b', { signal: controller.signal });
		const next = send('c');
		await clock.run(2_000);
		await clock.abort(controller);
		expect(await stopped).toMatchObject({ ok: false, problem: { kind: 'stopped', effect: 'none' } });
		await clock.run();
		expect((await next).ok).toBe(true);
		expect(countOf('b')).toBe(0);
	});

	it('is not taken by an execution that was stopped before', async () => {
		const controller = new AbortController();
		controller.abort();
		expect(await send('a', { signal: controller.signal })).toMatchObject({
			problem: { kind: 'stopped' },
		});
		expect(calls).toEqual([]);
	});
});

describe('a refusal', () => {
	it.each<[string, Partial<Problem>, number]>([
		['with Retry-After', { retryAfterMs: 20_000 }, 20_000],
		['of another kind with Retry-After', { kind: 'unavailable', retryAfterMs: 7_000 }, 7_000],
		['with Retry-After, however short', { retryAfterMs: 100 }, 100],
		['without a time', {}, 5_000],
	])('%s makes everybody pause', async (_name, refusal, pause) => {
		await send('a', {}, refusal);
		expect(budget.delay()).toBe(pause);
		const other = send('b');
		await clock.run();
		await other;
		expect(calls).toEqual([
			{ who: 'a', at: 0 },
			{ who: 'b', at: pause },
		]);
	});

	it('without a time makes longer pauses each time, of a minute at the most, until one is answered', async () => {
		const refuse = async (refusal?: Partial<Problem>) => {
			const sent = send('a', {}, refusal);
			await clock.run();
			await sent;
			return budget.delay();
		};
		const delays: number[] = [];
		for (let count = 0; count < 5; count++) delays.push(await refuse({}));
		expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 60_000]);
		await refuse();
		expect(await refuse({})).toBe(5_000);
	});

	it('never shortens a pause that was asked for before', async () => {
		const both = [send('a', {}, { retryAfterMs: 30_000 }), send('b', {}, { retryAfterMs: 1_000 })];
		await clock.run(0);
		await Promise.all(both);
		expect(budget.delay()).toBe(30_000);
	});

	it('of a kind that says nothing about calls makes nobody pause', async () => {
		await send('a', {}, { kind: 'jobNotFound' });
		expect(budget.delay()).toBe(0);
	});

	it('of hours is one of two minutes for the key, and is passed on in the words of the service', async () => {
		const words = {
			kind: 'unavailable',
			reason: 'busy now',
			status: 503,
			retryAfterMs: 7_200_000,
		} as const;
		expect(await send('a', {}, words)).toMatchObject({ ok: false, problem: words });
		expect(budget.delay()).toBe(120_000);
		const late = await send('b', { until: clock.now() + 100_000 });
		expect(late).toMatchObject({
			problem: { ...words, detail: 'It said so a moment ago, so nothing was sent', effect: 'none' },
		});
		const next = send('c');
		await clock.run();
		expect(await next).toMatchObject({ ok: true });
		expect(calls.map(({ who, at }) => [who, at])).toEqual([
			['a', 0],
			['c', 120_000],
		]);
	});
});
