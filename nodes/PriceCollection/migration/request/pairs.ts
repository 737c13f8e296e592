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

/** Decodes form or query text. Never throws, even for invalid bytes. */
const decoded = (text: string): string =>
	new URLSearchParams(`v=${text.replace(/[&#]/g, encodeURIComponent)}`).get('v') ?? text;

const encodedCode = (code: string): string | undefined => encodedBy('encodeURIComponent', code);

/** Strips `encodeURIComponent(…)` around the holes' code. */
export const withoutEncoding = (parts: Template): Part[] =>
	parts.map((part) => ('text' in part ? part : { code: encodedCode(part.code) ?? part.code }));

function readPair(piece: Template): Entry | undefined {
	const [name = [], ...rest] = splitTemplate(piece, '=');
	if (name.length === 0) return undefined;
	const valueParts = mergedTexts(
		rest.flatMap((part, index) => (index === 0 ? part : [{ text: '=' }, ...part])),
	);
	let isBound = false;
	const value = valueParts.map((part): Part => {
		if ('text' in part) return { text: decoded(part.text) };
		const inner = encodedCode(part.code);
		if (inner === undefined && !expressionPath(parseExpression(part.code))) isBound = true;
		return { code: inner ?? part.code };
	});
	const entry = {
		name: decoded(renderTemplate(name)),
		value: renderTemplate(value),
		raw: renderTemplate(valueParts),
	};
	return isBound ? { ...entry, isBound } : entry;
}

/** Reads `a=b&c={{ d }}` from an address or form. Decodes fixed text, and strips `encodeURIComponent(…)` around code. */
export const readPairs = (parts: Template): Entry[] =>
	splitTemplate(parts, '&').flatMap((piece) => readPair(piece) ?? []);

/** Whether a hole inserts data without encoding it, so that `+`, `%` and `&` have a special meaning. */
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

/** Writes entries as `a=b&c={{ d }}`, the reverse of `readPairs`. Unchanged values stay as they were. */
export const writePairs = (entries: readonly Entry[]): Part[] =>
	entries.flatMap((entry, index) => [
		{ text: `${index === 0 ? '' : '&'}${encoded(entry.name)}=` },
		...writeValue(entry),
	]);
