import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import {
	cheapestOffers as cheapestOffersInSteps,
	comparePrices as comparePricesInSteps,
	conditionClass,
} from '../../../nodes/PriceCollection/output/bestPrice';
import type { BestPriceOptions, OfferContext } from '../../../nodes/PriceCollection/output/bestPrice';
import { atOnce } from '../atOnce';

const [cheapestOffers, comparePrices] = [atOnce(cheapestOffersInSteps), atOnce(comparePricesInSteps)];

const ANY: BestPriceOptions = { conditions: ['any'], ignoreShops: [], includeShipping: true };
const PRODUCT: OfferContext = { topic: 'product_and_offers' };

/** The best price of a content, with the remarks that name something. */
function compare(content: unknown, options: Partial<BestPriceOptions> = {}, about = PRODUCT) {
	const { best, remarks } = comparePrices(content, { ...ANY, ...options }, about);
	const { unnamed = [], ...others } = remarks;
	return {
		best,
		unnamed,
		remarks: Object.fromEntries(Object.entries(others).filter(([, names]) => names.length > 0)),
	};
}
const bestOf = (...given: Parameters<typeof compare>) => compare(...given).best;

/** An offer of so much in a shop. */
const offer = (price: string, shop_name: string, more: IDataObject = {}) => ({ price, shop_name, ...more });
const eur = { currency: 'EUR' };
const usd = { currency: 'USD' };

const [, ...CHAPTERS] = readFileSync(join(__dirname, 'bestPrice.cases.txt'), 'utf8').trim().split('\n\n# ');

describe.each(CHAPTERS.map((text) => text.split('\n')))('%s', (_chapter, ...lines) => {
	const cases = lines.map((line) => line.split(' | '));
	test.each(cases)('%s', (_name, content = '', given = '', answer = '') => {
		const { job, list, ...chosen } = JSON.parse(given || '{}') as IDataObject;
		const options = { conditions: undefined, ...(chosen as Partial<BestPriceOptions>) };
		const { priced_offers: offers, ...columns } = bestOf(JSON.parse(content), options, {
			...PRODUCT,
			condition: job,
			contentList: list as string | undefined,
		});
		const short = Object.entries(columns).map(([name, value]) => [name.replace('best_', ''), value]);
		expect({ ...Object.fromEntries(short), offers }).toMatchObject(JSON.parse(answer) as IDataObject);
	});
});

describe('where offers are looked for', () => {
	it.each(['offers', 'search_results', 'bestsellers'])('in %s, whatever the topic', (list) => {
		const content = { [list]: [{ price: '9.00' }] };
		expect(bestOf(content, {}, { topic: 'of_another_kind' }).best_price).toBe(9);
	});

	it('in the list that the user names, and in no other one', () => {
		const content = { offers: [{ price: '1.00' }], deals: [{ price: '9.00' }] };
		expect(bestOf(content, {}, { ...PRODUCT, contentList: 'deals' }).best_price).toBe(9);
		const { best, remarks } = compare(content, {}, { ...PRODUCT, contentList: 'rebates' });
		expect([best.priced_offers, remarks]).toEqual([0, {}]);
	});

	const offers = [offer('9.00', 'B'), offer('8.00', 'A')];
	it.each<[string, unknown]>([
		['in a content that is the list', offers],
		['in the product of a content', { product: { name: 'Pen', offers } }],
		['in its item, whatever the case', { Item: { name: 'Pen', Offers: offers } }],
		['in the hits', { hits: offers }],
		['in the product, where the content has none', { offers: [], product: { offers } }],
	])('%s', (_name, content) => {
		const best = { best_price: 8, best_shop: 'A', priced_offers: 2 };
		expect(compare(content)).toMatchObject({ best, remarks: {} });
	});

	it.each<[string, unknown]>([
		['a list of products', [{ name: 'Pen', offers }]],
		['another envelope', { data: { name: 'Pen', offers } }],
		['offers under keys', { offers: { 0: offers[0], 1: offers[1] } }],
		['a single offer', { offers: offers[0] }],
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

describe('what a user should know about a best price', () => {
	const new9 = { price: '9.00', ...eur, condition_code: 'new' };
	const new5 = { price: '5.00', ...usd, condition_code: 'new' };
	const used = { price: '4.00', ...eur, condition_code: 'used' };
	const unsaid = { price: '4.00', ...eur };
	const NONE_CHOSEN = { conditions: undefined };
	const different = [new5, new9];
	test.each<[string, unknown, object, Partial<BestPriceOptions>?]>([
		['nothing, where all is compared', { offers: [new9] }, {}],
		['currencies that tie', { offers: different }, { undecided: ['EUR', 'USD'] }],
		['offers left out', { offers: [new5, new9, new9] }, { otherCurrencies: ['USD'] }],
		['offers without a currency', { offers: [{ price: '1' }, new9] }, { otherCurrencies: ['none'] }],
		['no condition beside one that counts', { offers: [new9, used] }, {}, NONE_CHOSEN],
		['only others', { offers: [used] }, { otherConditions: ['used'] }, NONE_CHOSEN],
		[
			'none said',
			{ offers: [used, unsaid] },
			{ otherConditions: ['used', 'not said'] },
			{ conditions: ['new'] },
		],
		['no conditions in another currency', { offers: [used] }, {}, { ...NONE_CHOSEN, currency: 'USD' }],
		[
			'no prices of shops that are left out',
			{ offers: [offer('9.00', 'A')] },
			{},
			{ ignoreShops: ['A'] },
		],
		['prices with two meanings', { offers: [{ price: '1.299' }, new9] }, { ambiguous: ['"1.299"'] }],
		[
			'prices in other words',
			{ offers: [{ price: { amount: `on request\n${'x'.repeat(60)}` } }] },
			{ ambiguous: [`"on request ${'x'.repeat(29)}"`] },
		],
		['no price of nothing', { name: 'Pen', price: null, offers: [{ price: '0.00' }] }, {}],
	])('is named: %s', (_name, content, remarks, options = {}) => {
		expect(compare(content, options).remarks).toEqual(remarks);
	});
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

describe('a field that the settings need and no offer has', () => {
	const plain = { price: '9.00', currency: 'EUR' };
	const needed = (content: unknown, options: Partial<BestPriceOptions>, about = PRODUCT) =>
		compare(content, { includeShipping: false, ...options }, about).unnamed;
	const NEW = { conditions: undefined };

	it('is no remark where the job asked for any condition', () => {
		expect(needed({ offers: [plain] }, NEW, { ...PRODUCT, condition: 'any' })).toEqual([]);
	});

	it('is named with the fields that the offers have, each once', () => {
		const offers = [plain, { ...plain, state: 'used' }];
		const fields = [...Object.keys(plain), 'state'];
		expect(needed({ offers }, NEW)).toEqual(['the condition', ...fields]);
		const all = { conditions: ['used'], ignoreShops: ['A'], includeShipping: true };
		expect(needed({ hits: offers }, all).slice(0, 3)).toEqual([
			...['the condition', 'the shop', 'the shipping costs'],
		]);
	});

	it.each<[string, unknown, Partial<BestPriceOptions>]>([
		['any condition counts', { offers: [plain] }, { conditions: ['Any'] }],
		['one offer has it, though empty', { offers: [plain, { ...plain, Condition: null }] }, NEW],
		[
			'the shop is in another field of the table',
			{ offers: [{ ...plain, shop_url: 'x' }] },
			{ ignoreShops: ['A'] },
		],
		['the total is there', { offers: [{ ...plain, total: '9.50' }] }, { includeShipping: true }],
		['no offer has a price', { offers: [{ title: 'x' }] }, NEW],
		["the entries are ranks, or the price is a product's", { bestsellers: [plain] }, NEW],
		['only a product has a price', { product: plain, buybox: plain }, NEW],
	])('is no remark where %s', (_name, content, options) => {
		expect(needed(content, options)).toEqual([]);
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
		cheapestOffers({ offers }, options, PRODUCT).map(({ offer: { shop_name } }) => shop_name);

	it('come with what is known of them', () => {
		const [known, plain] = [offer('9.00', 'A', { ...eur, shipping_costs: '1.00' }), offer('9.00', 'B')];
		expect(cheapestOffers({ offers: [plain, known] }, ANY)).toMatchObject([
			{ offer: known, price: 9, total: 10, currency: 'EUR' },
			{ offer: plain, price: 9 },
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
