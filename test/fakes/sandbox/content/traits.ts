import type { SandboxOptions } from '../options.ts';
import { decimal } from './pieces.ts';

/** Changes to the content of a product or a search that make prices hard to compare. */

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function without(fields: Fields, names: string[]): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

const CURRENCIES = ['EUR', 'USD', 'GBP'];

/** The changed fields of the offer at an index of its list, by trait, in the order in which they apply. */
const TRAITS: Record<
	SandboxOptions['offerTraits'][number],
	(offer: Fields, index: number, options: SandboxOptions) => Fields
> = {
	/** Every second offer is used, and cheaper than any new one. */
	used: (_offer, index) =>
		index % 2 === 1
			? { ...priced(100 + index), condition_code: 'used', condition_text: 'Used – very good' }
			: {},
	/** Every third has no price. */
	nullPrices: (_offer, index) => (index % 3 === 0 ? { price: null, price_with_shipping: null } : {}),
	mixedCurrencies: (_offer, index) => ({ currency: CURRENCIES[index % CURRENCIES.length] }),
	/** Every fourth has unknown shipping costs. */
	unknownShipping: (_offer, index) =>
		index % 4 === 1 ? { shipping_costs: null, price_with_shipping: null } : {},
	/** The second is from the user's shop, and the cheapest. */
	ownShop: (_offer, index, { ownShop }) =>
		index === 1
			? { ...priced(50), shop_name: ownShop, shop_domain: 'my-own-shop.example', shop_id: '4711' }
			: {},
};

function priced(cents: number): Fields {
	return { price: decimal(cents), shipping_costs: decimal(0), price_with_shipping: decimal(cents) };
}

/** Applies the traits that are switched on to the offers in a content. */
export function withTraits(content: Fields, options: SandboxOptions): Fields {
	if (options.offerTraits.length === 0) return content;
	const traits = Object.entries(TRAITS).filter(([name]) => options.offerTraits.some((on) => on === name));
	const changed = (offer: Fields, index: number): Fields =>
		'price' in offer
			? traits.reduce((sum, [, trait]) => ({ ...sum, ...trait(sum, index, options) }), offer)
			: offer;
	const lists = Object.entries(content).filter(([name]) => name === 'offers' || name === 'search_results');
	return {
		...content,
		...Object.fromEntries(lists.map(([name, list]) => [name, listOf(list).map(changed)])),
	};
}

/** A product's content, with only a buybox or only a price if that is switched on. */
export function productAs(wanted: SandboxOptions['productContent'], content: Fields): Fields {
	if (wanted === 'bySource') return content;
	const product = without(content, ['offers', 'offer_count', 'offers_url', 'buybox']);
	const first = listOf(content.offers)[0];
	const price = first?.price ?? product.price ?? decimal(1290);
	if (wanted === 'priceOnly') return { ...product, price };
	const made = {
		min_price: price,
		shop_name: first?.shop_name ?? null,
		currency: first?.currency ?? 'EUR',
		availability_text: 'In stock',
		delivery_info: [],
	};
	return { ...product, buybox: content.buybox ?? made, offers: [] };
}
