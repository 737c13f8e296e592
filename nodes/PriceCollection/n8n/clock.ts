import { sleep } from 'n8n-workflow';

/** The real clock (see `Clock` in service/time.ts). n8n does not allow timers in nodes, so it uses n8n's `sleep`. */
export { sleep };

/** How long a pause may take to notice an abort, in milliseconds. */
const SLICE_MS = 200;

export function now(): number {
	return Date.now();
}

/** Milliseconds on a monotonic clock (see `Clock.elapsed`). */
export function elapsed(): number {
	return performance.now();
}

export function random(): number {
	return Math.random();
}

/**
 * Waits `milliseconds`, or until `signal` is aborted. Sleeps in slices, because n8n-workflow's `sleep` cannot be
 * interrupted. Never rejects: callers check the signal.
 *
 * The pause ends when either clock reaches its end: the machine's clock may be set back, and the monotonic one may stop
 * while the machine sleeps.
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const [endsAt, endsAtElapsed] = [now() + milliseconds, elapsed() + milliseconds];
	const remaining = () => Math.min(endsAt - now(), endsAtElapsed - elapsed());
	for (let remainingMs = milliseconds; remainingMs > 0 && !signal?.aborted; remainingMs = remaining()) {
		await sleep(Math.min(remainingMs, SLICE_MS));
	}
}

/** Returns a signal that aborts after `milliseconds`. If none are left, it is already aborted, so that nothing starts. */
export function signalAfter(milliseconds: number): AbortSignal {
	return milliseconds > 0 ? AbortSignal.timeout(milliseconds) : AbortSignal.abort();
}

export async function yieldToEventLoop(): Promise<void> {
	await sleep(0);
}
