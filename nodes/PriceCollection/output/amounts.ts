/** An amount of money without ambiguity. */
export interface Amount {
	value: number;
	/** The currency in the text itself, if any. */
	currency?: string;
}

/** Digits and the marks between them, with a currency on either side. */
const MONEY = /^([A-Z]{3}|\p{Sc})?\s*(\d(?:[\d.,'’\s]*\d)?)\s*([A-Z]{3}|\p{Sc})?$/u;
/** No amount is longer, including currency and blanks. */
const LONGEST_AMOUNT = 60;
/** Thousands separated by one mark, with another one before decimals. */
const GROUPED = /^[1-9]\d{0,2}([.,\s'’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/u;
const UNGROUPED = /^\d+(?:[.,]\d+)?$/;
/** Signs of a single currency; the other signs are shared by several. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };
/** Decimals with this many digits survive the conversion to a number and back. */
const EXACT_DIGITS = 15;
/** Currencies whose amounts have three decimals. */
const THREE_DECIMALS: ReadonlySet<unknown> = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** A currency's code in capitals; undefined when absent. */
export function currencyOf(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const word = value.slice(0, LONGEST_AMOUNT).trim().toUpperCase();
	return SIGNS[word] ?? word;
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
	const [, before, digits, after] = MONEY.exec(value.trim()) ?? [];
	if (digits === undefined) return undefined;
	const [one, other] = [before, after].map(currencyOfMark);
	if (one !== undefined && other !== undefined && one !== other) return undefined;
	const named = one ?? other;
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

function currencyOfMark(mark = ''): string | undefined {
	return /[A-Z]/.test(mark) ? mark : SIGNS[mark];
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
