import { MINUTE_MS, type Clock, readHttpDate } from '../time';
import { failure, traitsOf, type Outcome, type Problem } from '../problems';
import { ENDPOINTS } from '../types';

const MAX_ATTEMPTS = 4;
/** The longest Retry-After to wait for. A request with a longer one is not retried. */
export const LONGEST_RETRY_AFTER_MS = 120_000;
const FIRST_DELAY_MS = 500;

/** Milliseconds to wait before a retry; undefined if the request must not be retried. `random` (0 to 1) adds jitter. */
export function delayBeforeRepeat(problem: Problem, attempt: number, random: number): number | undefined {
	const { endpoint, effect, retryAfterMs } = problem;
	const { retry } = traitsOf(problem);
	const isHarmless = !endpoint.changes || (retry === 'all' && effect === 'none');
	if (attempt >= MAX_ATTEMPTS || retry === 'never' || !isHarmless) return undefined;
	if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
	const ceiling = FIRST_DELAY_MS * 2 ** (attempt - 1);
	// Retry-After wins only if it is longer: a value of 0 would disable the back-off.
	return Math.max(ceiling / 2 + (ceiling / 2) * random, retryAfterMs ?? 0);
}

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [60_000, 30 * 60_000];

/** Milliseconds to wait after the client's own retries failed: the time it has been failing, so that pauses grow. */
export function delayBeforeNextTry(failingForMs: number, atLeastMs = 0): number {
	const pause = Math.min(Math.max(failingForMs, SHORTEST_PAUSE_MS, atLeastMs), LONGEST_PAUSE_MS);
	// Slightly less, so that a poll at exactly that time is not skipped.
	return pause - 1_000;
}

/** Retry-After in milliseconds. It contains seconds, possibly with decimals, or an HTTP date (RFC 9110, 10.2.3). */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
	const text = (header ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = readHttpDate(text);
	return date === undefined ? undefined : Math.max(0, date - now);
}

/** Status calls per minute that services of this kind allow one key, for all its workflows together. */
export const STATUS_CALLS_PER_MINUTE = 60;
/** Longer than a minute, because the service counts arrivals: a delayed call may count towards the next minute. */
const WINDOW_MS = MINUTE_MS + 1_000;
/** How long all callers pause at first if the service refuses a status call without a Retry-After. */
const FIRST_BACKOFF_MS = 5_000;

export interface TurnRequest {
	/** The latest time at which the call still makes sense, in milliseconds since 1970. */
	until: number;
	/** The share of a minute's calls that this kind of call may use, from 0 to 1. Default: 1. */
	share?: number;
	signal?: AbortSignal;
}

/**
 * Limits the status calls with one key, for all executions, callbacks and triggers of this process. Other
 * processes of the same n8n have their own budgets. If the processes together exceed the limit, the service
 * refuses calls, and each process with a refused call pauses.
 */
export class StatusBudget {
	/** When calls were sent. Like `pause.until`, in the time of `Clock.elapsed`. */
	private readonly sent: number[] = [];
	/** The end of the pause that the service asked for, and the refusal that asked for it. */
	private pause: { until: number; problem?: Problem } = { until: -Infinity };
	private refusals = 0;

	constructor(private readonly clock: Pick<Clock, 'elapsed' | 'now' | 'pause'>) {}

	/** Milliseconds until the next call is allowed. */
	delay(share = 1): number {
		const now = this.clock.elapsed();
		while (this.sent[0] !== undefined && this.sent[0] <= now - WINDOW_MS) this.sent.shift();
		const allowed = Math.max(1, Math.floor(STATUS_CALLS_PER_MINUTE * share));
		const oldest = this.sent[this.sent.length - allowed];
		return Math.max(0, this.pause.until - now, oldest === undefined ? 0 : oldest + WINDOW_MS - now);
	}

	/** Waits for a turn and takes it. Returns a problem if there is no turn in time; the caller must then send nothing. */
	private async turn({ share, signal, until }: TurnRequest): Promise<Problem | undefined> {
		const common = { endpoint: ENDPOINTS.get, effect: 'none' } as const;
		for (;;) {
			const delay = this.delay(share);
			if (signal?.aborted === true) return { ...common, kind: 'stopped' };
			if (this.clock.now() + delay > until) {
				const { problem } = this.pause;
				const pauseDetail = 'The service reported this a moment ago, so nothing was sent';
				if (problem && this.pause.until > this.clock.elapsed())
					return { ...problem, ...common, detail: pauseDetail };
				const detail = `This n8n has used up the ${STATUS_CALLS_PER_MINUTE} status calls a minute for this key, so nothing was sent`;
				return { ...common, kind: 'rateLimited', detail, retryAfterMs: delay };
			}
			if (delay === 0) break;
			await this.clock.pause(delay, signal);
		}
		this.sent.push(this.clock.elapsed());
		return undefined;
	}

	/**
	 * Waits for a turn and makes a status call; returns a problem if there is no turn in time. If the service
	 * refuses the call or asks for a pause, all callers with this key pause.
	 */
	async send<T>(request: TurnRequest, call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
		const turnProblem = await this.turn(request);
		if (turnProblem) return failure(turnProblem);
		const outcome = await call();
		if (outcome.ok) {
			this.refusals = 0;
			return outcome;
		}
		const { problem } = outcome;
		if (problem.kind === 'rateLimited' || problem.retryAfterMs !== undefined) {
			const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.refusals++, MINUTE_MS);
			// A single reply must not block the key for hours.
			const { retryAfterMs: requestedMs = 0 } = problem;
			// A time of 0 would disable the back-off.
			const until =
				this.clock.elapsed() +
				Math.min(requestedMs > 0 ? requestedMs : backoffMs, LONGEST_RETRY_AFTER_MS);
			if (until > this.pause.until) this.pause = { until, problem };
		}
		return outcome;
	}
}
