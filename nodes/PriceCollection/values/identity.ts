import { createHash } from 'node:crypto';

import { isObject } from '../service/types';
import { withoutLeadingZeros } from './gtin';

/**
 * What identifies a purchase: the text, or for GTINs the number, because the service itself adds and strips
 * leading zeros.
 */
export function identityOf(key: string, value: string): string {
	return key === 'gtin' ? withoutLeadingZeros(value) : value;
}

/**
 * A text as services may echo it: without case, width, accents, punctuation, invisible characters and leading zeros.
 * Punctuation stays if there is nothing else.
 */
export function folded(text: string): string {
	// Identifiers, the most frequent values, need no Unicode.
	if (/^[a-z\d]*$/i.test(text)) return withoutLeadingZeros(text.toLowerCase());
	// Down, up and down again also unifies letters without a one-to-one case, such as both sharp s.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	const plain = caseless.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
	const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return withoutLeadingZeros(words === '' ? plain.replace(/\s+/g, ' ').trim() : words);
}

/** The same text for equal parameters, regardless of their order and of numbers written as text. */
export function canonical(parameters: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(parameters, (_name, value: unknown) => {
		if (!isObject(value))
			return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
		return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
