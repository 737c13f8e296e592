import { amountOf, difference, percentOf, rounded } from './amounts';
import type { PriceComparison } from './bestPrice';
import { NO_COMPARISON, NO_OWN_PRICE, NO_PREVIOUS_PRICE } from './columns';

/** A price from a sheet; null for an empty cell. */
export type GivenPrice = number | string | null;

/** An item's own prices for the comparison; absent if not requested. */
export interface GivenPrices {
	own?: GivenPrice;
	previous?: GivenPrice;
}

type ComparisonColumns = Partial<Record<keyof typeof NO_COMPARISON, number | null>>;

/** An amount above 0 that is not in another currency than the best price; undefined otherwise. */
function priceIn(given: GivenPrice, { best_price, best_currency }: PriceComparison['best']) {
	const amount = amountOf(given, best_currency ?? undefined);
	if (amount === undefined || !(amount.value > 0)) return undefined;
	const isOther = best_price !== null && amount.currency !== undefined && amount.currency !== best_currency;
	return isOther ? undefined : rounded(amount.value);
}

/**
 * Compares the best price, without shipping, with the item's prices: exactly, percentages to two decimals.
 * Columns are null if one of the two prices is missing or unclear.
 *
 * @returns also the item's prices that are missing or unclear
 */
export function compareGiven(
	given: GivenPrices,
	{ best, counted }: Pick<PriceComparison, 'best' | 'counted'>,
): { columns: ComparisonColumns; unclear: GivenPrices } {
	const columns: ComparisonColumns = {};
	const unclear: GivenPrices = {};
	const { best_price } = best;
	if (given.own !== undefined) {
		const own = priceIn(given.own, best);
		Object.assign(columns, NO_OWN_PRICE, { own_price: own ?? null });
		if (own === undefined) unclear.own = given.own;
		else if (best_price !== null) {
			const gap = difference(own, best_price);
			columns.price_gap = gap;
			columns.price_gap_percent = percentOf(gap, best_price);
			columns.price_rank = 1 + counted.filter(({ price }) => rounded(price) < own).length;
		}
	}
	if (given.previous !== undefined) {
		const previous = priceIn(given.previous, best);
		Object.assign(columns, NO_PREVIOUS_PRICE, { previous_price: previous ?? null });
		if (previous === undefined) unclear.previous = given.previous;
		else if (best_price !== null) {
			const change = difference(best_price, previous);
			columns.price_change = change;
			columns.price_change_percent = percentOf(change, previous);
		}
	}
	return { columns, unclear };
}
