import fc from 'fast-check';

/**
 * Generated tests play the same cases every time, so that a red test is about the change at hand. `FC_SEED=random` makes
 * new ones, and `FC_SEED=123` those of a seed that a failing test has printed.
 */
const { FC_SEED = '20261122' } = process.env;
if (FC_SEED !== 'random') fc.configureGlobal({ seed: Number(FC_SEED) });
