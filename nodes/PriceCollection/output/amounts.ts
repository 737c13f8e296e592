import { words } from '../service/names';

/** An amount of money without ambiguity. */
export interface Amount {
	value: number;
	/** The currency in the text itself, if any: a code, or a sign that several currencies share. */
	currency?: string;
}

/** What nearly all amounts look like; the patterns for the others take much longer. */
const SIMPLE_AMOUNT = /^\d{1,12}(?:\.\d\d?)?$/;
const MARK = String.raw`([A-Z]{3}|\p{Sc}|[Zz]ł|[Kk]č|Ft|[Kk]r\.?)?`;
/** Digits and the marks between them, with a currency on either side. */
const MONEY = new RegExp(String.raw`^${MARK}\s*(\d(?:[\d.,'’\s]*\d)?)\s*${MARK}$`, 'u');
/** No amount is longer, including currency and blanks. */
const LONGEST_AMOUNT = 60;
/** Thousands separated by one mark, with another one before decimals. */
const GROUPED = /^[1-9]\d{0,2}([.,\s'’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/u;
const UNGROUPED = /^\d+(?:[.,]\d+)?$/;
/**
 * Signs of a single currency, in capitals. This table and the next one are the narrow symbols of Unicode CLDR 48, which
 * `Intl.NumberFormat` of Node.js 24 has, too. Shops mean GBP by `£` and KRW by `₩`, although CLDR names others as well.
 */
const SIGNS: Readonly<Record<string, string>> = {
	...{ '€': 'EUR', '£': 'GBP', '₩': 'KRW', '₹': 'INR', '₺': 'TRY', '₽': 'RUB', '₴': 'UAH', '₪': 'ILS' },
	...{ '₫': 'VND', '₱': 'PHP', '฿': 'THB', ZŁ: 'PLN', KČ: 'CZK', FT: 'HUF' },
};
/** Signs that several currencies share: they may mean any of these and no other one. */
const SHARED_SIGNS: Readonly<Record<string, readonly string[]>> = {
	$: words(
		'ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUC CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD USD UYU XCD',
	),
	'¥': words('CNY JPY'),
	KR: words('DKK ISK NOK SEK'),
};
/** Decimals with this many digits survive the conversion to a number and back. */
const EXACT_DIGITS = 15;
/** Currencies whose amounts have three decimals. */
const THREE_DECIMALS: ReadonlySet<unknown> = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** A currency's code in capitals, or a sign that several share or that is unknown; undefined when absent. */
export function currencyOf(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const word = value.slice(0, LONGEST_AMOUNT).trim().toUpperCase().replace(/\.$/, '');
	return SIGNS[word] ?? word;
}

/** Whether a currency is the other one, or a sign that it uses. */
export function isSameCurrency(one: string | null = null, other: string | null = null): boolean {
	const uses = (code: string | null, sign: string | null) =>
		code !== null && SHARED_SIGNS[sign ?? '']?.includes(code) === true;
	return one === other || uses(one, other) || uses(other, one);
}

/** The currency that all of these mean, by its code if one of them is a code; null if they contradict each other. */
export function agreedCurrency(...said: Array<string | undefined>): string | null | undefined {
	const named = said.filter((one) => one !== undefined);
	const agreed = named.find((one) => !(one in SHARED_SIGNS)) ?? named[0];
	return named.every((one) => isSameCurrency(one, agreed)) ? agreed : null;
}

/**
 * An amount from a number or a text: `12.90`, `12,90`, `1.299,00`, `1 299,00`, `12.90 EUR`. Undefined for
 * ambiguous text such as `1.299`, and for amounts that a number cannot represent exactly.
 *
 * @param currency of the amount, if known: it decides whether three decimals are usual
 */
export function amountOf(value: unknown, currency?: string): Amount | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? { value } : undefined;
	if (typeof value !== 'string' || value.length > LONGEST_AMOUNT) return undefined;
	if (SIMPLE_AMOUNT.test(value)) return { value: Number(value) };
	const [, before, digits, after] = MONEY.exec(value.trim()) ?? [];
	if (digits === undefined) return undefined;
	const named = agreedCurrency(currencyOf(before), currencyOf(after));
	if (named === null) return undefined;
	const plain = plainDecimal(digits, THREE_DECIMALS.has(named ?? currency));
	if (plain === undefined || plain.replace('.', '').length > EXACT_DIGITS) return undefined;
	return { value: Number(plain), currency: named };
}

/** A number without the rounding error of binary fractions. */
export function rounded(value: number): number {
	return Number(value.toPrecision(EXACT_DIGITS));
}

/** How many decimals one of two numbers has at the most. */
function decimalsOf(first: number, second: number): number {
	const lengths = [first, second].map((value) => String(rounded(value)).split('.')[1]?.length ?? 0);
	return Math.max(...lengths);
}

/** Adds two amounts exactly, without the rounding error of binary fractions. */
export function sumOf(first: number, second: number): number {
	return Number((first + second).toFixed(decimalsOf(first, second)));
}

/** A part as percentage of an amount above 0, to two decimals; halves are rounded away from 0. */
export function percentOf(part: number, whole: number): number {
	const scale = 10 ** decimalsOf(part, whole);
	const percent =
		Math.round((Math.round(Math.abs(part) * scale) * 10_000) / Math.round(whole * scale)) / 100;
	return part < 0 && percent > 0 ? -percent : percent;
}

/**
 * Digits in JavaScript's notation; undefined when the marks between them are ambiguous: a single mark before
 * three digits may separate thousands or decimals.
 */
function plainDecimal(text: string, usesThreeDecimals: boolean): string | undefined {
	const mark = GROUPED.exec(text)?.[1];
	if (!UNGROUPED.test(text)) return mark && text.replaceAll(mark, '').replace(',', '.');
	const isClear = mark === undefined || (mark === '.' && usesThreeDecimals);
	return isClear ? text.replace(',', '.') : undefined;
}
