import type { SandboxOptions } from '../options.ts';
import { decimal } from './pieces.ts';

/** What makes prices hard to compare: laid over the content of a product or of a search. */

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function without(fields: Fields, names: string[]): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

const CURRENCIES = ['EUR', 'USD', 'GBP'];

/** Changes of the offer at one place of its list, in the order of the option's members. */
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
	/** Every fourth tells no shipping. */
	unknownShipping: (_offer, index) =>
		index % 4 === 1 ? { shipping_costs: null, price_with_shipping: null } : {},
	/** The second is one's own, and the cheapest. */
	ownShop: (_offer, index, { ownShop }) =>
		index === 1
			? { ...priced(50), shop_name: ownShop, shop_domain: 'my-own-shop.example', shop_id: '4711' }
			: {},
};

function priced(cents: number): Fields {
	return { price: decimal(cents), shipping_costs: decimal(0), price_with_shipping: decimal(cents) };
}

/** The content with the traits that are switched on in its offers. */
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

/** A product's content with only a buybox, or with only a price, where that is switched on. */
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

const OFFER_ONLY = ['price', 'shipping_costs', 'price_with_shipping', 'condition_text', 'flags', 'shop_name'];
const CLUSTER_ONLY = ['min_price', 'max_price', 'review_count', 'review_rating'];

function clusterOf(hit: Fields, type: 'offer_cluster' | 'product'): Fields {
	return {
		...without(hit, OFFER_ONLY),
		type,
		min_price: hit.min_price ?? hit.price ?? null,
		max_price: hit.max_price ?? null,
		review_count: hit.review_count ?? null,
		review_rating: hit.review_rating ?? null,
	};
}

function offerOfHit(hit: Fields): Fields {
	if (hit.type === 'offer') return hit;
	return {
		...without(hit, CLUSTER_ONLY),
		type: 'offer',
		...{ shop_name: null, shop_url: null, shop_id: null, shop_domain: null },
		flags: [],
		condition_text: null,
		price: hit.min_price,
		shipping_costs: null,
		price_with_shipping: null,
	};
}

/** A search whose hits are all of one kind, where that is switched on. The test source knows no kinds. */
export function hitsOfKind(wanted: SandboxOptions['searchHits'], content: Fields): Fields {
	const hits = listOf(content.search_results);
	if (wanted === 'mixed' || hits.some((hit) => hit.type === undefined)) return content;
	const type = wanted === 'clusters' ? 'offer_cluster' : 'product';
	const turned = hits.map((hit) => (wanted === 'offers' ? offerOfHit(hit) : clusterOf(hit, type)));
	return { ...content, search_results: turned };
}
