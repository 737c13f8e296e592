import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import {
	cheapestOffers as cheapestOffersInSteps,
	comparePrices as comparePricesInSteps,
} from '../../../nodes/PriceCollection/rows/bestPrice';
import { conditionClass } from '../../../nodes/PriceCollection/rows/conditions';
import type { BestPriceOptions, OfferContext } from '../../../nodes/PriceCollection/rows/offers';
import { priceReasons } from '../../../nodes/PriceCollection/rows/reasons';
import { atOnce } from '../atOnce';
import { readCases } from '../cases';
import { naiveBestPrice } from './naiveBestPrice';
import { readerOf } from './reader';

const [cheapestOffers, comparePrices] = [atOnce(cheapestOffersInSteps), atOnce(comparePricesInSteps)];

const ANY: BestPriceOptions = { conditions: ['any'], ignoreShops: [], includeShipping: true };
const PRODUCT: OfferContext = { topic: 'product_and_offers' };

/** A content's best price, and what its row says. */
function compare(
	content: unknown,
	options: Partial<BestPriceOptions> = {},
	about = PRODUCT,
	reader = readerOf(),
) {
	const compared = comparePrices(content, { ...ANY, ...options }, about, reader);
	return { best: compared.best, reasons: priceReasons(compared, options.currency) };
}
const bestOf = (...given: Parameters<typeof compare>) => compare(...given).best;

/** An offer at this price in a shop. */
const offer = (price: string, shop_name: string, more: IDataObject = {}) => ({ price, shop_name, ...more });
const eur = { currency: 'EUR' };
const usd = { currency: 'USD' };

describe.each(readCases(join(__dirname, 'bestPrice.cases.txt')))('%s', (_chapter, cases) => {
	test.each(cases)('%s', (_name, content = '', given = '', answer = '', reason = '') => {
		const { job, list, names = [], ...chosen } = JSON.parse(given || '{}') as IDataObject;
		const options = { conditions: undefined, ...(chosen as Partial<BestPriceOptions>) };
		const about = { ...PRODUCT, condition: job, contentList: list as string | undefined };
		const reader = readerOf(...(names as string[]));
		const { best, reasons } = compare(JSON.parse(content), options, about, reader);
		const { priced_offers: offers, ...columns } = best;
		const short = Object.entries(columns).map(([name, value]) => [name.replace('best_', ''), value]);
		expect({ ...Object.fromEntries(short), offers }).toMatchObject(JSON.parse(answer) as IDataObject);
		if (reason !== '') expect(reasons.join('; ') || 'nothing').toBe(reason);
	});
});

const WITHOUT_PRICE = readCases(join(__dirname, 'reason.cases.txt')).filter(
	([chapter]) => chapter === 'Why a row has no best price',
);

test.each(WITHOUT_PRICE.flatMap(([, cases]) => cases))(
	'there is no best price, also by a plain reading, where the row says why: %s',
	(_name, came = '', given = '', reason = '') => {
		const { job, list, topic = PRODUCT.topic, ...chosen } = JSON.parse(given || '{}') as IDataObject;
		const options = { ...ANY, conditions: undefined, ...(chosen as Partial<BestPriceOptions>) };
		const about = { topic: topic as string, condition: job, contentList: list as string | undefined };
		const content: unknown = JSON.parse(came);
		const { best, reasons } = compare(content, options, about);
		expect([best.best_price, reasons.join('; ')]).toEqual([null, reason]);
		expect(naiveBestPrice(content, options, about).best_price).toBeNull();
	},
);

describe('where offers are looked for', () => {
	it.each(['offers', 'search_results', 'bestsellers'])('in %s, whatever the topic', (list) => {
		const content = { [list]: [{ price: '9.00' }] };
		expect(bestOf(content, {}, { topic: 'of_another_kind' }).best_price).toBe(9);
	});

	const offers = [offer('9.00', 'B'), offer('8.00', 'A')];
	it.each<[string, unknown]>([
		['in a content that is the list', offers],
		['in the product of a content', { product: { name: 'Pen', offers } }],
		['in its item, whatever the case', { Item: { name: 'Pen', Offers: offers } }],
		['in the hits', { hits: offers }],
		['in XML that does not say that it is a list', { offers: { offer: offers } }],
		['in the product, where the content has none', { offers: [], product: { offers } }],
	])('%s', (_name, content) => {
		const best = { best_price: 8, best_shop: 'A', priced_offers: 2 };
		expect(compare(content)).toMatchObject({ best, reasons: [] });
	});

	it.each<[string, unknown]>([
		['a list of products', [{ name: 'Pen', offers }]],
		['another envelope', { data: { name: 'Pen', offers } }],
		['offers under keys', { offers: { 0: offers[0], 1: offers[1] } }],
	])('not in %s', (_name, content) => {
		expect(bestOf(content)).toMatchObject({ best_price: null, priced_offers: 0 });
	});

	it("with the product's currency before that of the content around it", () => {
		const content = { currency: 'USD', item: { price: { amount: 1, currency: 'EUR' }, offers } };
		expect(bestOf(content)).toMatchObject({ best_price: 8, best_currency: 'EUR' });
	});

	it.each([
		[{ amount: 8, currency: 'EUR' }, 'eur', 8, 'EUR'],
		[{ amount: 8, currency: 'EUR' }, 'USD', null, null],
		[{ Value: 8, currencyCode: 'EUR' }, undefined, 8, 'EUR'],
		[{ value: '8,00', currency: 'EUR' }, undefined, 8, 'EUR'],
		[{ text: '8.00', currency: 'eur' }, undefined, 8, 'EUR'],
		[{ amount: '8.00' }, 'USD', 8, 'USD'],
		[{ amount: '8.00 USD', currency: 'EUR' }, undefined, null, null],
		[{ amount: { units: 8 } }, undefined, null, null],
	])('the price %j of an offer in %s is %s %s', (price, currency, best_price, best_currency) => {
		const content = { offers: [{ price, ...(currency !== undefined && { currency }) }] };
		expect(bestOf(content)).toMatchObject({ best_price, best_currency });
	});
});

describe('a buybox', () => {
	const listed = { ...offer('9.00', 'Shop A'), currency: 'EUR' };
	it.each<[string, object, number]>([
		['is the offer of the same shop at the same price', { price: '9.00', shop_name: 'SHOP A' }, 1],
		['may leave out its shop', { price: '9.00' }, 1],
		['is one more offer by another shop', { price: '9.00', shop_name: 'Shop B' }, 2],
		['is one more offer at another price', { price: '9.50', shop_name: 'Shop A' }, 2],
		['is one more offer in another currency', { price: '9.00', currency: 'USD' }, 2],
	])('%s', (_name, buybox, priced_offers) => {
		expect(bestOf({ offers: [listed], buybox })).toMatchObject({ priced_offers });
	});

	it('is what the product of an envelope may have in place of offers', () => {
		const product = { name: 'Pen', url: 'https://a.example', price: '9.50', buybox: { price: '9.00' } };
		const best = { best_price: 9, best_url: 'https://a.example' };
		expect(bestOf({ product, related: { offers: [offer('1.00', 'B')] } })).toMatchObject(best);
		expect(bestOf({ product: { ...product, buybox: {} } }).best_price).toBe(9.5);
	});
});

describe('a total', () => {
	it.each<[object, number | null]>([
		[{ price_with_shipping: '9.00' }, 9],
		[{ price_with_shipping: '0', shipping_costs: '2.50' }, 10.5],
		[{ price_with_shipping: '-1', shipping_costs: '2.50' }, 10.5],
		[{ shipping_costs: '0' }, 8],
		[{ shipping_costs: -1 }, null],
		[{}, null],
	])('of a price of 8.00 with %j is %j', (more, best_total) => {
		const content = { offers: [{ price: '8.00', ...more }] };
		expect(bestOf(content, { includeShipping: true })).toMatchObject({ best_price: 8, best_total });
	});
});

it.each([[undefined], [[]], [['', ' ', ' - ']]])('no condition is chosen by %j', (conditions) => {
	const offers = [
		{ price: '8.00', condition_code: 'used' },
		{ price: '9.00', condition_code: 'new' },
	];
	expect(bestOf({ offers }, { conditions })).toMatchObject({ best_price: 9, priced_offers: 1 });
	const about = { ...PRODUCT, condition: 'used' };
	expect(bestOf({ offers }, { conditions }, about)).toMatchObject({ best_price: 8, priced_offers: 1 });
});

it('has one offer in an object, and in XML one of a list without a type', () => {
	for (const offers of [offer('9.00', 'A'), { offer: offer('9.00', 'A') }])
		expect(bestOf({ offers })).toMatchObject({ best_price: 9, best_shop: 'A', priced_offers: 1 });
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
		[{ Merchant: 'Mine' }, 'mine'],
		[{ seller: { name: 'Mine', id: 1 } }, 'mine'],
		[{ shop_name: 'B', store: 'Mine' }, 'mine'],
	])('%j by %j', (shop, ignored) => {
		expect(left(shop, ignored)).toBe(0);
	});

	it.each<[IDataObject, string]>([
		[{ shop_name: null }, 'null'],
		[{ shop_url: 'https://awww.mine.example' }, 'amine.example'],
		[{ shop_domain: 'my shop.example/x' }, 'my shop.example'],
		[{ shop_domain: 'shop.example of mine/x' }, 'shop.example of mine'],
		[{ shop_url: 'https://mine.example' }, 'http://yours.example'],
	])('are not that of %j by %j', (shop, ignored) => {
		expect(left(shop, ignored)).toBe(1);
	});

	it('are compared by the first 300 characters of their names', () => {
		const name = 'x'.repeat(300);
		const counting = [`${name}y`, name.slice(1)].map((shop_name) => left({ shop_name }, name));
		expect(counting).toEqual([0, 1]);
	});
});

test('the shop is named by what says something', () => {
	const offers = [{ price: '9.00', shop_name: ' ', shop_domain: { id: 'x' }, shop_id: 4711 }];
	expect(bestOf({ offers }).best_shop).toBe('4711');
});

describe('a condition', () => {
	it.each<[unknown, string | undefined]>([
		['New', 'new'],
		['--New!--', 'new'],
		['brand new', 'new'],
		['https://schema.org/NewCondition', 'new'],
		['http://schema.org/UsedCondition', 'used'],
		['not https://schema.org/NewCondition', undefined],
		['Refurbished (grade A)', 'refurbished'],
		['certified refurbished', 'refurbished'],
		['Used – very good', 'used'],
		["d'occasion", 'used'],
		['New, open box', undefined],
		['Like new', undefined],
		['Unused', undefined],
		['Not refurbished', undefined],
		['', undefined],
		[undefined, undefined],
		[1000, undefined],
	])('written %j means %s', (text, meaning) => {
		expect(conditionClass(text)).toBe(meaning);
	});

	it.each<[string, IDataObject, string[], boolean]>([
		['by its code', { condition_code: 'open_box' }, ['Open box'], true],
		['by its text', { condition_text: 'Open Box' }, ['open_box'], true],
		['with digits', { condition_text: 'Grade 2' }, ['grade_2'], true],
		['by what its text means', { condition_code: 'x1', condition_text: 'Gebraucht' }, ['used'], true],
		['by its code first', { condition_code: 'new', condition_text: 'Wie neu' }, ['new'], true],
		['not in another one', { condition_code: 'open_box' }, ['new'], false],
		['not by half a word', { condition_code: 'used', condition_text: 'Newish' }, ['new'], false],
		['not without one', { condition_code: null }, ['new'], false],
		['in any', { condition_code: 'used' }, ['new', ' Any '], true],
	])('counts %s', (_name, own, conditions, expected) => {
		expect(bestOf({ offers: [{ price: '9.00', ...own }] }, { conditions }).priced_offers).toBe(
			Number(expected),
		);
	});

	it.each<[string | undefined, Array<string | null>, Array<string | null>]>([
		[
			undefined,
			['new', 'Neu', 'unknown', 'Not specified', null],
			['used', 'Open box', 'Like new', 'manye'],
		],
		['used', [null, 'used', 'Open box'], ['new']],
		['any', ['new', null, 'used', 'Open box'], []],
	])('counts where the job asked for %s and nobody chooses: %j, not %j', (condition, counting, others) => {
		const count = (condition_text: string | null) =>
			bestOf({ offers: [{ price: '9', condition_text }] }, { conditions: undefined }, { condition });
		for (const text of counting) expect(count(text).priced_offers).toBe(1);
		for (const text of others) expect(count(text).priced_offers).toBe(0);
	});
});

describe('the cheapest offers', () => {
	const cheapest = (offers: IDataObject[], options = ANY) =>
		cheapestOffers({ offers }, options, PRODUCT, readerOf()).map(
			({ object: { shop_name } }) => shop_name,
		);

	it('come with what is known of them', () => {
		const [known, plain] = [offer('9.00', 'A', { ...eur, shipping_costs: '1.00' }), offer('9.00', 'B')];
		expect(cheapestOffers({ offers: [plain, known] }, ANY, {}, readerOf())).toMatchObject([
			{ object: known, price: 9, total: 10, currency: 'EUR' },
			{ object: plain, price: 9 },
		]);
	});

	it('come in order, the one with known shipping first among equals', () => {
		const [a, b] = [{ shipping_costs: '1.00' }, { shipping_costs: '2.00' }];
		const shipped = [offer('8.00', 'A', a), offer('7.00', 'B', b)];
		const offers = [offer('12.00', 'D'), offer('9.00', 'C'), ...shipped];
		expect(cheapest(offers)).toEqual([...'ABCD']);
		expect(cheapest(offers, { ...ANY, includeShipping: false })).toEqual([...'BACD']);
	});

	it('put those last that have no currency of most, also where several tie', () => {
		const dear = [offer('9.00', 'C', eur), offer('8.00', 'B', eur), offer('7.00', 'A', eur)];
		expect(cheapest([offer('1.00', 'D', usd), ...dear, offer('2.00', 'E')])).toEqual([...'ABCDE']);
		const offers = [offer('8.00', 'B', eur), offer('5.00', 'C'), offer('1.00', 'A', usd)];
		expect(cheapest(offers)).toEqual([...'ABC']);
	});
});

describe('an own price is compared with the costs of', () => {
	it.each<[string, IDataObject[], number[], boolean]>([
		['all offers, cheapest first', [offer('9.00', 'A', eur), offer('8.00', 'B', eur)], [8, 9], false],
		['offers with their shipping', [offer('9.00', 'A', { shipping_costs: '3.00' })], [12], false],
		[
			'offers in the currency of the best price, and it is known that there are others',
			[offer('1.00', 'A', usd), offer('9.00', 'B', eur), offer('2.00', 'C'), offer('8.00', 'D', eur)],
			[8, 9],
			true,
		],
		['no offers where two currencies tie', [offer('1.00', 'A', usd), offer('9.00', 'B', eur)], [], false],
		['no offers where none counts', [offer('9.00', 'A', { condition: 'used' })], [], false],
	])('%s', (_name, offers, costs, hasOtherCurrencies) => {
		const options = { ...ANY, conditions: undefined };
		const compared = comparePrices({ offers }, options, PRODUCT, readerOf());
		expect(compared).toMatchObject({ costs, hasOtherCurrencies });
	});
});
