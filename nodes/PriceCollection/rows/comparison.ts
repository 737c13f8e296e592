import { amountOf, isSameCurrency, percentOf, rounded, sumOf } from './amounts';
import type { PriceComparison } from './bestPrice';
import type { ComparisonColumn } from './columns';

/** A price from an input item; null for an empty cell. */
export type InputPrice = number | string | null;

/** An input item's prices for the comparison; absent if not requested. */
export interface InputPrices {
	own?: InputPrice;
	previous?: InputPrice;
	/** Whether the previous price was made up by the test source; absent if unknown. */
	isPreviousTest?: boolean;
}

type ItemPrices = Pick<InputPrices, 'own' | 'previous'>;

/**
 * Compares an item's prices with the best price: differences are exact, percentages have two decimals. The own price is
 * compared with the offers' costs, so its rank is 1 if and only if its gap is 0 or less. The previous price is compared
 * with the best price. Columns are null if one of the two prices is missing or unclear.
 *
 * @returns the columns, and the item's prices that are missing (null) or unclear
 */
export function compareInputPrices(
	prices: ItemPrices,
	{ best: { best_price, best_currency }, costs }: Pick<PriceComparison, 'best' | 'costs'>,
): { columns: Partial<Record<ComparisonColumn, number | null>>; unclear: ItemPrices } {
	const unclear: ItemPrices = {};
	/** Returns a price above 0 unless its currency differs from the best price's; otherwise null, and marks it as unclear. */
	const priceOf = (name: keyof ItemPrices): number | null => {
		const { value, currency } = amountOf(prices[name], best_currency ?? undefined) ?? { value: 0 };
		const isOtherCurrency =
			best_price !== null && currency !== undefined && !isSameCurrency(currency, best_currency);
		if (value > 0 && !isOtherCurrency) return rounded(value);
		unclear[name] = prices[name] ?? null;
		return null;
	};
	/** Returns how far a price is above the base, as an amount and as a percentage of the base. */
	const gap = (price: number | null, base: number | null) => {
		if (price === null || base === null) return [null, null] as const;
		const difference = sumOf(price, -base);
		return [difference, percentOf(difference, base)] as const;
	};
	const columns: ReturnType<typeof compareInputPrices>['columns'] = {};
	if (prices.own !== undefined) {
		const own_price = priceOf('own');
		const [price_gap, price_gap_percent] = gap(own_price, costs[0] ?? null);
		const cheaper = costs.filter((cost) => sumOf(own_price ?? 0, -cost) > 0);
		const price_rank = price_gap === null ? null : cheaper.length + 1;
		Object.assign(columns, { own_price, price_gap, price_gap_percent, price_rank });
	}
	if (prices.previous !== undefined) {
		const previous_price = priceOf('previous');
		const [price_change, price_change_percent] = gap(best_price, previous_price);
		Object.assign(columns, { previous_price, price_change, price_change_percent });
	}
	return { columns, unclear };
}
