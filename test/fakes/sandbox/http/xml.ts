import { XMLBuilder } from 'fast-xml-parser';
import { exactDigits } from '../content/exactNumber.ts';
import type { SandboxOptions } from '../options.ts';

/** XML in the style of Rails' `to_xml`: dashed names, `type` and `nil` attributes, singular children. */

type Node = Record<string, unknown>;

const SINGULARS: Record<string, string> = {
	data: 'datum',
	delivery_info: 'delivery_info',
	properties: 'property',
	search_results: 'search_result',
};

function singularOf(name: string): string {
	const known = SINGULARS[name];
	if (known !== undefined) return known;
	if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
	return name.endsWith('s') ? name.slice(0, -1) : name;
}

const elementName = (name: string) => name.replaceAll('_', '-');

const NILS: Record<SandboxOptions['xmlNil'], Node> = {
	nil: { '@_nil': 'true' },
	empty: { '#text': '' },
	absent: { '@_nil': 'true' },
};

function nodeOf(name: string, value: unknown, style: SandboxOptions): Node {
	if (value === null || value === undefined) return NILS[style.xmlNil];
	if (Array.isArray(value)) return listNode(name, value, style);
	const digits = typeof value === 'number' ? String(value) : exactDigits(value);
	if (digits === undefined && typeof value === 'object') return fieldsOf(value, style);
	const text = digits ?? String(value);
	const scalar = (type: string): Node => ({ '@_type': type, '#text': text });
	if (digits !== undefined) return scalar(/^-?\d+$/.test(digits) ? 'integer' : 'float');
	if (typeof value === 'boolean') return scalar('boolean');
	if (name === 'status') return scalar('symbol');
	if (name.endsWith('_at') && /^\d{4}-\d\d-\d\dT[\d:.]+Z?$/.test(text)) return scalar('dateTime');
	return { '#text': text };
}

function listNode(name: string, list: unknown[], style: SandboxOptions): Node {
	const child = singularOf(name);
	const children = list.map((entry) => nodeOf(child, entry, style));
	return { '@_type': 'array', ...(children.length > 0 ? { [elementName(child)]: children } : {}) };
}

function fieldsOf(value: object, style: SandboxOptions): Node {
	const entries = Object.entries(value).filter(
		([, field]) => field !== undefined && !(field === null && style.xmlNil === 'absent'),
	);
	return Object.fromEntries(
		entries.map(([name, field]) => [elementName(name), nodeOf(name, field, style)]),
	);
}

function builder(style: SandboxOptions): XMLBuilder {
	return new XMLBuilder({
		attributeNamePrefix: '@_',
		format: style.xmlIndent,
		ignoreAttributes: false,
		indentBy: '  ',
		processEntities: true,
		suppressBooleanAttributes: false,
		suppressEmptyNode: true,
	});
}

/** One element with its content, without declaration. */
export function xmlElement(name: string, value: unknown, style: SandboxOptions): string {
	return builder(style).build({ [elementName(name)]: nodeOf(name, value, style) }) as string;
}

type Encoding = SandboxOptions['xmlEncoding'];

const NAMES: Record<Encoding, string> = {
	utf8: 'UTF-8',
	utf8Bom: 'UTF-8',
	latin1: 'ISO-8859-1',
	utf16leBom: 'UTF-16',
	utf16beBom: 'UTF-16',
};

/** What precedes the root: byte order mark, blank line, declaration. */
function xmlHead(options: SandboxOptions): string {
	const mark = options.xmlEncoding.endsWith('Bom') ? '\uFEFF' : '';
	const declaration = `<?xml version="1.0" encoding="${NAMES[options.xmlEncoding]}"?>\n`;
	if (options.xmlDeclaration === 'none') return mark;
	return mark + (options.xmlDeclaration === 'afterBlankLine' ? `\n${declaration}` : declaration);
}

/** Encodes a piece of a document, which must be cut between characters. */
export function xmlBytes(text: string, encoding: Encoding): Buffer {
	switch (encoding) {
		case 'latin1':
			return Buffer.from(
				text.replace(/[^\u0000-\u00ff]/gu, (letter) => `&#${letter.codePointAt(0)};`),
				'latin1',
			);
		case 'utf16leBom':
			return Buffer.from(text, 'utf16le');
		case 'utf16beBom':
			return Buffer.from(text, 'utf16le').swap16();
		default:
			return Buffer.from(text);
	}
}

/** Content-Type of XML in the encoding that is switched on. */
export function xmlContentType({ charset, xmlEncoding }: SandboxOptions): string {
	return charset === 'omitted'
		? 'application/xml'
		: `application/xml; charset=${NAMES[xmlEncoding].toLowerCase()}`;
}

/** A whole document as text. The children of a list have the singular of `root`. */
export function xmlDocument(root: string, value: unknown, options: SandboxOptions): string {
	return xmlHead(options) + xmlElement(root, value, options);
}
