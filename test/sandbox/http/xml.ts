import { XMLBuilder } from 'fast-xml-parser';

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

const dashed = (name: string) => name.replaceAll('_', '-');

export interface XmlStyle {
	indent: boolean;
	/** Marks the status as `type="symbol"`. */
	symbols: boolean;
}

function textNode(name: string, text: string, style: XmlStyle): Node {
	if (name === 'status' && style.symbols) return { '@_type': 'symbol', '#text': text };
	const isTime = name.endsWith('_at') && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
	return isTime ? { '@_type': 'dateTime', '#text': text } : { '#text': text };
}

function nodeOf(name: string, value: unknown, style: XmlStyle): Node {
	if (value === null || value === undefined) return { '@_nil': 'true' };
	if (typeof value === 'boolean') return { '@_type': 'boolean', '#text': String(value) };
	if (typeof value === 'number') {
		return { '@_type': Number.isInteger(value) ? 'integer' : 'float', '#text': String(value) };
	}
	if (Array.isArray(value)) {
		const child = singularOf(name);
		const children = value.map((entry) => nodeOf(child, entry, style));
		return { '@_type': 'array', ...(children.length > 0 ? { [dashed(child)]: children } : {}) };
	}
	if (typeof value === 'object') return fieldsOf(value, style);
	return textNode(name, String(value), style);
}

function fieldsOf(value: object, style: XmlStyle): Node {
	const entries = Object.entries(value).filter(([, field]) => field !== undefined);
	return Object.fromEntries(entries.map(([name, field]) => [dashed(name), nodeOf(name, field, style)]));
}

function builder(style: XmlStyle): XMLBuilder {
	return new XMLBuilder({
		attributeNamePrefix: '@_',
		format: style.indent,
		ignoreAttributes: false,
		indentBy: '  ',
		processEntities: true,
		suppressBooleanAttributes: false,
		suppressEmptyNode: true,
	});
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** One element with all that is in it, without declaration. */
export function xmlElement(name: string, value: unknown, style: XmlStyle): string {
	return builder(style).build({ [dashed(name)]: nodeOf(name, value, style) });
}

/** A whole document. A list is named by `root` and holds its singular. */
export function xmlDocument(root: string, value: unknown, style: XmlStyle): string {
	return `${XML_DECLARATION}${xmlElement(root, value, style)}`;
}
