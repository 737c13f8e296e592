import os from 'node:os';

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

/** Where and when the numbers were taken. */
export function printMachine() {
	const [{ model }] = os.cpus();
	const gigabytes = Math.round(os.totalmem() / 2 ** 30);
	const today = new Date().toISOString().slice(0, 10);
	console.log(`${today}, ${os.cpus().length} cores (${model}), ${gigabytes} GB, Node ${process.version}\n`);
}

/** The value of `--name=5` as a number. */
export function numberOption(name, fallback) {
	const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
	return given === undefined ? fallback : Number(given.split('=')[1]);
}
