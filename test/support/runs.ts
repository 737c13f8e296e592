/**
 * The share of their cases that generated tests run: `npm test` runs a fifth of the numbers in the tests, the build
 * server all of them (1), the nightly build ten times as many (10) with random seeds, and a mutation test a few (0.01).
 */
export const SCALE = Number(process.env.TEST_SCALE ?? 0.2);

const FEWEST = 10;

/** How many cases a generated test runs for its number `usual`: at least ten, unless `usual` is less. */
export function runs(usual: number): number {
	return Math.max(Math.min(usual, FEWEST), Math.round(usual * SCALE));
}
