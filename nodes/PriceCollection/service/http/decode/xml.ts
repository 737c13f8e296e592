import { SaxesParser } from '../../../../../vendor/saxes';

import { objectFrom } from '../../types';
import { isExactNumber, MAX_DEPTH, TOO_DEEP, type InvalidText } from './json';

const NO_ATTRIBUTES = {};

/** Characters to parse before yielding to the event loop: about 15 ms of work. */
const CHARACTERS_PER_TURN = 500_000;

/** The value that an XML document represents: the one that the equivalent JSON would have. */
type XmlValue = string | number | boolean | null | XmlValue[] | { [name: string]: XmlValue };

/** An open element. A class, because V8 may treat objects of one literal as long-lived. */
class Element {
	/** Its text, including the whitespace between child elements. */
	text = '';
	/** The names and values of its attributes and children. Most elements have none. */
	names?: string[];
	values?: XmlValue[];
	attributes = 0;

	constructor(
		readonly name: string,
		readonly type: string,
		readonly isNil: boolean,
	) {}

	add(name: string, value: XmlValue): void {
		if (this.names && this.values) {
			this.names.push(name);
			this.values.push(value);
		} else [this.names, this.values] = [[name], [value]];
	}
}

/** Values of the attribute `type` that give an element's type. Any other value is data. */
const TYPES: ReadonlySet<string> = new Set(
	'array boolean date datetime dateTime decimal float integer string symbol'.split(' '),
);
/** Attributes without data: namespaces, `xsi:nil`, `xml:lang`, `nil`. */
const NON_DATA = /^xml|:|^nil$/i;

/**
 * Parses one XML document to the value of the equivalent JSON, in the documented style: names with dashes for
 * underscores, attributes for types and null, and list elements with any name. Other attributes become fields, as
 * children do, and text beside either becomes the field `text`; the attributes of a list are ignored. Comments,
 * processing instructions and a DOCTYPE are skipped. Only XML's five entities and character references are decoded, so
 * nothing can expand.
 */
export async function parseXml(
	texts: Iterable<string>,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | InvalidText> {
	const open: Element[] = [];
	/** The outermost open list, such as the results. */
	let outermostList: Element | undefined;
	let root: XmlValue = '';
	/** Names with underscores, cached because a document has few names and many elements. */
	const fieldNames = new Map<string, string>();
	const fieldName = (name: string) => {
		const converted = fieldNames.get(name) ?? name.replaceAll('-', '_');
		if (!fieldNames.has(name)) fieldNames.set(name, converted);
		return converted;
	};
	const parser = new SaxesParser({ xmlns: false, position: false });
	parser.on('opentag', (tag) => {
		if (open.length === MAX_DEPTH) parser.fail(TOO_DEEP);
		const { type = '', nil } = tag.attributes;
		const isTyped = TYPES.has(type);
		const element = new Element(fieldName(tag.name), isTyped ? type : '', nil === 'true');
		open.push(element);
		if (type === 'array') outermostList ??= element;
		else
			for (const name in tag.attributes) {
				if ((isTyped && name === 'type') || NON_DATA.test(name)) continue;
				element.add(fieldName(name), tag.attributes[name] ?? '');
				element.attributes++;
			}
		// V8 may treat tags as long-lived, and closed ones would keep their attributes in memory.
		tag.attributes = NO_ATTRIBUTES;
	});
	const addText = (text: string) => {
		const element = open.at(-1);
		if (element) element.text += text;
	};
	parser.on('text', addText);
	parser.on('cdata', addText);
	parser.on('closetag', () => {
		const element = open.pop();
		const parent = open.at(-1);
		if (!element) return;
		let value = elementValue(element);
		if (element === outermostList) outermostList = undefined;
		// Objects built field by field take three times the memory of objects from JSON.parse, and substrings keep
		// their source text in memory.
		if (parent && parent === outermostList && typeof value === 'object')
			value = JSON.parse(JSON.stringify(value)) as XmlValue;
		if (!parent) root = value;
		else parent.add(element.name, value);
	});
	let characters = 0;
	for (const text of texts) {
		const fault = faultOf(() => parser.write(text));
		const { line, column } = parser;
		if (fault !== undefined)
			return { ok: false, detail: `${fault} (line ${line}, column ${column})`, truncated: false };
		characters += text.length;
		if (characters < CHARACTERS_PER_TURN) continue;
		characters = 0;
		await yieldToEventLoop();
	}
	// Everything so far was well-formed, so only the end can be missing.
	if (faultOf(() => parser.close()) === undefined) return { ok: true, value: root };
	return { ok: false, detail: 'The XML ends in the middle', truncated: true };
}

/** The parser's error, if any. Without an error handler, saxes throws the first error, including our own. */
function faultOf(work: () => void): string | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		// A document could put a very long name into the message.
		const message = String(error instanceof Error ? error.message : error).slice(0, 200);
		return `The XML is not well-formed: ${message.replace(/\.$/, '')}`;
	}
}

function elementValue({ attributes, isNil, names = [], text, type, values = [] }: Element): XmlValue {
	const hasChildren = names.length > attributes;
	if (!hasChildren && isNil) return null;
	const isBlank = text.trim() === '';
	if (type === 'array' && (hasChildren || isBlank)) return values;
	if (names.length === 0) return typedText(type, text);
	if (isBlank) return objectFrom(names, values);
	// Whitespace around children is layout.
	const content = typedText(type, hasChildren ? text.trim() : text);
	return objectFrom([...names, TEXT_FIELD], [...values, content]);
}

/** The field for the text of an element with other fields. */
const TEXT_FIELD = 'text';

const NUMBER_PATTERNS: Readonly<Record<string, RegExp>> = {
	integer: /^-?\d+$/,
	float: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
};

/**
 * Converts text by its type. Decimals are prices and stay text, as in JSON, because a number would round them.
 * Text that does not fit its type stays text as well, so nothing is lost.
 */
function typedText(type: string, text: string): XmlValue {
	if (type === '') return text;
	const trimmed = text.trim();
	if (type === 'boolean' && /^(?:true|false)$/.test(trimmed)) return trimmed === 'true';
	return NUMBER_PATTERNS[type]?.test(trimmed) === true && isExactNumber(trimmed) ? Number(trimmed) : text;
}
