'use strict';

const TICK_MS = 10;
/** Shorter ones are noise of the system's scheduler. */
const LEAST_BLOCK_MS = 20;

/** @typedef {{ from: number, to: number, ms: number }} Block `from`, `to`: milliseconds since 1970 */

/** Processor time of this thread, in milliseconds. */
function threadTime() {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

/**
 * Records how long the thread works before a timer that is due every 10 ms runs. Counts only this thread's processor
 * time, so that other processes on a busy machine do not look like blocks.
 */
class EventLoopWatch {
	constructor() {
		this.restart();
		this.timer = setInterval(() => this.tick(), TICK_MS).unref();
	}

	restart() {
		/** @type {Block[]} */
		this.blocks = [];
		this.last = Date.now();
		this.startTime = this.lastTime = threadTime();
	}

	/** Processor time of this thread since the start or restart, in seconds. */
	get mainThread() {
		return (threadTime() - this.startTime) / 1000;
	}

	tick() {
		const [now, time] = [Date.now(), threadTime()];
		const ms = time - this.lastTime;
		if (ms >= LEAST_BLOCK_MS) this.blocks.push({ from: this.last, to: now, ms });
		this.last = now;
		this.lastTime = time;
	}

	/** Stops watching and returns all blocks since the start or restart. */
	stop() {
		this.tick();
		clearInterval(this.timer);
		return this.blocks;
	}
}

/**
 * The longest of the blocks, in milliseconds; with a window only those whose middle lies in it.
 * @param {Block[]} blocks
 * @param {{ from: number, to: number }} [window] milliseconds since 1970
 */
function longest(blocks, window) {
	const inside = ({ from, to }) => {
		const middle = (from + to) / 2;
		return !window || (middle >= window.from && middle <= window.to);
	};
	return Math.max(0, ...blocks.filter(inside).map(({ ms }) => ms));
}

module.exports = { EventLoopWatch, longest };
