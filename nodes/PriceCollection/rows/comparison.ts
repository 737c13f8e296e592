import { amountOf, isSameCurrency, percentOf, rounded, sumOf } from './amounts';
import type { PriceComparison } from './bestPrice';
import type { ComparisonColumn } from './columns';

/** A price from a sheet; null for an empty cell. */
export type GivenPrice = number | string | null;

/** An item's own prices for the comparison; absent if not requested. */
export interface GivenPrices {
	own?: GivenPrice;
	previous?: GivenPrice;
	/** Whether the previous price is made up by the test source; absent where the item does not say. */
	isPreviousTest?: boolean;
}

type Unclear = Pick<GivenPrices, 'own' | 'previous'>;

/**
 * Compares the item's prices with the best one: exactly, percentages to two decimals. The own price is compared with
 * what the offers cost, so that its rank is 1 exactly where its gap is 0 or less; the previous one with the best price.
 * Columns are null if one of the two prices is missing or unclear.
 *
 * @returns also the item's prices that are missing (null) or unclear
 */
export function compareGiven(
	given: Unclear,
	{ best: { best_price, best_currency }, costs }: Pick<PriceComparison, 'best' | 'costs'>,
): { columns: Partial<Record<ComparisonColumn, number | null>>; unclear: Unclear } {
	const unclear: Unclear = {};
	/** An amount above 0 that is not in another currency than the best price; otherwise null. */
	const priceOf = (name: keyof Unclear): number | null => {
		const { value, currency } = amountOf(given[name], best_currency ?? undefined) ?? { value: 0 };
		const isOther =
			best_price !== null && currency !== undefined && !isSameCurrency(currency, best_currency);
		if (value > 0 && !isOther) return rounded(value);
		unclear[name] = given[name] ?? null;
		return null;
	};
	/** How much the first price is above the second one, and in percent of the latter. */
	const gap = (price: number | null, base: number | null) => {
		if (price === null || base === null) return [null, null] as const;
		const difference = sumOf(price, -base);
		return [difference, percentOf(difference, base)] as const;
	};
	const columns: ReturnType<typeof compareGiven>['columns'] = {};
	if (given.own !== undefined) {
		const own_price = priceOf('own');
		const [price_gap, price_gap_percent] = gap(own_price, costs[0] ?? null);
		const lower = costs.filter((cost) => sumOf(own_price ?? 0, -cost) > 0);
		const price_rank = price_gap === null ? null : lower.length + 1;
		Object.assign(columns, { own_price, price_gap, price_gap_percent, price_rank });
	}
	if (given.previous !== undefined) {
		const previous_price = priceOf('previous');
		const [price_change, price_change_percent] = gap(best_price, previous_price);
		Object.assign(columns, { previous_price, price_change, price_change_percent });
	}
	return { columns, unclear };
}
