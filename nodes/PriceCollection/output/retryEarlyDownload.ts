import { pause } from '../n8n/clock';
import type { Outcome } from '../service/problem';

/** A service that says "finished" may need this long until the download agrees, in milliseconds each. */
export const DOWNLOAD_WAITS_MS: readonly number[] = [1_000, 3_000, 10_000];

/**
 * Repeats a download that the service calls too early although it called the job finished.
 *
 * @param waits how long to wait before each further attempt, in milliseconds
 */
export async function patiently<T>(
	download: () => Promise<Outcome<T>>,
	waits: readonly number[],
	signal?: AbortSignal,
): Promise<Outcome<T>> {
	let outcome = await download();
	for (const wait of waits) {
		if (outcome.ok || outcome.problem.kind !== 'notFinished') return outcome;
		await pause(wait, signal);
		if (signal?.aborted === true) return outcome;
		outcome = await download();
	}
	return outcome;
}
