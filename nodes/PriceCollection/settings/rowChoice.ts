import { RUN, type NodeFields } from '../n8n/nodeFields';
import { REASON_BESIDE } from '../rows/besideInput';
import type { InputPrice, InputPrices } from '../rows/comparison';
import { saysTestData } from '../rows/reasons';
import type { RowChoice } from '../rows/rows';
import { amountIn, readCurrency, Unreadable } from '../rows/values';

/** Separates the entries of a list that is written as one text. */
export const LINES_OR_COMMAS = /[\r\n,]/;

/** Reads how results become rows: the columns once per run; for each item, which results and offers count. */
export function readRowChoice(fields: NodeFields, item: number): Omit<RowChoice, 'inputPrices' | 'output'> {
	const columns = fields.choice('columns', RUN, ['all', 'main', 'raw', 'selected'], 'main');
	const selectedFields = columns === 'selected' ? fields.texts('fields', RUN, LINES_OR_COMMAS) : [];
	return {
		includeNotFound: fields.flag('options.includeNotFound', item, true),
		onFailedResult: fields.choice(
			'options.onFailedResult',
			item,
			['error', 'include', 'skip'],
			'include',
		),
		contentList: fields.text('options.contentList', item) || undefined,
		fields: selectedFields.length > 0 ? selectedFields : undefined,
		columns: columns === 'selected' && selectedFields.length === 0 ? 'main' : columns,
		priceFormat: fields.choice<'number' | 'text'>(
			'options.priceFormat',
			RUN,
			['number', 'text'],
			'number',
		),
		bestPrice: {
			conditions: fields.texts('bestPriceOptions.conditions', item, LINES_OR_COMMAS),
			currency: fields.text('bestPriceOptions.currency', item) || undefined,
			// Shop names may contain commas.
			ignoreShops: fields.texts('bestPriceOptions.ignoreShops', item, /[\r\n]/),
			includeShipping: fields.flag('bestPriceOptions.includeShipping', item, true),
		},
	};
}

/** The longest text that can be a price in a sheet. */
const LONGEST_PRICE = 60;

/** An item's price as a number or text, read by the same rules as the service's prices; null if empty. */
function priceIn(value: unknown): InputPrice {
	const { amount, currency } = amountIn(value);
	if (amount === undefined) return null;
	if (amount instanceof Unreadable) return amount.words.slice(0, LONGEST_PRICE);
	const code = readCurrency(currency);
	if (typeof code === 'string') return `${amount} ${code}`;
	return typeof amount === 'number' ? amount : amount.trim().slice(0, LONGEST_PRICE + 1);
}

/** Reads an item's prices to compare; undefined if the node does not use these fields. */
export function readInputPrices(fields: NodeFields, item: number): InputPrices | undefined {
	const read = (name: 'ownPrice' | 'previousPrice') =>
		['', undefined].includes(fields.stored[name] as string)
			? undefined
			: priceIn(fields.value(name, item));
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
