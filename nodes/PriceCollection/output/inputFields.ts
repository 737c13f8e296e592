import type { IDataObject } from 'n8n-workflow';

import { NO_PRICE } from './bestPrice';
import { blankRow } from './columns';
import { NO_COMPARISON } from './comparison';

/** The node's answers, by which a sheet is updated in its own columns. */
const ANSWERS: ReadonlySet<string> = new Set([
	...['found', 'success', 'reason'],
	...Object.keys(NO_PRICE),
	...Object.keys(NO_COMPARISON),
]);

/**
 * A row behind the fields of the item that asked for it. An answer takes the place of a field of its name; any other column
 * steps aside as `result_<name>`, where it renews what an earlier row has left.
 */
export function besideInput(input: IDataObject, row: IDataObject): IDataObject {
	const sources = new Map<string, string>();
	for (const column of Object.keys(row)) {
		const isTaken = !ANSWERS.has(column) && Object.hasOwn(input, column);
		let name = isTaken ? `result_${column}` : column;
		while (sources.has(name)) name = `result_${name}`;
		sources.set(name, column);
	}
	const names = [...new Set([...Object.keys(input), ...sources.keys()])];
	const filled = blankRow(names);
	for (const name of names) {
		const column = sources.get(name);
		filled[name] = column === undefined ? input[name] : row[column];
	}
	return filled;
}
