import { readFileSync } from 'node:fs';

/** A chapter of a table of cases, and the cells of each of its lines. */
export type Chapter = [title: string, cases: string[][]];

/**
 * Reads a table of cases in the words of whoever owns a shop: what the columns are, then chapters that begin with `# `,
 * with one case a line and ` | ` between its cells.
 */
export function readCases(file: string): Chapter[] {
	const [, ...chapters] = readFileSync(file, 'utf8').trim().split('\n\n# ');
	return chapters.map((text): Chapter => {
		const [title = '', ...lines] = text.split('\n');
		return [title, lines.map((line) => line.split(' | '))];
	});
}
