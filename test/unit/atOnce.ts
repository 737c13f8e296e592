import type { Steps } from '../../nodes/PriceCollection/rows/steps';

/** Turns a computation in steps into a function that does them all at once. */
export const atOnce =
	<Given extends unknown[], Result>(work: (...given: Given) => Steps<Result>) =>
	(...given: Given): Result => {
		const steps = work(...given);
		for (;;) {
			const step = steps.next();
			if (step.done === true) return step.value;
		}
	};
