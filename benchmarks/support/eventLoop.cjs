'use strict';

const TICK_MS = 10;
/** Shorter ones are noise of the system's scheduler. */
const LEAST_BLOCK_MS = 20;

/** @typedef {{ from: number, ms: number }} Block `from`: milliseconds since 1970 */

/** Notes how long a timer that is due every 10 ms has to wait for its turn. */
class EventLoopWatch {
	constructor() {
		this.restart();
		this.timer = setInterval(() => this.tick(), TICK_MS).unref();
	}

	restart() {
		/** @type {Block[]} */
		this.blocks = [];
		this.last = performance.now();
	}

	tick() {
		const now = performance.now();
		const ms = now - this.last - TICK_MS;
		if (ms >= LEAST_BLOCK_MS) this.blocks.push({ from: Date.now() - ms, ms });
		this.last = now;
	}

	/** Ends watching, and gives all blocks since the start or restart. */
	stop() {
		this.tick();
		clearInterval(this.timer);
		return this.blocks;
	}
}

/**
 * The longest of the blocks, in milliseconds; with a window only those that lie in it by more than half.
 * @param {Block[]} blocks
 * @param {{ from: number, to: number }} [window] milliseconds since 1970
 */
function longest(blocks, window) {
	const inside = ({ from, ms }) => !window || (from + ms / 2 >= window.from && from + ms / 2 <= window.to);
	return Math.max(0, ...blocks.filter(inside).map(({ ms }) => ms));
}

module.exports = { EventLoopWatch, longest };
