import { join } from 'node:path';
import fc from 'fast-check';

import type * as amounts from '../../../nodes/PriceCollection/rows/amounts';
import {
	agreedCurrency,
	amountOf,
	currencyOf,
	isSameCurrency,
	percentOf,
	sumOf,
} from '../../../nodes/PriceCollection/rows/amounts';
import { runs } from '../../support/runs';
import { readCases } from '../cases';

const CURRENCIES = Intl.supportedValuesOf('currency');

/** How many decimals a currency has, by this version of Node.js. */
const decimalsOf = (currency: string) =>
	new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** How a currency is written in a language. */
function signOf(currency: string, currencyDisplay: 'narrowSymbol' | 'symbol', locale = 'en') {
	const parts = new Intl.NumberFormat(locale, {
		style: 'currency',
		currency,
		currencyDisplay,
	}).formatToParts(1);
	return parts.find(({ type }) => type === 'currency')?.value;
}

describe('a currency', () => {
	it.each([
		['EUR', 'EUR'],
		[' eur ', 'EUR'],
		['eur', 'EUR'],
		['€', 'EUR'],
		['Euro', 'EUR'],
		['EUROS', 'EUR'],
		['£', 'GBP'],
		['￡', 'GBP'],
		['$', '$'],
		['US$', 'USD'],
		['us$', 'USD'],
		['$US', 'USD'],
		['USD$', 'USD'],
		['A$', 'AUD'],
		['AU$', 'AUD'],
		['C$', 'C$'],
		['R$', 'BRL'],
		['zł', 'PLN'],
		['Kč', 'CZK'],
		['kr.', 'KR'],
		['руб.', 'РУБ'],
		['р.', 'РУБ'],
		['₨', 'RS'],
		['￥', '¥'],
		['TL', 'TRY'],
		['Fr.', 'CHF'],
		// It may be either of two.
		['CU$', 'CU$'],
		// Passed on as they came.
		['$$', '$$'],
		['J$', 'J$'],
		['x EUR', 'X EUR'],
		['DOLlars', 'DOLLARS'],
		['St. Helena', 'ST. HELENA'],
		['.', '.'],
		['978', '978'],
		['doubloons', 'DOUBLOONS'],
		['constructor', 'CONSTRUCTOR'],
		['__proto__', '__PROTO__'],
	])('written %j is %s', (text, currency) => {
		expect(currencyOf(text)).toBe(currency);
	});

	it.each([[''], ['  '], [null], [undefined], [978]])('is not said by %j', (nothing) => {
		expect(currencyOf(nothing)).toBeUndefined();
	});
});

describe('a sign', () => {
	/** The sign of each currency, by this version of Node.js. */
	const signs = new Map<string, string | undefined>();
	beforeAll(() => {
		for (const currency of CURRENCIES) signs.set(currency, signOf(currency, 'narrowSymbol'));
	});
	/** The currencies that use a sign. */
	const usersOf = (sign: string) => CURRENCIES.filter((currency) => signs.get(currency) === sign);

	it.each([
		...[
			'€',
			'£',
			'₩',
			'₹',
			'₺',
			'₽',
			'₴',
			'₪',
			'₫',
			'₱',
			'฿',
			'₸',
			'₦',
			'৳',
			'₡',
			'₲',
			'₾',
			'₼',
			'₮',
			'₭',
		],
		...['֏', '؋', '៛', 'zł', 'Kč', 'Ft', 'R', 'RM', 'Rp', 'KM', 'Kz', 'R$', 'GH₵', 'E£', 'L£'],
	])('%s means a currency that uses it', (sign) => {
		expect(usersOf(sign)).toContain(currencyOf(sign));
		expect(amountOf(`12,90 ${sign}`)).toEqual({ value: 12.9, currency: currencyOf(sign) });
	});

	it.each(['A$', 'CA$', 'CN¥', 'EC$', 'HK$', 'MX$', 'NT$', 'NZ$', 'R$'])(
		'%s is a currency of its own, as in English',
		(sign) => {
			expect(signOf(currencyOf(sign) ?? '', 'symbol')).toBe(sign);
		},
	);

	it.each([
		['sv', 'US$', 'USD'],
		['fr', '$AU', 'AUD'],
		['fr', '$CA', 'CAD'],
		['cs', 'Kč', 'CZK'],
		['bg', 'лв.', 'BGN'],
		['bs', 'din.', 'RSD'],
		['mk', 'ден.', 'MKD'],
		['sw-KE', 'Ksh', 'KES'],
		['zh', 'JP¥', 'JPY'],
		['sk', 'NIS', 'ILS'],
	])('is written in %s as %s for %s', (locale, sign, currency) => {
		expect(signOf(currency, 'symbol', locale)).toBe(sign);
		expect(currencyOf(sign)).toBe(currency);
	});

	it.each(['$', '¥', 'kr'])('%s may be any of those that use it, and no other one', (sign) => {
		const shared = currencyOf(sign);
		const same = CURRENCIES.filter((code) => isSameCurrency(shared, code));
		expect(same).toEqual(usersOf(sign));
		expect(same.length).toBeGreaterThan(1);
		expect(same.every((code) => isSameCurrency(code, shared))).toBe(true);
	});

	it.each([
		// CLDR has the first of each; shops in the other countries write it, too.
		['C$', ['NIO', 'CAD']],
		['lei', ['RON', 'MDL']],
		['Rs', ['LKR', 'MUR', 'NPR', 'PKR', 'INR', 'SCR']],
		['Bs', ['BOB', 'VES']],
		['руб.', ['RUB', 'BYN']],
		['元', ['CNY', 'HKD', 'MOP', 'TWD']],
		['Br', ['BYN', 'ETB']],
		['FCFA', ['XAF', 'XOF']],
	])('%s may be any of %j', (sign, currencies) => {
		const same = CURRENCIES.filter((code) => isSameCurrency(currencyOf(sign), code));
		expect(same).toEqual([...currencies].sort());
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
		[['USD', '$'], 'USD'],
		[['$', 'EUR'], null],
		[['$', '¥'], null],
		[['$', 'USD', 'CAD'], null],
	])('with others, %j, is %j', (said, agreed) => {
		expect(agreedCurrency(...said)).toBe(agreed);
	});
});

describe.each(readCases(join(__dirname, 'amounts.cases.txt')))('price texts, %s', (_chapter, cases) => {
	test.each(cases)('%s is %s', (text = '', answer = '', beside?: string) => {
		const written = JSON.parse(`"${text}"`) as string;
		const { value, currency } = amountOf(written, beside) ?? { value: 'refused' };
		expect([value, ...(currency === undefined ? [] : [currency])].join(' ')).toBe(answer);
	});
});

describe('an amount', () => {
	it.each<[unknown, number]>([
		[12.9, 12.9],
		[-12.9, -12.9],
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

	it.each<[unknown, string]>([
		['1 29', 'a group of two digits'],
		['1 2999', 'a group of four digits'],
		['0 299', 'a group that begins with 0'],
		['1234 567', 'a first group of four digits'],
		["1 299'000", 'groups apart by two marks'],
		['1 299,00 0', 'something behind the decimals'],
		['01.299,00', 'a first group that begins with 0'],
		['1234.567,00', 'a first group of four digits'],
		['1.29.299', 'a group of two digits, which India separates by commas'],
		['1,29,29', 'a last group of two digits'],
		['123,45,678', 'a first group of three digits before groups of two'],
		['1,23,456,00', 'one mark for groups and decimals'],
		['1.299.5', 'one mark for groups and decimals'],
		['1.2999.299', 'a group of four digits'],
		['1.299.29,5', 'a last group of two digits'],
		['1,299.000.000', 'both marks in front of a third'],
		['1,299,000.000,00', 'groups apart by two marks'],
		['', 'nothing'],
		['€', 'no digits'],
		[NaN, 'no number'],
		[Infinity, 'no number'],
		[null, 'nothing'],
		[true, 'no amount'],
		[['12.90'], 'no text'],
	])('cannot be told from %j: %s', (text) => {
		expect(amountOf(text)).toBeUndefined();
	});

	it('has in each currency the decimals that Node.js says', () => {
		const read = CURRENCIES.map((code) => [
			amountOf('12.800', code)?.value,
			amountOf('12,800', code)?.value,
			amountOf(`12.800 ${code}`)?.value,
			amountOf(`${code.toLowerCase()} 12,800`)?.value,
			amountOf(`${code} 12.80`),
		]);
		const expected = CURRENCIES.map((code) => {
			const decimals = decimalsOf(code);
			const whole = decimals === 0 ? 12800 : undefined;
			const decimal = decimals === 3 ? 12.8 : whole;
			return [decimal, whole, decimal, whole, { value: 12.8, currency: code }];
		});
		expect(expected.length).toBeGreaterThan(100);
		expect(read).toEqual(expected);
	});

	it('has a currency only in three letters that Node.js knows', () => {
		const letters = fc.stringMatching(/^[A-Z]{3}$/).filter((word) => currencyOf(word) === word);
		fc.assert(
			fc.property(fc.oneof(letters, fc.constantFrom(...CURRENCIES)), (word) => {
				const isCurrency = CURRENCIES.includes(word);
				expect(amountOf(`5 ${word}`)).toEqual(isCurrency ? { value: 5, currency: word } : undefined);
			}),
			{ numRuns: runs(500) },
		);
	});
});

/** Marks between groups and before decimals, as languages combine them. */
const SEPARATORS = [
	...[',.', '.,', ' ,', ' .', '\u00a0,', '\u202f,', '\u2009,', "'.", '’.', "',", '’,'].map((both) => [
		...both,
	]),
	...[
		['', '.'],
		['', ','],
	],
];
/** Signs and codes around an amount. */
const WRITTEN = [
	...[
		'€@',
		'@ €',
		'@€',
		'$@',
		'US$ @',
		'US $@',
		'@ $US',
		'£ @',
		'@ kr',
		'kr. @',
		'Rs. @',
		'₹@',
		'@ zł',
		'@ Kč',
		'@ руб.',
	],
	...[
		'@',
		'@ *',
		'@+',
		'\u200f@\u00a0€',
		'EUR @',
		'@ eur',
		'CHF @',
		'@ JPY',
		'¥@',
		'@\u00a0TL',
		'R$ @',
		'@ € *',
	],
];

describe('a formatted amount is read as exactly this amount or refused, never as another one', () => {
	const cents = fc.oneof(fc.nat(2_000), fc.nat(2_000_000), fc.nat(2_000_000_000));

	/** Digits in groups from the right: the last one of three, the others of three or two. */
	const grouped = (digits: string, mark: string, size: number) => {
		const pattern = new RegExp(`\\B(?=(?:\\d{${size}})*\\d{3}$)`, 'g');
		return digits.replace(pattern, mark);
	};

	it('with the marks of any language', () => {
		const shape = fc.record({
			cents,
			separators: fc.constantFrom(...SEPARATORS),
			places: fc.constantFrom(0, 1, 2, 3, 4, -1),
			size: fc.constantFrom(3, 3, 3, 2),
			written: fc.constantFrom(...WRITTEN),
		});
		let read = 0;
		const numRuns = runs(20_000);
		fc.assert(
			fc.property(
				shape,
				({ cents: amount, separators: [group = '', point = ''], places, size, written }) => {
					// Yen have no decimals: three digits behind a mark are thousands.
					fc.pre(places !== 3 || !/JPY|¥/.test(written));
					const [whole = '', part = ''] = (amount / 100).toFixed(2).split('.');
					const decimals = part.padEnd(4, '0').slice(0, Math.max(places, 0));
					const dash = places < 0 ? `${point}-` : '';
					const text = grouped(whole, group, size) + (decimals && point + decimals) + dash;
					const value = Number(`${whole}.${decimals}`);
					const answer = amountOf(written.replace('@', text));
					if (answer !== undefined) read += 1;
					expect([undefined, value]).toContain(answer?.value);
				},
			),
			{ numRuns },
		);
		// Single marks before three digits, and marks that do not match the size of the groups, are refused.
		expect(read).toBeGreaterThan(numRuns * 0.5);
	});

	it('as Node.js writes it', () => {
		const LOCALES =
			'en en-IN en-ZA fr fr-CA fr-CH de de-AT de-CH it es es-MX pt pt-PT nl pl cs sk hu ro bg hr sl ru uk tr sv da nb fi et lt lv el ja zh ko hi th vi id ms he';
		const displays = fc.constantFrom('code', 'symbol', 'narrowSymbol');
		const format = fc.tuple(
			fc.constantFrom(...LOCALES.split(' ')),
			fc.constantFrom(...CURRENCIES),
			displays,
		);
		let read = 0;
		const numRuns = runs(2_000);
		fc.assert(
			fc.property(format, cents, ([locale, currency, currencyDisplay], amount) => {
				const options = { style: 'currency', currency, currencyDisplay } as const;
				const formatted = new Intl.NumberFormat(`${locale}-u-nu-latn`, options).format(amount / 100);
				const value = Number((amount / 100).toFixed(decimalsOf(currency)));
				const answer = amountOf(formatted);
				if (answer === undefined) return;
				read += 1;
				expect(answer.value).toBe(value);
			}),
			{ numRuns },
		);
		// Single marks before three digits, and signs that are also units, are refused.
		expect(read).toBeGreaterThan(numRuns * 0.8);
	});
});

test('what Node.js knows about currencies is asked for on first use, and once', () => {
	const [formats, currencies] = [
		jest.spyOn(Intl, 'NumberFormat'),
		jest.spyOn(Intl, 'supportedValuesOf'),
	] as const;
	jest.isolateModules(() => {
		const loaded = jest.requireActual<typeof amounts>('../../../nodes/PriceCollection/rows/amounts');
		const count = () => [currencies.mock.calls.length, formats.mock.calls.length];
		expect(loaded.amountOf('12.90')).toEqual({ value: 12.9 });
		expect(loaded.amountOf('12,90 €')).toEqual({ value: 12.9, currency: 'EUR' });
		expect(loaded.amountOf('1.299')).toBeUndefined();
		expect(loaded.amountOf('ab 12,90 €')).toBeUndefined();
		expect(count()).toEqual([0, 0]);
		for (let times = 0; times < 10; times += 1) {
			expect(loaded.amountOf('12.900 JPY')?.value).toBe(12900);
			expect(loaded.amountOf('12.900 EUR')).toBeUndefined();
			expect(loaded.amountOf('12.900', 'no currency')).toBeUndefined();
		}
		expect(count()).toEqual([1, 2]);
	});
	jest.restoreAllMocks();
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
