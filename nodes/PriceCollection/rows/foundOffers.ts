import { isGiven, PRICED_LISTS, type ListMeaning } from '../service/names';
import { topicTraits } from '../service/topics';
import { isObject } from '../service/types';
import { agreedCurrency } from './amounts';
import { entriesOf, listsIn, locatedHolders, type ContentList } from './contentList';
import { ContentReader, entriesIn, located, type Located } from './contentReader';
import {
	firstText,
	pricedOffer,
	unreadableIn,
	usualCurrency,
	valuesOf,
	type BestPriceOptions,
	type OfferContext,
	type PricedOffer,
	type UnreadPart,
} from './offers';
import type { Currency } from './values';
import type { Steps } from './steps';
import { namesOfUnread, unnamedIn, unnamedLists, unnamedPrice, type Unnamed } from './unnamed';

/** A content's offers with a price. */
export interface FoundOffers {
	offers: PricedOffer[];
	/** The prices that could not be read. */
	unreadParts: UnreadPart[];
	/** Meanings for which no field has a known name. */
	unnamed: Unnamed[];
}

/** Collects offers with a price, each once. */
class OfferCollector {
	readonly offers: PricedOffer[] = [];
	/** The prices that could not be read. */
	readonly unreadParts: UnreadPart[] = [];
	/** Offers without a price. */
	readonly unpriced: Located[] = [];

	private readonly usualCurrency: Currency;

	/** @param holders the objects around the offers, the content first */
	constructor(
		private readonly holders: readonly Located[],
		private readonly reader: ContentReader,
	) {
		this.usualCurrency = this.currencyBy(reader);
	}

	add(one: Located, isSingle: boolean, extra: Partial<PricedOffer> = {}): void {
		const { reader = this.reader } = extra;
		const currency = reader === this.reader ? this.usualCurrency : this.currencyBy(reader);
		const offer = pricedOffer(one, reader, currency);
		// A product has few single offers, which may repeat listed ones. Inside another list's entries, each is a separate offer.
		const mayRepeat = isSingle && one.levels.every(({ isEntry }) => !isEntry);
		if (offer === undefined) this.unpriced.push(one);
		else if ('part' in offer) this.unreadParts.push(offer);
		else if (!mayRepeat || !this.offers.some((other) => isSameOffer(offer, other, this.reader)))
			this.offers.push({ ...offer, ...extra });
	}

	/** Returns the currency of offers without one. The product is closer to its offers than the content around it. */
	private currencyBy(reader: ContentReader): Currency {
		return usualCurrency(this.holders.toReversed(), reader);
	}

	hasPrices(): boolean {
		return this.offers.length + this.unreadParts.length > 0;
	}
}

/**
 * Finds the offers with a price: those of the first list that has any (the user's list, or one with a known name) and the
 * buybox, or else the product itself. The offers of a list keep the service's order.
 */
export function* offersIn(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<FoundOffers> {
	const holders = locatedHolders(content);
	const collector = new OfferCollector(holders, reader);
	const meanings = [...new Set([...topicTraits(about.topic).lists, ...PRICED_LISTS])];
	const lists = listsIn(content, meanings, reader, about);
	const pricedList = yield* addListed(collector, lists);
	for (const holder of holders)
		for (const buybox of buyboxesOf(holder)) collector.add(buybox, true, { page: holder });
	const { offers, unreadParts, unpriced } = collector;
	const unnamedList = unnamedLists(content, { hasLists: lists.length > 0, holders }, about, reader);
	const unnamedFields =
		pricedList?.meaning === 'ranks'
			? undefined
			: yield* unnamedIn({ holders, offers, unpriced }, options, about, reader);
	const unnamed = [unnamedList, unnamedFields].filter((one) => one !== undefined);
	const hasUnreadList = lists.length === 0 && holders.some((one) => hasFilledList(one, meanings));
	if (!hasUnreadList && !mayHavePrices(collector, reader)) {
		const hasLists =
			lists.length > 0 || meanings.some((meaning) => reader.customNames[meaning] !== undefined);
		addProduct(collector, holders, hasLists ? reader.withoutEntries() : reader);
		const currencyFields = mayBeCurrencies(collector, holders, new Set(unnamedList?.fields), reader);
		if (currencyFields.length > 0) unnamed.push({ meanings: ['currency'], fields: currencyFields });
	}
	if (!collector.hasPrices() && unnamed.length === 0 && unpriced.length === holders.length)
		unnamed.push(...unnamedPrice(holders, reader));
	return { offers, unreadParts, unnamed };
}

/** Adds the offers of the first list that has prices; returns that list, if any. */
function* addListed(
	collector: OfferCollector,
	lists: readonly ContentList[],
): Steps<ContentList | undefined> {
	for (const list of lists) {
		// Single offers come last, because a list may contain the same offer with more details.
		for (const areSingle of [false, true])
			for (const { entry, levels, isSingle } of entriesOf(list)) {
				if (isSingle !== areSingle) continue;
				if (isObject(entry)) collector.add(located(entry, levels), isSingle);
				yield 1;
			}
		if (collector.hasPrices()) return list;
	}
	return undefined;
}

/** Whether an object has a filled field with the name of one of these lists. */
const hasFilledList = ({ known: { shape }, object }: Located, meanings: readonly ListMeaning[]) =>
	meanings.some((meaning) => shape[meaning].some((field) => isGiven(object[field])));

/** Whether any offer has a price, or fields with unknown names one of which may be its price. */
function mayHavePrices(collector: OfferCollector, reader: ContentReader): boolean {
	const mayHavePrice = (one: Located) => !reader.has(one, 'price') && namesOfUnread(one, reader).length > 0;
	return collector.hasPrices() || collector.unpriced.some(mayHavePrice);
}

/** Adds the product's price. It repeats its offers' prices, so it only counts if no offer has a price, not even an unread one. */
function addProduct(collector: OfferCollector, holders: readonly Located[], reader: ContentReader): void {
	for (const holder of holders) if (!collector.hasPrices()) collector.add(holder, false, { reader });
}

/** Returns the fields with unknown names that may be the currency, if a price has none. */
function mayBeCurrencies(
	{ offers }: OfferCollector,
	holders: readonly Located[],
	listFields: ReadonlySet<string>,
	reader: ContentReader,
): string[] {
	if (!offers.some(({ currency, unreadParts }) => currency === undefined && unreadParts.length === 0))
		return [];
	return holders.flatMap((one) =>
		namesOfUnread(one, reader).filter((name) => !listFields.has(name) && mayBeText(one.object[name])),
	);
}

/** Whether a value is plain, or an object that may represent a text or a number. */
const mayBeText = (value: unknown) =>
	!Array.isArray(value) &&
	(!isObject(value) || Object.values(value).every((inner) => typeof inner !== 'object'));

/** Returns a product's buyboxes. */
const buyboxesOf = ({ known, levels, object }: Located): Located[] =>
	known.shape.buybox.flatMap((via) =>
		(entriesIn(object[via], via) ?? [])
			.filter(isObject)
			.map((buybox) => located(buybox, [{ object, via, isEntry: false }, ...levels])),
	);

/**
 * Whether a single offer repeats a listed one, which may have more details such as shipping. A field that the single offer
 * lacks always matches. An unreadable field never does, because it may be anything.
 */
function isSameOffer(single: PricedOffer, listed: PricedOffer, reader: ContentReader): boolean {
	if (single.price !== listed.price || agreedCurrency(single.currency, listed.currency) === null)
		return false;
	if (single.unreadParts.length + listed.unreadParts.length > 0) return false;
	const totals = [single.total, listed.total].filter((total) => total !== undefined);
	if (new Set(totals).size > 1) return false;
	const isSame = (part: 'condition' | 'shop') => {
		const values = [single, listed].map((offer) => valuesOf(offer, reader, part));
		if (values[0]?.length === 0) return true;
		if (values.some((all) => unreadableIn(all) !== undefined)) return false;
		const [one, other] = values.map((all) => firstText(all)?.toLowerCase());
		return one === other;
	};
	return isSame('shop') && isSame('condition');
}
