import { amountOf, difference, percentOf, rounded } from './amounts';
import type { PriceComparison } from './bestPrice';

/** A price as a sheet has it; null where its cell is empty. */
export type GivenPrice = number | string | null;

/** The prices that an item brings along to be compared with the best one; absent where nobody asks for them. */
export interface GivenPrices {
	own?: GivenPrice;
	previous?: GivenPrice;
}

/** What the columns of a comparison are without amounts, in their order. */
const NO_OWN_PRICE = { own_price: null, price_gap: null, price_gap_percent: null, price_rank: null };
const NO_PREVIOUS_PRICE = { previous_price: null, price_change: null, price_change_percent: null };
export const NO_COMPARISON = { ...NO_OWN_PRICE, ...NO_PREVIOUS_PRICE };

type ComparisonColumns = Partial<Record<keyof typeof NO_COMPARISON, number | null>>;

/** An amount above 0 in the currency of the best price, as far as both name theirs; undefined for anything else. */
function priceIn(given: GivenPrice, { best_price, best_currency }: PriceComparison['best']) {
	const amount = amountOf(given, best_currency ?? undefined);
	if (amount === undefined || !(amount.value > 0)) return undefined;
	const isOther = best_price !== null && amount.currency !== undefined && amount.currency !== best_currency;
	return isOther ? undefined : rounded(amount.value);
}

/**
 * The columns that compare the best price, without shipping, with those that the item brings along: exact to the last
 * decimal, percents to two. Null where one of the two is missing or unclear.
 *
 * @returns with them those of the given prices that are missing or unclear
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
