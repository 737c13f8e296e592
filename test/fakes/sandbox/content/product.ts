import { currencyOf, SOURCES } from '../catalog.ts';
import type { Lookup } from './pieces.ts';
import { decimal, entryCount, gtinsOf, nameOf, offerOf, productIdOf, productUrl } from './pieces.ts';
import { BRANDS, CATEGORIES, SENTENCES } from './vocabulary.ts';

type Fields = Record<string, unknown>;

function offersOf(lookup: Lookup, productId: string, least: number): Fields[] {
	const count = entryCount(lookup, least, 10);
	return Array.from({ length: count }, (_, index) => offerOf(lookup, productId, index));
}

function portalProduct(lookup: Lookup): Fields {
	const { dice } = lookup;
	const id = productIdOf(lookup);
	const bare = /^nulls/i.test(lookup.value);
	const category = dice.pick(CATEGORIES);
	const gtins = gtinsOf(lookup);
	return {
		id,
		name: nameOf(lookup),
		image_url: bare ? null : `https://images.example/${id}.jpg`,
		description: bare ? null : dice.pick(SENTENCES),
		feature_bullets: bare ? [] : [dice.pick(SENTENCES), '0123', 'true'],
		properties: bare ? [] : [{ label: 'Colour', value: 'weiß' }],
		url: productUrl(lookup, id),
		review_count: bare ? null : dice.number(0, 4000),
		review_rating: bare ? null : dice.number(0, 100),
		price: decimal(dice.number(300, 90_000)),
		gtins,
		eans: gtins.map((gtin) => gtin.slice(1)),
		brand_name: bare ? null : dice.pick(BRANDS),
		category_path: bare ? null : category.join(' > '),
		category_name: bare ? null : category.at(-1),
		specifications: bare
			? []
			: [
					{ label: 'Power', values: ['18 V', '007'] },
					{ label: 'Extras', values: [] },
				],
	};
}

function marketplaceProduct(lookup: Lookup): Fields {
	const { dice } = lookup;
	const id = productIdOf(lookup);
	const bare = /^nulls/i.test(lookup.value);
	const gtins = gtinsOf(lookup);
	return {
		id,
		name: nameOf(lookup),
		url: productUrl(lookup, id),
		image_url: bare ? null : `https://images.example/${id}.jpg`,
		brand_name: bare ? null : dice.pick(BRANDS),
		rrp: dice.chance(50) ? null : decimal(dice.number(500, 95_000)),
		gtins,
		eans: gtins.map((gtin) => gtin.slice(1)),
		mpns: bare ? [] : [`000${dice.digits(4)}`],
	};
}

function buyboxOf(lookup: Lookup, offers: Fields[]): Fields | null {
	if (/^nulls/i.test(lookup.value)) return null;
	return {
		min_price: offers[0]?.price ?? decimal(lookup.dice.number(300, 90_000)),
		shop_name: offers[0]?.shop_name ?? null,
		currency: currencyOf(lookup.country),
		availability_text: lookup.dice.pick(['In stock', 'Nur noch 3 auf Lager', '在庫あり']),
		delivery_info: ['Tomorrow', 'Free above 25 €'],
	};
}

/** A shopping portal lists offers under the product; a marketplace has a buybox and perhaps offers. */
export function productAndOffers(lookup: Lookup): Fields {
	if (SOURCES[lookup.source]?.portal) {
		const product = portalProduct(lookup);
		const offers = offersOf(lookup, String(product.id), 2);
		return {
			...product,
			offer_count: offers.length,
			offers_url: `${String(product.url)}#offers`,
			offers,
		};
	}
	const product = marketplaceProduct(lookup);
	const offers =
		lookup.dice.chance(20) && lookup.pages === 1 && !/^many-/i.test(lookup.value)
			? []
			: offersOf(lookup, String(product.id), 1);
	return { ...product, buybox: buyboxOf(lookup, offers), offers };
}
