import fc from 'fast-check';

import { comparePrices } from '../../../nodes/PriceCollection/output/bestPrice';
import { compareGiven, type GivenPrice } from '../../../nodes/PriceCollection/output/comparison';

const OPTIONS = { ignoreShops: [], includeShipping: true };
const offer = (price: unknown, currency: string | null = 'EUR') => ({ price, currency });

/** What becomes of a price of one's own beside these offers, and of the same one as that of last time. */
function compared(given: GivenPrice, ...offers: object[]) {
	const { columns, unclear } = compareGiven(
		{ own: given, previous: given },
		comparePrices({ offers }, OPTIONS),
	);
	return { ...columns, unclear: Object.keys(unclear) };
}

describe('prices that an item brings along', () => {
	test.each<[GivenPrice, number | null]>([
		[12.9, 12.9],
		['12.90', 12.9],
		['12,90 €', 12.9],
		['1.299,00', 1299],
		// What binary fractions leave of a sum.
		[0.1 + 0.2, 0.3],
		// One mark before three digits can be either.
		['1.299', null],
		['12.90 USD', null],
		['-5', null],
		[0, null],
		['on request', null],
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

	test('share the rank of an equal offer, and are 0 percent apart, not less, where two decimals show none', () => {
		expect(compared(12.9, offer('12.90'), offer('10.10'), offer('12.90')).price_rank).toBe(2);
		const found = compareGiven({ previous: 1000 }, comparePrices({ offers: [offer('999.99')] }, OPTIONS));
		expect(found.columns).toMatchObject({ price_change: -0.01, price_change_percent: 0 });
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
