import { MINUTE_MS, type Clock, readHttpDate } from '../time';
import { failure, traitsOf, type Outcome, type Problem } from '../problems';
import { ENDPOINTS } from '../types';

const MAX_ATTEMPTS = 4;
/** The longest Retry-After that is obeyed; a longer one is reported as a problem. */
export const LONGEST_RETRY_AFTER_MS = 120_000;
const FIRST_DELAY_MS = 500;

/** The milliseconds before a request is repeated; undefined when it must not be. `random` adds jitter. */
export function delayBeforeRepeat(problem: Problem, attempt: number, random: number): number | undefined {
	const { endpoint, effect, retryAfterMs } = problem;
	const { retry } = traitsOf(problem);
	const isHarmless = !endpoint.changes || (retry === 'all' && effect === 'none');
	if (attempt >= MAX_ATTEMPTS || retry === 'never' || !isHarmless) return undefined;
	if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
	const ceiling = FIRST_DELAY_MS * 2 ** (attempt - 1);
	// Retry-After wins if it asks for more: 0 would switch the back-off off.
	return Math.max(ceiling / 2 + (ceiling / 2) * random, retryAfterMs ?? 0);
}

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [60_000, 30 * 60_000];

/** How long to wait after the client's own repeats failed: as long as it has failed, so that pauses grow. */
export function delayBeforeNextTry(failingForMs: number, atLeastMs = 0): number {
	const pause = Math.min(Math.max(failingForMs, SHORTEST_PAUSE_MS, atLeastMs), LONGEST_PAUSE_MS);
	// Slightly less, so that a poll at exactly that time counts.
	return pause - 1_000;
}

/** The milliseconds that Retry-After asks for: seconds, also decimals, or an HTTP date (RFC 9110, 10.2.3). */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
	const text = (header ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = readHttpDate(text);
	return date === undefined ? undefined : Math.max(0, date - now);
}

/** Status calls that services of this kind allow a key in a minute, for all its workflows together. */
export const STATUS_CALLS_PER_MINUTE = 60;
/** The service counts arrivals: a delayed call may still count within the minute of later ones. */
const WINDOW_MS = MINUTE_MS + 1_000;
/** How long all callers pause when the service refuses a status call without a time. */
const PAUSE_MS = 5_000;

export interface TurnRequest {
	/** The latest time at which the call still makes sense, in milliseconds since 1970. */
	until: number;
	/** The share of a minute's calls that this kind of call may use, from 0 to 1; all of them by default. */
	share?: number;
	signal?: AbortSignal;
}

/**
 * The status calls that one key may make, shared by all executions, callbacks and triggers of this process.
 * Other processes of the same n8n have their own budgets; if they exceed the limit together, the service
 * refuses a call and each of them pauses.
 */
export class StatusBudget {
	/** When calls were sent, by `elapsed`, as all times here that no caller gives. */
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

	/** Waits for a turn and takes it. Returns the problem when none came in time; send nothing then. */
	private async turn({ share, signal, until }: TurnRequest): Promise<Problem | undefined> {
		const common = { endpoint: ENDPOINTS.get, effect: 'none' } as const;
		for (;;) {
			const delay = this.delay(share);
			if (signal?.aborted === true) return { ...common, kind: 'stopped' };
			if (this.clock.now() + delay > until) {
				const { problem } = this.pause;
				const saidSo = 'It said so a moment ago, so nothing was sent';
				if (problem && this.pause.until > this.clock.elapsed())
					return { ...problem, ...common, detail: saidSo };
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
	 * Makes a status call in its turn; returns a problem when no turn came in time. A refusal affects everyone
	 * with this key: if the service asks for a pause, all of them pause.
	 */
	async send<T>(request: TurnRequest, call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
		const late = await this.turn(request);
		if (late) return failure(late);
		const outcome = await call();
		if (outcome.ok) {
			this.refusals = 0;
			return outcome;
		}
		const { problem } = outcome;
		if (problem.kind === 'rateLimited' || problem.retryAfterMs !== undefined) {
			const own = Math.min(PAUSE_MS * 2 ** this.refusals++, MINUTE_MS);
			// A single reply must not block the key for hours.
			const { retryAfterMs: asked = 0 } = problem;
			// A time of 0 would switch the back-off off.
			const until = this.clock.elapsed() + Math.min(asked > 0 ? asked : own, LONGEST_RETRY_AFTER_MS);
			if (until > this.pause.until) this.pause = { until, problem };
		}
		return outcome;
	}
}
