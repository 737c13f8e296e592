import { words } from '../service/names';

/** An unambiguous amount of money. */
export interface Amount {
	value: number;
	/** The currency named in the text, if any: a code, or the sign itself if it is shared or unknown. */
	currency?: string;
}

/** Matches nearly all amounts. The patterns for the rest are much slower. */
const SIMPLE_AMOUNT = /^\d{1,12}(?:\.\d\d?)?$/;
/** The digits with the marks between them, and the texts before and after. */
const PARTS = /^(\D*)(\d(?:[\d.,'’ ]*\d)?)(\D*)$/;
/** The longest amount in characters, including its currency and spaces. */
const LONGEST_AMOUNT = 60;
/** Non-breaking, figure and thin spaces, which many languages put between groups of digits. */
const SPECIAL_SPACES = /[\u00a0\u2007\u2009\u202f]/g;
/** A dash in place of decimals: `12,-`, `1'899.–`. */
const NO_DECIMALS = /(?<=\d[.,])[-–—]{1,2}(?![-–—\d.,])/;
/** Marks that do not change an amount: footnote marks (`34,50 € *`), a plus sign and text direction marks. */
const IGNORED_MARKS = /[*+\u061c\u200e\u200f]/g;
/** The space in `US $` and `$ US`. */
const DOLLAR_SPACE = /(?<=^[A-Z]{2})\s(?=\$$)|(?<=^\$)\s(?=[A-Z]{2}$)/;
/** One mark separates thousands, another one decimals. */
const GROUPED = /^[1-9]\d{0,2}([., '’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/;
/** Indian grouping, with pairs of digits above the thousands: `1,23,456.00`. */
const INDIAN = /^[1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d+)?$/;
const UNGROUPED = /^\d+(?:[.,]\d+)?$/;

/**
 * Maps signs and words, in capitals, to currency codes; each entry is a code with its signs, as written by Unicode CLDR 48
 * or by shops. Shops use `£` for GBP and `₩` for KRW, although CLDR lists other currencies as well. Letters that are also
 * units (`K`, `L`) are left out. The last entry maps an abbreviation to a shared sign.
 */
const SIGNS: ReadonlyMap<string, string> = new Map(
	`AFN ؋, AMD ֏, AOA KZ, AUD A$, AZN ₼, BAM KM, BDT ৳ TK, BGN ЛВ, BRL R$, CHF FR SFR, CNY CN¥, CRC ₡, CZK KČ, EGP E£,
	EUR € EURO EUROS, GBP £, GEL ₾, GHS ₵ GH₵, HUF FT, IDR RP, ILS ₪ NIS, INR ₹, JPY 円 JP¥, KES KSH, KGS ⃀, KHR ៛, KRW ₩ 원,
	KZT ₸, LAK ₭, LBP L£, MKD ДЕН, MNT ₮, MYR RM, NGN ₦, PHP ₱, PLN ZŁ, PYG ₲, RSD DIN, RUB ₽, SGD S$, THB ฿, TRY ₺ TL,
	TWD NT$, TZS TSH, UAH ₴ ГРН, UGX USH, VND ₫ Đ, XCD EC$, ZAR R, РУБ Р`
		.split(/,\s+/)
		.flatMap((entry) => {
			const [code = '', ...signs] = words(entry);
			return signs.map((sign) => [sign, code] as const);
		}),
);
/** Signs shared by several currencies, with all the currencies they can mean. */
const SHARED_SIGNS: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries({
		$: words(
			'ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUC CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD USD UYU XCD',
		),
		C$: words('CAD NIO'),
		'¥': words('CNY JPY'),
		元: words('CNY HKD MOP TWD'),
		KR: words('DKK ISK NOK SEK'),
		RS: words('INR LKR MUR NPR PKR SCR'),
		LEI: words('MDL RON'),
		BR: words('BYN ETB'),
		BS: words('BOB VES'),
		РУБ: words('BYN RUB'),
		FCFA: words('XAF XOF'),
	}),
);
/** Signs that may end with a full stop. After any other sign, a point may be a decimal point (`$.50`). */
const ABBREVIATIONS: ReadonlySet<string> = new Set(words('BS DIN FR KR RP RS SFR ГРН ДЕН ЛВ Р РУБ'));
/** Feet and kilometres, which differ from the signs of HUF (`Ft`) and BAM (`KM`) only by case. */
const LENGTH_UNITS: ReadonlySet<string> = new Set(words('ft km Km'));
/** Decimals with up to this many digits survive conversion to a number and back. */
const EXACT_DIGITS = 15;

/** Returns a sign's currency, or the sign itself if several currencies share it; undefined for other words. */
function currencyOfSign(word: string): string | undefined {
	// NFKC also converts the full-width forms of `$`, `£`, `¥` and `₩`, and `₨` to `Rs`.
	const sign = word.normalize('NFKC').toUpperCase();
	if (SHARED_SIGNS.has(sign)) return sign;
	const known = SIGNS.get(sign);
	if (known !== undefined || !sign.includes('$')) return known;
	// `US$`, `$US`, `USD$`.
	const country = sign.replace('$', '');
	const [dollar, another] = SHARED_SIGNS.get('$')?.filter((code) => code.startsWith(country)) ?? [];
	return country.length > 1 && another === undefined ? dollar : undefined;
}

/**
 * Returns a currency's code, or its sign if several currencies share it. Any other word is returned in capitals.
 * Undefined if the value is blank or not a text.
 */
export function currencyOf(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	// Nearly all services send a code in capitals.
	if (/^[A-Z]{3}$/.test(value) && !SIGNS.has(value)) return value;
	const word = value
		.trim()
		.slice(0, LONGEST_AMOUNT)
		.replace(/(?<=\p{L})\.$/u, '');
	return word === '' ? undefined : (currencyOfSign(word) ?? word.toUpperCase());
}

/** Filled on first use, because n8n loads every node at start-up. */
let currencyCodes: ReadonlySet<string> | undefined;
const decimalsByCode = new Map<string, number>();

function isCode(word: string): boolean {
	if (word.length !== 3) return false;
	currencyCodes ??= new Set(Intl.supportedValuesOf('currency'));
	return currencyCodes.has(word);
}

/** Returns a currency's number of decimals; undefined for anything but a known code. */
function decimalsIn(currency = ''): number | undefined {
	if (!decimalsByCode.has(currency)) {
		if (!isCode(currency)) return undefined;
		const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
			style: 'currency',
			currency,
		}).resolvedOptions();
		decimalsByCode.set(currency, maximumFractionDigits);
	}
	return decimalsByCode.get(currency);
}

/** Whether two currencies are equal, both absent, or one is a sign that the other uses. */
export function isSameCurrency(one: string | null = null, other: string | null = null): boolean {
	if (one === other) return true;
	if (one === null || other === null) return false;
	return SHARED_SIGNS.get(one)?.includes(other) === true || SHARED_SIGNS.get(other)?.includes(one) === true;
}

/**
 * Returns the currency that all of these mean, as a code if one of them is a code. Null if they contradict each other,
 * undefined if there are none.
 */
export function agreedCurrency(...currencies: Array<string | undefined>): string | null | undefined {
	let agreed: string | undefined;
	for (const currency of currencies) {
		if (currency === undefined) continue;
		if (agreed !== undefined && !isSameCurrency(agreed, currency)) return null;
		if (agreed === undefined || SHARED_SIGNS.has(agreed)) agreed = currency;
	}
	return agreed;
}

/** Returns the currency that a word in a price names; undefined for other words, such as `ab` or `TTC`. */
function currencyInPrice(word: string): string | undefined {
	if (LENGTH_UNITS.has(word)) return undefined;
	const bare = word.replace(/\.$/, '').toUpperCase();
	if (word.endsWith('.') && !ABBREVIATIONS.has(bare)) return undefined;
	return currencyOfSign(bare) ?? (/^\p{Sc}$/u.test(bare) || isCode(bare) ? bare : undefined);
}

/**
 * Returns the currency named in the texts before and after an amount. Null if they contradict each other or contain
 * anything else, undefined if they are blank.
 */
function currencyBeside(...sides: string[]): string | null | undefined {
	let found: string | undefined;
	for (const side of sides) {
		for (const word of side.replace(IGNORED_MARKS, ' ').trim().replace(DOLLAR_SPACE, '').split(/\s+/)) {
			if (word === '') continue;
			const currency = currencyInPrice(word);
			const agreed = currency === undefined ? null : agreedCurrency(found, currency);
			if (agreed === null) return null;
			found = agreed;
		}
	}
	return found;
}

/**
 * Reads an amount from a number or a text: `12.90`, `12,90`, `1.299,00`, `1 299,00`, `12.90 EUR`, `34,50 € *`, `12,-`.
 * Undefined for ambiguous text such as `1.299`, for text with anything but a currency around the digits, and for amounts
 * that a number cannot represent exactly. The cases are in `test/unit/rows/amounts.cases.txt`.
 *
 * @param currency the amount's currency, if known: its number of decimals decides what a single mark before three digits
 * means
 */
export function amountOf(value: unknown, currency?: string): Amount | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? { value } : undefined;
	if (typeof value !== 'string' || value.length > LONGEST_AMOUNT) return undefined;
	if (SIMPLE_AMOUNT.test(value)) return { value: Number(value) };
	const text = value.replace(SPECIAL_SPACES, ' ').replace(NO_DECIMALS, '00');
	const [, before = '', digits, after = ''] = PARTS.exec(text) ?? [];
	if (digits === undefined) return undefined;
	const named = currencyBeside(before, after);
	if (named === null) return undefined;
	const plain = plainDecimal(digits, named, currency);
	if (plain === undefined || plain.replace('.', '').length > EXACT_DIGITS) return undefined;
	return { value: Number(plain), currency: named };
}

/** Removes the rounding error of binary fractions. */
export function rounded(value: number): number {
	return Number(value.toPrecision(EXACT_DIGITS));
}

/** Returns the larger number of decimals of two numbers. */
function maxDecimals(first: number, second: number): number {
	const lengths = [first, second].map((value) => String(rounded(value)).split('.')[1]?.length ?? 0);
	return Math.max(...lengths);
}

/** Adds two amounts without the rounding error of binary fractions. */
export function sumOf(first: number, second: number): number {
	return Number((first + second).toFixed(maxDecimals(first, second)));
}

/** Returns a part as a percentage of a whole above 0, with two decimals; halves are rounded away from 0. */
export function percentOf(part: number, whole: number): number {
	const scale = 10 ** maxDecimals(part, whole);
	const percent =
		Math.round((Math.round(Math.abs(part) * scale) * 10_000) / Math.round(whole * scale)) / 100;
	return part < 0 && percent > 0 ? -percent : percent;
}

/**
 * Converts digits to JavaScript's notation. Undefined if the marks between them are ambiguous: a single mark before three
 * digits may separate thousands or decimals, unless the currency decides it.
 *
 * @param named the currency named beside the digits
 * @param currency the currency known from elsewhere
 */
function plainDecimal(text: string, named?: string, currency?: string): string | undefined {
	if (INDIAN.test(text)) return text.replaceAll(',', '');
	const mark = GROUPED.exec(text)?.[1];
	if (!UNGROUPED.test(text)) return mark && text.replaceAll(mark, '').replace(',', '.');
	if (mark === undefined) return text.replace(',', '.');
	const decimals = decimalsIn(agreedCurrency(named, currency) ?? named);
	// Neither of the currencies with the sign `¥` has a decimal comma.
	const isThousands = decimals === 0 || (mark === ',' && (named ?? currency) === '¥');
	if (isThousands) return text.replace(mark, '');
	return decimals === 3 && mark === '.' ? text : undefined;
}
