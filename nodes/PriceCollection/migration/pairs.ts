import type { Template } from './template';
import { parseTemplate, renderTemplate } from './template';

/** A `name=value` pair of an address; the value is an n8n parameter value. */
export interface QueryPair {
	name: string;
	value: string;
}

/** Splits a template at a character of its texts. */
export function splitTemplate(parts: Template, separator: string): Template[] {
	const pieces: Template[] = [[]];
	for (const part of parts) {
		if ('code' in part) {
			pieces.at(-1)?.push(part);
			continue;
		}
		for (const [index, text] of part.text.split(separator).entries()) {
			if (index > 0) pieces.push([]);
			if (text !== '') pieces.at(-1)?.push({ text });
		}
	}
	return pieces;
}

const decoded = (text: string): string =>
	/%[0-9a-f]{2}/i.test(text) && !/%(?![0-9a-f]{2})/i.test(text) ? safeDecode(text) : text;

/** Unlike `decodeURIComponent` it never throws, whatever bytes the text stands for. */
const safeDecode = (text: string): string =>
	[...new URLSearchParams(`v=${text.replace(/\+/g, '%2B').replace(/&/g, '%26')}`).values()][0] ?? text;

/** Reads `a=b&c={{ d }}` into pairs whose values are n8n parameter values. */
export function readPairs(parts: Template): QueryPair[] {
	const pairs: QueryPair[] = [];
	for (const piece of splitTemplate(parts, '&')) {
		const [name = [], ...rest] = splitTemplate(piece, '=');
		if (name.length === 0) continue;
		const value = rest.flatMap((part, index) => (index === 0 ? part : [{ text: '=' }, ...part]));
		const plain = value.map((part) => ('text' in part ? { text: decoded(part.text) } : part));
		pairs.push({ name: decoded(renderTemplate(name)), value: renderTemplate(plain) });
	}
	return pairs;
}

const encoded = (text: string): string => encodeURIComponent(text).replace(/%2C/g, ',');

/** Writes pairs as `a=b&c={{ d }}`, the reverse of `readPairs`. */
export function writePairs(pairs: readonly QueryPair[]): Template {
	return pairs.flatMap(({ name, value }, index) => [
		{ text: `${index === 0 ? '' : '&'}${encoded(name)}=` },
		...parseTemplate(value).map((part) => ('text' in part ? { text: encoded(part.text) } : part)),
	]);
}
