import type { IDataObject } from 'n8n-workflow';

import { amountOf, currencyOf } from './amounts';
import { withColumns } from './columns';
import type { Remarks } from './remarks';

/** How a user wants the cells of a row. */
export interface CellChoice {
	/** The only columns that leave, in this order; all of them when absent. */
	fields?: readonly string[];
	/** `number`: prices as numbers where that is exact; otherwise as the service gives them. */
	priceFormat?: 'number' | 'text';
}

/** Columns that hold a price, under whatever prefix: `price`, `min_price`, `content_price`, `shipping_costs`. */
const PRICE = /(?:^|_)(?:price|price_with_shipping|shipping_costs|rrp|tax)$/;

/** The row with its cells as they are wanted. It may be the same object, changed. */
export function withCells(row: IDataObject, choice: CellChoice, remarks: Remarks): IDataObject {
	if (choice.priceFormat === 'number') {
		for (const name of Object.keys(row)) if (PRICE.test(name)) row[name] = asNumber(row, name, remarks);
	}
	const { fields } = choice;
	if (fields === undefined) return row;
	remarks.noteColumns(row);
	return withColumns(row, fields);
}

/** A price as a number; as it is where it cannot be told exactly. A currency in its text would be lost with it. */
function asNumber(row: IDataObject, name: string, remarks: Remarks): IDataObject[string] {
	const given = row[name];
	if (typeof given !== 'string' || given.trim() === '') return given;
	const amount = amountOf(given, currencyOf(row.currency));
	if (amount !== undefined && /^[\d.,\s'’]+$/u.test(given)) return amount.value;
	remarks.noteText(name, given);
	return given;
}
