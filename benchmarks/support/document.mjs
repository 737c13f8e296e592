/** The one table of `docs/contributing/benchmarks.md`: a row for each target. A benchmark that is run replaces its rows. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';

const FILE = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/contributing/benchmarks.md');
const TABLE = /(?:^\|.*\n)+/m;

const cellsOf = (line) =>
	line
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim());

/** The rows that `printTargets` printed. */
function targetsIn(printed) {
	const lines = printed.split('\n').map(cellsOf);
	return lines.filter(([, wanted, , met]) => /^[≤≥]/.test(wanted ?? '') && met !== undefined);
}

/**
 * Replaces the rows of a benchmark by what it printed.
 *
 * @param {string} name of the benchmark
 * @param {string} printed Markdown with a table of targets, and a line with date, machine and load
 */
export async function writeTargets(name, printed) {
	const text = readFileSync(FILE, 'utf8');
	const date = /^\d{4}-\d\d-\d\d/m.exec(printed)?.[0] ?? '';
	const load = /under a load of ([\d.]+)/.exec(printed)?.[1] ?? '';
	const [head, rule, ...rows] = TABLE.exec(text)[0].trim().split('\n');
	const others = rows.filter((row) => cellsOf(row)[0] !== name);
	const measured = targetsIn(printed).map(([target, wanted, figure, met]) => {
		const shown = met === 'yes' ? figure : `**${figure}**`;
		return `| ${[name, target, wanted, shown, `${date}, ${load}`].join(' | ')} |`;
	});
	const table = [head, rule, ...[...others, ...measured].sort()].join('\n');
	const options = await prettier.resolveConfig(FILE);
	const written = text.replace(TABLE, () => `${table}\n`);
	writeFileSync(FILE, await prettier.format(written, { ...options, parser: 'markdown' }));
}
