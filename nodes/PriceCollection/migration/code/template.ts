import { unwrapped, type Code, fixedText, parseExpression, sliceOf } from './parse';

/** A part of a text: fixed text, or the code of a hole such as `{{ … }}`. */
export type Part = { text: string } | { code: string };

/** A parsed parameter value. `=a{{ b }}c` is text, code, text. */
export type Template = readonly Part[];

/** Whether a parameter value is an expression. */
export const isExpression = (value: unknown): value is `=${string}` =>
	typeof value === 'string' && value.startsWith('=');

/** The parts with adjacent texts joined and empty ones removed. */
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

/** Parses an n8n parameter value like n8n: the first `}}` ends an expression. */
export function parseTemplate(value: string): Part[] {
	if (!value.startsWith('=')) return mergedTexts([{ text: value }]);
	const parts: Part[] = [];
	let at = 1;
	while (at < value.length) {
		const open = value.indexOf('{{', at);
		const close = open < 0 ? -1 : value.indexOf('}}', open + 2);
		if (close < 0) break;
		parts.push({ text: value.slice(at, open) }, { code: value.slice(open + 2, close).trim() });
		at = close + 2;
	}
	return mergedTexts([...parts, { text: value.slice(at) }]);
}

/** The parameter value of a template: plain text, or an expression if it contains code. */
export function renderTemplate(parts: Template): string {
	const body = parts.map((part) => ('text' in part ? part.text : `{{ ${part.code} }}`)).join('');
	if (parts.some((part) => 'code' in part)) return `=${body}`;
	return isExpression(body) ? `={{ ${JSON.stringify(body)} }}` : body;
}

/** The code of a value that consists of one expression. */
export function soleCode(value: unknown): string | undefined {
	const [part, more] = isExpression(value) ? parseTemplate(value) : [];
	return part && !more && 'code' in part ? part.code : undefined;
}

/** Whether `+` at this node joins texts. */
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

/** Splits code that only builds a text into parts; other code stays one part. */
export function flattenCode(code: string): Part[] {
	const node = parseExpression(code);
	return node ? mergedTexts(flatten(node, code)) : [{ code }];
}

/** Parses a parameter value, including texts that its code builds. */
export const flattenTemplate = (value: string): Part[] =>
	mergedTexts(parseTemplate(value).flatMap((part) => ('text' in part ? [part] : flattenCode(part.code))));

/** A hole of a template literal; without `}}`, which would end the surrounding expression. */
const hole = (code: string): string => `\${${code}${code.endsWith('}') ? ' ' : ''}}`;

/** A parameter value as JavaScript code. */
export function codeOf(value: unknown): string {
	if (!isExpression(value)) return JSON.stringify(value ?? null);
	const parts = parseTemplate(value);
	const texts = parts.map((part) =>
		'text' in part ? part.text.replace(/[`\\]|\$\{/g, '\\$&') : hole(part.code),
	);
	return soleCode(value) ?? `\`${texts.join('')}\``;
}

/** Splits a template at a character in its texts. */
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
