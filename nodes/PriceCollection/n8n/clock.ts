import { sleep } from 'n8n-workflow';

/** The real clock (see service/time.ts). n8n forbids own timers in nodes, so it uses n8n's sleep. */
export { sleep };

/** How long a pause may overlook n8n's stop signal, in milliseconds. */
const SLICE_MS = 200;

export function now(): number {
	return Date.now();
}

/** Milliseconds on a clock that only moves on (see `Clock.elapsed`). */
export function elapsed(): number {
	return performance.now();
}

export function random(): number {
	return Math.random();
}

/**
 * Waits the given milliseconds, or until `signal` is aborted. Sleeps in slices, because n8n-workflow's
 * `sleep` cannot be interrupted. Never rejects: callers check the signal.
 *
 * Ends by whichever clock says so first: the machine's clock may be set back, and the other one may stand still while
 * the machine sleeps.
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const [end, endOfElapsed] = [now() + milliseconds, elapsed() + milliseconds];
	const left = () => Math.min(end - now(), endOfElapsed - elapsed());
	for (let rest = milliseconds; rest > 0 && !signal?.aborted; rest = left()) {
		await sleep(Math.min(rest, SLICE_MS));
	}
}

/** A signal that aborts after the given milliseconds; with none left it is aborted already, so that nothing is begun. */
export function signalAfter(milliseconds: number): AbortSignal {
	return milliseconds > 0 ? AbortSignal.timeout(milliseconds) : AbortSignal.abort();
}

export async function yieldToEventLoop(): Promise<void> {
	await sleep(0);
}
