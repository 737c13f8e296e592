import type { Result } from '../results.ts';

export interface Table {
	columns: string[];
	rows: Array<Record<string, unknown>>;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Scalars under their names, objects one level down as `buybox_min_price`, lists joined. */
function flat(fields: Fields, prefix = ''): Fields {
	const row: Fields = {};
	for (const [name, value] of Object.entries(fields)) {
		if (isFields(value)) Object.assign(row, flat(value, `${prefix}${name}_`));
		else if (!Array.isArray(value)) row[prefix + name] = value;
		else if (!value.some(isFields)) row[prefix + name] = value.join(' | ');
	}
	return row;
}

function rowsOf(jobId: string, result: Result): Fields[] {
	const context = {
		job_id: jobId,
		...flat(result.query),
		success: result.success,
		reason: result.reason ?? '',
	};
	if (!isFields(result.content)) return [context];
	const own = flat(result.content, 'product_');
	const lists = Object.entries(result.content).filter(([name]) =>
		/offers|results|reviews|bestsellers/.test(name),
	);
	const entries = lists.flatMap(([, list]) => (Array.isArray(list) ? list.filter(isFields) : []));
	if (entries.length === 0) return [{ ...context, ...own }];
	return entries.map((entry) => ({ ...context, ...own, ...flat(entry, 'entry_') }));
}

/** One row per entry of the content, or one for a result without entries. */
export function tableOf(jobId: string, results: Result[]): Table {
	const rows = results.flatMap((result) => rowsOf(jobId, result));
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	return { columns, rows };
}

function quoted(value: unknown): string {
	const text = value === null || value === undefined ? '' : String(value);
	return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, UTF-8 without a byte order mark. */
export function csvText({ columns, rows }: Table): string {
	const lines = rows.map((row) => columns.map((name) => quoted(row[name])).join(','));
	return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
