import { currencyOf, TEST_SOURCE } from '../catalog.ts';
import { isoTime } from '../clock.ts';
import type { Lookup } from './pieces.ts';
import { decimal, entryCount, nameOf, offerOf, productIdOf, productUrl } from './pieces.ts';
import { CATEGORIES, SENTENCES } from './vocabulary.ts';

type Fields = Record<string, unknown>;

const HIT_OFFER_FIELDS = [
	...['price', 'shipping_costs', 'price_with_shipping', 'currency', 'shop_name'],
	...['shop_url', 'shop_id', 'shop_domain', 'page', 'position'],
];

function testHits(lookup: Lookup): Fields[] {
	const many = /^many-/i.test(lookup.value);
	const time = isoTime(lookup.readAt).replace('T', ' ').replace('Z', ' UTC');
	return Array.from({ length: many ? entryCount(lookup, 2, 2) : 2 }, (_, index) => ({
		id: `product_${index}`,
		updated_at: time,
		url: `https://example.test/products/product_${index}`,
		name: `${lookup.value} Result ${index}`,
	}));
}

function offerHit(lookup: Lookup, index: number): Fields {
	const offer = offerOf(lookup, '', index);
	const shared = Object.fromEntries(HIT_OFFER_FIELDS.map((name) => [name, offer[name]]));
	return {
		type: 'offer',
		id: offer.id,
		name: nameOf(lookup),
		url: offer.url,
		flags: lookup.dice.chance(30) ? ['sponsored', 'Préféré'] : [],
		condition_text: offer.condition_text,
		...shared,
	};
}

function productHit(lookup: Lookup, index: number): Fields {
	const { dice } = lookup;
	const id = productIdOf({ ...lookup, key: 'term' });
	const least = dice.number(300, 50_000);
	// Both spellings of the picture's address are in the wild.
	const image = dice.chance(50) ? 'image_url' : 'img_url';
	return {
		type: dice.chance(60) ? 'product' : 'offer_cluster',
		id,
		name: nameOf(lookup),
		url: productUrl(lookup, id),
		min_price: decimal(least),
		max_price: dice.chance(20) ? null : decimal(least + dice.number(0, 9000)),
		currency: currencyOf(lookup.country),
		[image]: `https://images.example/${id}.webp`,
		review_count: dice.chance(20) ? null : dice.number(0, 9000),
		review_rating: dice.chance(20) ? null : dice.number(0, 100),
		page: Math.floor(index / 20) + 1,
		position: (index % 20) + 1,
	};
}

function hitOf(lookup: Lookup, index: number): Fields {
	const { dice, hits } = lookup;
	if (hits === 'mixed' ? dice.chance(50) : hits === 'offers') return offerHit(lookup, index);
	const hit = productHit(lookup, index);
	return hits === 'mixed' ? hit : { ...hit, type: hits === 'clusters' ? 'offer_cluster' : 'product' };
}

export function searchResults(lookup: Lookup): Fields {
	if (lookup.source === TEST_SOURCE) return { search_results: testHits(lookup) };
	const hits = Array.from({ length: entryCount(lookup, 5, 20) }, (_, index) => hitOf(lookup, index));
	if (lookup.source !== 'amazon') return { search_results: hits };
	return { total_search_result_count: hits.length * lookup.dice.number(1, 400), search_results: hits };
}

export function reviews(lookup: Lookup): Fields {
	const { dice } = lookup;
	const list = Array.from({ length: entryCount(lookup, 3, 10) }, (_, index) => ({
		id: `R${dice.letters(13)}`,
		title: dice.chance(10) ? null : dice.pick(SENTENCES),
		text: dice.pick(SENTENCES),
		rating: dice.number(2, 10) / 2,
		author_name: dice.pick(['Zoë', 'O’Neill', 'Jürgen K.', '佐藤', 'anonymous']),
		verified_purchase: dice.chance(70),
		helpful_count: dice.chance(30) ? null : dice.number(0, 300),
		created_at: isoTime(lookup.readAt - dice.number(1, 900) * 86_400_000),
		page: Math.floor(index / 10) + 1,
		position: (index % 10) + 1,
	}));
	const id = productIdOf(lookup);
	return {
		id,
		name: nameOf(lookup),
		url: productUrl(lookup, id),
		review_count: list.length * 3,
		review_rating: 4.5,
		reviews: list,
	};
}

export function bestsellers(lookup: Lookup): Fields {
	const { dice } = lookup;
	const category = dice.pick(CATEGORIES);
	const list = Array.from({ length: entryCount(lookup, 10, 50) }, (_, index) => {
		const id = productIdOf({ ...lookup, key: 'term' });
		return {
			rank: index + 1,
			id,
			name: nameOf(lookup),
			url: productUrl(lookup, id),
			image_url: `https://images.example/${id}.jpg`,
			price: dice.chance(10) ? null : decimal(dice.number(300, 90_000)),
			currency: currencyOf(lookup.country),
			review_count: dice.number(0, 90_000),
			review_rating: dice.chance(10) ? null : dice.number(20, 50) / 10,
		};
	});
	return { category_name: category.at(-1), category_path: category.join(' > '), bestsellers: list };
}
