import fc from 'fast-check';

import {
	cheapestOffers as cheapestOffersInSteps,
	comparePrices as comparePricesInSteps,
} from '../../../nodes/PriceCollection/output/bestPrice';
import { runs } from '../../runs';
import { atOnce } from '../atOnce';
import { NAMES_OF, naiveBestPrice } from './naiveBestPrice';

const [cheapestOffers, comparePrices] = [atOnce(cheapestOffersInSteps), atOnce(comparePricesInSteps)];

const often = <T>(weight: number, ...values: T[]) => ({ weight, arbitrary: fc.constantFrom(...values) });
const cents = fc.integer({ min: 1, max: 4000 }).map((amount) => (amount / 100).toFixed(2));

/** Few amounts in many spellings, so that equal prices and misleading ones are common. */
const amount = fc.oneof(
	often<unknown>(6, '12.90', '9.00', '10.0', '12.9', '0.10', '12,90', '1299.00', '20'),
	{ weight: 2, arbitrary: cents },
	often<unknown>(2, '1.299', '1,299', '1299.000', '0', '0,00', '-5', -1, 12.9, 9),
	often<unknown>(1, '12.90 EUR', '€9.00', 'USD 9.00', '$9.00', 'EUR 9.00 USD'),
	often<unknown>(1, '9,00 zł', '¥9', '9.00 kr', 'kr. 8,00', '$9.00 CAD', '₹9.00'),
	often<unknown>(2, '', 'n/a', null, undefined, true, {}, []),
);
const currency = fc.oneof(
	often(4, 'EUR'),
	often(8, 'eur', '€', 'USD', '$', 'SEK', 'PLN', 'KWD', null, undefined, ''),
);
const CONDITIONS = 'new,New,NEW,used,Used – very good,open_box,New – open box,Generalüberholt';
const condition = fc.constantFrom(...CONDITIONS.split(','), null);
const SHOPS = 'Müller & Söhne,MÜLLER & SÖHNE,Own,own.example,https://www.own.example/shop,4711';
const shop = fc.constantFrom(...SHOPS.split(','), null, '');
const url = fc.constantFrom('https://a.example/1', 'https://b.example/2', null);

const SPELLINGS: Array<(name: string) => string> = [
	(name) => name,
	(name) => name.replaceAll('_', '-'),
	(name) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
	(name) => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
	(name) => name.toUpperCase(),
];

/** A meaning under any of its names, in any spelling; as it is, or inside an object, which may have a currency. */
function named(meaning: keyof typeof NAMES_OF, value: fc.Arbitrary<unknown>, inside: string[]) {
	const name = fc.tuple(fc.constantFrom(...NAMES_OF[meaning]), fc.constantFrom(...SPELLINGS));
	const nested = fc.option(fc.constantFrom(...inside));
	const inner = fc.constantFrom<object>({}, {}, { currency: 'EUR' }, { currencyCode: 'USD' });
	return fc.tuple(name, value, nested, inner).map(([[plain, spell], own, field, more]) => {
		const held = field === null ? own : { ...more, [spell(field)]: own };
		return [spell(plain), held] as const;
	});
}

const MEANINGS = fc.oneof(
	{ weight: 3, arbitrary: named('price', amount, ['amount', 'value', 'text']) },
	named('total', amount, ['amount', 'value']),
	named('shipping', fc.oneof(amount, fc.constantFrom('0.0', '4.90', '10.00')), ['cost', 'price']),
	named('currency', currency, ['name']),
	named('condition', condition, ['name', 'text']),
	named('shop', fc.oneof(shop, fc.constant(4711)), ['name']),
	named('shopUrl', shop, ['text']),
	named('availability', fc.constantFrom('In stock', '', null, true, false, 3, ['soon']), ['text']),
	named('url', url, ['text']),
);
const offer = fc
	.tuple(named('price', amount, ['amount', 'value', 'text']), fc.array(MEANINGS, { maxLength: 10 }))
	.map(([price, fields]) => Object.fromEntries([price, ...fields]) as Record<string, unknown>);
const plainOffer = fc.record({
	price: fc.constantFrom('9.00', '12.00', '12.50', null),
	shipping_costs: fc.constantFrom('0.0', '10.00', null),
	currency: fc.constantFrom('EUR', 'EUR', 'USD'),
	condition_code: fc.constantFrom('new', 'used'),
	shop_name: fc.constantFrom('Own', 'Other', null),
	url,
});
const entry = fc.oneof(
	{ weight: 4, arbitrary: fc.oneof(offer, plainOffer) },
	{ weight: 1, arbitrary: fc.constantFrom(null, 'text', 7, []) },
);
const list = fc.oneof(
	{ weight: 6, arbitrary: fc.array(entry, { maxLength: 8 }) },
	often(1, { new: [{ price: '1.00' }] }, { '0': { price: '1.00' } }, { price: '1.00', shop_name: 'A' }),
	often(1, null, undefined, 'text'),
);
const product = (lists: Record<string, fc.Arbitrary<unknown>>) => {
	const box = fc.record({ min_price: amount, shop_name: shop, currency });
	const fields = {
		...{ name: fc.constantFrom('Tea', null), url, price: amount, min_price: amount, currency },
		buybox: fc.oneof(offer, plainOffer, box, fc.constant(null)),
		carousels: fc.constant([{ price: '0.01', currency: 'EUR' }]),
	};
	return fc.record({ ...fields, ...lists }, { requiredKeys: [] });
};

/** A list under any of its names, at the root or in an envelope. */
const listed = (meaning: 'hits' | 'offers' | 'ranks') =>
	fc
		.tuple(
			named(meaning, list, ['data']).filter(([, value]) => Array.isArray(value)),
			product({ offers: list }),
		)
		.chain(([[name, entries], around]) =>
			fc.constantFrom<unknown>(
				{ ...around, [name]: entries },
				{ product: { ...around, [name]: entries } },
				{ Item: { ...around, [name]: entries }, price: '99.00' },
			),
		);

/** Contents as each topic has them, and such as none has. */
const CONTENTS = {
	product_and_offers: fc.oneof(product({ offers: list }), listed('offers')),
	search: fc.oneof(product({ search_results: list }), listed('hits'), fc.record({ results: list })),
	reviews: product({ reviews: fc.constantFrom([{ rating: 4, text: '9.00' }], []), offers: list }),
	bestsellers: fc.oneof(listed('ranks'), fc.record({ products: list })),
	deals: fc.oneof(
		fc.array(entry, { maxLength: 5 }),
		listed('hits'),
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

test.each(Object.entries(CONTENTS))(
	'the best price of a content of the topic %s is what the plain reading of the rule gives, and the first of the cheapest offers',
	(topic, contents) => {
		fc.assert(
			fc.property(contents, options, jobCondition, (content, chosen, asked) => {
				const about = { topic, condition: asked };
				const { best, remarks } = comparePrices(content, chosen, about);
				expect(best).toEqual(naiveBestPrice(content, chosen, about));
				const cheapest = cheapestOffers(content, chosen, about);
				expect(cheapest).toHaveLength(best.priced_offers);
				if (best.best_price === null) expect(cheapest.length === 0 || remarks.undecided).toBeTruthy();
				else {
					expect(best.best_price).toBeGreaterThan(0);
					const { price, total = null } = cheapest[0] ?? {};
					expect([price, total]).toEqual([best.best_price, best.best_total]);
				}
			}),
			{ numRuns: runs(2000) },
		);
	},
);
