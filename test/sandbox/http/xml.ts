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

const NAMESPACE = 'https://price-collection.example/xml';
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** An element's name: dashed, and below a prefix where the style has one. */
function elementName(name: string, style: SandboxOptions): string {
	const dashed = name.replaceAll('_', '-');
	return style.xmlNamespace === 'prefixed' ? `pc:${dashed}` : dashed;
}

/** Attributes that the root needs for the style, with a blank before each. */
function rootAttributes(style: SandboxOptions): string {
	const named = { none: '', default: ` xmlns="${NAMESPACE}"`, prefixed: ` xmlns:pc="${NAMESPACE}"` };
	return named[style.xmlNamespace] + (style.xmlNil === 'iNil' ? ` xmlns:i="${INSTANCE}"` : '');
}

/** The attribute with the type of an element, where it says that. */
function typed(name: string, type: string, { xmlTypes }: SandboxOptions): Node {
	return xmlTypes === 'all' || (xmlTypes === 'results' && name.toLowerCase() === 'results')
		? { '@_type': type }
		: {};
}

const NILS: Record<SandboxOptions['xmlNil'], Node> = {
	nil: { '@_nil': 'true' },
	iNil: { '@_i:nil': 'true' },
	upperCase: { '@_nil': 'TRUE' },
	empty: { '#text': '' },
	absent: { '@_nil': 'true' },
};

function nodeOf(name: string, value: unknown, style: SandboxOptions): Node {
	if (value === null || value === undefined) return NILS[style.xmlNil];
	if (Array.isArray(value)) return listNode(name, value, style);
	const digits = typeof value === 'number' ? String(value) : exactDigits(value);
	if (digits === undefined && typeof value === 'object') return fieldsOf(value, style);
	const text = digits ?? String(value);
	const scalar = (type: string): Node => ({ ...typed(name, type, style), '#text': text });
	if (digits !== undefined) return scalar(/^-?\d+$/.test(digits) ? 'integer' : 'float');
	if (typeof value === 'boolean') return scalar('boolean');
	if (name === 'status') return scalar('symbol');
	if (name.endsWith('_at') && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return scalar('dateTime');
	return { '#text': text };
}

function listNode(name: string, list: unknown[], style: SandboxOptions): Node {
	const child = singularOf(name);
	const children = list.map((entry) => entryNode(child, entry, style));
	const type = typed(name, 'array', style);
	return { ...type, ...(children.length > 0 ? { [elementName(child, style)]: children } : {}) };
}

const isScalar = (value: unknown) => typeof value !== 'object' || exactDigits(value) !== undefined;

/** An entry of a list; results themselves never put their fields into attributes. */
function entryNode(name: string, entry: unknown, style: SandboxOptions): Node {
	const isNoMap = typeof entry !== 'object' || entry === null || Array.isArray(entry);
	if (isNoMap || name.toLowerCase() === 'result' || style.xmlEntries === 'elements')
		return nodeOf(name, entry, style);
	if (style.xmlEntries === 'attributes') return attributeNode(entry, style);
	return currencyNode(entry as Node, style);
}

function attributeNode(entry: object, style: SandboxOptions): Node {
	const given = Object.entries(entry).filter(([, field]) => field !== null && field !== undefined);
	const scalars = given.filter(([, field]) => isScalar(field));
	const others = given.filter(([, field]) => !isScalar(field));
	return {
		...Object.fromEntries(
			scalars.map(([name, field]) => [
				`@_${name.replaceAll('_', '-')}`,
				exactDigits(field) ?? String(field),
			]),
		),
		...fieldsOf(Object.fromEntries(others), style),
	};
}

function currencyNode(entry: Node, style: SandboxOptions): Node {
	const { currency, ...rest } = entry;
	const node = fieldsOf(rest, style);
	const price = elementName('price', style);
	if (typeof currency !== 'string' || typeof rest.price !== 'string') return fieldsOf(entry, style);
	return { ...node, [price]: { '@_currency': currency, ...(node[price] as Node) } };
}

function fieldsOf(value: object, style: SandboxOptions): Node {
	const entries = Object.entries(value).filter(
		([, field]) => field !== undefined && !(field === null && style.xmlNil === 'absent'),
	);
	return Object.fromEntries(
		entries.map(([name, field]) => [elementName(name, style), nodeOf(name, field, style)]),
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

/** One element with all that is in it, without declaration. */
export function xmlElement(name: string, value: unknown, style: SandboxOptions): string {
	return builder(style).build({ [elementName(name, style)]: nodeOf(name, value, style) }) as string;
}

type Encoding = SandboxOptions['xmlEncoding'];

const NAMES: Record<Encoding, string> = {
	utf8: 'UTF-8',
	utf8Bom: 'UTF-8',
	latin1: 'ISO-8859-1',
	utf16leBom: 'UTF-16',
	utf16beBom: 'UTF-16',
};

/** What stands before the root: byte order mark, blank line, declaration. */
function xmlHead(options: SandboxOptions): string {
	const mark = options.xmlEncoding.endsWith('Bom') ? '\uFEFF' : '';
	const declaration = `<?xml version="1.0" encoding="${NAMES[options.xmlEncoding]}"?>\n`;
	if (options.xmlDeclaration === 'none') return mark;
	return mark + (options.xmlDeclaration === 'afterBlankLine' ? `\n${declaration}` : declaration);
}

/** A piece of a document, cut between characters, in the encoding that is switched on. */
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

/** A whole document as text. A list is named by `root` and holds its singular. */
export function xmlDocument(root: string, value: unknown, options: SandboxOptions): string {
	const name = elementName(root, options);
	const element = xmlElement(root, value, options);
	return xmlHead(options) + element.replace(`<${name}`, `<${name}${rootAttributes(options)}`);
}
