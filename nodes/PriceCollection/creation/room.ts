import { LONGEST_RETRY_AFTER_MS } from '../service/http/pacing';
import { traitsOf, type Problem } from '../service/problems';
import type { Clock } from '../service/time';

/** How many creations are under way at a time. */
export const CREATIONS_AT_A_TIME = 10;
/** Pauses before a refused creation is sent again, in milliseconds: each is twice as long as the one before. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000];
/** A longer Retry-After, such as years, is no time that a service means. */
const LONGEST_MEANT_MS = 3_600_000;
/** After so many tries a service that was never reached is not tried again: its address may be wrong. */
const MOST_UNREACHED = 4;

/**
 * How many creations may be under way now. The first is sent alone, because what the service says to it (about the key,
 * the cost, the form of the values) holds for the others. Where the service takes no job at the moment, such as "too many
 * requests" or "too many open jobs", all wait, and then one tries.
 */
export class Room {
	private isOpen = false;
	private hasTaken = false;
	private refusals = 0;
	private closedUntil = -Infinity;
	/** Why creations are given up: the service took none until the time to wait was over. */
	isFull = false;

	/** By the clock that nobody sets, in milliseconds, like `closedUntil`. */
	private readonly until: number;

	/** @param until when to give up, in milliseconds since 1970 */
	constructor(
		private readonly clock: Pick<Clock, 'elapsed' | 'now' | 'random'>,
		until: number,
	) {
		this.until = until - clock.now() + clock.elapsed();
	}

	width(): number {
		if (this.closedFor() > 0) return 0;
		return this.isOpen ? CREATIONS_AT_A_TIME : 1;
	}

	/** Milliseconds until the next creation may be sent. */
	closedFor(): number {
		return Math.max(0, this.closedUntil - this.clock.elapsed());
	}

	taken(): void {
		this.isOpen = true;
		this.hasTaken = true;
		this.refusals = 0;
	}

	/** Whether a creation failed for lack of room: certainly nothing was created, and a later one may succeed. */
	isFor(problem: Problem): boolean {
		return problem.effect === 'none' && traitsOf(problem).retry === 'all';
	}

	/** Notes a refused creation. Returns whether it is to be sent again. */
	refused(problem: Problem): boolean {
		if (!this.isFor(problem)) return false;
		const now = this.clock.elapsed();
		// Creations that were under way together are one refusal.
		if (now >= this.closedUntil) this.refusals++;
		const isLimit = problem.kind === 'rateLimited';
		if (!isLimit && !this.hasTaken && this.refusals >= MOST_UNREACHED) return false;
		const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (this.refusals - 1), LONGEST_PAUSE_MS);
		const own = ceiling / 2 + (ceiling / 2) * this.clock.random();
		const { retryAfterMs: said = 0 } = problem;
		const asked = said > LONGEST_MEANT_MS ? 0 : Math.min(said, LONGEST_RETRY_AFTER_MS);
		this.isOpen = false;
		this.closedUntil = Math.max(this.closedUntil, now + Math.max(own, asked));
		this.isFull = this.closedUntil > this.until;
		return !this.isFull;
	}
}
