import { encodedBy, type Entry } from '../code/objects';
import { parseExpression, expressionPath } from '../code/parse';
import {
	isExpression,
	mergedTexts,
	parseTemplate,
	type Part,
	renderTemplate,
	splitTemplate,
	type Template,
} from '../code/template';

/** Decodes form or query text; never throws, even on invalid bytes. */
const decoded = (text: string): string =>
	new URLSearchParams(`v=${text.replace(/[&#]/g, encodeURIComponent)}`).get('v') ?? text;

const encodedCode = (code: string): string | undefined => encodedBy('encodeURIComponent', code);

/** Holes without the `encodeURIComponent` around their code. */
export const withoutEncoding = (parts: Template): Part[] =>
	parts.map((part) => ('text' in part ? part : { code: encodedCode(part.code) ?? part.code }));

function readPair(piece: Template): Entry | undefined {
	const [name = [], ...rest] = splitTemplate(piece, '=');
	if (name.length === 0) return undefined;
	const given = mergedTexts(rest.flatMap((part, index) => (index === 0 ? part : [{ text: '=' }, ...part])));
	let isBound = false;
	const value = given.map((part): Part => {
		if ('text' in part) return { text: decoded(part.text) };
		const inner = encodedCode(part.code);
		if (inner === undefined && !expressionPath(parseExpression(part.code))) isBound = true;
		return { code: inner ?? part.code };
	});
	const entry = {
		name: decoded(renderTemplate(name)),
		value: renderTemplate(value),
		raw: renderTemplate(given),
	};
	return isBound ? { ...entry, isBound } : entry;
}

/**
 * Reads `a=b&c={{ d }}` from an address or a form into entries. Decodes fixed text and the arguments of
 * `encodeURIComponent`.
 */
export const readPairs = (parts: Template): Entry[] =>
	splitTemplate(parts, '&').flatMap((piece) => readPair(piece) ?? []);

/** Whether a hole inserts data unencoded, so that `+`, `%` and `&` get a special meaning. */
export const isUnencoded = ({ raw }: Entry): boolean =>
	isExpression(raw) &&
	parseTemplate(raw).some((part) => 'code' in part && encodedCode(part.code) === undefined);

const encoded = (text: string): string => encodeURIComponent(text).replace(/%2C/g, ',');

function writeValue({ value, raw }: Entry): Part[] {
	if (raw !== undefined) return parseTemplate(raw);
	return parseTemplate(typeof value === 'string' ? value : JSON.stringify(value ?? '')).map((part) =>
		'text' in part ? { text: encoded(part.text) } : { code: `encodeURIComponent(${part.code})` },
	);
}

/** Writes entries as `a=b&c={{ d }}`, the reverse of `readPairs`; unchanged entries stay as they were. */
export const writePairs = (entries: readonly Entry[]): Part[] =>
	entries.flatMap((entry, index) => [
		{ text: `${index === 0 ? '' : '&'}${encoded(entry.name)}=` },
		...writeValue(entry),
	]);
