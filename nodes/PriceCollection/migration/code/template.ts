import { unwrapped, type Code, fixedText, parseExpression, sliceOf } from './parse';

/** A part of a text: fixed text, or the code of a hole such as `{{ … }}`. */
export type Part = { text: string } | { code: string };

/** A parsed parameter value. `=a{{ b }}c` is text, code, text. */
export type Template = readonly Part[];

/** Whether a parameter value is an expression. */
export const isExpression = (value: unknown): value is `=${string}` =>
	typeof value === 'string' && value.startsWith('=');

/** Joins adjacent texts and drops empty ones. */
export function mergedTexts(parts: Template): Part[] {
	const result: Part[] = [];
	for (const part of parts) {
		const last = result.at(-1);
		if ('text' in part && last && 'text' in last)
			result[result.length - 1] = { text: last.text + part.text };
		else if ('code' in part || part.text !== '') result.push(part);
	}
	return result;
}

/** Parses a parameter value as n8n does: the first `}}` ends an expression. */
export function parseTemplate(value: string): Part[] {
	if (!value.startsWith('=')) return mergedTexts([{ text: value }]);
	const parts: Part[] = [];
	let position = 1;
	while (position < value.length) {
		const open = value.indexOf('{{', position);
		const close = open < 0 ? -1 : value.indexOf('}}', open + 2);
		if (close < 0) break;
		parts.push({ text: value.slice(position, open) }, { code: value.slice(open + 2, close).trim() });
		position = close + 2;
	}
	return mergedTexts([...parts, { text: value.slice(position) }]);
}

/** Renders a template as a parameter value: an expression if it contains code or begins with `=`, else plain text. */
export function renderTemplate(parts: Template): string {
	const body = parts.map((part) => ('text' in part ? part.text : `{{ ${part.code} }}`)).join('');
	if (parts.some((part) => 'code' in part)) return `=${body}`;
	return isExpression(body) ? `={{ ${JSON.stringify(body)} }}` : body;
}

/** The code of a parameter value that is exactly one expression; undefined for any other value. */
export function soleCode(value: unknown): string | undefined {
	const [part, more] = isExpression(value) ? parseTemplate(value) : [];
	return part && !more && 'code' in part ? part.code : undefined;
}

/** Whether code certainly returns text: a string, a template literal, or a `+` with one of these. */
function isText(node: Code): boolean {
	const inner = unwrapped(node);
	if (inner.type === 'TemplateLiteral' || fixedText(inner) !== undefined) return true;
	return (
		inner.type === 'BinaryExpression' &&
		inner.operator === '+' &&
		(isText(inner.left) || isText(inner.right))
	);
}

function flatten(node: Code, code: string): Part[] {
	const inner = unwrapped(node);
	const text = fixedText(inner);
	if (text !== undefined) return [{ text }];
	if (inner.type === 'TemplateLiteral') {
		const { quasis, expressions } = inner;
		return quasis.flatMap(({ value }, index) => {
			const hole = expressions[index];
			return [{ text: value.cooked ?? '' }, ...(hole ? [{ code: sliceOf(code, hole) }] : [])];
		});
	}
	if (inner.type !== 'BinaryExpression' || !isText(inner) || inner.operator !== '+') {
		return [{ code: sliceOf(code, node) }];
	}
	return [...flatten(inner.left, code), ...flatten(inner.right, code)];
}

/** Splits code that joins texts into its parts; other code stays one part. */
export function flattenCode(code: string): Part[] {
	const node = parseExpression(code);
	return node ? mergedTexts(flatten(node, code)) : [{ code }];
}

/** Parses a parameter value, and splits code that joins texts. */
export const flattenTemplate = (value: string): Part[] =>
	mergedTexts(parseTemplate(value).flatMap((part) => ('text' in part ? [part] : flattenCode(part.code))));

/** A hole for a template literal, with a space where `}}` would end the surrounding n8n expression. */
const templateHole = (code: string): string => `\${${code}${code.endsWith('}') ? ' ' : ''}}`;

/** A parameter value as JavaScript code. */
export function codeOf(value: unknown): string {
	if (!isExpression(value)) return JSON.stringify(value ?? null);
	const parts = parseTemplate(value);
	const texts = parts.map((part) =>
		'text' in part ? part.text.replace(/[`\\]|\$\{/g, '\\$&') : templateHole(part.code),
	);
	return soleCode(value) ?? `\`${texts.join('')}\``;
}

/** Splits a template at each separator in its texts; separators in code do not count. */
export function splitTemplate(parts: Template, separator: string): Part[][] {
	const pieces: Part[][] = [[]];
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
