/** The figures in `docs/contributing/benchmarks.md`, a chapter for each benchmark. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../docs/contributing/benchmarks.md', import.meta.url));
const [BEGIN, END] = ['<!-- figures -->\n\n', '\n<!-- end -->'];

/** The targets that `printTargets` printed. */
const targetsIn = (printed) =>
	[...printed.matchAll(/^\| (.+?) +\| +([≤≥].+?) \| +(\S+) \| +(yes|\*\*missed\*\*) \|$/gm)].map(
		([, target, wanted, figure, met]) =>
			`- ${target}: ${met === 'yes' ? figure : `**${figure}**`} (${wanted})`,
	);

/**
 * Replaces a benchmark's chapter with the targets that it printed.
 *
 * @param {string} name of the benchmark
 * @param {string} printed Markdown with a table of targets, and a line with date, machine and load
 */
export function writeTargets(name, printed) {
	const [before, rest = ''] = readFileSync(FILE, 'utf8').split(BEGIN);
	const [figures = '', after] = rest.split(END);
	const [date] = /^\d{4}-\d\d-\d\d/m.exec(printed) ?? [''];
	const load = /under a load of ([\d.]+)/.exec(printed)?.[1];
	const measured = [`### ${name} (${date}, load ${load})`, '', ...targetsIn(printed), ''].join('\n');
	const others = figures.split(/^(?=### )/m).filter((chapter) => !chapter.startsWith(`### ${name} `));
	const chapters = [...others.map((chapter) => `${chapter.trim()}\n`), measured].sort();
	writeFileSync(FILE, `${before}${BEGIN}${chapters.join('\n')}${END}${after}`);
}
