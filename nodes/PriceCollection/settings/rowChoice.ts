import { RUN, type Parameters } from '../n8n/parameters';
import { REASON_BESIDE } from '../rows/besideInput';
import type { GivenPrice, GivenPrices } from '../rows/comparison';
import { saysTestData } from '../rows/reasons';
import type { RowChoice } from '../rows/rows';
import { amountIn, readCurrency, Unreadable } from '../rows/values';

/** Between the entries of a list that is written as one text. */
export const LINES_OR_COMMAS = /[\r\n,]/;

/** Reads how results become rows: columns once per run, and per item which results and offers count. */
export function readRowChoice(fields: Parameters, item: number): Omit<RowChoice, 'givenPrices' | 'output'> {
	const columns = fields.choice('columns', RUN, ['all', 'main', 'raw', 'selected'], 'main');
	const chosen = columns === 'selected' ? fields.texts('fields', RUN, LINES_OR_COMMAS) : [];
	return {
		includeNotFound: fields.flag('options.includeNotFound', item, true),
		onFailedResult: fields.choice(
			'options.onFailedResult',
			item,
			['error', 'include', 'skip'],
			'include',
		),
		contentList: fields.text('options.contentList', item) || undefined,
		fields: chosen.length > 0 ? chosen : undefined,
		columns: columns === 'selected' && chosen.length === 0 ? 'main' : columns,
		priceFormat: fields.choice<'number' | 'text'>(
			'options.priceFormat',
			RUN,
			['number', 'text'],
			'number',
		),
		bestPrice: {
			conditions: fields.texts('bestPriceOptions.conditions', item, LINES_OR_COMMAS),
			currency: fields.text('bestPriceOptions.currency', item) || undefined,
			// Names of shops may contain commas.
			ignoreShops: fields.texts('bestPriceOptions.ignoreShops', item, /[\r\n]/),
			includeShipping: fields.flag('bestPriceOptions.includeShipping', item, true),
		},
	};
}

/** No price in a sheet is longer. */
const LONGEST_PRICE = 60;

/** An item's price as a number or a text, read like those of the service; null when empty. */
function givenPrice(value: unknown): GivenPrice {
	const { amount, currency } = amountIn(value);
	if (amount === undefined) return null;
	if (amount instanceof Unreadable) return amount.words.slice(0, LONGEST_PRICE);
	const code = readCurrency(currency);
	if (typeof code === 'string') return `${amount} ${code}`;
	return typeof amount === 'number' ? amount : amount.trim().slice(0, LONGEST_PRICE + 1);
}

/** Reads an item's prices to compare; undefined when the node does not use these fields. */
export function readGivenPrices(fields: Parameters, item: number): GivenPrices | undefined {
	const read = (name: 'ownPrice' | 'previousPrice') =>
		['', undefined].includes(fields.stored[name] as string)
			? undefined
			: givenPrice(fields.value(name, item));
	const [own, previous] = [read('ownPrice'), read('previousPrice')];
	if (own === undefined && previous === undefined) return undefined;
	const reason = fields.isOfItem('previousPrice') ? fields.ofInput(item, REASON_BESIDE) : undefined;
	return {
		...(own !== undefined && { own }),
		...(previous !== undefined && {
			previous,
			...(reason !== undefined && { isPreviousTest: saysTestData(reason) }),
		}),
	};
}
