/**
 * How many cases a generated test plays: as many as it says, or `FC_RUNS` at the most. Mutation tests play each one for
 * hundreds of mutants, where the first few cases tell nearly as much as all of them.
 */
export function runs(usual: number): number {
	const { FC_RUNS = usual } = process.env;
	return Math.min(usual, Number(FC_RUNS));
}
