import { isGiven } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import { isObject } from '../service/types';
import { agreedCurrency, currencyOf, isSameCurrency } from './amounts';
import { conditionTest } from './conditions';
import { entriesOf, listsIn, placedHolders } from './contentList';
import { ContentReader, entriesIn, placed, type Placed } from './contentReader';
import {
	NO_PRICE,
	NOT_SAID,
	pricedOffer,
	saidOf,
	firstText,
	textsIn,
	unreadIn,
	usualCurrency,
	type BestPriceOptions,
	type OfferContext,
	type PricedOffer,
	type Trouble,
} from './offers';
import type { Steps } from './steps';
import { namesOfUnread, unnamedIn, unnamedLists, unnamedPrice, type Unnamed } from './unnamed';
import type { Unreadable } from './values';

/** Why offers with a price do not count, each with how many. */
export interface LeftOut {
	/** By the condition that they say. */
	conditions: ReadonlyMap<string, number>;
	shops: number;
	/** By their currency, where the user wants one. */
	currencies: ReadonlyMap<string, number>;
}

/** The best price of a content, and what there is to say about it. */
export interface PriceComparison {
	best: typeof NO_PRICE;
	/** What the compared offers cost, see `costOf`, the least first: of those that count, in the best price's currency. */
	costs: number[];
	/** The currencies that lead among the counting offers: several where there is no best price because of them. */
	leading: readonly string[];
	leftOut: LeftOut;
	/** How many offers have a price. */
	priced: number;
	/** Of offers in other currencies than the best price's, their currencies. */
	otherCurrencies: readonly string[];
	/** What could not be read and may change the best price. */
	troubles: readonly Trouble[];
	/** What has no field of a known name. */
	unnamed: readonly Unnamed[];
}

/** The offers of a content. */
interface FoundOffers extends Pick<PriceComparison, 'unnamed'> {
	offers: PricedOffer[];
	/** The prices that cannot be read. */
	troubles: Trouble[];
}

/** Also those that count, cheapest first. */
interface RankedOffers extends FoundOffers, Pick<PriceComparison, 'leading' | 'leftOut' | 'priced'> {
	counting: PricedOffer[];
}

/** What may have prices, whatever the topic. */
const PRICED_LISTS: readonly ListMeaning[] = ['offers', 'hits', 'ranks'];

/**
 * Finds the lowest price among the offers, hits or ranks of a content and its buybox, or else the product's
 * own price. Offers are compared by their total if known, otherwise by price, and only within the currency of
 * most offers; the first of equal ones wins. The cases are in `test/unit/rows/bestPrice.cases.txt`.
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
	const otherOffers = least === undefined ? [] : counting.filter(({ currency }) => currency !== leading[0]);
	return {
		best: {
			...NO_PRICE,
			...(least && {
				best_price: least.price,
				best_total: least.total ?? null,
				best_currency: least.currency ?? null,
				best_shop: firstText(saidOf(least, reader, 'shop')),
				best_condition: firstText(saidOf(least, reader, 'condition')),
				best_availability: firstText(saidOf(least, reader, 'availability')),
				best_url: urlOf(least, reader),
			}),
			priced_offers: counting.length,
		},
		costs: compared.map((offer) => costOf(offer, options)),
		leading,
		leftOut,
		priced,
		otherCurrencies: [...new Set(otherOffers.map(({ currency = 'none' }) => currency))],
		troubles: [...(yield* troublesOf(ranked, least, options)), ...textTroubles(least, reader)],
		unnamed,
	};
}

/** The counting offers of a content, cheapest first; those that the best price leaves out come last. */
export function* cheapestOffers(...given: Parameters<typeof comparePrices>): Steps<PricedOffer[]> {
	return (yield* rankedOffers(...given)).counting;
}

/** What could not be read and may change the best price: an offer that is dearer anyway does not. */
function* troublesOf(
	{ offers, troubles }: RankedOffers,
	least: PricedOffer | undefined,
	options: BestPriceOptions,
): Steps<Trouble[]> {
	const found = [...troubles];
	const limit = least === undefined ? Infinity : costOf(least, options);
	for (const offer of offers) {
		yield 1;
		for (const trouble of offer.troubles) {
			const isOfShipping = trouble.part === 'shipping' || trouble.part === 'total';
			const isComparable = trouble.part !== 'currency' && offer.currency === least?.currency;
			const isOpen = !isComparable || offer.price < limit;
			if (isOfShipping ? offer === least : isOpen) found.push(trouble);
		}
	}
	return found;
}

/** The texts of the best offer that cannot be read. */
function textTroubles(least: PricedOffer | undefined, reader: ContentReader): Trouble[] {
	if (least === undefined) return [];
	return (['shop', 'condition', 'availability', 'url'] as const).flatMap((part) => {
		const unread = unreadIn(saidOf(least, reader, part));
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
	const leads = new Set<string | undefined>(leading);
	const isAside = ({ currency }: PricedOffer) => Number(!leads.has(currency));
	counting.sort((one, other) => isAside(one) - isAside(other) || byCost(one, other, options));
	// Sorting cannot pause.
	yield counting.length;
	return { ...found, priced: found.offers.length, offers, counting, leading, leftOut };
}

/** The amount by which an offer is compared: what the shopper pays, as far as known and wanted. */
const costOf = ({ price, total = price }: PricedOffer, { includeShipping }: BestPriceOptions) =>
	includeShipping ? total : price;

/** Negative when the first is cheaper. Of equal ones, known shipping costs come first, which is safer. */
function byCost(one: PricedOffer, other: PricedOffer, options: BestPriceOptions): number {
	const difference = costOf(one, options) - costOf(other, options);
	if (difference !== 0 || !options.includeShipping) return difference;
	return Number(one.total === undefined) - Number(other.total === undefined);
}

/** The currency of most offers, or several that tie. Offers without one only count if no offer has one. */
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

/**
 * The offers with a price, in the service's order: those of the first list that has any (the user's list, or
 * one with a known name), and the buybox.
 */
function* offersIn(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<FoundOffers> {
	const holders = placedHolders(content);
	// The product's currency is nearer to its offers than that of the content around it.
	const usualBy = (one: ContentReader) => usualCurrency(holders.toReversed(), one);
	const usual = usualBy(reader);
	const offers: PricedOffer[] = [];
	const troubles: Trouble[] = [];
	const unpriced: Placed[] = [];
	let isRank = false;
	const add = (one: Placed, isSingle: boolean, more: Partial<PricedOffer> = {}) => {
		const readBy = more.reader ?? reader;
		const offer = pricedOffer(one, readBy, readBy === reader ? usual : usualBy(readBy));
		// A product has few of them; in the entries of another list each is one offer.
		const mayRepeat = isSingle && one.levels.every(({ isEntry }) => !isEntry);
		if (offer === undefined) unpriced.push(one);
		else if ('part' in offer) troubles.push(offer);
		else if (!mayRepeat || !offers.some((other) => isSameOffer(offer, other, reader)))
			offers.push({ ...offer, ...more });
	};
	const meanings = [...new Set([...topicTraits(about.topic).lists, ...PRICED_LISTS])];
	const lists = listsIn(content, meanings, reader, about);
	for (const list of lists) {
		// Single offers come last, because they may be in a list as well, with more details.
		for (const areSingle of [false, true])
			for (const { entry, levels, isSingle } of entriesOf(list)) {
				if (isSingle !== areSingle) continue;
				if (isObject(entry)) add(placed(entry, levels), isSingle);
				yield 1;
			}
		if (offers.length + troubles.length === 0) continue;
		isRank = list.meaning === 'ranks';
		break;
	}
	for (const holder of holders)
		for (const buybox of buyboxesOf(holder)) add(buybox, true, { page: holder });
	const ofOffers = isRank
		? undefined
		: yield* unnamedIn({ holders, offers, unpriced }, options, about, reader);
	const hasPrices = () => offers.length + troubles.length > 0;
	const ofLists = unnamedLists(content, { hasLists: lists.length > 0, holders }, about, reader);
	const unnamed = [ofLists, ofOffers].filter((one) => one !== undefined);
	// A product's own price repeats its offers, so it only counts where they have none.
	const isNameless = (one: Placed) => !reader.has(one, 'price') && namesOfUnread(one, reader).length > 0;
	const isFilled = ({ known: { shape }, object }: Placed) =>
		meanings.some((meaning) => shape[meaning].some((field) => isGiven(object[field])));
	const isUnlisted = lists.length === 0 && holders.some(isFilled);
	if (!hasPrices() && !isUnlisted && !unpriced.some(isNameless)) {
		const hasLists = lists.length > 0 || meanings.some((meaning) => reader.own[meaning] !== undefined);
		const ofProduct = hasLists ? reader.withoutEntries() : reader;
		for (const holder of holders) if (!hasPrices()) add(holder, false, { reader: ofProduct });
		const isWithoutCurrency = offers.some(
			({ currency, troubles: own }) => currency === undefined && own.length === 0,
		);
		const known = new Set(ofLists?.fields);
		const mayNameIt = ({ object }: Placed, name: string) => !known.has(name) && mayBeText(object[name]);
		const fields = isWithoutCurrency
			? holders.flatMap((one) => namesOfUnread(one, reader).filter((name) => mayNameIt(one, name)))
			: [];
		if (fields.length > 0) unnamed.push({ meanings: ['currency'], fields });
	}
	if (!hasPrices() && unnamed.length === 0 && unpriced.length === holders.length)
		unnamed.push(...unnamedPrice(holders, reader));
	return { offers, troubles, unnamed };
}

/** Whether a value is a text or a number, or an object that may stand for one. */
const mayBeText = (value: unknown) =>
	!Array.isArray(value) &&
	(!isObject(value) || Object.values(value).every((inner) => typeof inner !== 'object'));

/** The buyboxes of a product. */
const buyboxesOf = ({ known, levels, object }: Placed): Placed[] =>
	known.shape.buybox.flatMap((via) =>
		(entriesIn(object[via], via) ?? [])
			.filter(isObject)
			.map((buybox) => placed(buybox, [{ object, via, isEntry: false }, ...levels])),
	);

/** The address of an offer; a buybox is on the page of its product. */
const urlOf = (offer: PricedOffer, reader: ContentReader) =>
	firstText(saidOf(offer, reader, 'url')) ??
	(offer.page && firstText(saidOf(offer.page, reader, 'url'))) ??
	null;

/** Whether there is the same offer already, perhaps with more details such as shipping. */
function isSameOffer(single: PricedOffer, listed: PricedOffer, reader: ContentReader): boolean {
	if (single.price !== listed.price || agreedCurrency(single.currency, listed.currency) === null)
		return false;
	if (listed.troubles.some(({ part }) => part === 'currency')) return false;
	const totals = [single.total, listed.total].filter((total) => total !== undefined);
	if (new Set(totals).size > 1) return false;
	/** What the single one does not say it leaves to the other; what cannot be read may be anything. */
	const isSame = (part: 'condition' | 'shop') => {
		const said = [single, listed].map((offer) => saidOf(offer, reader, part));
		if (said[0]?.length === 0) return true;
		if (said.some((all) => unreadIn(all) !== undefined)) return false;
		const [one, other] = said.map((all) => firstText(all)?.toLowerCase());
		return one === other;
	};
	return isSame('shop') && isSame('condition');
}

/** Whether an offer counts, what leaves it out, or what of it must be read to know. */
type OfferVerdict =
	| { counts: PricedOffer }
	| { doubt: Trouble }
	| { leftOut: 'condition' | 'currency'; word: string }
	| { leftOut: 'shop' };

/** Returns a function that says whether an offer counts: by its condition, its shop and its currency. */
function verdicts(options: BestPriceOptions, about: OfferContext, reader: ContentReader) {
	const isWanted = conditionTest(options.conditions, about.condition);
	const isIgnored = shopTest(options.ignoreShops, reader);
	const wanted = currencyOf(options.currency);
	return (offer: PricedOffer): OfferVerdict => {
		const said = isWanted === undefined ? [] : saidOf(offer, reader, 'condition');
		if (isWanted?.(said) === false) {
			const word = firstText(said) ?? NOT_SAID;
			// What a service means by a number is not known.
			const words = unreadIn(said)?.words ?? (/^\d+$/.test(word) ? word : undefined);
			return words === undefined
				? { leftOut: 'condition', word }
				: { doubt: { part: 'condition', words } };
		}
		const shop = isIgnored?.(offer) ?? false;
		if (shop === true) return { leftOut: 'shop' };
		if (shop !== false) return { doubt: { part: 'shop', words: shop.words } };
		const doubt = offer.troubles.find(({ part }) => part === 'currency');
		if (doubt !== undefined) return { doubt };
		if (wanted === undefined) return { counts: offer };
		if (isSameCurrency(offer.currency, wanted)) return { counts: { ...offer, currency: wanted } };
		return { leftOut: 'currency', word: offer.currency ?? NOT_SAID };
	};
}

/** The offers that count, and those of which it is not known, which keep the reason as their only trouble. */
function* countedOffers(
	offers: readonly PricedOffer[],
	verdictOn: (offer: PricedOffer) => OfferVerdict,
): Steps<Pick<RankedOffers, 'counting' | 'leftOut' | 'offers'>> {
	const left = { condition: new Map<string, number>(), currency: new Map<string, number>() };
	let shops = 0;
	const counting: PricedOffer[] = [];
	const doubtful: PricedOffer[] = [];
	for (const offer of offers) {
		yield 1;
		const verdict = verdictOn(offer);
		if ('counts' in verdict) counting.push(verdict.counts);
		else if ('doubt' in verdict) doubtful.push({ ...offer, troubles: [verdict.doubt] });
		else if (verdict.leftOut === 'shop') shops++;
		else {
			const counts = left[verdict.leftOut];
			counts.set(verdict.word, (counts.get(verdict.word) ?? 0) + 1);
		}
	}
	const leftOut = { conditions: left.condition, shops, currencies: left.currency };
	return { counting, leftOut, offers: [...doubtful, ...counting] };
}

/** Returns a test whether an offer is of an ignored shop, or of one that cannot be read; undefined if none is ignored. */
function shopTest(
	ignoreShops: readonly string[],
	reader: ContentReader,
): ((offer: PricedOffer) => boolean | Unreadable) | undefined {
	const ignored = new Set(ignoreShops.map(shopName));
	ignored.delete('');
	if (ignored.size === 0) return undefined;
	return (offer) => {
		for (const value of reader.values(offer, 'anyShop'))
			if (textsIn(value).some((text) => ignored.has(shopName(text)))) return true;
		return unreadIn(saidOf(offer, reader, 'shop')) ?? unreadIn(saidOf(offer, reader, 'anyShop')) ?? false;
	};
}

/** Only the beginning of external text is compared. */
const LONGEST_SHOP = 300;

/** A shop's name or ID in lower case; of an address, its domain. */
function shopName(shop: string): string {
	const name = shop.slice(0, LONGEST_SHOP).trim().toLowerCase();
	const [domain = ''] = name.replace(/^(?:https?:)?\/\//, '').split(/[/?#:]/, 1);
	return /^[^\s.]+(?:\.[^\s.]+)+$/.test(domain) ? domain.replace(/^www\./, '') : name;
}
