import { sleep } from 'n8n-workflow';

/** The one real clock (see `Clock` in service/clock.ts). n8n forbids timers of our own in nodes, so it sleeps n8n's way. */
export { sleep };

/** How long a sleeping wait may overlook n8n's stop signal, in milliseconds. */
const SLICE_MS = 200;

/** The present, in milliseconds since 1970. */
export function now(): number {
	return Date.now();
}

/** A number from 0 up to 1, for jitter. */
export function random(): number {
	return Math.random();
}

/**
 * Waits the given milliseconds, or less when `signal` is aborted on the way. Sleeps in slices, because
 * n8n-workflow's `sleep` cannot be interrupted. Never rejects: who waits looks at the signal.
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const end = now() + milliseconds;
	for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - now()) {
		await sleep(Math.min(left, SLICE_MS));
	}
}

/** A signal that is aborted after so many milliseconds. */
export function signalAfter(milliseconds: number): AbortSignal {
	return AbortSignal.timeout(milliseconds);
}

/** Lets n8n's event loop handle what has queued up, between two pieces of a long computation. */
export async function yieldToEventLoop(): Promise<void> {
	await sleep(0);
}
