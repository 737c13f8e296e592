import type { IDataObject } from 'n8n-workflow';

import { contentShape, isGiven } from '../service/names';
import { oneLine } from '../service/text';
import { figureOf, isFilled, isObject, isTextOrNumber } from '../service/types';
import { agreedCurrency, amountOf, currencyOf, type Amount } from './amounts';

/**
 * What is filled and cannot be read. It never counts as not there: a condition that cannot be read is not new, a currency
 * is not the usual one, a shop may be an ignored one, a price is no price.
 */
export class Unreadable {
	/** @param words what came, for people */
	constructor(readonly words: string) {}
}

/** What a field says: a text or a number, nothing, or something that cannot be read. */
export type FieldValue = string | number | Unreadable | undefined;

const [LONGEST_TEXT, MOST_FIELDS] = [40, 4];

/** The beginning of any value as JSON writes it. */
export function wordsOf(value: unknown): string {
	if (typeof value === 'string') return `"${oneLine(value, LONGEST_TEXT)}"`;
	if (typeof value !== 'object' || value === null) return String(value);
	const isList = Array.isArray(value);
	const fields = Object.entries(value).slice(0, MOST_FIELDS + 1);
	const shown = fields.slice(0, MOST_FIELDS).map(([name, field]: [string, unknown]) => {
		const isNested = typeof field === 'object' && field !== null;
		const words = isNested ? (Array.isArray(field) ? '[…]' : '{…}') : wordsOf(field);
		return isList ? words : `"${oneLine(name, LONGEST_TEXT)}":${words}`;
	});
	if (fields.length > MOST_FIELDS) shown.push('…');
	return isList ? `[${shown.join(',')}]` : `{${shown.join(',')}}`;
}

/**
 * The text or number that a value is: itself, that of a list of one, or that under the first filled name of a label in an
 * object.
 *
 * @param names where it stands in an object
 */
export function readText(value: unknown, names: 'code' | 'label' = 'label'): FieldValue {
	if (isTextOrNumber(value)) return isFilled(value) ? value : undefined;
	if (!isGiven(value)) return undefined;
	if (Array.isArray(value)) {
		const filled = value.filter(isGiven);
		return filled.length === 1 ? readText(filled[0], names) : new Unreadable(wordsOf(value));
	}
	const field = fieldIn(value, names);
	return field === undefined ? new Unreadable(wordsOf(value)) : ((value as IDataObject)[field] as string);
}

/** The field of an object that says what it stands for: the first filled text or number of these names. */
export function fieldIn(value: unknown, names: 'amount' | 'code' | 'label'): string | undefined {
	if (!isObject(value)) return undefined;
	const isSaid = (inner: unknown) => isTextOrNumber(inner) && isFilled(inner);
	return contentShape(value)[names].find((field) => isSaid(value[field]));
}

/** Like {@link readText}, and `true` or `false` as such a word: `in_stock` is a flag. */
export const readTextOrFlag = (value: unknown): FieldValue =>
	typeof value === 'boolean' ? String(value) : readText(value);

/** What names a currency: a code, a sign that several share, or a word as it came. */
export type Currency = string | Unreadable | undefined;

/** Reads the name of a currency. ISO's numbers are no names that anybody compares by. */
export function readCurrency(value: unknown): Currency {
	const read = readText(value, 'code');
	if (read === undefined || read instanceof Unreadable) return read;
	return /^\s*\d+\s*$/.test(String(read)) ? new Unreadable(wordsOf(value)) : currencyOf(String(read));
}

/** The text or number of an amount of money, and the value that names its currency beside it. */
export function amountIn(value: unknown): { amount: FieldValue; currency?: unknown } {
	if (isTextOrNumber(value)) return { amount: isFilled(value) ? value : undefined };
	if (Array.isArray(value)) {
		const filled = value.filter(isGiven);
		return filled.length === 1 ? amountIn(filled[0]) : { amount: readText(value) };
	}
	if (!isObject(value)) return { amount: readText(value) };
	const shape = contentShape(value);
	const currency = shape.currency.map((field) => value[field]).find(isGiven);
	const isScaled = shape.scale.some((field) => isGiven(value[field]));
	const field = fieldIn(value, 'amount');
	if (!isScaled && field !== undefined) return { amount: value[field] as string, currency };
	const isOfCurrency = (name: string) => shape.currency.includes(name);
	const isEmpty = !Object.entries(value).some(([name, inner]) => isGiven(inner) && !isOfCurrency(name));
	return { amount: isEmpty ? undefined : new Unreadable(wordsOf(value)), currency };
}

/** An amount of money, which may be negative, and whose currency may be one that cannot be read. */
export interface Money {
	value: number;
	currency?: Currency;
}

/**
 * Reads an amount with its currency: that in its text or object, that beside it, or else the usual one.
 *
 * @param beside the currencies that the fields beside it name
 * @param usual the currency of amounts that name none
 */
export function readMoney(
	value: unknown,
	beside: readonly Currency[],
	usual?: Currency,
): Money | Unreadable | undefined {
	const { amount, currency } = amountIn(value);
	if (amount === undefined || amount instanceof Unreadable) return amount;
	const named = [readCurrency(currency), ...beside].filter((one) => one !== undefined);
	const unreadable = named.find((one) => one instanceof Unreadable);
	const codes = named.filter((one) => typeof one === 'string');
	const usualCode = typeof usual === 'string' ? usual : undefined;
	const isNegative = typeof amount === 'number' ? amount < 0 : /^\s*-/.test(amount);
	const figure = isNegative ? (figureOf(amount) ?? 0) : 0;
	const read: Amount | undefined = figure < 0 ? { value: figure } : amountOf(amount, codes[0] ?? usualCode);
	if (read === undefined) return new Unreadable(wordsOf(value));
	if (unreadable !== undefined) return { value: read.value, currency: unreadable };
	const said = agreedCurrency(read.currency, ...codes);
	if (said === null) return new Unreadable(`${wordsOf(value)} in ${codes.join(' or ')}`);
	return {
		value: read.value,
		currency: said === undefined ? usual : (agreedCurrency(said, usualCode) ?? said),
	};
}

/** `free` and its usual translations, which say nothing else. */
const FREE =
	/^(free|gratis|kostenlos|kostenfrei|versandkostenfrei|gratuite?|gratuit[ao]|grátis|darmowa|darmowy|bezpłatna|bezpłatny|zdarma|zadarmo|ingyenes|ilmainen|бесплатно|безкоштовно|ücretsiz|無料|免费)$/iu;

/** Reads shipping costs, like {@link readMoney}. */
export function readShipping(...given: Parameters<typeof readMoney>): ReturnType<typeof readMoney> {
	const [value, , usual] = given;
	const { amount } = amountIn(value);
	const isFree = typeof amount === 'string' && FREE.test(amount.slice(0, LONGEST_TEXT).trim());
	if (isFree) return { value: 0, currency: usual };
	const money = readMoney(...given);
	const isNegative = money !== undefined && !(money instanceof Unreadable) && money.value < 0;
	return isNegative ? new Unreadable(wordsOf(value)) : money;
}
