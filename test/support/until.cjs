'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

/** Looks again after this share of the time so far, within these limits, because each look costs what it looks at. */
const SHARE = 0.05;
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** Long enough for a busy machine. It only keeps broken code from waiting for ever. */
const LONGEST_MS = 120_000;

/**
 * Calls `look` again and again until it returns something, and returns that.
 * @template T
 * @param {string | (() => string)} what is waited for, for the error if it never comes
 * @param {() => T | Promise<T>} look
 * @param {number} [timeoutMs] two minutes if absent
 * @returns {Promise<Exclude<T, false | undefined | null | 0 | ''>>}
 */
async function until(what, look, timeoutMs = LONGEST_MS) {
	for (const start = Date.now(); ;) {
		const found = await look();
		if (found) return /** @type {any} */ (found);
		const waited = Date.now() - start;
		if (waited > timeoutMs) {
			const text = typeof what === 'string' ? what : what();
			throw new Error(`Waited for ${timeoutMs / 1000} s in vain: ${text}`);
		}
		await sleep(Math.min(Math.max(SHORTEST_PAUSE_MS, waited * SHARE), LONGEST_PAUSE_MS));
	}
}

module.exports = { until };
