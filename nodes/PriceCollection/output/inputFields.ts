import type { IDataObject } from 'n8n-workflow';

import { blankRow, NO_COMPARISON, NO_PRICE } from './columns';

/** Columns with the node's answers: they update columns of the same name in a sheet. */
const ANSWERS: ReadonlySet<string> = new Set([
	...['found', 'success', 'reason'],
	...Object.keys(NO_PRICE),
	...Object.keys(NO_COMPARISON),
]);

/**
 * A row after the fields of the item that asked for it. An answer replaces an input field of the same name;
 * any other column becomes `result_<name>` and updates one from an earlier run.
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
