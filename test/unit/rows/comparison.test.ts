import fc from 'fast-check';

import { comparePrices as comparePricesInSteps } from '../../../nodes/PriceCollection/rows/bestPrice';
import { compareInputPrices, type InputPrice } from '../../../nodes/PriceCollection/rows/comparison';
import { runs } from '../../support/runs';
import { atOnce } from '../atOnce';
import { readerOf } from './reader';

type Compared = Parameters<typeof comparePricesInSteps>;
const comparePrices = (content: Compared[0], options: Compared[1]) =>
	atOnce(comparePricesInSteps)(content, options, {}, readerOf());

const OPTIONS = { ignoreShops: [], includeShipping: true };
const offer = (price: unknown, currency: string | null = 'EUR') => ({ price, currency });

/** Compares a price with these offers, as the user's own price and as that of last time. */
function compared(given: InputPrice, ...offers: object[]) {
	const { columns, unclear } = compareInputPrices(
		{ own: given, previous: given },
		comparePrices({ offers }, OPTIONS),
	);
	return { ...columns, unclear: Object.keys(unclear) };
}

describe('prices that an item brings along', () => {
	test.each<[InputPrice, number | null]>([
		[12.9, 12.9],
		['12.90', 12.9],
		['12,90 €', 12.9],
		['12,90 Euro *', 12.9],
		['12,- €', 12],
		['1.299,00', 1299],
		// A sum with the error of binary fractions.
		[0.1 + 0.2, 0.3],
		// One mark before three digits can be either.
		['1.299', null],
		['12.90 USD', null],
		['$12.90', null],
		['¥1290', null],
		['12.90 $', null],
		['£12.90', null],
		['12,90 zł', null],
		['129 kr', null],
		['-5', null],
		[0, null],
		['on request', null],
		['ab 12,90 €', null],
		['12,90 TTC', null],
		['["12.90"]', null],
		[null, null],
	])('%j is %j', (given, price) => {
		const found = compared(given, offer('10.00'));
		expect([found.own_price, found.previous_price]).toEqual([price, price]);
		expect(found.unclear).toEqual(price === null ? ['own', 'previous'] : []);
		expect(found.price_gap === null).toBe(price === null);
	});

	test('have null beside them where there is no best price, or one in a currency that it does not name', () => {
		const none = { price_gap: null, price_rank: null, price_change: null };
		expect(compared('12,90 €')).toMatchObject({ ...none, own_price: 12.9, unclear: [] });
		expect(compared('12,90 €', offer('10.00', null))).toMatchObject({ ...none, own_price: null });
		expect(compared('12,90', offer('10.00', null))).toMatchObject({ own_price: 12.9, price_gap: 2.9 });
	});

	test.each<[InputPrice, string, boolean]>([
		['$12.90', 'USD', true],
		['12.90 $', 'CAD', true],
		['¥1290', 'JPY', true],
		['129 kr.', 'SEK', true],
		['12,90 zł', 'PLN', true],
		['£12.90', 'GBP', true],
		['$12.90', '$', true],
		['12.90 USD', '$', true],
		['12.90 EUR', '$', false],
		['129 kr', 'PLN', false],
	])('%j is compared with an offer in %s: %s', (given, currency, isCompared) => {
		const found = compared(given, offer('10.00', currency));
		expect(found.unclear).toEqual(isCompared ? [] : ['own', 'previous']);
		const all = [found.own_price, found.price_gap, found.price_rank, found.price_change];
		expect(all.map((one) => one !== null)).toEqual(all.map(() => isCompared));
	});

	test('are compared with what the shopper pays, and that of last time with the best price', () => {
		// The first row of the demo: with shipping, no shop is cheaper.
		const shipped = (price: string, shipping_costs: string | null) => ({
			...offer(price),
			shipping_costs,
		});
		const offers = [shipped('45.99', '0'), shipped('43.50', '4.90'), shipped('44.00', '2.50')];
		expect(compared(45, ...offers)).toMatchObject({
			...{ price_gap: -0.99, price_gap_percent: -2.15, price_rank: 1 },
			...{ price_change: 0.99, price_change_percent: 2.2 },
		});
		const dear = [shipped('43.00', '4.90'), shipped('47.00', '2.00'), shipped('47.95', null)];
		expect(compared(48, ...dear)).toMatchObject({
			...{ price_gap: 0.1, price_gap_percent: 0.21, price_rank: 3 },
			...{ price_change: -5, price_change_percent: -10.42 },
		});
		const prices = comparePrices({ offers: dear }, { ...OPTIONS, includeShipping: false });
		expect(compareInputPrices({ own: 48 }, prices).columns).toEqual({
			...{ own_price: 48, price_gap: 5, price_gap_percent: 11.63, price_rank: 4 },
		});
	});

	test('share the rank of an equal offer, and are 0 percent apart, not less, where two decimals show none', () => {
		expect(compared(12.9, offer('12.90'), offer('10.10'), offer('12.90')).price_rank).toBe(2);
		const found = compareInputPrices(
			{ previous: 1000 },
			comparePrices({ offers: [offer('999.99')] }, OPTIONS),
		);
		expect(found.columns).toMatchObject({ price_change: -0.01, price_change_percent: 0 });
	});

	test('have rank 1 exactly where their gap is 0 or less', () => {
		const amount = fc.oneof(
			fc.integer({ min: 1, max: 3_000 }).map((cents) => cents / 100),
			fc.integer({ min: 1, max: 3_000 }).map((cents) => (cents / 100).toFixed(2)),
			fc.constantFrom<number | string>(0.1 + 0.2, 1e-7, 2e-7, '0.0000001', 9.9999e-7, 123456789012.345),
		);
		const some = fc.record({
			price: amount,
			shipping_costs: fc.option(fc.oneof(amount, fc.constant(0))),
			price_with_shipping: fc.option(amount),
			currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD', null),
		});
		let [first, behind] = [0, 0];
		fc.assert(
			fc.property(
				fc.array(some, { maxLength: 6 }),
				amount,
				fc.boolean(),
				(offers, own, includeShipping) => {
					const prices = comparePrices({ offers }, { ...OPTIONS, includeShipping });
					const { price_gap = null, price_rank = null } = compareInputPrices(
						{ own },
						prices,
					).columns;
					expect(price_rank === null).toBe(price_gap === null);
					if (price_gap === null) return;
					expect(price_rank === 1).toBe(price_gap <= 0);
					if (price_rank === 1) first++;
					else behind++;
				},
			),
			// Enough cases that both kinds come, even if a mutation test plays only a few cases of each test.
			{ numRuns: Math.max(400, runs(2000)) },
		);
		expect(Math.min(first, behind)).toBeGreaterThan(100);
	});

	test('of any number of cents come out to the cent, ranked in the currency of the best price', () => {
		const cents = fc.integer({ min: 1, max: 10_000_000 });
		fc.assert(
			fc.property(cents, cents, (own, best) => {
				const text = (best / 100).toFixed(2);
				const found = compared(own / 100, offer('0.01', 'USD'), offer(text), offer(text));
				const twice = (BigInt(Math.abs(own - best)) * 20_000n + BigInt(best)) / BigInt(2 * best);
				const gap = { price_gap: (own - best) / 100, price_change: (best - own) / 100 };
				expect(found).toMatchObject({ ...gap, price_rank: best < own ? 3 : 1 });
				expect(Math.abs(found.price_gap_percent ?? NaN)).toBe(Number(twice) / 100);
			}),
		);
	});
});
