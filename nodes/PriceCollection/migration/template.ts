import type { Part } from './scan';
import { closeOf, codeMask, splitTopLevel, stringLiteral, templatePieces } from './scan';

/** A parameter value taken apart. `=a{{ b }}c` is text, code, text. */
export type Template = Part[];

/** Appends a part; neighbouring texts become one. */
function append(parts: Template, part: Part): void {
	const last = parts.at(-1);
	if ('text' in part && last && 'text' in last) last.text += part.text;
	else if (!('text' in part) || part.text !== '') parts.push({ ...part });
}

const joined = (parts: Template): Template => {
	const result: Template = [];
	for (const part of parts) append(result, part);
	return result;
};

/** Takes an n8n parameter value apart as n8n does: the first `}}` ends an expression. */
export function parseTemplate(value: string): Template {
	if (!value.startsWith('=')) return value === '' ? [] : [{ text: value }];
	const parts: Template = [];
	let at = 1;
	while (at < value.length) {
		const open = value.indexOf('{{', at);
		const close = open < 0 ? -1 : value.indexOf('}}', open + 2);
		if (close < 0) break;
		append(parts, { text: value.slice(at, open) });
		append(parts, { code: value.slice(open + 2, close).trim() });
		at = close + 2;
	}
	append(parts, { text: value.slice(at) });
	return parts;
}

/** The parameter value of a template: plain text, or an expression when there is code in it. */
export function renderTemplate(parts: Template): string {
	const body = joined(parts)
		.map((part) => ('text' in part ? part.text : `{{ ${part.code} }}`))
		.join('');
	return parts.some((part) => 'code' in part) ? `=${body}` : body;
}

/**
 * Takes a piece of code apart that only builds a text: a quoted string, a template literal, or
 * operands joined by `+` of which one of the first two is a string. Anything else stays code.
 */
export function flattenCode(code: string): Template {
	const trimmed = code.trim();
	const literal = stringLiteral(trimmed);
	if (literal !== undefined) return literal === '' ? [] : [{ text: literal }];
	const pieces = templatePieces(trimmed);
	if (pieces) return joined(pieces);
	const operands = splitTopLevel(trimmed, '+');
	if (!operands || operands.length < 2 || operands.some((operand) => operand.trim() === '')) {
		return [{ code: trimmed }];
	}
	if (/[?:<>|&,;]/.test(withoutStrings(trimmed))) return [{ code: trimmed }];
	const startsAsText = operands
		.slice(0, 2)
		.some((operand) => stringLiteral(operand) !== undefined || operand.trim().startsWith('`'));
	return startsAsText ? joined(operands.flatMap(flattenCode)) : [{ code: trimmed }];
}

/** The code of a text outside strings and brackets, where an operator would bind looser than `+`. */
function withoutStrings(code: string): string {
	const mask = codeMask(code);
	let text = '';
	for (let at = 0; at < code.length; at++) {
		if (!mask[at]) continue;
		if (code[at] === '(' || code[at] === '[') at = (closeOf(code, at, mask) ?? at + 1) - 1;
		else text += code[at] ?? '';
	}
	return text;
}

/** A parameter value taken apart as far as texts can be told from data. */
export const flattenTemplate = (value: string): Template =>
	joined(parseTemplate(value).flatMap((part) => ('text' in part ? [part] : flattenCode(part.code))));

/** Whether a parameter value is an expression. */
export const isExpression = (value: unknown): value is `=${string}` =>
	typeof value === 'string' && value.startsWith('=');
