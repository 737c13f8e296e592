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
 * steps aside as `result_<name>`, where it renews what an earlier row has left. An item that has every column of the row is
 * such an earlier row, written to a sheet and read again: what did not step aside then is the node's own and is renewed.
 */
export function besideInput(input: IDataObject, row: IDataObject): IDataObject {
	const isInItem = (name: string) => Object.hasOwn(input, name);
	const columns = Object.keys(row);
	const isEarlierRow =
		columns.some((name) => ANSWERS.has(name)) &&
		columns.every((name) => isInItem(name) || isInItem(`result_${name}`));
	const stays = (name: string) =>
		ANSWERS.has(name) || !isInItem(name) || (isEarlierRow && !isInItem(`result_${name}`));
	const sources = new Map<string, string>();
	for (const column of columns) {
		let name = stays(column) ? column : `result_${column}`;
		while (sources.has(name)) name = `result_${name}`;
		sources.set(name, column);
	}
	const filled = blankRow([...new Set([...Object.keys(input), ...sources.keys()])]);
	for (const name of Object.keys(filled)) {
		const column = sources.get(name);
		filled[name] = column === undefined ? input[name] : row[column];
	}
	return filled;
}
