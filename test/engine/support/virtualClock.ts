import { setImmediate } from 'node:timers/promises';
import { sleep } from 'n8n-workflow';

export { sleep };

/**
 * Replaces `n8n/clock` in all engine tests (see setup.ts): a pause takes no time but moves the clock on, so that hours
 * pass at once. Every move calls the `listeners`, such as a sandbox that must move along. With a fixed `base`, only
 * pauses and `skip` move the time.
 */
export const time = {
	base: () => Date.now(),
	skipped: 0,
	/** How far the machine's clock was set ahead (below zero: back). Moves `now` but not `elapsed`. */
	setBy: 0,
	/** How long the nodes paused each time, in milliseconds. */
	pauses: [] as number[],
	/** Set if several things happen at once: only its signal then ends a pause. */
	isStopped: false,
	listeners: new Set<(milliseconds: number) => void>(),
	/** Moves the time without a pause. */
	skip(milliseconds: number): void {
		time.skipped += milliseconds;
		for (const listener of time.listeners) listener(milliseconds);
	},
};

export function now(): number {
	return elapsed() + time.setBy;
}

export function elapsed(): number {
	return time.base() + time.skipped;
}

export function random(): number {
	return 0.5;
}

export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (milliseconds > 0 && !signal?.aborted) {
		time.pauses.push(milliseconds);
		if (time.isStopped)
			return await new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
		skipUntilAborted(milliseconds, signal);
	}
	await setImmediate();
}

/** The ends of the signals that are not yet aborted. */
const ends = new Set<number>();

/** Moves the time from signal to signal, because one of them may end this pause early. */
function skipUntilAborted(milliseconds: number, signal?: AbortSignal): void {
	const end = elapsed() + milliseconds;
	while (elapsed() < end && !signal?.aborted) {
		const next = Math.min(end, ...[...ends].filter((one) => one > elapsed()));
		time.skip(next - elapsed());
	}
}

/** Aborted once the time has moved this far, for whatever reason. */
export function signalAfter(milliseconds: number): AbortSignal {
	if (milliseconds <= 0) return AbortSignal.abort();
	const controller = new AbortController();
	const end = elapsed() + milliseconds;
	const listener = () => {
		if (elapsed() < end) return;
		time.listeners.delete(listener);
		ends.delete(end);
		controller.abort();
	};
	time.listeners.add(listener);
	ends.add(end);
	return controller.signal;
}

export async function yieldToEventLoop(): Promise<void> {
	await setImmediate();
}
