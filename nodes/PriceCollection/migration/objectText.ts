import type { Entry } from './parameters';
import type { Part } from './scan';
import { splitTopLevel, stringLiteral, templatePieces } from './scan';
import { flattenCode, parseTemplate, renderTemplate } from './template';

/**
 * Objects that stand as text in a parameter: JSON, JSON with `{{ … }}` in it, and JavaScript
 * object literals inside one expression. They are read into entries and written back with
 * everything that was not changed exactly as it stood.
 */
export interface ObjectText {
	entries: Entry[];
	/** Writes the parameter's value anew. */
	write: (entries: readonly Entry[]) => unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const entriesOf = (record: Record<string, unknown>): Entry[] =>
	Object.entries(record).map(([name, value]) => ({ name, value }));

const objectOf = (entries: readonly Entry[]): Record<string, unknown> =>
	Object.fromEntries(entries.map(({ name, value }) => [name, value]));

/** A text in JSON with its expressions left as they are. */
const jsonString = (value: string): string =>
	`"${parseTemplate(value)
		.map((part) => ('text' in part ? JSON.stringify(part.text).slice(1, -1) : `{{ ${part.code} }}`))
		.join('')}"`;

const jsonValue = ({ value, raw }: Entry): string =>
	raw ?? (typeof value === 'string' ? jsonString(value) : JSON.stringify(value ?? null));

const jsonText = (entries: readonly Entry[]): string =>
	`{\n${entries.map((entry) => `  ${JSON.stringify(entry.name)}: ${jsonValue(entry)}`).join(',\n')}\n}`;

/**
 * Marks of expressions while the text around them is read as JSON, within and outside a string:
 * characters for private use, which no parameter has by accident.
 */
const IN_STRING = (index: number): string => `\uE000${index}\uE000`;
const BARE = (index: number): string => `"\uE001${index}\uE001"`;

function marked(parts: readonly Part[]): string {
	let text = '';
	for (const [index, part] of parts.entries()) {
		if ('text' in part) text += part.text;
		else {
			const quotes = text.replace(/\\./g, '').split('"').length - 1;
			text += quotes % 2 === 1 ? IN_STRING(index) : BARE(index);
		}
	}
	return text;
}

/** A list or object with marks as JavaScript; never with `}}`, which would end the expression. */
function literalOf(value: unknown, parts: readonly Part[]): string {
	const codeAt = (index: string): string => {
		const part = parts[Number(index)];
		return part && 'code' in part ? part.code : '';
	};
	if (Array.isArray(value)) return `[${value.map((one) => literalOf(one, parts)).join(', ')}]`;
	if (isRecord(value)) {
		const rows = Object.entries(value).map(
			([name, one]) => `${JSON.stringify(name)}: ${literalOf(one, parts)}`,
		);
		return `{ ${rows.join(', ')} }`;
	}
	if (typeof value !== 'string') return JSON.stringify(value);
	const bare = /^\uE001(\d+)\uE001$/.exec(value)?.[1];
	if (bare !== undefined) return codeAt(bare);
	if (!value.includes('\uE000')) return JSON.stringify(value);
	const text = value.replace(/[`\\]|\$\{/g, '\\$&');
	return `\`${text.replace(/\uE000(\d+)\uE000/g, (_all, index: string) => hole(codeAt(index)))}\``;
}

function readJsonTemplate(value: string): ObjectText | undefined {
	const parts = parseTemplate(value);
	const record = parseJson(marked(parts));
	if (!isRecord(record)) return undefined;
	const codeAt = (index: string): string => {
		const part = parts[Number(index)];
		return part && 'code' in part ? `{{ ${part.code} }}` : '';
	};
	const restored = (text: string): string =>
		text
			.replace(/"\uE001(\d+)\uE001"/g, (_all, index: string) => codeAt(index))
			.replace(/\uE000(\d+)\uE000/g, (_all, index: string) => codeAt(index));
	const plain = (text: string): string =>
		text.replace(/([\uE000\uE001])(\d+)\1/g, (_all, _mark, index: string) => codeAt(index));
	const entries = Object.entries(record).map(([name, entry]): Entry => {
		const raw = restored(JSON.stringify(entry));
		if (typeof entry !== 'string') {
			const hasCode = raw.includes('{{');
			return { name, value: hasCode ? `={{ ${literalOf(entry, parts)} }}` : entry, raw };
		}
		const text = plain(entry);
		return { name, value: text === entry ? text : `=${text}`, raw };
	});
	return { entries, write: (changed) => `=${jsonText(changed)}` };
}

/** A hole of a template literal; never with `}}`, which would end the expression around it. */
const hole = (code: string): string => `\${${code}${code.endsWith('}') ? ' ' : ''}}`;

/** The value of a piece of code, as an n8n parameter value. */
function valueOf(code: string): unknown {
	const text = code.trim();
	const literal = stringLiteral(text);
	if (literal !== undefined) return literal;
	if (/^(-?\d+(\.\d+)?|true|false|null)$/.test(text)) return parseJson(text);
	return renderTemplate(templatePieces(text) ? flattenCode(text) : [{ code: text }]);
}

const codeOf = ({ value, raw }: Entry): string => {
	if (raw !== undefined) return raw;
	if (typeof value !== 'string') return JSON.stringify(value ?? null);
	const parts = parseTemplate(value);
	const [only, more] = parts;
	if (only && !more && 'code' in only) return only.code;
	if (!parts.some((part) => 'code' in part)) return JSON.stringify(value);
	return `\`${parts.map((part) => ('text' in part ? part.text : hole(part.code))).join('')}\``;
};

function literalEntry(piece: string): Entry | undefined {
	const shorthand = /^\s*([A-Za-z_$][\w$]*)\s*$/.exec(piece)?.[1];
	if (shorthand) return { name: shorthand, value: `={{ ${shorthand} }}`, raw: shorthand };
	const match = /^\s*(?:([A-Za-z_$][\w$]*)|"([^"\\]*)"|'([^'\\]*)')\s*:([\s\S]*)$/.exec(piece);
	const name = match?.[1] ?? match?.[2] ?? match?.[3];
	const raw = match?.[4]?.trim();
	return name === undefined || !raw ? undefined : { name, value: valueOf(raw), raw };
}

const OBJECT_CODE = /^(JSON\.stringify\s*\(\s*|\(\s*)?\{([\s\S]*)\}(\s*(?:,[^{}()]*)?\))?$/;

/** An expression that is one object literal, bare, in brackets or in `JSON.stringify`. */
function readObjectLiteral(value: string): ObjectText | undefined {
	const [only, more] = parseTemplate(value);
	if (!only || more || !('code' in only)) return undefined;
	const [, before = '', inner = '', after = ''] = OBJECT_CODE.exec(only.code) ?? [];
	if ((before === '') !== (after === '')) return undefined;
	const pieces = splitTopLevel(inner, ',')?.filter((piece) => piece.trim() !== '');
	const entries = pieces?.map(literalEntry);
	if (!entries?.length || entries.includes(undefined)) return undefined;
	return {
		entries: entries.filter((entry) => entry !== undefined),
		write: (changed) => {
			const rows = changed.map((entry) => `${JSON.stringify(entry.name)}: ${codeOf(entry)}`);
			return `={{ ${before}{ ${rows.join(', ')} }${after.trim()} }}`;
		},
	};
}

/** Reads an object out of a parameter's value; undefined when it is put together in another way. */
export function readObjectText(value: unknown): ObjectText | undefined {
	if (isRecord(value)) return { entries: entriesOf(value), write: objectOf };
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	if (value.startsWith('=')) return readObjectLiteral(value) ?? readJsonTemplate(value);
	const record = parseJson(value);
	if (!isRecord(record)) return undefined;
	return { entries: entriesOf(record), write: (changed) => JSON.stringify(objectOf(changed), null, 2) };
}
