import type { Clock } from '../service/time';

/**
 * A computation in steps, so that n8n's event loop can run in between. Each step yields the amount of work done, measured
 * in entries of a list.
 */
export type Steps<T> = Generator<number, T, undefined>;

/** How many entries are processed before the event loop runs. Each takes microseconds, an unusual one 0.1 ms. */
const ENTRIES_PER_TURN = 1_000;

/** Runs computations one after the other, and regularly yields to n8n's event loop. */
export class StepRunner {
	private entriesDone = 0;

	constructor(private readonly clock: Pick<Clock, 'yieldToEventLoop'>) {}

	async run<T>(steps: Steps<T>): Promise<T> {
		for (;;) {
			const step = steps.next();
			if (step.done === true) return step.value;
			this.entriesDone += step.value;
			if (this.entriesDone < ENTRIES_PER_TURN) continue;
			this.entriesDone = 0;
			await this.clock.yieldToEventLoop();
		}
	}
}
