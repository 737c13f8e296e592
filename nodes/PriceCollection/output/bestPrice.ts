import type { IDataObject } from 'n8n-workflow';

import { isFilled, isObject } from '../service/types';
import { amountOf, currencyOf, sumOf, type Amount } from './amounts';
import { NO_PRICE } from './columns';
import { contentListOf, entriesIn, namesFor, pathsIn, PRODUCT_DETAILS } from './contentList';

/** Which offers count, and how they are compared. */
export interface BestPriceOptions {
	/** Codes or words. An empty list: any condition; undefined: new, and offers without a condition. */
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
	/** Name of the list of offers, if the user entered one. */
	contentList?: string;
	/** The condition that the job asked for, used when the user names none. */
	condition?: unknown;
}

/** The best price of a content. */
export interface PriceComparison {
	best: typeof NO_PRICE;
	/** The compared offers: those that count, in the best price's currency. */
	counted: PricedOffer[];
	/** What the user should know, see `REMARKS` in `rows`, with the names concerned; nothing without names. */
	remarks: Partial<Record<'otherConditions' | 'otherCurrencies' | 'unclear' | 'undecided', string[]>>;
}

/** An offer, search hit, bestseller, buybox or product with a price. */
export interface PricedOffer {
	/** As in the content. */
	offer: IDataObject;
	price: number;
	/** With shipping, if known. */
	total?: number;
	currency?: string;
}

const CONDITION: readonly string[] = ['condition_code', 'condition_text'];

/** Lists of offers of any topic. Lists with other names may not be about this product. */
const USUAL_LISTS: readonly string[] = ['offers', 'search_results', 'bestsellers'];

/**
 * Finds the lowest price among the offers, hits or ranks of a content and its buybox, or else the product's
 * own price. Offers are compared by their total if known, otherwise by price, and only within the currency of
 * most offers; the first of equal ones wins. `docs/best-price.md` covers every case.
 */
export function comparePrices(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext = {},
): PriceComparison {
	const all = pricedOffers(content, about);
	const offers = all.filter(filterFor(options, about));
	const leading = leadingCurrencies(offers);
	const counted = leading.length > 1 ? [] : offers.filter(({ currency }) => currency === leading[0]);
	const best = { ...NO_PRICE, priced_offers: offers.length };
	const [first] = counted;
	if (first !== undefined) {
		const least = counted.reduce((one, other) => (byCost(other, one, options) < 0 ? other : one), first);
		best.best_price = least.price;
		best.best_total = least.total ?? null;
		best.best_currency = least.currency ?? null;
		best.best_shop = textIn(least.offer, ['shop_name', 'shop_domain', 'shop_id']);
		best.best_condition = textIn(least.offer, CONDITION);
		best.best_url = textIn(least.offer, ['url']);
		const others = offers.filter(({ currency }) => currency !== leading[0]);
		const otherCurrencies = others.map(({ currency = 'none' }) => currency);
		return { best, counted, remarks: { otherCurrencies } };
	}
	if (leading.length > 1) return { best, counted, remarks: { undecided: leading } };
	if (all.length === 0) {
		const unclear = about.contentList === undefined ? placesOfPrices(content) : [];
		return { best, counted, remarks: { unclear } };
	}
	const inOthers = all.filter(filterFor({ ...options, conditions: [] }, about));
	const names = new Set(inOthers.map(({ offer }) => textIn(offer, CONDITION) ?? 'not said'));
	return { best, counted, remarks: { otherConditions: [...names] } };
}

/** The counting offers of a content, cheapest first; those that the best price leaves out come last. */
export function cheapestOffers(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext = {},
): PricedOffer[] {
	const offers = pricedOffers(content, about).filter(filterFor(options, about));
	const leading = leadingCurrencies(offers);
	const isAside = ({ currency = '' }: PricedOffer) => Number(!leading.includes(currency));
	return offers.sort((one, other) => isAside(one) - isAside(other) || byCost(one, other, options));
}

/** Negative when the first is cheaper. Of equal ones, known shipping costs come first, which is safer. */
function byCost(one: PricedOffer, other: PricedOffer, { includeShipping }: BestPriceOptions): number {
	if (!includeShipping) return one.price - other.price;
	const difference = (one.total ?? one.price) - (other.total ?? other.price);
	if (difference !== 0) return difference;
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
 * one with a known name), and the buybox.
 */
function pricedOffers(given: unknown, about: OfferContext): PricedOffer[] {
	const content = about.contentList === undefined ? (soleProduct(given, about) ?? given) : given;
	const product = isObject(content) ? content : {};
	let offers: PricedOffer[] = [];
	for (const entries of listsOfEntries(content, about)) {
		if (offers.length === 0) offers = entries.flatMap((entry) => pricedOffer(entry, product) ?? []);
	}
	const { buybox, url } = product;
	// A buybox is on the page of its product.
	const sold = isObject(buybox) && pricedOffer({ ...buybox, url: buybox.url ?? url }, product);
	if (sold && !offers.some((offer) => isSameOffer(sold, offer))) offers.push(sold);
	if (offers.length > 0) return offers;
	// A product's own price repeats its offers, so it only counts without them.
	const own = pricedOffer(product, product);
	return own === undefined ? [] : [own];
}

/** Names under which a content may hold the product. */
const PRODUCT = /^(?:products?|items?|results?|data|content|\d{1,9})$/;

/** The only product in a content that has offers, if the content itself has none. */
function soleProduct(content: unknown, { topic }: OfferContext): IDataObject | undefined {
	const names = ['buybox', ...namesFor(topic), ...USUAL_LISTS];
	const hasOffers = (one: unknown): one is IDataObject =>
		isObject(one) && names.some((name) => typeof one[name] === 'object' && isFilled(one[name]));
	if (typeof content !== 'object' || content === null || hasOffers(content)) return undefined;
	const [only, ...others] = Object.entries(content)
		.filter(([name]) => PRODUCT.test(name))
		.flatMap(([, value]: [string, unknown]): unknown[] => (Array.isArray(value) ? value : [value]))
		.map((one) => (hasOffers(one) ? one : soleProduct(one, { topic })))
		.filter((one) => one !== undefined);
	return others.length === 0 ? only : undefined;
}

/** Whether the list has the same offer as the buybox, perhaps with more details such as shipping. */
function isSameOffer(buybox: PricedOffer, listed: PricedOffer): boolean {
	const [shop, other] = [buybox, listed].map(({ offer }) => textIn(offer, ['shop_name'])?.toLowerCase());
	const isSameCurrency = (listed.currency ?? buybox.currency) === (buybox.currency ?? listed.currency);
	return buybox.price === listed.price && isSameCurrency && (shop === undefined || shop === other);
}

/** Lists that may hold offers. Groups under one name, such as new and used, are joined. */
function listsOfEntries(content: unknown, { topic, contentList }: OfferContext): unknown[][] {
	if (Array.isArray(content)) return [content];
	if (!isObject(content)) return [];
	if (contentList !== undefined) return [contentListOf(content, topic, contentList)?.entries ?? []];
	return [...namesFor(topic), ...USUAL_LISTS].map((name) => {
		const list: unknown = Object.hasOwn(content, name) ? content[name] : undefined;
		return entriesIn(list) ?? (isObject(list) ? Object.values(list).filter(Array.isArray).flat() : []);
	});
}

/** Paths of what has something like a price, which may not be this product's. */
function placesOfPrices(content: unknown): string[] {
	const isAmount = (value: unknown): boolean =>
		isObject(value)
			? Object.values(value).some(isAmount)
			: ['number', 'string'].includes(typeof value) && /[1-9]/.test(String(value).slice(0, 50));
	const isPrice = ([name, value]: [string, unknown]) => /pric/i.test(name.slice(0, 50)) && isAmount(value);
	const hasPrice = (name: string, value: unknown) => {
		const one: unknown = Array.isArray(value) ? value[0] : value;
		return isPrice([name, value]) || (isObject(one) && Object.entries(one).some(isPrice));
	};
	const isDetail = (path: string) => path.split('.').some((name) => PRODUCT_DETAILS.includes(name));
	return pathsIn(content, hasPrice).filter((path) => !isDetail(path));
}

/** An entry with its price; undefined without a clear one. */
function pricedOffer(offer: unknown, product: IDataObject): PricedOffer | undefined {
	if (!isObject(offer)) return undefined;
	const currency = currencyOf(offer.currency) ?? currencyOf(product.currency);
	for (const field of ['price', 'min_price']) {
		const price = moneyIn(offer, field, currency);
		if (price === undefined || !(price.value > 0)) continue;
		return { offer, price: price.value, total: totalOf(offer, price), currency: price.currency };
	}
	return undefined;
}

/**
 * The amount in a field with its currency: from the text, from the field beside it (`price_currency`, an
 * attribute in XML), or else the offer's. Undefined if they contradict each other.
 */
function moneyIn(offer: IDataObject, field: string, currency: string | undefined): Amount | undefined {
	const money: unknown = offer[field];
	if (isObject(money)) {
		const amount = money.amount ?? money.value ?? money.text;
		if (typeof amount === 'object') return undefined;
		return moneyIn({ [field]: amount, currency: money.currency ?? offer.currency }, field, currency);
	}
	const beside = currencyOf(offer[`${field}_currency`]);
	const amount = amountOf(money, beside ?? currency);
	if (amount === undefined) return undefined;
	const [said, ...others] = [amount.currency, beside, currencyOf(offer.currency)].filter(
		(one) => one !== undefined,
	);
	if (others.some((other) => other !== said)) return undefined;
	return { value: amount.value, currency: said ?? currency };
}

/** The price with shipping: the offer's own total, or else the sum; undefined if unknown. */
function totalOf(offer: IDataObject, price: Amount): number | undefined {
	const inSameCurrency = (field: string) => {
		const amount = moneyIn(offer, field, price.currency);
		return amount?.currency === price.currency ? amount?.value : undefined;
	};
	const total = inSameCurrency('price_with_shipping');
	if (total !== undefined && total > 0) return total;
	const shipping = inSameCurrency('shipping_costs');
	return shipping !== undefined && shipping >= 0 ? sumOf(price.value, shipping) : undefined;
}

/** Returns a test whether an offer counts, by condition, currency and shop. */
function filterFor(options: BestPriceOptions, about: OfferContext): (offer: PricedOffer) => boolean {
	const isWanted = conditionFilter(options.conditions, about.condition);
	const ignored = new Set(options.ignoreShops.map(shopName));
	ignored.delete('');
	const currency = currencyOf(options.currency);
	return (priced) => {
		const { shop_name, shop_id, shop_domain, shop_url } = priced.offer;
		if (currency !== undefined && priced.currency !== currency) return false;
		if (!isWanted(priced.offer)) return false;
		const names = ignored.size === 0 ? [] : [shop_name, shop_id, shop_domain, shop_url];
		return !names.some((name) => ignored.has(shopName(name)));
	};
}

/** Only the beginning of external text is compared. */
const [LONGEST_SHOP, LONGEST_CONDITION] = [300, 200];

/** A shop's name or ID in lower case; of an address, its domain. */
function shopName(shop: unknown): string {
	const given = typeof shop === 'string' || typeof shop === 'number' ? String(shop) : '';
	const name = given.slice(0, LONGEST_SHOP).trim().toLowerCase();
	const [domain = ''] = name.replace(/^(?:https?:)?\/\//, '').split(/[/?#:]/, 1);
	return /^[^\s.]+(?:\.[^\s.]+)+$/.test(domain) ? domain.replace(/^www\./, '') : name;
}

/** The first of these fields that is not blank. */
function textIn(offer: IDataObject, fields: readonly string[]): string | null {
	for (const field of fields) {
		const value: unknown = offer[field];
		if (typeof value === 'string' && value.trim() !== '') return value;
		if (typeof value === 'number') return String(value);
	}
	return null;
}

/** Words that mean "new" only by themselves: "new, open box" is not new. */
const NEW =
	/^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|nytt|uusi|nový|nové|yeni|новый|全新|新品)$/u;
const REFURBISHED =
	/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u;
const USED =
	/^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u;

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

function classOf(name: string): 'new' | 'refurbished' | 'used' | undefined {
	if (NEW.test(name)) return 'new';
	if (REFURBISHED.test(name)) return 'refurbished';
	return USED.test(name) ? 'used' : undefined;
}

/**
 * Returns a test whether an offer counts by its condition: its code, or else its text.
 *
 * @param wanted codes, words or classes, in any spelling; an empty list accepts any condition. Undefined
 * accepts the condition of the job, or else what shops compete with: new offers and those without a condition
 * @param asked the condition that the job asked for: offers known to be of another class do not count
 */
function conditionFilter(
	wanted: readonly string[] | undefined,
	asked: unknown,
): (offer: IDataObject) => boolean {
	const names = new Set(wanted?.map(conditionName).filter((name) => name !== ''));
	const askedClass = conditionClass(asked);
	if (wanted === undefined ? askedClass === undefined && conditionName(asked) !== '' : names.size === 0)
		return () => true;
	return ({ condition_code, condition_text }) => {
		const its = [condition_code, condition_text].map(conditionName);
		const itsClass = its.map(classOf).find((one) => one !== undefined);
		if (wanted !== undefined) return [...its, itsClass ?? ''].some((name) => names.has(name));
		if (askedClass !== undefined) return (itsClass ?? askedClass) === askedClass;
		return itsClass === 'new' || its.every((name) => UNSAID.test(name));
	};
}
