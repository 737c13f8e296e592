import fc from 'fast-check';

import { runs, SCALE } from './runs';

/**
 * Generated tests play the same cases every time, so that a red test is about the change at hand. `FC_SEED=random` makes
 * new ones, and `FC_SEED=123` those of a seed that a failing test has printed.
 */
const { FC_SEED = '20261122' } = process.env;
fc.configureGlobal({
	...(FC_SEED !== 'random' && { seed: Number(FC_SEED) }),
	numRuns: runs(100),
	// Whoever plays a few cases only wants to know that one fails, not which is the simplest.
	endOnFailure: SCALE < 0.1,
});
