import type { IDataObject } from 'n8n-workflow';

import { isSameNames, words } from '../service/names';
import { BEST_OFFER } from '../service/topics';
import { isFilled } from '../service/types';
import { blankRow, COMPARISON, GIVEN, MAIN_OF_ENTRIES } from './columns';
import { NO_PRICE } from './offers';

/* Rows beside the fields of the items that asked: the names of their columns, their order, and what they replace. */

/** The comparison: it keeps its names beside input fields, and updates those columns of a sheet. */
const COMPARED: readonly string[] = [...Object.keys(NO_PRICE), ...COMPARISON].filter(
	(name) => !GIVEN.has(name),
);

/** What a row says about itself, beside input fields. */
const ABOUT_ROW = words('reason name found value');
/** The columns that come before it in a row with all columns, of a result and of an entry. */
const ANSWERS_OF_RESULT = [...BEST_OFFER, ...COMPARED.filter((name) => !Object.hasOwn(NO_PRICE, name))];
const ANSWERS_OF_ENTRY = [
	...new Set(['rank', ...MAIN_OF_ENTRIES.offers, ...MAIN_OF_ENTRIES.ranks, ...MAIN_OF_ENTRIES.reviews]),
];

/** The columns of a row beside input fields: a table shows only the first few, so the answer comes first. */
function answerFirst(columns: readonly string[], choice: BesideChoice['columns']): readonly string[] {
	if (choice === 'selected') return columns;
	const known = columns.includes('best_price') ? ANSWERS_OF_RESULT : ANSWERS_OF_ENTRY;
	const answers = choice === 'main' ? columns.filter((name) => !ABOUT_ROW.includes(name)) : known;
	const first = [...answers, ...ABOUT_ROW].filter((name) => columns.includes(name));
	return [...new Set([...first, ...columns])];
}

/** How rows stand beside input fields. */
export interface BesideChoice {
	columns: 'all' | 'main' | 'selected';
	/** What the row's own columns hold where there is no answer. */
	empty: '' | null;
}

/** A column's name beside input fields: that of the comparison, or `result_<name>`. */
const nameBeside = (column: string) => (COMPARED.includes(column) ? column : `result_${column}`);

/** Where the reason of a row stands beside input fields. */
export const REASON_BESIDE = nameBeside('reason');

/**
 * Returns a function that puts a row after the fields of the item that asked for it. Its names do not depend on the item,
 * so that a sheet that is written back has the same columns every day: the comparison keeps its names, and replaces input
 * fields of these names in their place; any other column is called `result_<name>`.
 */
export function besideInput(
	input: IDataObject,
	{ columns: choice, empty }: BesideChoice,
): (row: IDataObject) => IDataObject {
	let given: readonly string[] = [];
	let columns: readonly string[] = [];
	let names: readonly string[] = [];
	let blank = input;
	return (row) => {
		// The rows of a list mostly have the same columns.
		if (!isSameNames(Object.keys(row), given)) {
			given = Object.keys(row);
			columns = answerFirst(given, choice);
			names = columns.map(nameBeside);
			blank = { ...blankRow([...Object.keys(input), ...names]), ...input };
		}
		const filled = { ...blank };
		names.forEach((name, index) => (filled[name] = row[columns[index] ?? name] ?? empty));
		return filled;
	};
}

/** Those fields of an item that are named, in its own order. */
export const picked = (input: IDataObject, names: readonly string[]): IDataObject =>
	Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));

/** Whether an item that this node has answered before loses its answer: its price, or the reason why it had none. */
export const losesAnswer = (input: IDataObject, row: IDataObject) =>
	['best_price', 'reason'].some((name) => isFilled(input[nameBeside(name)]) && row[name] === null);

/**
 * The filled fields of an item that a row replaces although this node has not written them: none of the columns that only
 * this node has is filled yet.
 */
export function replacedFields(input: IDataObject, row: IDataObject): string[] {
	const names = Object.keys(row).map(nameBeside);
	const filled = names.filter((name) => isFilled(input[name]));
	const isResult = (name: string) => !COMPARED.includes(name);
	const isWritten = names.some(isResult)
		? filled.some(isResult)
		: names.every((name) => Object.hasOwn(input, name));
	return isWritten ? [] : filled;
}
