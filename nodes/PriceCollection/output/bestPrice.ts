import type { IDataObject } from 'n8n-workflow';

import { isFilled, isObject } from '../service/types';
import { amountOf, currencyOf, sumOf, type Amount } from './amounts';
import { NO_PRICE, type BestPrice } from './columns';
import { conditionFilter } from './condition';
import { contentListOf, entriesIn, namesFor, PRODUCT_DETAILS } from './contentList';

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

/** The best price of a content, and facts that the user should know. */
export interface PriceComparison {
	best: BestPrice;
	/** The compared offers: those that count, in the best price's currency. */
	counted: PricedOffer[];
	/** Currencies with equally many offers, so that none of them can be chosen. */
	undecided: string[];
	/** Whether offers in other currencies were left out. */
	otherCurrencies: boolean;
	/** The conditions of priced offers, if none of them counts. */
	otherConditions: string[];
	/** Where a content without offers contains something like a price. */
	unclear: string[];
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
	const { currency, undecided } = chosenCurrency(offers);
	const counted = undecided.length > 0 ? [] : offers.filter((offer) => offer.currency === currency);
	const [first] = counted;
	const best = { ...NO_PRICE, priced_offers: offers.length };
	const compared = { best, counted, undecided, otherCurrencies: false, otherConditions: [], unclear: [] };
	if (first === undefined) {
		const inOthers =
			offers.length > 0 ? [] : all.filter(filterFor({ ...options, conditions: [] }, about));
		const otherConditions = new Set(inOthers.map(({ offer }) => textIn(offer, CONDITION) ?? 'not said'));
		const unclear = all.length === 0 && about.contentList === undefined ? placesOfPrices(content) : [];
		return { ...compared, otherConditions: [...otherConditions], unclear };
	}
	const least = counted.reduce((one, other) => (byCost(other, one, options) < 0 ? other : one), first);
	return {
		...compared,
		best: {
			...best,
			best_price: least.price,
			best_total: least.total ?? null,
			best_currency: least.currency ?? null,
			best_shop: textIn(least.offer, ['shop_name', 'shop_domain', 'shop_id']),
			best_condition: textIn(least.offer, CONDITION),
			best_url: textIn(least.offer, ['url']),
		},
		otherCurrencies: counted.length < offers.length,
	};
}

/**
 * The counting offers of a content, cheapest first: those in the best price's currency, then the others. If
 * no currency can be chosen, the cheapest of each currency come first.
 */
export function cheapestOffers(
	content: unknown,
	options: BestPriceOptions,
	about: OfferContext = {},
): PricedOffer[] {
	const offers = pricedOffers(content, about).filter(filterFor(options, about));
	const { currency, undecided } = chosenCurrency(offers);
	const counts = new Map<string | undefined, number>();
	const placed = offers
		.sort((one, other) => byCost(one, other, options))
		.map((offer) => {
			const turn = counts.get(offer.currency) ?? 0;
			counts.set(offer.currency, turn + 1);
			const isAside = undecided.length === 0 && offer.currency !== currency;
			return { offer, place: isAside ? turn + offers.length : turn };
		});
	return placed.sort((one, other) => one.place - other.place).map(({ offer }) => offer);
}

/** Negative when the first is cheaper. Of equal ones, known shipping costs come first, which is safer. */
function byCost(one: PricedOffer, other: PricedOffer, { includeShipping }: BestPriceOptions): number {
	if (!includeShipping) return one.price - other.price;
	const difference = (one.total ?? one.price) - (other.total ?? other.price);
	if (difference !== 0) return difference;
	return Number(one.total === undefined) - Number(other.total === undefined);
}

/** The currency of most offers. Offers without currency only count if no offer has one. */
function chosenCurrency(offers: readonly PricedOffer[]): { currency?: string; undecided: string[] } {
	const counts = new Map<string, number>();
	for (const { currency } of offers) {
		if (currency !== undefined) counts.set(currency, (counts.get(currency) ?? 0) + 1);
	}
	const most = Math.max(...counts.values());
	const leading = [...counts].filter(([, count]) => count === most).map(([name]) => name);
	return leading.length > 1 ? { undecided: leading.sort() } : { currency: leading[0], undecided: [] };
}

/** The offers with a price, in the service's order. */
function pricedOffers(given: unknown, about: OfferContext): PricedOffer[] {
	const content = about.contentList === undefined ? (soleProduct(given, about) ?? given) : given;
	const product = isObject(content) ? content : {};
	const listed = listedOffers(content, product, about);
	const buybox = isObject(product.buybox)
		? pricedOffer(atProduct(product.buybox, product), product)
		: undefined;
	if (buybox !== undefined && !listed.some((offer) => isSameOffer(buybox, offer))) listed.push(buybox);
	// A product's own price repeats its offers, so it only counts without them.
	const own = listed.length === 0 ? pricedOffer(product, product) : undefined;
	return own === undefined ? listed : [own];
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

/** A buybox is on the page of its product. */
function atProduct(buybox: IDataObject, { url }: IDataObject): IDataObject {
	return { ...buybox, url: buybox.url ?? url };
}

/** Whether the list has the same offer as the buybox, perhaps with more details such as shipping. */
function isSameOffer(buybox: PricedOffer, listed: PricedOffer): boolean {
	const [shop, other] = [buybox, listed].map(({ offer }) => textIn(offer, ['shop_name'])?.toLowerCase());
	const isSameCurrency =
		buybox.currency === undefined || listed.currency === undefined || buybox.currency === listed.currency;
	return buybox.price === listed.price && isSameCurrency && (shop === undefined || shop === other);
}

/** The priced offers of the first list that has any: the user's list, or one with a known name. */
function listedOffers(content: unknown, product: IDataObject, about: OfferContext): PricedOffer[] {
	for (const entries of listsOfEntries(content, about)) {
		const offers = entries.flatMap((entry) => pricedOffer(entry, product) ?? []);
		if (offers.length > 0) return offers;
	}
	return [];
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

/** How deep prices are searched to name their places. */
const LEVELS = 4;

/** Names of fields with something like a price, which may not be this product's. */
function placesOfPrices(content: unknown, levels = LEVELS): string[] {
	if (Array.isArray(content)) return placesOfPrices(content[0], levels);
	if (!isObject(content) || levels === 0) return [];
	return Object.entries(content).flatMap(([name, value]: [string, unknown]) => {
		if (PRODUCT_DETAILS.includes(name)) return [];
		if (/pric/i.test(name.slice(0, 50)) && isAmount(value)) return [name];
		const inner = placesOfPrices(value, levels - 1);
		// For a list or an object with a price, its own name is enough.
		return inner.some((place) => !place.includes('.') && /pric/i.test(place))
			? [name]
			: inner.map((place) => `${name}.${place}`);
	});
}

function isAmount(value: unknown): boolean {
	if (isObject(value)) return Object.values(value).some(isAmount);
	return typeof value === 'number'
		? value > 0
		: typeof value === 'string' && /[1-9]/.test(value.slice(0, 50));
}

/** An entry with its price; undefined without a clear one. */
function pricedOffer(offer: unknown, product: IDataObject): PricedOffer | undefined {
	if (!isObject(offer)) return undefined;
	const currency = currencyOf(offer.currency) ?? currencyOf(product.currency);
	for (const field of ['price', 'min_price']) {
		const price = moneyIn(offer, field, currency);
		if (price === undefined || !(price.value > 0)) continue;
		const total = totalOf(offer, price);
		return {
			offer,
			price: price.value,
			...(total !== undefined && { total }),
			...(price.currency !== undefined && { currency: price.currency }),
		};
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
	const amount = amountOf(offer[field], beside ?? currency);
	if (amount === undefined) return undefined;
	const own = currencyOf(offer.currency);
	const said = [amount.currency, beside, own].filter((one) => one !== undefined);
	if (new Set(said).size > 1) return undefined;
	return { value: amount.value, currency: said[0] ?? currency };
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
	const shops = new Set(options.ignoreShops.flatMap((shop) => [shopName(shop), domainOf(shop)]));
	shops.delete('');
	const currency = currencyOf(options.currency);
	return (priced) => {
		const { offer } = priced;
		if (currency !== undefined && priced.currency !== currency) return false;
		return isWanted(offer) && !namesOfShop(offer).some((name) => shops.has(name));
	};
}

function namesOfShop({ shop_name, shop_id, shop_domain, shop_url }: IDataObject): string[] {
	return [shopName(shop_name), shopName(shop_id), domainOf(shop_domain), domainOf(shop_url)];
}

/** Names of shops are compared up to this length. */
const LONGEST_SHOP = 300;

function shopName(shop: unknown): string {
	const name = typeof shop === 'string' || typeof shop === 'number' ? String(shop) : '';
	return name.slice(0, LONGEST_SHOP).trim().toLowerCase();
}

/** The domain in an address; other texts unchanged. */
function domainOf(shop: unknown): string {
	const name = shopName(shop);
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
