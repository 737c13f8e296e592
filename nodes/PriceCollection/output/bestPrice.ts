import type { IDataObject } from 'n8n-workflow';

import { plainField, plainOf, shapeOf, type Shape } from '../service/names';
import { oneLine } from '../service/text';
import { topicTraits, type ListMeaning } from '../service/topics';
import { isFilled, isObject } from '../service/types';
import { agreedCurrency, amountOf, currencyOf, isSameCurrency, sumOf, type Amount } from './amounts';
import { currencyIn, NO_PRICE } from './columns';
import { holdersIn, listsIn } from './contentList';
import { fieldsIn, type Steps } from './steps';

/** Which offers count, and how they are compared. */
export interface BestPriceOptions {
	/** Codes or words; `any` means any. Absent or empty: new, and offers without a condition. */
	conditions?: readonly string[];
	/** Code of the only currency that counts. */
	currency?: string;
	/** Names, domains or IDs of shops to ignore. */
	ignoreShops: readonly string[];
	/** Whether offers are compared by their total, if known. */
	includeShipping: boolean;
}

/** Facts about a content that it does not contain itself. */
export interface OfferContext {
	topic?: string;
	/** Path to the list of offers, if the user entered one. */
	contentList?: string;
	/** The condition that the job asked for, used when the user names none. */
	condition?: unknown;
}

/** The best price of a content. */
export interface PriceComparison {
	best: typeof NO_PRICE;
	/** What the compared offers cost, see `costOf`, the least first: of those that count, in the best price's currency. */
	costs: number[];
	/** What the user should know, see `REMARKS` in `rows`, with the names concerned; nothing without names. */
	remarks: Record<'ambiguous' | 'otherConditions' | 'otherCurrencies' | 'undecided' | 'unnamed', string[]>;
}

/** An offer, search hit, bestseller, buybox or product with a price. */
export interface PricedOffer {
	/** As in the content. */
	offer: IDataObject;
	/** Its fields by meaning. */
	shape: Shape;
	price: number;
	/** With shipping, if known. */
	total?: number;
	currency?: string;
}

/** All offers with a price, see `pricedOffers`. */
interface PricedOffers extends Pick<PriceComparison['remarks'], 'ambiguous' | 'unnamed'> {
	all: PricedOffer[];
}

/** Also those that count, cheapest first, and the currencies that lead among them. */
interface RankedOffers extends PricedOffers {
	offers: PricedOffer[];
	leading: string[];
}

/** Longer texts are cut where a hint shows them. */
const LONGEST_PRICE = 40;

/** What may have prices, whatever the topic. */
const PRICED_LISTS: readonly ListMeaning[] = ['offers', 'hits', 'ranks'];

/**
 * Finds the lowest price among the offers, hits or ranks of a content and its buybox, or else the product's
 * own price. Offers are compared by their total if known, otherwise by price, and only within the currency of
 * most offers; the first of equal ones wins. The cases are in `test/unit/output/bestPrice.cases.txt`.
 */
export function* comparePrices(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext = {},
): Steps<PriceComparison> {
	const { all, ambiguous, leading, offers, unnamed } = yield* rankedOffers(content, options, about);
	const counted = leading.length > 1 ? [] : offers.filter(({ currency }) => currency === leading[0]);
	const aside = offers.filter(({ currency }) => currency !== leading[0]);
	const [least] = counted;
	// Without a counting offer, those of any condition say which conditions there are.
	const inAny = { ...options, conditions: [ANY_CONDITION] };
	const inOthers = offers.length > 0 ? [] : yield* filtered(all, filterFor(inAny, about));
	const conditions = inOthers.map((offer) => textIn(offer, 'condition') ?? 'not said');
	return {
		best: {
			...NO_PRICE,
			...(least && {
				best_price: least.price,
				best_total: least.total ?? null,
				best_currency: least.currency ?? null,
				best_shop: textIn(least, 'shop'),
				best_condition: textIn(least, 'condition'),
				best_availability: textIn(least, 'availability'),
				best_url: textIn(least, 'url'),
			}),
			priced_offers: offers.length,
		},
		costs: counted.map((offer) => costOf(offer, options)),
		remarks: {
			undecided: least === undefined ? leading : [],
			otherConditions: [...new Set(conditions)],
			otherCurrencies: least === undefined ? [] : aside.map(({ currency = 'none' }) => currency),
			ambiguous,
			unnamed,
		},
	};
}

/** The counting offers of a content, cheapest first; those that the best price leaves out come last. */
export function* cheapestOffers(...given: Parameters<typeof comparePrices>): Steps<PricedOffer[]> {
	return (yield* rankedOffers(...given)).offers;
}

function* filtered(
	offers: readonly PricedOffer[],
	test: (offer: PricedOffer) => boolean,
): Steps<PricedOffer[]> {
	const kept: PricedOffer[] = [];
	for (const offer of offers) {
		if (test(offer)) kept.push(offer);
		yield 1;
	}
	return kept;
}

function* rankedOffers(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext = {},
): Steps<RankedOffers> {
	const { all, ...rest } = yield* pricedOffers(content, options, about);
	const counting = yield* filtered(all, filterFor(options, about));
	const leading = leadingCurrencies(counting);
	const isAside = ({ currency = '' }: PricedOffer) => Number(!leading.includes(currency));
	const offers = counting.sort(
		(one, other) => isAside(one) - isAside(other) || byCost(one, other, options),
	);
	// Sorting cannot pause.
	yield offers.length;
	return { all, leading, offers, ...rest };
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
	for (const { currency } of offers) {
		if (currency !== undefined) counts.set(currency, (counts.get(currency) ?? 0) + 1);
	}
	const most = Math.max(...counts.values());
	return [...counts.keys()].filter((currency) => counts.get(currency) === most).sort();
}

/**
 * The offers with a price, in the service's order: those of the first list that has any (the user's list, or
 * one with a known name), and the buybox. Also what the settings need and no offer names, see `unnamedIn`.
 */
function* pricedOffers(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext,
): Steps<PricedOffers> {
	const holders = holdersIn(content);
	// The product's currency is nearer to its offers than that of the content around it.
	const currencies = holders.map((holder) => currencyOf(currencyIn(holder)));
	const usual = currencies.findLast((currency) => currency !== undefined);
	let offers: PricedOffer[] = [];
	let unnamed: string[] = [];
	const ambiguous = new Set<string>();
	const meanings = [...new Set([...topicTraits(about.topic).lists, ...PRICED_LISTS])];
	for (const { entries, meaning } of listsIn(content, meanings, about.contentList)) {
		for (const entry of entries) {
			const offer = pricedOffer(entry, usual);
			if (offer !== undefined) offers.push(offer);
			else if (isObject(entry)) for (const price of pricesIn(entry)) ambiguous.add(price);
			yield 1;
		}
		if (offers.length === 0) continue;
		if (meaning !== 'ranks') unnamed = yield* unnamedIn(offers, options, about);
		break;
	}
	for (const holder of holders) {
		const buybox = buyboxOf(holder, usual);
		if (buybox && !offers.some((offer) => isSameOffer(buybox, offer))) offers.push(buybox);
	}
	// A product's own price repeats its offers, so it only counts without them.
	if (offers.length === 0)
		offers = holders.flatMap((holder) => pricedOffer(holder, usual) ?? []).slice(0, 1);
	return { all: offers, ambiguous: [...ambiguous], unnamed };
}

/**
 * What the settings need and none of the offers has a field for, followed by the fields that they have. Nothing
 * where all that is needed has a name.
 */
function* unnamedIn(
	offers: readonly PricedOffer[],
	options: BestPriceOptions,
	about: OfferContext,
): Steps<string[]> {
	const isUnnamed = (...meanings: Array<keyof Shape>) =>
		offers.every(({ shape }) => meanings.every((meaning) => shape[meaning].length === 0));
	const missing: string[] = [];
	if (conditionFilter(options.conditions, about.condition) && isUnnamed('condition'))
		missing.push('the condition');
	if (options.ignoreShops.length > 0 && isUnnamed('anyShop')) missing.push('the shop');
	if (options.includeShipping && isUnnamed('shipping', 'total')) missing.push('the shipping costs');
	return missing.length === 0 ? [] : [...missing, ...(yield* fieldsIn(offers.map(({ offer }) => offer)))];
}

/** The buybox of a product, which is on the product's page. */
function buyboxOf(holder: IDataObject, usual?: string): PricedOffer | undefined {
	const shape = shapeOf(holder);
	const buybox: unknown = holder[shape.buybox[0] ?? ''];
	if (!isObject(buybox)) return undefined;
	return pricedOffer({ ...buybox, url: buybox.url ?? plainField(holder, 'url', shape) }, usual);
}

/** Whether the list has the same offer as the buybox, perhaps with more details such as shipping. */
function isSameOffer(buybox: PricedOffer, listed: PricedOffer): boolean {
	const [shop, other] = [buybox, listed].map((offer) => textIn(offer, 'shop')?.toLowerCase());
	const isSamePrice =
		buybox.price === listed.price && agreedCurrency(buybox.currency, listed.currency) !== null;
	return isSamePrice && (shop === undefined || shop === other);
}

/** The prices of an entry that are no clear amounts, in quotation marks; nothing where there is none. */
function pricesIn(entry: IDataObject): string[] {
	const price = plainField(entry, 'price');
	return price === undefined || Number(price) === 0 ? [] : [`"${oneLine(String(price), LONGEST_PRICE)}"`];
}

/** An entry with its price; undefined without a clear one. */
function pricedOffer(offer: unknown, usual?: string): PricedOffer | undefined {
	if (!isObject(offer)) return undefined;
	const shape = shapeOf(offer);
	const own = currencyOf(plainField(offer, 'currency', shape));
	for (const field of shape.price) {
		const price = moneyIn(offer, field, own, usual);
		if (price === undefined || !(price.value > 0)) continue;
		const total = totalOf(offer, shape, price, own);
		return { offer, shape, price: price.value, total, currency: price.currency };
	}
	return undefined;
}

/**
 * The amount in a field with its currency: from its text or object, from the field beside it (`price_currency`), or
 * else the offer's `own`. Undefined if they contradict each other.
 *
 * @param usual the currency of amounts that name none
 */
function moneyIn(offer: IDataObject, field: string, own?: string, usual?: string): Amount | undefined {
	const money: unknown = offer[field];
	const inside = isObject(money) ? currencyOf(plainField(money, 'currency')) : undefined;
	const beside = currencyOf(plainOf(offer[`${field}_currency`]));
	const amount = amountOf(plainOf(money), inside ?? beside ?? own ?? usual);
	if (amount === undefined) return undefined;
	const said = agreedCurrency(amount.currency, inside, beside, own);
	if (said === null) return undefined;
	return { value: amount.value, currency: agreedCurrency(said, usual) ?? said };
}

/** The price with shipping: the offer's own total, or else the sum; undefined if unknown. */
function totalOf(offer: IDataObject, shape: Shape, price: Amount, own?: string): number | undefined {
	const inSameCurrency = (fields: readonly string[]) => {
		const field = fields.find((name) => isFilled(plainOf(offer[name])));
		const amount = field === undefined ? undefined : moneyIn(offer, field, own, price.currency);
		return isSameCurrency(amount?.currency, price.currency) ? amount?.value : undefined;
	};
	const total = inSameCurrency(shape.total);
	// A lower one is no price with shipping: often it counts something.
	if (total !== undefined && total >= price.value) return total;
	const shipping = inSameCurrency(shape.shipping);
	return shipping !== undefined && shipping >= 0 ? sumOf(price.value, shipping) : undefined;
}

/** Returns a test whether an offer counts, by condition, currency and shop. */
function filterFor(options: BestPriceOptions, about: OfferContext): (offer: PricedOffer) => boolean {
	const isWanted = conditionFilter(options.conditions, about.condition);
	const ignored = new Set(options.ignoreShops.map(shopName));
	ignored.delete('');
	const currency = currencyOf(options.currency);
	return (priced) => {
		if (currency !== undefined && priced.currency !== currency) return false;
		if (isWanted?.(priced) === false) return false;
		if (ignored.size === 0) return true;
		const { offer, shape } = priced;
		return !shape.anyShop.some((field) => ignored.has(shopName(plainOf(offer[field]))));
	};
}

/** Only the beginning of external text is compared. */
const [LONGEST_SHOP, LONGEST_CONDITION] = [300, 200];

/** A shop's name or ID in lower case; of an address, its domain. */
function shopName(shop: string | number = ''): string {
	const name = String(shop).slice(0, LONGEST_SHOP).trim().toLowerCase();
	const [domain = ''] = name.replace(/^(?:https?:)?\/\//, '').split(/[/?#:]/, 1);
	return /^[^\s.]+(?:\.[^\s.]+)+$/.test(domain) ? domain.replace(/^www\./, '') : name;
}

/** The first field of a meaning that says something, as text, such as `true` of `in_stock`. */
function textIn({ offer, shape }: PricedOffer, meaning: keyof Shape): string | null {
	for (const field of shape[meaning]) {
		const value: unknown = offer[field];
		const plain = typeof value === 'boolean' ? String(value) : plainOf(value);
		if (plain !== undefined && isFilled(plain)) return String(plain);
	}
	return null;
}

/** Words of conditions. Those for new mean it only by themselves: "new, open box" is not new. */
const CLASSES = {
	new: /^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|nytt|uusi|nový|nové|yeni|новый|全新|新品)$/u,
	refurbished:
		/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u,
	used: /^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u,
} as const;

/** The word for any condition among those that the user chose. */
const ANY_CONDITION = 'any';

/** Words without information about a condition. */
const UNSAID = /^(|any|n_a|none|not_specified|unknown|unspecified)$/;

/** A condition in normalised spelling: `Used – very good` and `used_very_good` are equal. */
function conditionName(condition: unknown): string {
	if (typeof condition !== 'string') return '';
	const word = condition.slice(0, LONGEST_CONDITION).replace(/^https?:\/\/schema\.org\//i, '');
	return word
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, '_')
		.replaceAll(/^_|_$/g, '');
}

/** The class of a condition; undefined for unknown words. */
export const conditionClass = (condition: unknown) => classOf(conditionName(condition));

function classOf(name: string): keyof typeof CLASSES | undefined {
	return (Object.keys(CLASSES) as Array<keyof typeof CLASSES>).find((one) => CLASSES[one].test(name));
}

/**
 * Returns a test whether an offer counts by its condition: its code, or else its text. Undefined when any
 * condition counts.
 *
 * @param wanted codes, words or classes, in any spelling, or `any`. Absent or empty, it accepts the condition of
 * the job, or else what shops compete with: new offers and those without a condition
 * @param asked the condition that the job asked for: offers known to be of another class do not count
 */
function conditionFilter(
	wanted: readonly string[] | undefined,
	asked: unknown,
): ((offer: PricedOffer) => boolean) | undefined {
	const names = new Set(wanted?.map(conditionName).filter((name) => name !== ''));
	const askedClass = conditionClass(asked);
	const isDefault = names.size === 0;
	if (isDefault ? askedClass === undefined && conditionName(asked) !== '' : names.has(ANY_CONDITION))
		return undefined;
	// A content has many offers in few conditions.
	const known = new Map<unknown, { name: string; itsClass?: keyof typeof CLASSES }>();
	const read = (condition: unknown) => {
		let meaning = known.get(condition);
		if (meaning === undefined) {
			const name = conditionName(condition);
			known.set(condition, (meaning = { name, itsClass: classOf(name) }));
		}
		return meaning;
	};
	return ({ offer, shape }) => {
		const conditions = shape.condition.map((field) => read(plainOf(offer[field])));
		const its = conditions.map(({ name }) => name);
		const itsClass = conditions.find((one) => one.itsClass !== undefined)?.itsClass;
		if (!isDefault) return [...its, itsClass ?? ''].some((name) => names.has(name));
		if (askedClass !== undefined) return (itsClass ?? askedClass) === askedClass;
		return itsClass === 'new' || its.every((name) => UNSAID.test(name));
	};
}
