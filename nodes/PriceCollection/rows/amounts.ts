import { words } from '../service/names';

/** An amount of money without ambiguity. */
export interface Amount {
	value: number;
	/** The currency in the text itself, if any: a code, or a sign that several currencies share. */
	currency?: string;
}

/** What nearly all amounts look like; the patterns for the others take much longer. */
const SIMPLE_AMOUNT = /^\d{1,12}(?:\.\d\d?)?$/;
/** Digits with the marks between them, and what stands before and after. */
const PARTS = /^(\D*)(\d(?:[\d.,'’ ]*\d)?)(\D*)$/;
/** No amount is longer, including currency and blanks. */
const LONGEST_AMOUNT = 60;
/** Blanks that do not break a line, which many languages write between groups of digits. */
const FIXED_BLANKS = /[\u00a0\u2007\u2009\u202f]/g;
/** A dash in place of decimals: `12,-`, `1'899.–`. */
const NO_DECIMALS = /(?<=\d[.,])[-–—]{1,2}(?!\s*[-–—\d])/;
/** Marks beside an amount that do not change it: of a footnote (`34,50 € *`), and of the direction of writing. */
const IGNORED_MARKS = /[*+\u061c\u200e\u200f]/g;
/** The blank in `US $` and `$ US`. */
const DOLLAR_APART = /(?<=^[A-Z]{2})\s(?=\$$)|(?<=^\$)\s(?=[A-Z]{2}$)/;
/** Thousands separated by one mark, with another one before decimals. */
const GROUPED = /^[1-9]\d{0,2}([., '’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/;
/** Groups of two digits before the thousands, as in India: `1,23,456.00`. */
const INDIAN = /^[1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d+)?$/;
const UNGROUPED = /^\d+(?:[.,]\d+)?$/;

/**
 * Currencies, each with its own signs and words in capitals, as Unicode CLDR 48 or shops write them. Shops mean GBP by
 * `£` and KRW by `₩`, although CLDR names others as well. Letters that are also units (`K`, `L`) are left out. The last
 * entry is short for a sign that several share.
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
/** Signs that several currencies share: they may mean any of these and no other one. */
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
/** Signs that may end with a point in a price: behind others it may be a decimal point (`$.50`). */
const ABBREVIATIONS: ReadonlySet<string> = new Set(words('BS DIN FR KR RP RS SFR ГРН ДЕН ЛВ Р РУБ'));
/** Feet and kilometres: the signs of HUF and BAM have capital letters. */
const LENGTHS: ReadonlySet<string> = new Set(words('ft km Km'));
/** Decimals with this many digits survive the conversion to a number and back. */
const EXACT_DIGITS = 15;

/** The currency of a sign, or the sign itself if several share it; undefined for other words. */
function currencyOfSign(word: string): string | undefined {
	// Also the wide forms of `$`, `£`, `¥` and `₩`, and `₨`.
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
 * A currency's code in capitals, or a sign that several share; another word as it came, in capitals. Undefined when
 * absent.
 */
export function currencyOf(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	// What nearly all services send.
	if (/^[A-Z]{3}$/.test(value) && !SIGNS.has(value)) return value;
	const word = value
		.trim()
		.slice(0, LONGEST_AMOUNT)
		.replace(/(?<=\p{L})\.$/u, '');
	return word === '' ? undefined : (currencyOfSign(word) ?? word.toUpperCase());
}

/** Filled on first use, because n8n loads every node when it starts. */
let currencyCodes: ReadonlySet<string> | undefined;
/** How many decimals currencies have, filled as they come up. */
const decimalsOfCodes = new Map<string, number>();

function isCode(word: string): boolean {
	if (word.length !== 3) return false;
	currencyCodes ??= new Set(Intl.supportedValuesOf('currency'));
	return currencyCodes.has(word);
}

/** How many decimals a currency has; undefined if it is not known which currency it is. */
function decimalsIn(currency = ''): number | undefined {
	if (!decimalsOfCodes.has(currency)) {
		if (!isCode(currency)) return undefined;
		const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
			style: 'currency',
			currency,
		}).resolvedOptions();
		decimalsOfCodes.set(currency, maximumFractionDigits);
	}
	return decimalsOfCodes.get(currency);
}

/** Whether a currency is the other one, or a sign that it uses. */
export function isSameCurrency(one: string | null = null, other: string | null = null): boolean {
	if (one === other) return true;
	if (one === null || other === null) return false;
	return SHARED_SIGNS.get(one)?.includes(other) === true || SHARED_SIGNS.get(other)?.includes(one) === true;
}

/** The currency that all of these mean, by its code if one of them is a code; null if they contradict each other. */
export function agreedCurrency(...said: Array<string | undefined>): string | null | undefined {
	let agreed: string | undefined;
	for (const one of said) {
		if (one === undefined) continue;
		if (agreed !== undefined && !isSameCurrency(agreed, one)) return null;
		if (agreed === undefined || SHARED_SIGNS.has(agreed)) agreed = one;
	}
	return agreed;
}

/** The currency of a word in a price; undefined for any other word, such as `ab` or `TTC`. */
function currencyInPrice(word: string): string | undefined {
	if (LENGTHS.has(word)) return undefined;
	const bare = word.replace(/\.$/, '').toUpperCase();
	if (word.endsWith('.') && !ABBREVIATIONS.has(bare)) return undefined;
	return currencyOfSign(bare) ?? (/^\p{Sc}$/u.test(bare) || isCode(bare) ? bare : undefined);
}

/**
 * The currency beside an amount, from the texts before and after it; null where these contradict each other or say
 * anything else.
 */
function currencyBeside(...sides: string[]): string | null | undefined {
	let beside: string | undefined;
	for (const side of sides) {
		for (const word of side.replace(IGNORED_MARKS, ' ').trim().replace(DOLLAR_APART, '').split(/\s+/)) {
			if (word === '') continue;
			const currency = currencyInPrice(word);
			const agreed = currency === undefined ? null : agreedCurrency(beside, currency);
			if (agreed === null) return null;
			beside = agreed;
		}
	}
	return beside;
}

/**
 * An amount from a number or a text: `12.90`, `12,90`, `1.299,00`, `1 299,00`, `12.90 EUR`, `34,50 € *`, `12,-`.
 * Undefined for ambiguous text such as `1.299`, for text with other words than a currency, and for amounts that a number
 * cannot represent exactly. The cases are in `test/unit/rows/amounts.cases.txt`.
 *
 * @param currency of the amount, if known: its decimals decide what a single mark before three digits means
 */
export function amountOf(value: unknown, currency?: string): Amount | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? { value } : undefined;
	if (typeof value !== 'string' || value.length > LONGEST_AMOUNT) return undefined;
	if (SIMPLE_AMOUNT.test(value)) return { value: Number(value) };
	const text = value.replace(FIXED_BLANKS, ' ').replace(NO_DECIMALS, '00');
	const [, before = '', digits, after = ''] = PARTS.exec(text) ?? [];
	if (digits === undefined) return undefined;
	const named = currencyBeside(before, after);
	if (named === null) return undefined;
	const plain = plainDecimal(digits, named, currency);
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
 * Digits in JavaScript's notation; undefined when the marks between them are ambiguous: a single mark before three
 * digits may separate thousands or decimals, unless the currency decides it.
 */
function plainDecimal(text: string, named?: string, currency?: string): string | undefined {
	if (INDIAN.test(text)) return text.replaceAll(',', '');
	const mark = GROUPED.exec(text)?.[1];
	if (!UNGROUPED.test(text)) return mark && text.replaceAll(mark, '').replace(',', '.');
	if (mark === undefined) return text.replace(',', '.');
	const decimals = decimalsIn(agreedCurrency(named, currency) ?? named);
	// No currency with this sign has a decimal comma.
	const isThousands = decimals === 0 || (mark === ',' && (named ?? currency) === '¥');
	if (isThousands) return text.replace(mark, '');
	return decimals === 3 && mark === '.' ? text : undefined;
}
