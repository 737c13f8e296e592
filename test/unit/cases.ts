import { readFileSync } from 'node:fs';

/** A chapter of a table of cases: its title, and the cells of each line. */
export type Chapter = [title: string, cases: string[][]];

/**
 * Reads a table of cases in a shop owner's words. It starts with what the columns are; chapters begin with `# `, and
 * each line is a case, with ` | ` between its cells.
 */
export function readCases(file: string): Chapter[] {
	const [, ...chapters] = readFileSync(file, 'utf8').trim().split('\n\n# ');
	return chapters.map((text): Chapter => {
		const [title = '', ...lines] = text.split('\n');
		return [title, lines.map((line) => line.split(' | '))];
	});
}
