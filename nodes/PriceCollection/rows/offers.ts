import { isSameCurrency, sumOf } from './amounts';
import type { AboutContent } from './contentList';
import type { ContentReader, Placed } from './contentReader';
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
export interface OfferContext extends AboutContent {
	/** The condition that the job asked for, used when the user names none. */
	condition?: unknown;
}

/** The columns of the best price; null if there is none. */
export const NO_PRICE = {
	best_price: null as number | null,
	/** With shipping; null if unknown. */
	best_total: null as number | null,
	best_currency: null as string | null,
	best_shop: null as string | null,
	/** The service's code, or else its text. */
	best_condition: null as string | null,
	/** The service's own text. */
	best_availability: null as string | null,
	best_url: null as string | null,
	/** How many counting offers have a price, in any currency. */
	priced_offers: 0,
};

/** What a field of an offer must be read as. */
export type OfferPart =
	'availability' | 'condition' | 'currency' | 'price' | 'shipping' | 'shop' | 'total' | 'url';

/** A field that is filled and cannot be read, with its words. */
export interface Trouble {
	part: OfferPart;
	words: string;
}

/** An offer, search hit, bestseller, buybox or product with a price. */
export interface PricedOffer extends Placed {
	price: number;
	/** With shipping, if known. */
	total?: number;
	/** As a code, or as it came. */
	currency?: string;
	/** What of it cannot be read; it may still count. */
	troubles: readonly Trouble[];
	/** What has its address, if it has none itself: the product of a buybox. */
	page?: Placed;
	/** What reads it, if not what reads the others: what the user says of entries is not said of their product. */
	reader?: ContentReader;
}

const troubleWith = (part: OfferPart, read: unknown): Trouble[] =>
	read instanceof Unreadable ? [{ part, words: read.words }] : [];

/**
 * Reads an object as an offer: its price and what it costs with shipping.
 *
 * @param usual the currency of amounts that name none
 * @returns what cannot be read, where that is the price; undefined where there is none
 */
export function pricedOffer(
	one: Placed,
	reader: ContentReader,
	usual?: Currency,
): PricedOffer | Trouble | undefined {
	const own = currenciesOf(one, reader);
	for (const raw of reader.values(one, 'price')) {
		const price = readMoney(raw, own, usual);
		// What one pays is not known, although another price is: that may be the one before a sale.
		if (price instanceof Unreadable) return { part: 'price', words: price.words };
		if (price === undefined || price.value === 0) continue;
		if (price.value < 0) return { part: 'price', words: wordsOf(raw) };
		const currency = price.currency instanceof Unreadable ? undefined : price.currency;
		const { total, troubles } = totalOf(one, reader, { value: price.value, currency }, own);
		return {
			...one,
			...{ price: price.value, total, currency },
			troubles: [...troubleWith('currency', price.currency), ...troubles],
		};
	}
	return undefined;
}

/** The currencies that an offer names, all of which must agree, or else the one of what it lies in. */
function currenciesOf(one: Placed, reader: ContentReader): Currency[] {
	const { known, object } = one;
	const fields = reader.hasOwn('currency') ? [] : known.shape.currency;
	const own = fields
		.map((field) => readCurrency(object[field]))
		.filter((currency) => currency !== undefined);
	return own.length > 0 ? own : [readCurrency(reader.first(one, 'currency'))];
}

/** The price with shipping: the offer's own total, or else the sum; undefined if unknown. */
function totalOf(
	one: Placed,
	reader: ContentReader,
	price: { value: number; currency?: string },
	own: readonly Currency[],
): Pick<PricedOffer, 'total' | 'troubles'> {
	/** An amount in the price's currency; any other one cannot be added. */
	const amountBeside = (part: 'shipping' | 'total', read: typeof readMoney) => {
		const value = reader.first(one, part);
		const money = read(value, own, price.currency);
		if (money === undefined || money instanceof Unreadable) return money;
		const { currency } = money;
		const isSame = !(currency instanceof Unreadable) && isSameCurrency(currency, price.currency);
		return isSame ? money.value : new Unreadable(wordsOf(value));
	};
	const [total, shipping] = [amountBeside('total', readMoney), amountBeside('shipping', readShipping)];
	// A lower one is no price with shipping: often it counts something.
	if (typeof total === 'number' && total >= price.value) return { total, troubles: [] };
	if (typeof shipping === 'number' && !(total instanceof Unreadable))
		return { total: sumOf(price.value, shipping), troubles: [] };
	return { troubles: [...troubleWith('shipping', shipping), ...troubleWith('total', total)] };
}

/** What the fields of a meaning say, the first one first. */
export function saidOf(
	one: Placed & Pick<PricedOffer, 'reader'>,
	reader: ContentReader,
	part: 'anyShop' | 'availability' | 'condition' | 'shop' | 'url',
): FieldValue[] {
	const read = part === 'availability' ? readTextOrFlag : readText;
	return (one.reader ?? reader).values(one, part).map((value) => read(value));
}

/** The first text of these, as a text; null where there is none. */
export function firstText(said: readonly FieldValue[]): string | null {
	const text = said.find((one) => one !== undefined && !(one instanceof Unreadable));
	return text === undefined ? null : String(text);
}

/** In the place of a word, of an offer that says nothing. */
export const NOT_SAID = '';

/** What cannot be read of these, if none of them can be. */
export const unreadIn = (said: readonly FieldValue[]): Unreadable | undefined =>
	firstText(said) === null ? said.find((one) => one instanceof Unreadable) : undefined;

const MOST_TEXTS = 50;

/** Every text and number in a value, at any depth, up to a number of them. */
export function textsIn(value: unknown, found: string[] = []): string[] {
	if (found.length >= MOST_TEXTS) return found;
	if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
	else if (typeof value === 'object' && value !== null)
		for (const inner of Object.values(value)) textsIn(inner, found);
	return found;
}

/** The currency that an object or its price names. */
const currencyIn = (one: Placed, reader: ContentReader): Currency =>
	readCurrency(reader.first(one, 'currency')) ??
	readCurrency(amountIn(reader.first(one, 'price')).currency);

/** The currency of amounts that name none, in the first of these objects that has one. */
export function usualCurrency(all: readonly Placed[], reader: ContentReader): Currency {
	for (const one of all) {
		const currency = currencyIn(one, reader);
		if (currency !== undefined) return currency;
	}
	return undefined;
}
