/**
 * The part of their cases that generated tests play: `npm test` plays a fifth of the numbers that stand in the tests, the
 * build server all of them (1), the night ten times as many (10) with random seeds, and a mutation test a few (0.01).
 */
export const SCALE = Number(process.env.TEST_SCALE ?? 0.2);

const FEWEST = 10;

/** How many cases a generated test plays where it says `usual`; never less than ten, unless it says so itself. */
export function runs(usual: number): number {
	return Math.max(Math.min(usual, FEWEST), Math.round(usual * SCALE));
}
