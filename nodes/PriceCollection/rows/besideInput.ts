import type { IDataObject } from 'n8n-workflow';

import { isSameNames, words } from '../service/names';
import { BEST_OFFER } from '../service/topics';
import { isFilled } from '../service/types';
import { blankRow, COMPARISON, INPUT_PRICE_COLUMNS, MAIN_OF_ENTRIES } from './columns';
import { NO_PRICE } from './offers';

/* Combines rows with the fields of their input items: column names, column order, and the input fields they replace. */

/** Best price and comparison: they keep their names beside input fields, so they update these columns of a sheet. */
const COMPARED: readonly string[] = [...Object.keys(NO_PRICE), ...COMPARISON].filter(
	(name) => !INPUT_PRICE_COLUMNS.has(name),
);

/** Columns that explain or identify a row; they follow the answer. */
const ABOUT_ROW = words('reason name found value');
/** The first columns of a result's row with all columns. */
const RESULT_ANSWERS = [...BEST_OFFER, ...COMPARED.filter((name) => !Object.hasOwn(NO_PRICE, name))];
/** The first columns of an entry's row with all columns. */
const ENTRY_ANSWERS = [
	...new Set(['rank', ...MAIN_OF_ENTRIES.offers, ...MAIN_OF_ENTRIES.ranks, ...MAIN_OF_ENTRIES.reviews]),
];

/** Puts the answer first, because a table shows only the first few columns. Selected columns keep their order. */
function answerFirst(columns: readonly string[], choice: BesideChoice['columns']): readonly string[] {
	if (choice === 'selected') return columns;
	const known = columns.includes('best_price') ? RESULT_ANSWERS : ENTRY_ANSWERS;
	const answers = choice === 'main' ? columns.filter((name) => !ABOUT_ROW.includes(name)) : known;
	const first = [...answers, ...ABOUT_ROW].filter((name) => columns.includes(name));
	return [...new Set([...first, ...columns])];
}

/** How rows are combined with input fields. */
export interface BesideChoice {
	columns: 'all' | 'main' | 'selected';
	/** The value of the row's columns that have no answer. */
	empty: '' | null;
}

/** Returns a column's name beside input fields: unchanged for the best price and comparison, otherwise `result_<name>`. */
const nameBeside = (column: string) => (COMPARED.includes(column) ? column : `result_${column}`);

/** The name of the reason column beside input fields. */
export const REASON_BESIDE = nameBeside('reason');

/**
 * Returns a function that appends a row to the fields of its input item. The column names do not depend on the item, so
 * that a sheet that is written back has the same columns every day: the best price and comparison keep their names, and
 * all other columns are called `result_<name>`. They replace input fields of the same name in place.
 */
export function besideInput(
	input: IDataObject,
	{ columns: choice, empty }: BesideChoice,
): (row: IDataObject) => IDataObject {
	let rowColumns: readonly string[] = [];
	let columns: readonly string[] = [];
	let names: readonly string[] = [];
	let blank = input;
	return (row) => {
		// Most rows of a list have the same columns.
		if (!isSameNames(Object.keys(row), rowColumns)) {
			rowColumns = Object.keys(row);
			columns = answerFirst(rowColumns, choice);
			names = columns.map(nameBeside);
			blank = { ...blankRow([...Object.keys(input), ...names]), ...input };
		}
		const filled = { ...blank };
		names.forEach((name, index) => (filled[name] = row[columns[index] ?? name] ?? empty));
		return filled;
	};
}

/** Returns an item's fields with these names, in the item's order. */
export const picked = (input: IDataObject, names: readonly string[]): IDataObject =>
	Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));

/** Whether an item has an answer from an earlier run that the row empties: a best price, or the reason for having none. */
export const losesAnswer = (input: IDataObject, row: IDataObject) =>
	['best_price', 'reason'].some((name) => isFilled(input[nameBeside(name)]) && row[name] === null);

/**
 * Returns an item's filled fields that the row replaces although this node did not write them. This node has written an
 * item if one of its `result_` columns is filled, or, for rows without such columns, if it has all columns of the row.
 */
export function replacedFields(input: IDataObject, row: IDataObject): string[] {
	const names = Object.keys(row).map(nameBeside);
	const filled = names.filter((name) => isFilled(input[name]));
	const isResultColumn = (name: string) => !COMPARED.includes(name);
	const isWritten = names.some(isResultColumn)
		? filled.some(isResultColumn)
		: names.every((name) => Object.hasOwn(input, name));
	return isWritten ? [] : filled;
}
