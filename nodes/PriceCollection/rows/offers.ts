import { isSameCurrency, sumOf } from './amounts';
import type { AboutContent } from './contentList';
import type { ContentReader, Located } from './contentReader';
import {
	amountIn,
	readCurrency,
	readMoney,
	readShipping,
	readText,
	readTextOrFlag,
	Unreadable,
	wordsOf,
	type Currency,
	type FieldValue,
} from './values';

/** Which offers count, and how they are compared. */
export interface BestPriceOptions {
	/** Codes, words or classes; `any` accepts all. If absent or empty, the default of `conditionTest` applies. */
	conditions?: readonly string[];
	/** Code of the only currency that counts, if the user wants one. */
	currency?: string;
	/** Names, domains or IDs of shops to ignore. */
	ignoreShops: readonly string[];
	/** Whether offers are compared by their total, if known. */
	includeShipping: boolean;
}

/** Facts about a content that it does not contain. */
export interface OfferContext extends AboutContent {
	/** The job's condition, which applies if the user chose none. */
	condition?: unknown;
}

/** The best price columns, with their values if there is no best price. */
export const NO_PRICE = {
	best_price: null as number | null,
	/** With shipping; null if unknown. */
	best_total: null as number | null,
	best_currency: null as string | null,
	best_shop: null as string | null,
	/** The service's code, or else its text, unmodified. */
	best_condition: null as string | null,
	/** The service's text; a flag is `true` or `false` as text. */
	best_availability: null as string | null,
	best_url: null as string | null,
	/** How many offers count, in all currencies. */
	priced_offers: 0,
};

/** The parts of an offer that may be unreadable. */
export type OfferPart =
	'availability' | 'condition' | 'currency' | 'price' | 'shipping' | 'shop' | 'total' | 'url';

/** A field that is filled but unreadable, with its content as text. */
export interface UnreadPart {
	part: OfferPart;
	words: string;
}

/** An offer, search hit, bestseller, buybox or product with a price. */
export interface PricedOffer extends Located {
	price: number;
	/** With shipping, if known. */
	total?: number;
	/** A code, a shared sign or another word in capitals, see `currencyOf`. */
	currency?: string;
	/** Its unreadable fields. It may count in spite of them. */
	unreadParts: readonly UnreadPart[];
	/** The product of a buybox, whose address the buybox shares if it has none itself. */
	page?: Located;
	/** Reads this offer if the usual reader does not: the user's names for entries do not apply to their product. */
	reader?: ContentReader;
}

const unreadPartIn = (part: OfferPart, value: unknown): UnreadPart[] =>
	value instanceof Unreadable ? [{ part, words: value.words }] : [];

/**
 * Reads an object as an offer: its price, and its total with shipping.
 *
 * @param usual the currency of amounts that name none
 * @returns the unread part if the price is unreadable or negative; undefined if there is no price
 */
export function pricedOffer(
	one: Located,
	reader: ContentReader,
	usual?: Currency,
): PricedOffer | UnreadPart | undefined {
	const currencies = currenciesOf(one, reader);
	for (const raw of reader.values(one, 'price')) {
		const price = readMoney(raw, currencies, usual);
		// Another readable price does not help: it may be the one before a sale.
		if (price instanceof Unreadable) return { part: 'price', words: price.words };
		if (price === undefined || price.value === 0) continue;
		if (price.value < 0) return { part: 'price', words: wordsOf(raw) };
		const currency = price.currency instanceof Unreadable ? undefined : price.currency;
		const { total, unreadParts } = totalOf(one, reader, { value: price.value, currency }, currencies);
		return {
			...one,
			...{ price: price.value, total, currency },
			unreadParts: [...unreadPartIn('currency', price.currency), ...unreadParts],
		};
	}
	return undefined;
}

/**
 * Returns the currencies in an offer's fields, all of which must agree. If there are none, or if the user named the field,
 * returns the reader's first currency, which may belong to an entry around the offer.
 */
function currenciesOf(one: Located, reader: ContentReader): Currency[] {
	const { known, object } = one;
	const fields = reader.hasOwn('currency') ? [] : known.shape.currency;
	const stated = fields
		.map((field) => readCurrency(object[field]))
		.filter((currency) => currency !== undefined);
	return stated.length > 0 ? stated : [readCurrency(reader.first(one, 'currency'))];
}

/** Returns the price with shipping: the service's total, or else the sum. Undefined if it is unknown. */
function totalOf(
	one: Located,
	reader: ContentReader,
	price: { value: number; currency?: string },
	currencies: readonly Currency[],
): Pick<PricedOffer, 'total' | 'unreadParts'> {
	/** Reads an amount, which must be in the price's currency to be added or compared. */
	const amountBeside = (part: 'shipping' | 'total', read: typeof readMoney) => {
		const value = reader.first(one, part);
		const money = read(value, currencies, price.currency);
		if (money === undefined || money instanceof Unreadable) return money;
		const { currency } = money;
		const isSame = !(currency instanceof Unreadable) && isSameCurrency(currency, price.currency);
		return isSame ? money.value : new Unreadable(wordsOf(value));
	};
	const [total, shipping] = [amountBeside('total', readMoney), amountBeside('shipping', readShipping)];
	// A total below the price does not include shipping: often it is a count.
	if (typeof total === 'number' && total >= price.value) return { total, unreadParts: [] };
	if (typeof shipping === 'number' && !(total instanceof Unreadable))
		return { total: sumOf(price.value, shipping), unreadParts: [] };
	return { unreadParts: [...unreadPartIn('shipping', shipping), ...unreadPartIn('total', total)] };
}

/** Returns the values of a meaning, in the reader's order. */
export function valuesOf(
	one: Located & Pick<PricedOffer, 'reader'>,
	reader: ContentReader,
	part: 'anyShop' | 'availability' | 'condition' | 'shop' | 'url',
): FieldValue[] {
	const read = part === 'availability' ? readTextOrFlag : readText;
	return (one.reader ?? reader).values(one, part).map((value) => read(value));
}

/** Returns the first readable value as a text; null if there is none. */
export function firstText(values: readonly FieldValue[]): string | null {
	const text = values.find((one) => one !== undefined && !(one instanceof Unreadable));
	return text === undefined ? null : String(text);
}

/** Stands for the condition or currency of an offer that states none. */
export const NOT_STATED = '';

/** Returns the first unreadable value if no value is readable. */
export const unreadableIn = (values: readonly FieldValue[]): Unreadable | undefined =>
	firstText(values) === null ? values.find((one) => one instanceof Unreadable) : undefined;

const MOST_TEXTS = 50;

/** Collects the texts and numbers in a value, at any depth, up to `MOST_TEXTS`. */
export function textsIn(value: unknown, found: string[] = []): string[] {
	if (found.length >= MOST_TEXTS) return found;
	if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
	else if (typeof value === 'object' && value !== null)
		for (const inner of Object.values(value)) textsIn(inner, found);
	return found;
}

/** Returns the currency that an object or its price names. */
const currencyIn = (one: Located, reader: ContentReader): Currency =>
	readCurrency(reader.first(one, 'currency')) ??
	readCurrency(amountIn(reader.first(one, 'price')).currency);

/** Returns the currency of amounts that name none: the first currency that one of these objects names. */
export function usualCurrency(all: readonly Located[], reader: ContentReader): Currency {
	for (const one of all) {
		const currency = currencyIn(one, reader);
		if (currency !== undefined) return currency;
	}
	return undefined;
}
