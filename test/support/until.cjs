'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

const LOOK_EVERY_MS = 200;

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
	for (const deadline = Date.now() + timeoutMs; ;) {
		const found = await look();
		if (found) return /** @type {any} */ (found);
		if (Date.now() > deadline) {
			const text = typeof what === 'string' ? what : what();
			throw new Error(`Waited for ${timeoutMs / 1000} s in vain: ${text}`);
		}
		await sleep(LOOK_EVERY_MS);
	}
}

module.exports = { until };
