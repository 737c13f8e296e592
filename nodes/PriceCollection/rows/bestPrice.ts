import { currencyOf, isSameCurrency } from './amounts';
import { conditionTest } from './conditions';
import type { ContentReader } from './contentReader';
import { offersIn, type FoundOffers } from './foundOffers';
import {
	NO_PRICE,
	NOT_STATED,
	valuesOf,
	firstText,
	textsIn,
	unreadableIn,
	type BestPriceOptions,
	type OfferContext,
	type PricedOffer,
	type UnreadPart,
} from './offers';
import type { Steps } from './steps';
import type { Unnamed } from './unnamed';
import type { Unreadable } from './values';

/** How many offers with a price do not count, by reason. */
export interface LeftOut {
	/** By the offer's condition. */
	conditions: ReadonlyMap<string, number>;
	shops: number;
	/** By the offer's currency, if the user wants a particular one. */
	currencies: ReadonlyMap<string, number>;
}

/** A content's best price, with the facts that explain it. */
export interface PriceComparison {
	best: typeof NO_PRICE;
	/** The costs of the counting offers in the best price's currency, in ascending order, see `costOf`. */
	costs: number[];
	/** The most frequent currency of the counting offers. If several tie, there is no best price. */
	leading: readonly string[];
	leftOut: LeftOut;
	/** How many offers have a price, whether they count or not. */
	priced: number;
	/** Whether some counting offers were not compared with the best price: they have another currency, or none. */
	hasOtherCurrencies: boolean;
	/** Unreadable fields that may change the best price, or that belong to its offer. */
	unreadParts: readonly UnreadPart[];
	/** Meanings for which no field has a known name. */
	unnamed: readonly Unnamed[];
}

/** With the counting offers, cheapest first. `offers` holds these and the doubtful ones. */
interface RankedOffers extends FoundOffers, Pick<PriceComparison, 'leading' | 'leftOut' | 'priced'> {
	counting: PricedOffer[];
}

/**
 * Finds the lowest price among a content's offers, hits or ranks and its buybox, or else the product's own price. Offers
 * are compared within the most frequent currency, by their total if it is known and wanted, otherwise by their price. If
 * several are cheapest, known shipping wins, then the first one. The cases are in `test/unit/rows/bestPrice.cases.txt`.
 */
export function* comparePrices(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<PriceComparison> {
	const ranked = yield* rankedOffers(content, options, about, reader);
	const { counting, leading, leftOut, priced, unnamed } = ranked;
	const compared = leading.length > 1 ? [] : counting.filter(({ currency }) => currency === leading[0]);
	const [least] = compared;
	return {
		best: {
			...NO_PRICE,
			...(least && {
				best_price: least.price,
				best_total: least.total ?? null,
				best_currency: least.currency ?? null,
				best_shop: firstText(valuesOf(least, reader, 'shop')),
				best_condition: firstText(valuesOf(least, reader, 'condition')),
				best_availability: firstText(valuesOf(least, reader, 'availability')),
				best_url: urlOf(least, reader),
			}),
			priced_offers: counting.length,
		},
		costs: compared.map((offer) => costOf(offer, options)),
		leading,
		leftOut,
		priced,
		hasOtherCurrencies: least !== undefined && compared.length < counting.length,
		unreadParts: [...(yield* decisiveUnreadParts(ranked, least, options)), ...unreadTexts(least, reader)],
		unnamed,
	};
}

/** Returns a content's counting offers, cheapest first; offers in currencies other than the most frequent come last. */
export function* cheapestOffers(...input: Parameters<typeof comparePrices>): Steps<PricedOffer[]> {
	return (yield* rankedOffers(...input)).counting;
}

/** Returns the unreadable fields that may change the best price. Those of offers that are dearer anyway cannot. */
function* decisiveUnreadParts(
	{ offers, unreadParts }: RankedOffers,
	least: PricedOffer | undefined,
	options: BestPriceOptions,
): Steps<UnreadPart[]> {
	const found = [...unreadParts];
	const bestCost = least === undefined ? Infinity : costOf(least, options);
	for (const offer of offers) {
		yield 1;
		for (const unreadPart of offer.unreadParts) {
			const isOfShipping = unreadPart.part === 'shipping' || unreadPart.part === 'total';
			const isComparable = unreadPart.part !== 'currency' && offer.currency === least?.currency;
			const mayBeBest = !isComparable || offer.price < bestCost;
			if (isOfShipping ? offer === least : mayBeBest) found.push(unreadPart);
		}
	}
	return found;
}

/** Returns the best offer's texts that cannot be read. */
function unreadTexts(least: PricedOffer | undefined, reader: ContentReader): UnreadPart[] {
	if (least === undefined) return [];
	return (['shop', 'condition', 'availability', 'url'] as const).flatMap((part) => {
		const unread = unreadableIn(valuesOf(least, reader, part));
		return unread === undefined ? [] : [{ part, words: unread.words }];
	});
}

function* rankedOffers(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<RankedOffers> {
	const found = yield* offersIn(content, options, about, reader);
	const { counting, leftOut, offers } = yield* countedOffers(
		found.offers,
		verdicts(options, about, reader),
	);
	const leading = leadingCurrencies(counting);
	const leadingSet = new Set<string | undefined>(leading);
	const currencyRank = ({ currency }: PricedOffer) => Number(!leadingSet.has(currency));
	counting.sort((one, other) => currencyRank(one) - currencyRank(other) || byCost(one, other, options));
	// Sorting cannot pause, so its effort is reported afterwards.
	yield counting.length;
	return { ...found, priced: found.offers.length, offers, counting, leading, leftOut };
}

/** The amount by which an offer is compared: its total if that is known and wanted, otherwise its price. */
const costOf = ({ price, total = price }: PricedOffer, { includeShipping }: BestPriceOptions) =>
	includeShipping ? total : price;

/** Compares by cost; negative if the first is cheaper. At equal cost, known shipping comes first because it is safer. */
function byCost(one: PricedOffer, other: PricedOffer, options: BestPriceOptions): number {
	const difference = costOf(one, options) - costOf(other, options);
	if (difference !== 0 || !options.includeShipping) return difference;
	return Number(one.total === undefined) - Number(other.total === undefined);
}

/** Returns the most frequent currency, or several if they tie. Empty if no offer has one: then offers without one compete. */
function leadingCurrencies(offers: readonly PricedOffer[]): string[] {
	const counts = new Map<string, number>();
	let most = 0;
	for (const { currency } of offers) {
		if (currency === undefined) continue;
		const count = (counts.get(currency) ?? 0) + 1;
		counts.set(currency, count);
		most = Math.max(most, count);
	}
	return [...counts.keys()].filter((currency) => counts.get(currency) === most).sort();
}

/** Returns an offer's address. A buybox without one has its product's address. */
const urlOf = (offer: PricedOffer, reader: ContentReader) =>
	firstText(valuesOf(offer, reader, 'url')) ??
	(offer.page && firstText(valuesOf(offer.page, reader, 'url'))) ??
	null;

/** An offer counts, is left out, or has an unreadable field that leaves this open. */
type OfferVerdict =
	| { counting: PricedOffer }
	| { doubt: UnreadPart }
	| { leftOut: 'condition' | 'currency'; word: string }
	| { leftOut: 'shop' };

/** Returns a function that decides whether an offer counts, given its condition, shop and currency. */
function verdicts(options: BestPriceOptions, about: OfferContext, reader: ContentReader) {
	const isWantedCondition = conditionTest(options.conditions, about.condition);
	const isIgnored = shopTest(options.ignoreShops, reader);
	const wantedCurrency = currencyOf(options.currency);
	return (offer: PricedOffer): OfferVerdict => {
		const conditions = isWantedCondition && valuesOf(offer, reader, 'condition');
		if (conditions && !isWantedCondition(conditions)) {
			const word = firstText(conditions) ?? NOT_STATED;
			// We do not know which condition a service means by a number.
			const words = unreadableIn(conditions)?.words ?? (/^\d+$/.test(word) ? word : undefined);
			return words === undefined
				? { leftOut: 'condition', word }
				: { doubt: { part: 'condition', words } };
		}
		const shop = isIgnored?.(offer) ?? false;
		if (shop === true) return { leftOut: 'shop' };
		if (shop !== false) return { doubt: { part: 'shop', words: shop.words } };
		const doubt = offer.unreadParts.find(({ part }) => part === 'currency');
		if (doubt !== undefined) return { doubt };
		if (wantedCurrency === undefined) return { counting: offer };
		if (isSameCurrency(offer.currency, wantedCurrency))
			return { counting: { ...offer, currency: wantedCurrency } };
		return { leftOut: 'currency', word: offer.currency ?? NOT_STATED };
	};
}

/** Selects the counting offers, and counts those left out. A doubtful offer keeps the doubt as its only unread part. */
function* countedOffers(
	offers: readonly PricedOffer[],
	verdictOn: (offer: PricedOffer) => OfferVerdict,
): Steps<Pick<RankedOffers, 'counting' | 'leftOut' | 'offers'>> {
	const countsByReason = { condition: new Map<string, number>(), currency: new Map<string, number>() };
	let shops = 0;
	const counting: PricedOffer[] = [];
	const doubtful: PricedOffer[] = [];
	for (const offer of offers) {
		yield 1;
		const verdict = verdictOn(offer);
		if ('counting' in verdict) counting.push(verdict.counting);
		else if ('doubt' in verdict) doubtful.push({ ...offer, unreadParts: [verdict.doubt] });
		else if (verdict.leftOut === 'shop') shops++;
		else {
			const counts = countsByReason[verdict.leftOut];
			counts.set(verdict.word, (counts.get(verdict.word) ?? 0) + 1);
		}
	}
	const leftOut = { conditions: countsByReason.condition, shops, currencies: countsByReason.currency };
	return { counting, leftOut, offers: [...doubtful, ...counting] };
}

/**
 * Returns a test for offers of ignored shops, which returns the unreadable value if the shop is unclear. Undefined if no
 * shop is ignored.
 */
function shopTest(
	ignoreShops: readonly string[],
	reader: ContentReader,
): ((offer: PricedOffer) => boolean | Unreadable) | undefined {
	if (ignoreShops.length === 0) return undefined;
	const ignored = new Set(ignoreShops.map(shopName));
	return (offer) => {
		for (const value of reader.values(offer, 'anyShop'))
			if (textsIn(value).some((text) => ignored.has(shopName(text)))) return true;
		return (
			unreadableIn(valuesOf(offer, reader, 'shop')) ??
			unreadableIn(valuesOf(offer, reader, 'anyShop')) ??
			false
		);
	};
}

/** Only this many characters of an external text are compared. */
const LONGEST_SHOP = 300;

/** Returns a shop's name or ID in lower case, or the domain of an address. */
function shopName(shop: string): string {
	const name = shop.slice(0, LONGEST_SHOP).trim().toLowerCase();
	const domain = name.replace(/^(?:https?:)?\/\//, '').replace(/[/?#:].*/s, '');
	return /^[^\s.]+(?:\.[^\s.]+)+$/.test(domain) ? domain.replace(/^www\./, '') : name;
}
