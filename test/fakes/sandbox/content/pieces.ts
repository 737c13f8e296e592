import { currencyOf } from '../catalog.ts';
import type { SandboxOptions } from '../options.ts';
import type { Dice } from './random.ts';
import { ARTICLES, AWKWARD, BRANDS, CONDITIONS, SHOPS } from './vocabulary.ts';

/** What the content of one result is made from. */
export interface Lookup {
	source: string;
	country: string;
	key: string;
	value: string;
	pages: number;
	/** The kinds of hits in a search. */
	hits: SandboxOptions['searchHits'];
	/** When the source was read, milliseconds. */
	readAt: number;
	dice: Dice;
}

/** Entries per page; a value such as `many-250` asks for exactly that many instead. */
export function entryCount(lookup: Lookup, least: number, perPage: number): number {
	const many = /^many-(\d{1,6})/i.exec(lookup.value);
	if (many) return Number(many[1]);
	return (lookup.pages - 1) * perPage + lookup.dice.number(least, perPage);
}

/** Cents as a decimal string; whole amounts as "20.0", as the service writes them. */
export function decimal(cents: number): string {
	return cents % 100 === 0 ? `${cents / 100}.0` : (cents / 100).toFixed(2);
}

export function nameOf(lookup: Lookup): string {
	if (/^awkward/i.test(lookup.value)) return AWKWARD;
	return `${lookup.dice.pick(BRANDS)} ${lookup.dice.pick(ARTICLES)}`;
}

/** An identifier in the source's style; 20 digits at shopping portals. */
export function productIdOf(lookup: Lookup): string {
	if (lookup.key === 'id') return lookup.value;
	if (lookup.source === 'amazon') return `B0${lookup.dice.letters(8)}`;
	return lookup.dice.digits(lookup.source === 'ebay' ? 12 : 20);
}

export function productUrl(lookup: Lookup, id: string): string {
	const host = `${lookup.source.replaceAll('_', '-')}.${lookup.country}.example`;
	return `https://${host}/product/${encodeURIComponent(id)}?a=1&b=%C3%A9`;
}

/** The article's GTINs: the requested one, otherwise one made up with a leading zero. */
export function gtinsOf(lookup: Lookup): string[] {
	return [lookup.key === 'gtin' ? lookup.value.padStart(14, '0') : `0${lookup.dice.digits(13)}`];
}

export function offerOf(lookup: Lookup, productId: string, index: number): Record<string, unknown> {
	const { dice } = lookup;
	const bare = /^nulls/i.test(lookup.value);
	const shop = dice.pick(SHOPS);
	const condition = dice.chance(70) ? CONDITIONS[0] : dice.pick(CONDITIONS);
	const cents = dice.number(300, 90_000);
	const shipping = dice.chance(40) ? 0 : dice.number(199, 899);
	return {
		id: dice.digits(20),
		product_id: bare ? null : productId,
		price: decimal(cents),
		price_with_shipping: bare ? null : decimal(cents + shipping),
		shipping_costs: bare ? null : decimal(shipping),
		tax: dice.chance(80) ? null : decimal(Math.round(cents * 0.19)),
		currency: currencyOf(lookup.country),
		condition_text: bare ? null : condition?.text,
		condition_code: bare ? null : condition?.code,
		url: `https://${shop.domain}/o/${index}?ref=${lookup.source}&c=${lookup.country}`,
		shop_name: bare ? null : shop.name,
		shop_id: dice.chance(30) ? null : dice.digits(8),
		shop_url: bare ? null : `https://${shop.domain}/`,
		shop_domain: shop.domain,
		shop_review_count: dice.chance(20) ? null : dice.number(0, 250_000),
		shop_review_rating: dice.chance(20) ? null : dice.number(60, 100),
		page: Math.floor(index / 10) + 1,
		position: (index % 10) + 1,
	};
}
