import { SaxesParser } from 'saxes';

import { setField } from '../types';
import { isExactNumber, MAX_DEPTH, TOO_DEEP, type Unreadable } from './json';

const NO_ATTRIBUTES = {};

/** Characters parsed before the event loop gets its turn: about 15 ms of work. */
const CHARACTERS_AT_A_STRETCH = 500_000;

/**
 * Parses one XML document to the value that its JSON twin has (`XmlTree` has the rules). Comments, processing
 * instructions, namespaces and a DOCTYPE are skipped; only XML's five entities and character references are
 * decoded, so nothing can expand.
 */
export async function parseXml(
	texts: Iterable<string>,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | Unreadable> {
	const tree = new XmlTree();
	const parser = new SaxesParser({ xmlns: false, position: false });
	parser.on('opentag', (tag) => {
		if (tree.open.length === MAX_DEPTH) parser.fail(TOO_DEEP);
		tree.begin(tag.name, tag.attributes);
		// V8 may take tags for long-lived; those that are closed would keep their attributes in memory.
		tag.attributes = NO_ATTRIBUTES;
	});
	parser.on('closetag', () => tree.end());
	parser.on('text', (text) => tree.text(text));
	parser.on('cdata', (text) => tree.text(text));
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
	if (faultOf(() => parser.close()) === undefined) return { ok: true, value: tree.root };
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

/** The value that an XML document represents: what its JSON twin would parse to. */
type XmlValue = string | number | boolean | null | XmlValue[] | XmlObject;
type XmlObject = { [name: string]: XmlValue };

/** An open element. A class, because V8 may treat objects of one literal as long-lived. */
class Frame {
	type = '';
	isNil = false;
	/** Its own text, with the layout between child elements. */
	text = '';
	members: XmlValue[] | undefined = undefined;
	fields: XmlObject | undefined = undefined;
	/** Names that occurred more than once; their values are lists. */
	repeated: Set<string> | undefined = undefined;

	constructor(readonly name: string) {}
}

/** Types that a type attribute can state; any other becomes a field named `type`. */
const TYPES: ReadonlySet<string> = new Set(
	'array boolean date dateTime datetime decimal double float integer string symbol'.split(' '),
);
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const FORMS: Readonly<Record<string, RegExp>> = {
	boolean: /^(?:true|false|1|0)$/i,
	integer: /^[+-]?\d+$/,
	float: FLOAT,
	double: FLOAT,
};

/**
 * Builds typed values from the events of one document in one pass. The style is that of Rails: dashes for
 * underscores, types and null in attributes, the element's own name for the members of a list. An untyped
 * element is a list when several children share one name, or when its name is the plural of its only child's.
 * Other attributes become fields, as if they were child elements; text beside fields is the field `text`.
 */
class XmlTree {
	readonly open: Frame[] = [];
	/** Few names occur thousands of times. */
	private readonly names = Object.create(null) as Record<string, string>;
	root: XmlValue = '';

	/** Begins an element. The attributes are a map without prototype. */
	begin(element: string, attributes: Record<string, string>): void {
		const frame = new Frame((this.names[element] ??= fieldName(element)));
		for (const name in attributes) addAttribute(frame, name, attributes[name] ?? '');
		this.open.push(frame);
	}

	text(text: string): void {
		const frame = this.open.at(-1);
		if (frame) frame.text += text;
	}

	end(): void {
		const frame = this.open.pop();
		const parent = this.open.at(-1);
		if (!frame) return;
		let value = valueOf(frame);
		// Objects that grow field by field take three times the memory of those from JSON.parse, and substrings
		// keep the text that they come from.
		if (parent !== undefined && typeof value === 'object' && parent === this.open.find(isList))
			value = JSON.parse(JSON.stringify(value)) as XmlValue;
		if (parent === undefined) this.root = value;
		else if (parent.type === 'array') (parent.members ??= []).push(value);
		else addField(parent, frame.name, value);
	}
}

const fieldName = (element: string) => element.slice(element.indexOf(':') + 1).replaceAll('-', '_');

function addAttribute(frame: Frame, name: string, value: string): void {
	if (name === 'type' && TYPES.has(value)) frame.type = value;
	else if (name === 'nil' || name.endsWith(':nil')) frame.isNil = /^(?:true|1)$/i.test(value);
	else if (!/^xmlns(?::|$)/.test(name)) addField(frame, fieldName(name), value);
}

function addField(frame: Frame, name: string, value: XmlValue): void {
	const fields = (frame.fields ??= {});
	const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (before === undefined) {
		setField(fields, name, value);
	} else if (frame.repeated?.has(name) && Array.isArray(before)) {
		before.push(value);
	} else {
		setField(fields, name, [before, value]);
		(frame.repeated ??= new Set()).add(name);
	}
}

const isList = ({ type, repeated }: Frame) => type === 'array' || repeated !== undefined;

function valueOf(frame: Frame): XmlValue {
	const { fields, isNil, members, type } = frame;
	if (isNil && !fields && !members) return null;
	if (type === 'array') return members ?? [];
	if (!fields) return typedText(type, frame.text);
	const beside = frame.text.trim();
	if (beside !== '') addField(frame, 'text', typedText(type, beside));
	return listOf(frame, fields) ?? fields;
}

/** The members of a list that has no type attribute. */
function listOf({ name, repeated }: Frame, fields: XmlObject): XmlValue[] | undefined {
	const [only = '', ...others] = Object.keys(fields);
	const value = others.length === 0 ? fields[only] : undefined;
	if (value === undefined) return undefined;
	if (repeated?.has(only) && Array.isArray(value)) return value;
	const plurals = [`${only}s`, `${only}es`, `${only.slice(0, -1)}ies`];
	return plurals.includes(name) ? [value] : undefined;
}

/** Converts text by its type. Text that does not fit its type stays text, so nothing is lost. */
function typedText(type: string, text: string): XmlValue {
	if (type === '' || type === 'string' || type === 'symbol') return text;
	const word = text.trim();
	if (word === '') return text === '' || type in FORMS ? null : text;
	// Decimals are prices and stay text, as in JSON, because a number would round them.
	if (FORMS[type]?.test(word) !== true) return text;
	if (type === 'boolean') return /true|1/i.test(word);
	return isExactNumber(word) ? Number(word) : word;
}
