import { join } from 'node:path';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	cheapestOffers as cheapestOffersInSteps,
	comparePrices as comparePricesInSteps,
} from '../../../nodes/PriceCollection/rows/bestPrice';
import { priceReasons } from '../../../nodes/PriceCollection/rows/reasons';
import { runs } from '../../support/runs';
import { readCases } from '../cases';
import { atOnce } from '../atOnce';
import { hasUnreadablePrice, type Meaning, NAMES_OF, naiveBestPrice, unreadOfBest } from './naiveBestPrice';
import { readerOf } from './reader';

const [cheapestOffers, comparePrices] = [atOnce(cheapestOffersInSteps), atOnce(comparePricesInSteps)];

const often = <T>(weight: number, ...values: T[]) => ({ weight, arbitrary: fc.constantFrom(...values) });
const cents = fc.integer({ min: 1, max: 4000 }).map((amount) => (amount / 100).toFixed(2));

/** Few amounts in many spellings, so that equal prices and misleading ones are common. */
const readable = fc.oneof(
	often<unknown>(6, '12.90', '9.00', '10.0', '12.9', '0.10', '12,90', '1299.00', '20'),
	{ weight: 2, arbitrary: cents },
	often<unknown>(2, '1299.000', '0', '0,00', 12.9, 9, 0),
	often<unknown>(1, '12.90 EUR', '€9.00', 'USD 9.00', '$9.00'),
	often<unknown>(1, '9,00 zł', '¥9', '9.00 kr', 'kr. 8,00', '$9.00 CAD', '₹9.00'),
	often<unknown>(2, '', null, undefined, 'null', {}, []),
);
const amount = fc.oneof(
	{ weight: 12, arbitrary: readable },
	often<unknown>(1, '1.299', '1,299', '-5', -1, 'EUR 9.00 USD', 'n/a', 'ab 12', '29,90 TTC', 'free'),
	often<unknown>(1, true, false, { current: '9.90' }, { min: '9', max: '12' }, ['9', '12'], [null, '9.00']),
);
const currency = fc.oneof(
	often(4, 'EUR'),
	often(8, 'eur', '€', 'Euro', 'USD', '$', 'SEK', 'PLN', 'KWD', null, undefined, ''),
);
const anyCurrency = fc.oneof(
	{ weight: 9, arbitrary: currency },
	often<unknown>(1, 978, { iso: { n: 978 } }, ['EUR', 'USD'], false),
);
const condition = fc.constantFrom(
	...['new', 'New', 'NEW', 'used', 'Used – very good', 'open_box', 'New – open box'],
	...['Generalüberholt', 'https://schema.org/NewCondition', 'https://schema.org/UsedCondition', null],
);
const anyCondition = fc.oneof(
	{ weight: 9, arbitrary: condition },
	often<unknown>(1, 3000, { is_new: false }, ['new', 'open box'], { id: 3000, label: 'Used' }),
);
const SHOPS = 'Müller & Söhne,MÜLLER & SÖHNE,Own,own.example,https://www.own.example/shop,4711';
const shop = fc.constantFrom(...SHOPS.split(','), null, '');
const anyShop = fc.oneof(
	{ weight: 9, arbitrary: fc.oneof(shop, fc.constant(4711)) },
	often<unknown>(1, { username: 'own' }, { name: 'Other', id: 4711 }, { id: 7 }, ['Own', 'Other'], true),
);
const url = fc.constantFrom('https://a.example/1', 'https://b.example/2', null);

const SPELLINGS: Array<(name: string) => string> = [
	(name) => name,
	(name) => name.replaceAll('_', '-'),
	(name) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
	(name) => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
	(name) => name.toUpperCase(),
];

/** What may be beside a value in its object: nothing, its currency, the scale of an amount, something else. */
const besideInside = fc.oneof(
	often<object>(6, {}),
	often<object>(
		3,
		{ currency: 'EUR' },
		{ currencyCode: 'USD' },
		{ currency: { code: 'EUR', name: 'Euro' } },
	),
	often<object>(1, { divisor: 100 }, { exponent: 2 }, { nanos: 900000000 }, { id: 7 }),
);

/** A meaning under any of its names, in any spelling; as it is, in a list of one, or in an object. */
function named(meaning: Meaning, value: fc.Arbitrary<unknown>, inside: string[]) {
	const name = fc.tuple(fc.constantFrom(...NAMES_OF[meaning]), fc.constantFrom(...SPELLINGS));
	const nested = fc.option(fc.constantFrom('list', ...inside));
	return fc.tuple(name, value, nested, besideInside).map(([[plain, spell], own, field, more]) => {
		if (field === 'list') return [spell(plain), Array.isArray(own) ? own : [own]] as const;
		return [spell(plain), field === null ? own : { ...more, [spell(field)]: own }] as const;
	});
}

const shippingDetails = amount.map((value) => ['shippingDetails', { shippingRate: { value } }] as const);
const LABELS = ['name', 'text', 'label', 'title', 'code'];
const MEANINGS = fc.oneof(
	{ weight: 3, arbitrary: named('price', amount, ['amount', 'value', 'text']) },
	named('total', amount, ['amount', 'value']),
	named('shipping', fc.oneof(amount, fc.constantFrom('0.0', '4.90', '10.00', 'Gratis', 'free')), [
		'cost',
		'price',
	]),
	shippingDetails,
	named('currency', anyCurrency, ['name', 'code']),
	named('condition', anyCondition, LABELS),
	named('shop', anyShop, LABELS),
	named('shopUrl', shop, ['text']),
	named('availability', fc.constantFrom('In stock', '', null, true, false, 3, ['soon']), ['text']),
	named('url', url, ['text']),
);
const unread = fc.constantFrom(['amountGross', '9.90'] as const, ['state', 'used'] as const);
const offer = fc
	.tuple(
		fc.option(named('price', amount, ['amount', 'value', 'text']), { freq: 9 }),
		fc.array(MEANINGS, { maxLength: 10 }),
		fc.option(unread, { freq: 1 }),
	)
	.map(
		([price, fields, more]) =>
			Object.fromEntries([price, ...fields, more].filter((one) => one !== null)) as Record<
				string,
				unknown
			>,
	);
const plainOffer = fc.record({
	price: fc.constantFrom('9.00', '12.00', '12.50', null),
	shipping_costs: fc.constantFrom('0.0', '10.00', null),
	currency: fc.constantFrom('EUR', 'EUR', 'USD'),
	condition_code: fc.constantFrom('new', 'used'),
	shop_name: fc.constantFrom('Own', 'Other', null),
	url,
});
const anyOffer = fc.oneof(offer, plainOffer);
const entry = fc.oneof(
	{ weight: 4, arbitrary: anyOffer },
	{ weight: 1, arbitrary: fc.constantFrom(null, 'text', 7, []) },
);
const list = fc.oneof(
	{ weight: 6, arbitrary: fc.array(entry, { maxLength: 8 }) },
	often<unknown>(1, { new: [{ price: '1.00' }] }, { '0': { price: '1.00' } }, null, undefined, 'text'),
);
/** Offers beside which a product's own price may count. */
const unpriced = fc.constantFrom<object>(
	...[{ shop: 'A' }, { shop: 'A', price: null }, { price: '0' }, { price: null, state: 'used' }],
	...[{ shop: 'A', amountGross: '9.90' }, { price: [] }, { '@type': 'Offer', shop: 'A' }],
);
/** Offers, also as one object, and as an XML list that does not declare itself. */
const offers = fc.oneof(
	{ weight: 6, arbitrary: list },
	anyOffer,
	fc.array(anyOffer, { maxLength: 3 }).map((offer) => ({ offer })),
	anyOffer.map((offer) => ({ offer })),
	fc.array(anyOffer, { maxLength: 3 }).map((inner) => ({ lowPrice: '1.00', offers: inner })),
	fc.array(unpriced, { minLength: 1, maxLength: 3 }),
);
const product = (lists: Record<string, fc.Arbitrary<unknown>>) => {
	const box = fc.record({ min_price: amount, shop_name: shop, currency });
	const fields = {
		...{
			name: fc.constantFrom('Tea', null),
			url,
			price: amount,
			min_price: amount,
			currency: anyCurrency,
		},
		buybox: fc.oneof(
			anyOffer,
			box,
			fc.array(fc.oneof(anyOffer, box), { maxLength: 2 }),
			fc.constant(null),
		),
		carousels: fc.constant([{ price: '0.01', currency: 'EUR' }]),
	};
	return fc.record({ ...fields, ...lists }, { requiredKeys: [] });
};

/** A list under any of its names, at the root or in an envelope. */
const listed = (...meanings: Meaning[]) =>
	fc
		.tuple(fc.oneof(...meanings.map((meaning) => named(meaning, list, ['data']))), product({ offers }))
		.filter(([[, value]]) => Array.isArray(value))
		.chain(([[name, entries], around]) =>
			fc.constantFrom<unknown>(
				{ ...around, [name]: entries },
				{ product: { ...around, [name]: entries } },
				{ Item: { ...around, [name]: entries }, price: '99.00' },
			),
		);

/** Contents as each topic has them, and contents that no topic has. */
const CONTENTS = {
	product_and_offers: fc.oneof(product({ offers }), listed('offers', 'anyList')),
	search: fc.oneof(product({ search_results: list }), listed('hits', 'anyList')),
	reviews: product({ reviews: fc.constantFrom([{ rating: 4, text: '9.00' }], []), offers }),
	bestsellers: fc.oneof(listed('ranks', 'anyList'), fc.record({ products: list })),
	deals: fc.oneof(
		fc.array(entry, { maxLength: 5 }),
		listed('hits', 'anyList'),
		fc.constantFrom(null, '', 'text', 7, [], {}),
	),
};

const conditions = often(
	6,
	[],
	['any'],
	['any', 'new'],
	['new'],
	['New', 'used'],
	['open_box'],
	['Used – very good'],
);
const options = fc.record({
	conditions: fc.oneof(
		often(3, undefined),
		conditions as { arbitrary: fc.Arbitrary<string[]>; weight: number },
	),
	currency: fc.constantFrom(undefined, undefined, undefined, 'EUR', 'usd'),
	ignoreShops: fc.constantFrom(
		[],
		['own'],
		['OWN.example'],
		['4711'],
		['www.own.example', 'müller & söhne'],
	),
	includeShipping: fc.boolean(),
});
const jobCondition = fc.constantFrom(undefined, 'any', 'new', 'used', 'unheard-of');

const reader = readerOf();

test.each(Object.entries(CONTENTS))(
	'the best price of a content of the topic %s is what the plain reading of the rule gives, and the first of the cheapest offers',
	(topic, contents) => {
		fc.assert(
			fc.property(contents, options, jobCondition, (content, chosen, asked) => {
				const about = { topic, condition: asked };
				const compared = comparePrices(content, chosen, about, reader);
				const { best, leading } = compared;
				expect(best).toEqual(naiveBestPrice(content, chosen, about));
				const cheapest = cheapestOffers(content, chosen, about, reader);
				expect(cheapest).toHaveLength(best.priced_offers);
				if (best.best_price === null) expect(cheapest.length === 0 || leading.length > 1).toBe(true);
				else {
					expect(best.best_price).toBeGreaterThan(0);
					const { price, total = null } = cheapest[0] ?? {};
					expect([price, total]).toEqual([best.best_price, best.best_total]);
				}
				const reasons = priceReasons(compared, chosen.currency);
				if (best.best_price === null) expect(reasons.length).toBeGreaterThan(0);
				const isSaid = reasons.some((reason) => reason.includes('price not readable'));
				expect(isSaid).toBe(hasUnreadablePrice(content, about));
				for (const part of unreadOfBest(content, chosen, about)) {
					expect(reasons.join('; ')).toMatch(RegExp(`\\b(?:${part}) not readable`));
				}
			}),
			{ numRuns: runs(1000) },
		);
	},
);

/** Offers whose fields are all known and readable. Empty values count as missing. */
const knownAmount = fc.oneof(
	often<unknown>(4, '12.90', '9.00', '12,90', '1299.00', 20, ['9.00'], { amount: '9.00' }),
	{ weight: 2, arbitrary: cents },
	often<unknown>(1, null, '', 0, {}, [], [null], { amount: null }),
);
const knownOffer = fc.record(
	{
		...{ price: knownAmount, min_price: knownAmount, sale_price: knownAmount },
		shipping: fc.oneof(knownAmount, fc.constant('free')),
		currency: fc.constantFrom('EUR', 'eur', '€', 'USD', null),
		condition: fc.oneof(condition, fc.constant({ id: 3000, label: 'Used' })),
		seller: fc.oneof(shop, fc.constant({ name: 'Other', id: 4711 })),
		...{ url, id: fc.constant('x1'), in_stock: fc.boolean() },
	},
	{ requiredKeys: [] },
);
const knownContent = fc.record(
	{
		...{ name: fc.constant('Tea'), price: knownAmount, currency: fc.constantFrom('EUR', null) },
		...{ buybox: knownOffer, offers: fc.array(knownOffer, { maxLength: 6 }) },
	},
	{ requiredKeys: [] },
);

test('where all can be read and has a known name, a row only says why it has no best price', () => {
	const none =
		/^(no offer has a price|no offer counts: .+|no offer in .+|prices in several currencies: .+)$/;
	fc.assert(
		fc.property(knownContent, options, jobCondition, (content, chosen, asked) => {
			const about = { topic: 'product_and_offers', condition: asked };
			const compared = comparePrices(content, chosen, about, reader);
			const reasons = priceReasons(compared, chosen.currency);
			const expected = compared.best.best_price === null ? [expect.stringMatching(none)] : [];
			expect(reasons).toEqual(expected);
		}),
		{ numRuns: runs(1000) },
	);
});

const CASES = readCases(join(__dirname, 'bestPrice.cases.txt'))
	.flatMap(([, cases]) => cases)
	.filter(([, content = '', chosen = '']) => /^[[{]/.test(content) && !/"(?:list|names)":/.test(chosen));

test.each(CASES)('the plain reading gives what the table of cases says: %s', (...line) => {
	const [, content = '', given = '', answer = ''] = line;
	const { job, ...chosen } = JSON.parse(given || '{}') as IDataObject;
	const about = { topic: 'product_and_offers', condition: job };
	const best = naiveBestPrice(
		JSON.parse(content),
		{ ignoreShops: [], includeShipping: true, ...chosen },
		about,
	);
	const columns = Object.entries(JSON.parse(answer) as IDataObject).map(([name, value]) => [
		name === 'offers' ? 'priced_offers' : `best_${name}`,
		value,
	]);
	expect(best).toMatchObject(Object.fromEntries(columns));
});
