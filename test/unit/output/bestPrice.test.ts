import type { IDataObject } from 'n8n-workflow';

import {
	cheapestOffers,
	comparePrices,
	type BestPriceOptions,
	type OfferContext,
} from '../../../nodes/PriceCollection/output/bestPrice';

const ANY: BestPriceOptions = { conditions: [], ignoreShops: [], includeShipping: true };
const PRODUCT: OfferContext = { topic: 'product_and_offers' };

const compare = (content: unknown, options: Partial<BestPriceOptions> = {}, about = PRODUCT) =>
	comparePrices(content, { ...ANY, ...options }, about);
const bestOf = (content: unknown, options: Partial<BestPriceOptions> = {}, about = PRODUCT) =>
	compare(content, options, about).best;

/** An offer of so much in a shop. */
const offer = (price: string, shop_name: string, more: IDataObject = {}) => ({ price, shop_name, ...more });
const eur = { currency: 'EUR' };
const usd = { currency: 'USD' };

describe('where offers are looked for', () => {
	it.each(['offers', 'search_results', 'bestsellers'])('in %s, whatever the topic', (list) => {
		expect(bestOf({ [list]: [{ price: '9.00' }] }, {}, { topic: 'of_another_kind' })).toMatchObject({
			best_price: 9,
		});
	});

	it('in the list that the user names, and in no other one', () => {
		const content = { offers: [{ price: '1.00' }], deals: [{ price: '9.00' }] };
		expect(bestOf(content, {}, { ...PRODUCT, contentList: 'deals' }).best_price).toBe(9);
		expect(compare(content, {}, { ...PRODUCT, contentList: 'rebates' })).toMatchObject({
			best: { best_price: null, priced_offers: 0 },
			unclear: [],
		});
	});

	it('in groups, of which what is no list says nothing', () => {
		const offers = { summary: { price: '1.00' }, count: 2, new: [{ price: '9.00' }] };
		expect(bestOf({ offers })).toMatchObject({ best_price: 9, priced_offers: 1 });
	});
});

describe('offers that stand elsewhere', () => {
	const offers = [offer('9.00', 'B'), offer('8.00', 'A')];
	const A = { best_price: 8, best_shop: 'A', priced_offers: 2 };

	it.each<[string, unknown]>([
		['in a list of one product', [{ name: 'Pen', offers }]],
		['in a list of one product with a price', [{ name: 'Pen', price: '9.50', offers }]],
		['in products', { products: [{ name: 'Pen', offers }] }],
		['in a product', { product: { name: 'Pen', offers } }],
		['in an envelope', { data: { name: 'Pen', offers } }],
		['keyed by numbers', { offers: { ...offers } }],
		['keyed by shops', { offers: { B: { price: '9.00' }, A: { price: '8.00' } } }],
		['in a product, keyed', { products: { 0: { name: 'x', offers: { ...offers } } } }],
	])('%s are read', (_name, content) => {
		expect(compare(content)).toMatchObject({ best: A, unclear: [] });
	});

	it.each<[string, unknown]>([
		['one alone', { offers: offer('8.00', 'A') }],
		['one alone under its singular', { offers: { offer: offer('8.00', 'A') } }],
		[
			'one alone, whose price is an object',
			{ offers: [offer('', 'A', { price: { amount: '8.00', currency: 'EUR' } })] },
		],
	])('%s is read', (_name, content) => {
		expect(bestOf(content)).toMatchObject({ best_price: 8, best_shop: 'A', priced_offers: 1 });
	});

	it.each([
		[{ amount: 8, currency: 'EUR' }, 'USD', 8, 'EUR'],
		[{ value: '8,00', currency: 'EUR' }, undefined, 8, 'EUR'],
		[{ text: '8.00', currency: 'eur' }, undefined, 8, 'EUR'],
		[{ amount: '8.00' }, 'USD', 8, 'USD'],
		[{ amount: '8.00 USD', currency: 'EUR' }, undefined, null, null],
		[{ amount: { units: 8 } }, undefined, null, null],
	])('the price %j of an offer in %s is %s %s', (price, currency, best_price, best_currency) => {
		const content = { offers: [{ price, ...(currency !== undefined && { currency }) }] };
		expect(bestOf(content)).toMatchObject({ best_price, best_currency });
	});

	it.each<[unknown, string[]]>([
		[
			{
				products: [
					{ name: 'Pen', offers },
					{ name: 'Ink', offers },
				],
			},
			['products.offers'],
		],
		[
			[
				{ name: 'Pen', offers },
				{ name: 'Ink', offers },
			],
			['offers'],
		],
		[{ sellers: { new: { price: '8.00' } } }, ['sellers.new']],
		[{ current_price: '8.00' }, ['current_price']],
		[{ offers: [{ price: '1.299' }] }, ['offers']],
		[{ pricing: { low: 8 } }, ['pricing']],
		[{ name: 'Pen', price: null, offers: [{ price: '0.00' }] }, []],
	])('in %j are not, and their place is named', (content, unclear) => {
		expect(compare(content)).toMatchObject({ best: { best_price: null }, unclear });
	});

	it('are not named where the user leaves them out', () => {
		expect(compare({ offers }, { ignoreShops: ['A', 'B'] })).toMatchObject({
			best: { best_price: null },
			unclear: [],
		});
	});
});

describe('lists with prices of which nobody can tell whether they are about this product', () => {
	it('are named where there is no price, with the way to them', () => {
		const content = { similar: [{ price: '1.00' }], more: { deals: [{ price: '2.00' }] } };
		expect(compare(content).unclear).toEqual(['similar', 'more.deals']);
	});

	it.each<[string, IDataObject]>([
		['without prices', { similar: [{ title: 'x' }] }],
		['of details', { carousels: [{ price: '1.00' }] }],
		['of details in groups', { variants: { red: [{ price: '1.00' }] } }],
	])('are not those %s', (_name, content) => {
		expect(compare(content).unclear).toEqual([]);
	});

	it('are not named where there are prices that cannot be compared', () => {
		const offers = [offer('5.00', 'A', usd), offer('9.00', 'B', eur)];
		expect(compare({ offers, similar: [{ price: '1.00' }] })).toMatchObject({
			undecided: ['EUR', 'USD'],
			unclear: [],
		});
	});
});

test('blank conditions choose nothing', () => {
	const used = offer('9.00', 'A', { condition_code: 'used', condition_text: 'Used' });
	expect(bestOf({ offers: [used] }, { conditions: ['', ' - '] }).best_price).toBe(9);
});

describe('shops that do not count', () => {
	const left = (shop: IDataObject, ...ignoreShops: string[]) =>
		bestOf({ offers: [{ price: '9.00', ...shop }] }, { ignoreShops }).priced_offers;

	it.each<[IDataObject, string]>([
		[{ shop_name: ' My Shop ' }, 'my shop'],
		[{ shop_name: 'my shop' }, ' My Shop '],
		[{ shop_domain: 'mine.example' }, '//mine.example'],
		[{ shop_domain: 'mine.example' }, 'http://mine.example:8080/x'],
		[{ shop_url: 'https://www.mine.example/p?x=1' }, 'mine.example'],
		[{ shop_url: 'mine.example//p' }, 'mine.example'],
		[{ shop_id: 4711 }, '4711'],
	])('%j by %j', (shop, ignored) => {
		expect(left(shop, ignored)).toBe(0);
	});

	it.each<[IDataObject, string]>([
		[{ shop_name: null }, ''],
		[{ shop_name: null }, 'null'],
		[{ shop_url: 'https://awww.mine.example' }, 'amine.example'],
		[{ shop_domain: 'my shop.example/x' }, 'my shop.example'],
		[{ shop_domain: 'shop.example of mine/x' }, 'shop.example of mine'],
		[{ shop_url: 'https://mine.example' }, 'http://yours.example'],
	])('are not that of %j by %j', (shop, ignored) => {
		expect(left(shop, ignored)).toBe(1);
	});
});

test('the shop is named by what says something: its name, its domain or its number', () => {
	const shopOf = (shop: IDataObject) => bestOf({ offers: [{ price: '9.00', ...shop }] }).best_shop;
	expect(shopOf({ shop_name: ' ', shop_domain: 'a.example', shop_id: 4711 })).toBe('a.example');
	expect(shopOf({ shop_name: null, shop_id: 4711 })).toBe('4711');
	expect(shopOf({ shop_id: { number: 4711 } })).toBeNull();
});

describe('the cheapest offers', () => {
	const cheapest = (offers: IDataObject[]) =>
		cheapestOffers({ offers }, ANY, PRODUCT).map(({ offer: { shop_name } }) => shop_name);

	it('come with what is known of them and nothing else', () => {
		const known = offer('9.00', 'A', { ...eur, shipping_costs: '1.00' });
		expect(cheapestOffers({ offers: [known] }, ANY, PRODUCT)).toStrictEqual([
			{ offer: known, price: 9, total: 10, currency: 'EUR' },
		]);
		const plain = offer('9.00', 'A');
		expect(cheapestOffers({ offers: [plain] }, ANY, PRODUCT)).toStrictEqual([{ offer: plain, price: 9 }]);
	});

	it('come in order, the one with known shipping first among equals', () => {
		const offers = [
			offer('12.00', 'D'),
			offer('9.00', 'C'),
			offer('8.00', 'A', { shipping_costs: '1.00' }),
			offer('7.00', 'B', { shipping_costs: '2.00' }),
		];
		expect(cheapest(offers)).toEqual(['A', 'B', 'C', 'D']);
	});

	it('are those in the currency of most, then the others', () => {
		const offers = [
			offer('1.00', 'D', usd),
			offer('9.00', 'C', eur),
			offer('8.00', 'B', eur),
			offer('7.00', 'A', eur),
			offer('2.00', 'E'),
		];
		expect(cheapest(offers)).toEqual(['A', 'B', 'C', 'D', 'E']);
	});

	it('come in the order of their prices where shipping is not to count', () => {
		const offers = [
			offer('9.00', 'C', { shipping_costs: '0.00' }),
			offer('7.00', 'A', { shipping_costs: '9.00' }),
			offer('8.00', 'B'),
		];
		const options = { ...ANY, includeShipping: false };
		const shops = cheapestOffers({ offers }, options).map(({ offer: { shop_name } }) => shop_name);
		expect(shops).toEqual(['A', 'B', 'C']);
	});

	it('put those without a currency among the others, where none is that of most', () => {
		expect(cheapest([offer('8.00', 'C', eur), offer('5.00', 'B'), offer('1.00', 'A', usd)])).toEqual([
			...['A', 'B', 'C'],
		]);
	});

	it('are the cheapest in each currency, then the second ones, where none is that of most', () => {
		const offers = [
			offer('1.00', 'A', usd),
			offer('2.00', 'C', usd),
			offer('8.00', 'B', eur),
			offer('9.00', 'D', eur),
		];
		expect(cheapest(offers)).toEqual(['A', 'B', 'C', 'D']);
	});
});
