import { SaxesParser } from '../../../../../vendor/saxes';

import { objectFrom } from '../../types';
import { isExactNumber, MAX_DEPTH, TOO_DEEP, type InvalidText } from './json';

const NO_ATTRIBUTES = {};

/** Characters parsed before the event loop gets its turn: about 15 ms of work. */
const CHARACTERS_AT_A_STRETCH = 500_000;

/** The value that an XML document represents: what its JSON twin would parse to. */
type XmlValue = string | number | boolean | null | XmlValue[] | { [name: string]: XmlValue };

/** An open element. A class, because V8 may treat objects of one literal as long-lived. */
class Element {
	/** Its own text, with the layout between child elements. */
	text = '';
	/** The names and values of its attributes and children; most elements have none. */
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

/** Words of the attribute `type` that say what an element is. Any other one is data. */
const TYPES: ReadonlySet<string> = new Set(
	'array boolean date datetime dateTime decimal float integer string symbol'.split(' '),
);
/** Attributes that belong to XML or to the style: namespaces, `xsi:nil`, `xml:lang`, `nil`. */
const NO_DATA = /^xml|:|^nil$/i;

/**
 * Parses one XML document to the value that its JSON twin has, in the documented style: dashes for underscores,
 * types and null in attributes, any children in a list. Other attributes are fields like children, and text beside
 * either is the field `text`; only a list has no fields. Comments, processing instructions and a DOCTYPE are skipped;
 * only XML's five entities and character references are decoded, so nothing can expand.
 */
export async function parseXml(
	texts: Iterable<string>,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | InvalidText> {
	const open: Element[] = [];
	/** The outermost list that is open, such as that of the results. */
	let list: Element | undefined;
	let root: XmlValue = '';
	/** Names with underscores: a document has few names and many elements. */
	const names = new Map<string, string>();
	const fieldName = (name: string) => {
		const known = names.get(name) ?? name.replaceAll('-', '_');
		if (!names.has(name)) names.set(name, known);
		return known;
	};
	const parser = new SaxesParser({ xmlns: false, position: false });
	parser.on('opentag', (tag) => {
		if (open.length === MAX_DEPTH) parser.fail(TOO_DEEP);
		const { type = '', nil } = tag.attributes;
		const isTyped = TYPES.has(type);
		const element = new Element(fieldName(tag.name), isTyped ? type : '', nil === 'true');
		open.push(element);
		if (type === 'array') list ??= element;
		else
			for (const name in tag.attributes) {
				if ((isTyped && name === 'type') || NO_DATA.test(name)) continue;
				element.add(fieldName(name), tag.attributes[name] ?? '');
				element.attributes++;
			}
		// V8 may take tags for long-lived; those that are closed would keep their attributes in memory.
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
		if (element === list) list = undefined;
		// Objects that grow field by field take three times the memory of those from JSON.parse, and substrings
		// keep the text that they come from.
		if (parent && parent === list && typeof value === 'object')
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
		if (characters < CHARACTERS_AT_A_STRETCH) continue;
		characters = 0;
		await yieldToEventLoop();
	}
	// Everything so far was well-formed, so only the end can be missing.
	if (faultOf(() => parser.close()) === undefined) return { ok: true, value: root };
	return { ok: false, detail: 'The XML ends in the middle', truncated: true };
}

/** The parser's error, if any. Without an error handler saxes throws at the first one, also at ours. */
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
	// Around children, blanks are layout.
	const own = typedText(type, hasChildren ? text.trim() : text);
	return objectFrom([...names, TEXT], [...values, own]);
}

/** The field for the text of an element that has fields. */
const TEXT = 'text';

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
	const word = text.trim();
	if (type === 'boolean' && /^(?:true|false)$/.test(word)) return word === 'true';
	return NUMBER_PATTERNS[type]?.test(word) === true && isExactNumber(word) ? Number(word) : text;
}
