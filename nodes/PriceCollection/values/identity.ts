import { createHash } from 'node:crypto';

import { isObject } from '../service/types';
import { withoutLeadingZeros } from './gtin';

/**
 * What identifies a value that is bought: its text, but a GTIN without leading zeros, because services add and strip
 * them.
 */
export function identityOf(key: string, value: string): string {
	return key === 'gtin' ? withoutLeadingZeros(value) : value;
}

/**
 * Folds a text so that it matches a service's echo in another spelling: drops differences of case, width, accents and
 * punctuation, invisible characters and leading zeros. Keeps punctuation if there is nothing else.
 */
export function folded(text: string): string {
	// A shortcut for identifiers, the most frequent values.
	if (/^[a-z\d]*$/i.test(text)) return withoutLeadingZeros(text.toLowerCase());
	// Lower, upper and lower case again also unifies letters without a one-to-one mapping, such as ß and ẞ.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	const plain = caseless.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
	const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return withoutLeadingZeros(words === '' ? plain.replace(/\s+/g, ' ').trim() : words);
}

/** A text that is the same for equal parameters, in any order and with numbers and booleans also as text. */
export function canonical(parameters: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(parameters, (_name, value: unknown) => {
		if (!isObject(value))
			return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
		return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
