import fc from 'fast-check';

/**
 * Generated tests play the same cases every time, so that a red test is about the change at hand. `FC_SEED=random` makes
 * new ones, and `FC_SEED=123` those of a seed that a failing test has printed.
 */
const { FC_SEED = '20261122', FC_RUNS } = process.env;
fc.configureGlobal({
	...(FC_SEED !== 'random' && { seed: Number(FC_SEED) }),
	// See `runs`: and whoever plays few cases wants to know that one fails, not which is the simplest.
	...(FC_RUNS !== undefined && { numRuns: Number(FC_RUNS), endOnFailure: true }),
});
