import { sleep } from 'n8n-workflow';

export { sleep };

/**
 * Stands in for `n8n/clock`: pauses take no time but move the clock, so that back-off is seen and not lived
 * through. For `jest.mock('../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./fastClock'))`.
 */
export const pauses: number[] = [];
let skipped = 0;

export function now(): number {
	return Date.now() + skipped;
}

/** The middle of the jitter. */
export function random(): number {
	return 0.5;
}

export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted === true) return;
	pauses.push(milliseconds);
	skipped += milliseconds;
	await sleep(0);
}

export async function yieldToEventLoop(): Promise<void> {
	await sleep(0);
}

/** Forgets the pauses so far. */
export function forgetPauses(): void {
	pauses.length = 0;
}
