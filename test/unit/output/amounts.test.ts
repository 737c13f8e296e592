import {
	agreedCurrency,
	amountOf,
	currencyOf,
	isSameCurrency,
	percentOf,
	sumOf,
} from '../../../nodes/PriceCollection/output/amounts';

describe('a currency', () => {
	it.each([
		['EUR', 'EUR'],
		[' eur ', 'EUR'],
		['€', 'EUR'],
		['£', 'GBP'],
		['$', '$'],
		['zł', 'PLN'],
		['Kč', 'CZK'],
		['kr.', 'KR'],
	])('written %j is %s', (text, currency) => {
		expect(currencyOf(text)).toBe(currency);
	});

	it.each([[''], ['  '], [null], [undefined], [978]])('is not said by %j', (nothing) => {
		expect(currencyOf(nothing)).toBeUndefined();
	});
});

describe('a sign', () => {
	/** The currencies that use a sign, by n8n's Node.js. */
	const usersOf = (sign: string) =>
		Intl.supportedValuesOf('currency').filter((currency) => {
			const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
			const parts = new Intl.NumberFormat('en', format).formatToParts(1);
			return parts.some(({ type, value }) => type === 'currency' && value === sign);
		});

	it.each(['€', '£', '₩', '₹', '₺', '₽', '₴', '₪', '₫', '₱', '฿', 'zł', 'Kč', 'Ft'])(
		'%s means a currency that uses it',
		(sign) => {
			expect(usersOf(sign)).toContain(currencyOf(sign));
			expect(amountOf(`12,90 ${sign}`)).toEqual({ value: 12.9, currency: currencyOf(sign) });
		},
	);

	it.each(['$', '¥', 'kr'])('%s may be any of those that use it, and no other one', (sign) => {
		const shared = currencyOf(sign);
		const same = Intl.supportedValuesOf('currency').filter((code) => isSameCurrency(shared, code));
		expect(same).toEqual(usersOf(sign));
		expect(same.length).toBeGreaterThan(1);
		expect(same.every((code) => isSameCurrency(code, shared))).toBe(true);
	});

	it.each<[string, string | null | undefined, boolean]>([
		['$', '$', true],
		['$', 'EUR', false],
		['$', '¥', false],
		['$', null, false],
		['USD', 'CAD', false],
		['₿', 'EUR', false],
	])('%s and %s are the same: %s', (one, other, isSame) => {
		expect(isSameCurrency(one, other)).toBe(isSame);
	});

	it.each<[Array<string | undefined>, string | null | undefined]>([
		[[undefined], undefined],
		[[undefined, '$', undefined], '$'],
		[['$', 'USD', '$'], 'USD'],
		[['$', 'EUR'], null],
		[['$', '¥'], null],
		[['$', 'USD', 'CAD'], null],
	])('with others, %j, is %j', (said, agreed) => {
		expect(agreedCurrency(...said)).toBe(agreed);
	});
});

describe('an amount', () => {
	it.each<[unknown, number]>([
		[12.9, 12.9],
		['7', 7],
		[' 12.90 ', 12.9],
		['1 299', 1299],
		['1 299 000,50', 1299000.5],
		['12 345.00', 12345],
		["1'299'000.50", 1299000.5],
		['1.299.000', 1299000],
		['1,299,000.5', 1299000.5],
		['12.345.678,90', 12345678.9],
		['1299.000', 1299],
		['0.999', 0.999],
		['01.299', 1.299],
		// As many digits as a number holds exactly, with and without a decimal point.
		['123456789012345', 123456789012345],
		['12345678901234.5', 12345678901234.5],
	])('is read from %j', (text, value) => {
		expect(amountOf(text)).toEqual({ value });
	});

	it.each<[string, number, string | undefined]>([
		['€5', 5, 'EUR'],
		['5 £', 5, 'GBP'],
		['5.50 USD', 5.5, 'USD'],
		['USD 5.50', 5.5, 'USD'],
		[' USD 5.50\n', 5.5, 'USD'],
		[' 5.50 USD ', 5.5, 'USD'],
		['€ 5 EUR', 5, 'EUR'],
		['KWD 1.299', 1.299, 'KWD'],
		['5,00 zł', 5, 'PLN'],
		// Of several it is not said which.
		['$5', 5, '$'],
		['5 ¥', 5, '¥'],
		['kr. 5', 5, 'KR'],
		['5 Kr', 5, 'KR'],
		['$5 CAD', 5, 'CAD'],
		// Of an unknown sign neither.
		['₿5', 5, '₿'],
	])('with its currency is read from %j', (text, value, currency) => {
		expect(amountOf(text)).toEqual({ value, currency });
	});

	it.each<[unknown, string]>([
		['€ 5 USD', 'two currencies'],
		['$5 EUR', 'a sign that this currency does not use'],
		['US$ 5', 'words'],
		['12.345', 'thousands or decimals'],
		['123,456', 'thousands or decimals'],
		['1.299 EUR', 'thousands or decimals'],
		['1,299 KWD', 'thousands or decimals, as no point but a comma is between'],
		['1 29', 'a group of two digits'],
		['1 2999', 'a group of four digits'],
		['0 299', 'a group that begins with 0'],
		['1234 567', 'a first group of four digits'],
		["1 299'000", 'groups apart by two marks'],
		['1 299,00 0', 'something behind the decimals'],
		['01.299,00', 'a first group that begins with 0'],
		['1234.567,00', 'a first group of four digits'],
		['1.29.299', 'a group of two digits'],
		['1.299.5', 'one mark for groups and decimals'],
		['1.2999.299', 'a group of four digits'],
		['1.299.29,5', 'a last group of two digits'],
		['1,299.000.000', 'both marks in front of a third'],
		['1,299,000.000,00', 'groups apart by two marks'],
		['1234567890123456', 'more digits than a number holds'],
		['12.90-15.00', 'two amounts'],
		['12.90 Euro', 'words'],
		['', 'nothing'],
		[NaN, 'no number'],
		[Infinity, 'no number'],
		[null, 'nothing'],
		[true, 'no amount'],
	])('cannot be told from %j: %s', (text) => {
		expect(amountOf(text)).toBeUndefined();
	});

	it.each(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])('has three decimals in %s', (currency) => {
		expect(amountOf('1.299', currency)).toEqual({ value: 1.299 });
	});

	it.each([
		['1.299', 'EUR'],
		['1.299 EUR', 'KWD'],
		['1,299', 'KWD'],
	])('has no three decimals in %s of %s', (text, currency) => {
		expect(amountOf(text, currency)).toBeUndefined();
	});
});

test('a sum is exact where adding binary fractions is not', () => {
	expect(0.1 + 0.2).not.toBe(0.3);
	expect(sumOf(0.1, 0.2)).toBe(0.3);
});

test.each([
	[1, 8, 12.5],
	[-1, 8, -12.5],
	[0.1, 0.3, 33.33],
	[-0.01, 1_000_000, 0],
	[0, 8, 0],
	[-12.9, 12.9, -100],
	[1.005, 100, 1.01],
])('%d is of %d exactly %d percent', (part, whole, percent) => {
	expect(percentOf(part, whole)).toBe(percent);
});

test('no amount or currency is longer than 60 characters', () => {
	expect(amountOf('8'.padStart(60))?.value).toBe(8);
	expect(amountOf('8'.padStart(61))).toBeUndefined();
	expect(currencyOf('x'.repeat(100))).toHaveLength(60);
});
