import type { IDataObject } from 'n8n-workflow';

import { amountOf, currencyOf } from './amounts';
import type { Remarks } from './remarks';

/** Columns that hold a price of the service, under whatever prefix: `price`, `min_price`, `content_price`. */
const PRICE = /(?:^|_)(?:price|price_with_shipping|shipping_costs|rrp|tax)$/;

/** Makes the service's prices in a row numbers where that is exact. A currency in a text would be lost with it. */
export function makeNumbers(row: IDataObject, remarks: Remarks): void {
	for (const [name, given] of Object.entries(row)) {
		if (!PRICE.test(name) || typeof given !== 'string' || given.trim() === '') continue;
		const amount = amountOf(given, currencyOf(row.currency));
		if (amount !== undefined && /^[\d.,\s'’]+$/u.test(given)) row[name] = amount.value;
		else remarks.noteText(name, given);
	}
}
