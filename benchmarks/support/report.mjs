import { readFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

/** The middle of several numbers. */
export function median(numbers) {
	const sorted = [...numbers].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The medians of all numeric fields of several measurements; other fields as in the first. */
export function medians(measurements) {
	return Object.fromEntries(
		Object.entries(measurements[0]).map(([name, first]) => [
			name,
			typeof first === 'number' ? median(measurements.map((one) => one[name])) : first,
		]),
	);
}

/** A number as people read it: whole from 100 on, two significant digits below. */
export function figure(value) {
	if (typeof value !== 'number') return value ?? '';
	if (!Number.isFinite(value)) return '–';
	const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2));
	return rounded.toLocaleString('en', { maximumSignificantDigits: 15 });
}

/**
 * Prints a table that reads well in a terminal and is Markdown.
 * @param {string[]} columns
 * @param {Array<Array<string | number | undefined>>} rows
 */
export function printTable(columns, rows) {
	const cells = [columns, ...rows.map((row) => row.map(figure))];
	const widths = columns.map((_, index) => Math.max(3, ...cells.map((row) => String(row[index]).length)));
	const pad = (text, index) =>
		index === 0 ? String(text).padEnd(widths[index]) : String(text).padStart(widths[index]);
	const line = (row) => `| ${row.map(pad).join(' | ')} |`;
	const rule = widths.map((width, index) => '-'.repeat(width - 1) + (index === 0 ? '-' : ':'));
	console.log([line(cells[0]), `| ${rule.join(' | ')} |`, ...cells.slice(1).map(line)].join('\n'));
	console.log('');
}

/** What the last column of a missed target says. */
export const MISSED = '**missed**';

/**
 * Prints each target, what was measured, and whether it is met. Leaves out what the run did not measure.
 * @param {Array<{ what: string, measured: number | undefined, most?: number, least?: number }>} targets
 */
export function printTargets(targets) {
	const known = targets.filter(({ measured }) => Number.isFinite(measured));
	const isMet = ({ measured, most = Infinity, least = -Infinity }) => measured <= most && measured >= least;
	const wanted = ({ most, least }) => (most === undefined ? `≥ ${figure(least)}` : `≤ ${figure(most)}`);
	// One digit more than usual, so that a near miss does not look like a hit.
	const exactly = (value) => (value < 100 ? String(Number(value.toPrecision(3))) : figure(value));
	if (known.length === 0) return;
	printTable(
		['target', 'wanted', 'measured', 'met'],
		known.map((one) => [one.what, wanted(one), exactly(one.measured), isMet(one) ? 'yes' : MISSED]),
	);
}

/** The version of n8n that the benchmarks install. */
function n8nVersion() {
	const file = fileURLToPath(new URL('../../test/install/n8n/package.json', import.meta.url));
	return JSON.parse(readFileSync(file, 'utf8')).dependencies.n8n;
}

/** Prints when and where the figures were measured. The load is how many processes wanted a core. */
export function printMachine({ n8n = false } = {}) {
	const [{ model }] = os.cpus();
	const gigabytes = Math.round(os.totalmem() / 2 ** 30);
	const today = new Date().toISOString().slice(0, 10);
	const cores = `${os.cpus().length} cores (${model.trim()}) under a load of ${figure(os.loadavg()[1])}`;
	const versions = [`Node ${process.version}`, ...(n8n ? [`n8n ${n8nVersion()}`] : [])].join(', ');
	console.log(`${today}, ${cores}, ${gigabytes} GB, ${versions}\n`);
}

/** The value of `--name=text`. */
export function textOption(name, fallback) {
	const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
	return given === undefined ? fallback : given.slice(given.indexOf('=') + 1);
}

/** The value of `--name=5` as a number. */
export function numberOption(name, fallback) {
	return Number(textOption(name, fallback));
}
