import type { Clock } from '../service/time';

/**
 * A computation in steps, between which n8n's event loop may get its turn. Each step yields how much was done, in entries
 * of a list.
 */
export type Steps<T> = Generator<number, T, undefined>;

/** How many entries are worked through at a stretch. Each takes microseconds, an unusual one a tenth of a millisecond. */
const ENTRIES_AT_A_STRETCH = 1_000;

/** Runs computations one after the other, and lets n8n's event loop have its turn within each of them. */
export class StepRunner {
	private done = 0;

	constructor(private readonly clock: Pick<Clock, 'yieldToEventLoop'>) {}

	async run<T>(steps: Steps<T>): Promise<T> {
		for (;;) {
			const step = steps.next();
			if (step.done === true) return step.value;
			this.done += step.value;
			if (this.done < ENTRIES_AT_A_STRETCH) continue;
			this.done = 0;
			await this.clock.yieldToEventLoop();
		}
	}
}

/** The names of all fields of these objects, each once. */
export function* fieldsIn(objects: readonly object[]): Steps<string[]> {
	const names = new Set<string>();
	for (const object of objects) {
		for (const name of Object.keys(object)) names.add(name);
		yield 1;
	}
	return [...names];
}
