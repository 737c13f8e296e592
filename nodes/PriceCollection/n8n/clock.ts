import { sleep } from 'n8n-workflow';

/** The real clock (see service/time.ts). n8n forbids own timers in nodes, so it uses n8n's sleep. */
export { sleep };

/** How long a pause may overlook n8n's stop signal, in milliseconds. */
const SLICE_MS = 200;

export function now(): number {
	return Date.now();
}

export function random(): number {
	return Math.random();
}

/**
 * Waits the given milliseconds, or until `signal` is aborted. Sleeps in slices, because n8n-workflow's
 * `sleep` cannot be interrupted. Never rejects: callers check the signal.
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const end = now() + milliseconds;
	for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - now()) {
		await sleep(Math.min(left, SLICE_MS));
	}
}

/** A signal that aborts after the given milliseconds. */
export function signalAfter(milliseconds: number): AbortSignal {
	return AbortSignal.timeout(milliseconds);
}

export async function yieldToEventLoop(): Promise<void> {
	await sleep(0);
}
