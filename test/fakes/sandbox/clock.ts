interface Timer {
	due: number;
	run: () => void;
	handle?: NodeJS.Timeout;
}

/** The longest delay that `setTimeout` accepts. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The sandbox's only clock: real time plus the time skipped by `advance`. A manual clock moves only by `advance`. Times
 * are milliseconds since 1970.
 */
export class SandboxClock {
	private readonly base: () => number;
	private readonly manual: boolean;
	private readonly timers = new Set<Timer>();
	private skipped = 0;

	constructor(base: () => number = Date.now, manual = false) {
		const start = base();
		this.base = manual ? () => start : base;
		this.manual = manual;
	}

	now(): number {
		return this.base() + this.skipped;
	}

	/** Calls `run` once `ms` have passed on this clock; returns a function that cancels the call. */
	after(ms: number, run: () => void): () => void {
		const timer: Timer = { due: this.now() + ms, run };
		this.timers.add(timer);
		this.arm(timer);
		return () => this.drop(timer);
	}

	/** Skips `ms` and runs the timers that are due, in order. */
	advance(ms: number): void {
		this.skipped += ms;
		for (;;) {
			const due = [...this.timers].filter((timer) => timer.due <= this.now());
			const next = due.sort((a, b) => a.due - b.due)[0];
			if (!next) break;
			this.drop(next);
			next.run();
		}
		for (const timer of this.timers) this.arm(timer);
	}

	stop(): void {
		for (const timer of [...this.timers]) this.drop(timer);
	}

	private arm(timer: Timer): void {
		if (this.manual || timer.due === Infinity) return;
		clearTimeout(timer.handle);
		const wait = Math.max(0, timer.due - this.now());
		timer.handle = setTimeout(() => this.ring(timer), Math.min(wait, LONGEST_MS));
		timer.handle.unref();
	}

	private ring(timer: Timer): void {
		if (timer.due > this.now()) return this.arm(timer);
		this.drop(timer);
		timer.run();
	}

	private drop(timer: Timer): void {
		clearTimeout(timer.handle);
		this.timers.delete(timer);
	}
}

/** `2026-10-28T12:34:37Z`: the service writes no fractions. */
export function isoTime(ms: number): string {
	return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
