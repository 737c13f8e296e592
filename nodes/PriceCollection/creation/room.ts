import { LONGEST_RETRY_AFTER_MS } from '../service/http/pacing';
import { traitsOf, type Problem } from '../service/problems';
import type { Clock } from '../service/time';

/** The maximum number of creations under way at the same time. */
export const CREATIONS_AT_A_TIME = 10;
/** Pauses before a refused creation is sent again, in milliseconds: each is twice as long as the one before. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000];
/** A longer Retry-After, such as years, is a mistake and is ignored. */
const LONGEST_PLAUSIBLE_MS = 3_600_000;
/** How often to try a service that cannot be reached and has accepted no job yet: its address may be wrong. */
const MOST_UNREACHED = 4;

/**
 * Limits how many creations are under way. The first is sent alone, because the service's reply to it (about the key, the
 * cost or the encoding) applies to the others too. If the service accepts no jobs at the moment, as with "too many
 * requests" or "too many open jobs", all wait, and then a single one is tried.
 */
export class Room {
	private isOpen = false;
	private hasTaken = false;
	private refusals = 0;
	private closedUntil = -Infinity;
	/** Set when creations are given up, because the service accepts none before the deadline. */
	isFull = false;

	/** The deadline on the monotonic clock, like `closedUntil`, in milliseconds. */
	private readonly deadline: number;

	/** @param until when to give up, in milliseconds since 1970 */
	constructor(
		private readonly clock: Pick<Clock, 'elapsed' | 'now' | 'random'>,
		until: number,
	) {
		this.deadline = until - clock.now() + clock.elapsed();
	}

	/** How many creations may be under way now. */
	width(): number {
		if (this.closedFor() > 0) return 0;
		return this.isOpen ? CREATIONS_AT_A_TIME : 1;
	}

	/** Milliseconds until the next creation may be sent. */
	closedFor(): number {
		return Math.max(0, this.closedUntil - this.clock.elapsed());
	}

	noteAccepted(): void {
		this.isOpen = true;
		this.hasTaken = true;
		this.refusals = 0;
	}

	/** Whether a creation failed for lack of room: certainly nothing was created, and a later try may succeed. */
	isLackOfRoom(problem: Problem): boolean {
		return problem.effect === 'none' && traitsOf(problem).retry === 'all';
	}

	/** Records a refused creation. If that was for lack of room, all creations wait. */
	noteRefused(problem: Problem): void {
		if (!this.isLackOfRoom(problem)) return;
		const now = this.clock.elapsed();
		// Refusals of creations that were under way together count as one.
		if (now >= this.closedUntil) this.refusals++;
		if (this.isUnreachable(problem)) return;
		const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (this.refusals - 1), LONGEST_PAUSE_MS);
		const backoffMs = ceiling / 2 + (ceiling / 2) * this.clock.random();
		const { retryAfterMs: statedMs = 0 } = problem;
		const requestedMs = statedMs > LONGEST_PLAUSIBLE_MS ? 0 : Math.min(statedMs, LONGEST_RETRY_AFTER_MS);
		this.isOpen = false;
		this.closedUntil = Math.max(this.closedUntil, now + Math.max(backoffMs, requestedMs));
		this.isFull = this.closedUntil > this.deadline;
	}

	/** Whether to send a creation again after its refusal was recorded. */
	mayTryAgain(problem: Problem): boolean {
		return this.isLackOfRoom(problem) && !this.isUnreachable(problem) && !this.isFull;
	}

	/** Whether a service that cannot be reached was tried often enough, see {@link MOST_UNREACHED}. */
	private isUnreachable({ kind }: Problem): boolean {
		return kind !== 'rateLimited' && !this.hasTaken && this.refusals >= MOST_UNREACHED;
	}
}
