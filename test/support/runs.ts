/**
 * The share of their cases that generated tests run: `npm test` runs a fifth of the numbers in the tests, the nightly
 * build ten times as many (10) with random seeds, and a mutation test a few (0.01).
 */
export const SCALE = Number(process.env.TEST_SCALE ?? 0.2);

const FEWEST = 10;

/** How many cases a generated test runs for its number `usual`: at least ten, unless `usual` is less. */
export function runs(usual: number): number {
	return Math.max(Math.min(usual, FEWEST), Math.round(usual * SCALE));
}

/** Every `step`th of these cases, which differ in little; from a scale of 1, as at night, all of them. */
export function someOf<T>(cases: readonly T[], step: number): T[] {
	return cases.filter((_, index) => SCALE >= 1 || index % step === 0);
}
