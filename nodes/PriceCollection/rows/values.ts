import type { IDataObject } from 'n8n-workflow';

import { contentShape, isGiven } from '../service/names';
import { oneLine } from '../service/text';
import { figureOf, isFilled, isObject, isTextOrNumber } from '../service/types';
import { agreedCurrency, amountOf, currencyOf, type Amount } from './amounts';

/**
 * A filled value that cannot be read. It is never treated as absent: an unreadable condition does not count as new, nor an
 * unreadable currency as the default one; an unreadable shop may be an ignored one, and an unreadable price is no price.
 */
export class Unreadable {
	/** @param words the value as messages show it */
	constructor(readonly words: string) {}
}

/** The content of a field: a text, a number, or something unreadable; undefined if the field is empty. */
export type FieldValue = string | number | Unreadable | undefined;

const [LONGEST_TEXT, MOST_FIELDS] = [40, 4];

/** The start of any value for messages, similar to JSON, with `…` for the parts that are left out. */
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
 * Reads a text or number: the value itself, the only filled element of a list, or the field of an object that
 * {@link fieldIn} finds.
 *
 * @param meaning which field of an object to read
 */
export function readText(value: unknown, meaning: 'code' | 'label' = 'label'): FieldValue {
	if (isTextOrNumber(value)) return isFilled(value) ? value : undefined;
	if (!isGiven(value)) return undefined;
	if (Array.isArray(value)) {
		const filled = value.filter(isGiven);
		return filled.length === 1 ? readText(filled[0], meaning) : new Unreadable(wordsOf(value));
	}
	const field = fieldIn(value, meaning);
	return field === undefined ? new Unreadable(wordsOf(value)) : ((value as IDataObject)[field] as string);
}

/** The name of the first field with a meaning that holds a text or number, in an object that stands for a value. */
export function fieldIn(value: unknown, meaning: 'amount' | 'code' | 'label'): string | undefined {
	if (!isObject(value)) return undefined;
	const isReadable = (inner: unknown) => isTextOrNumber(inner) && isFilled(inner);
	return contentShape(value)[meaning].find((field) => isReadable(value[field]));
}

/** Like {@link readText}, but also reads a boolean, as `true` or `false`: `in_stock` is a flag. */
export const readTextOrFlag = (value: unknown): FieldValue =>
	typeof value === 'boolean' ? String(value) : readText(value);

/** A currency: a code, a sign that several currencies share, or an unknown word in capitals. */
export type Currency = string | Unreadable | undefined;

/** Reads a currency. Numeric codes, as in ISO 4217, are unreadable, because currencies are compared by letter codes. */
export function readCurrency(value: unknown): Currency {
	const read = readText(value, 'code');
	if (read === undefined || read instanceof Unreadable) return read;
	return /^\s*\d+\s*$/.test(String(read)) ? new Unreadable(wordsOf(value)) : currencyOf(String(read));
}

/** The text or number of an amount of money, and the currency field beside it, not yet read. */
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
	const isCurrencyField = (name: string) => shape.currency.includes(name);
	const isEmpty = !Object.entries(value).some(([name, inner]) => isGiven(inner) && !isCurrencyField(name));
	return { amount: isEmpty ? undefined : new Unreadable(wordsOf(value)), currency };
}

/** An amount of money. It may be negative, and its currency may be unreadable. */
export interface Money {
	value: number;
	currency?: Currency;
}

/**
 * Reads an amount with its currency, which is named in its text or object or in fields beside it, or else is the default
 * one. An amount with contradictory currencies is unreadable.
 *
 * @param beside the currencies named by fields beside the amount
 * @param defaultCurrency the currency of amounts that name none
 */
export function readMoney(
	value: unknown,
	beside: readonly Currency[],
	defaultCurrency?: Currency,
): Money | Unreadable | undefined {
	const { amount, currency } = amountIn(value);
	if (amount === undefined || amount instanceof Unreadable) return amount;
	const namedCurrencies = [readCurrency(currency), ...beside].filter((one) => one !== undefined);
	const unreadable = namedCurrencies.find((one) => one instanceof Unreadable);
	const codes = namedCurrencies.filter((one) => typeof one === 'string');
	const defaultCode = typeof defaultCurrency === 'string' ? defaultCurrency : undefined;
	const isNegative = typeof amount === 'number' ? amount < 0 : /^\s*-/.test(amount);
	const figure = isNegative ? (figureOf(amount) ?? 0) : 0;
	const read: Amount | undefined =
		figure < 0 ? { value: figure } : amountOf(amount, codes[0] ?? defaultCode);
	if (read === undefined) return new Unreadable(wordsOf(value));
	if (unreadable !== undefined) return { value: read.value, currency: unreadable };
	const agreed = agreedCurrency(read.currency, ...codes);
	if (agreed === null) return new Unreadable(`${wordsOf(value)} in ${codes.join(' or ')}`);
	return {
		value: read.value,
		currency: agreed === undefined ? defaultCurrency : (agreedCurrency(agreed, defaultCode) ?? agreed),
	};
}

/** The word `free` and its usual translations, without any other words. */
const FREE =
	/^(free|gratis|kostenlos|kostenfrei|versandkostenfrei|gratuite?|gratuit[ao]|grátis|darmowa|darmowy|bezpłatna|bezpłatny|zdarma|zadarmo|ingyenes|ilmainen|бесплатно|безкоштовно|ücretsiz|無料|免费)$/iu;

/** Like {@link readMoney}, for shipping costs: words for `free` are read as 0, and a negative amount is unreadable. */
export function readShipping(...input: Parameters<typeof readMoney>): ReturnType<typeof readMoney> {
	const [value, , defaultCurrency] = input;
	const { amount } = amountIn(value);
	const isFree = typeof amount === 'string' && FREE.test(amount.slice(0, LONGEST_TEXT).trim());
	if (isFree) return { value: 0, currency: defaultCurrency };
	const money = readMoney(...input);
	const isNegative = money !== undefined && !(money instanceof Unreadable) && money.value < 0;
	return isNegative ? new Unreadable(wordsOf(value)) : money;
}
