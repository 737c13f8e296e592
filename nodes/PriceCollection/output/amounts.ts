/** An amount of money that can be told exactly. */
export interface Amount {
	value: number;
	/** Where the text itself names one. */
	currency?: string;
}

/** Digits and what may stand between them, with the currency on either side. */
const MONEY = /^([A-Z]{3}|\p{Sc})?\s*(\d(?:[\d.,'’\s]*\d)?)\s*([A-Z]{3}|\p{Sc})?$/u;
/** No amount is longer, with its currency and blanks around it. */
const LONGEST_AMOUNT = 60;
/** Thousands apart by a space of any width or an apostrophe: what follows can only be the decimal mark. */
const SPACED = /^[1-9]\d{0,2}([\s'’])\d{3}(?:\1\d{3})*(?:[.,]\d+)?$/u;
/** The signs that only one currency has; the others are shared by several. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };
/** Every decimal of so many digits comes back from a number as it was. */
const EXACT_DIGITS = 15;
/** The currencies whose amounts have three decimals. */
const THREE_DECIMALS: ReadonlySet<unknown> = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** A currency by its code, in capitals; undefined when nothing is said. */
export function currencyOf(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const word = value.slice(0, LONGEST_AMOUNT).trim().toUpperCase();
	return SIGNS[word] ?? word;
}

/**
 * An amount from a number or a text: `12.90`, `12,90`, `1.299,00`, `1 299,00`, `12.90 EUR`. Undefined for anything that
 * can be read in two ways, such as `1.299`, and for what a number cannot hold exactly.
 *
 * @param currency of the amount, as far as it is known: it says whether three decimals are usual
 */
export function amountOf(value: unknown, currency?: string): Amount | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? { value } : undefined;
	if (typeof value !== 'string' || value.length > LONGEST_AMOUNT) return undefined;
	const [, before, digits, after] = MONEY.exec(value.trim()) ?? [];
	if (digits === undefined) return undefined;
	const [one, other] = [before, after].map(currencyOfMark);
	if (one !== undefined && other !== undefined && one !== other) return undefined;
	const named = one ?? other;
	const plain = plainDecimal(digits, THREE_DECIMALS.has(named ?? currency));
	if (plain === undefined || plain.replace('.', '').length > EXACT_DIGITS) return undefined;
	return { value: Number(plain), currency: named };
}

/** A number as digits and a power of ten, without the dust behind the decimals that a number can hold. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
	const [mantissa = '', exponent] = value.toExponential(EXACT_DIGITS - 1).split('e');
	return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - EXACT_DIGITS + 1 };
}

/** Two numbers as integers of one power of ten. */
function aligned(one: number, other: number) {
	const [a, b] = [decimalOf(one), decimalOf(other)];
	const exponent = Math.min(a.exponent, b.exponent);
	const scaled = ({ digits, exponent: own }: typeof a) => digits * 10n ** BigInt(own - exponent);
	return { one: scaled(a), other: scaled(b), exponent };
}

/** The number without what binary fractions add behind the digits that it can hold. */
export function rounded(value: number): number {
	return Number(value.toPrecision(EXACT_DIGITS));
}

/** The exact sum of two amounts. */
export function sumOf(first: number, second: number): number {
	const { one, other, exponent } = aligned(first, second);
	return Number(`${one + other}e${exponent}`);
}

/** The exact difference of two amounts. */
export function difference(first: number, second: number): number {
	return sumOf(first, -second);
}

/** How many percent of an amount above 0 a part is, to two decimals; halves are rounded away from 0. */
export function percentOf(part: number, whole: number): number {
	const { one, other } = aligned(Math.abs(part), whole);
	const hundredths = (one * 20_000n + other) / (other * 2n);
	return Number(`${part < 0 && hundredths > 0n ? '-' : ''}${hundredths}e-2`);
}

function currencyOfMark(mark = ''): string | undefined {
	return /[A-Z]/.test(mark) ? mark : SIGNS[mark];
}

/** Digits as JavaScript writes them; undefined when the marks between them can mean two things. */
function plainDecimal(text: string, usesThreeDecimals: boolean): string | undefined {
	if (/^\d+$/.test(text)) return text;
	if (/[\s'’]/.test(text)) {
		return SPACED.test(text) ? text.replaceAll(/[\s'’]/gu, '').replace(',', '.') : undefined;
	}
	const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
	const mark = text.charAt(last);
	const [whole, fraction] = [text.slice(0, last), text.slice(last + 1)];
	const other = mark === '.' ? ',' : '.';
	if (whole.includes(mark)) {
		return !whole.includes(other) && isGrouped(text, mark) ? text.replaceAll(mark, '') : undefined;
	}
	if (whole.includes(other)) {
		return isGrouped(whole, other) ? `${whole.replaceAll(other, '')}.${fraction}` : undefined;
	}
	// One mark before three digits: thousands to the one, decimals to the other.
	const canBeThousands = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
	if (canBeThousands && !(mark === '.' && usesThreeDecimals)) return undefined;
	return `${whole}.${fraction}`;
}

function isGrouped(text: string, mark: string): boolean {
	const [first = '', ...rest] = text.split(mark);
	return /^[1-9]\d{0,2}$/.test(first) && rest.every((group) => /^\d{3}$/.test(group));
}
