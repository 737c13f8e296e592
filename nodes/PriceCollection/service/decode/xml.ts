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
		if (tree.depth === MAX_DEPTH) parser.fail(TOO_DEEP);
		tree.open(tag.name, tag.attributes);
		// V8 may take tags for long-lived; those that are closed would keep their attributes in memory.
		tag.attributes = NO_ATTRIBUTES;
	});
	parser.on('closetag', () => tree.close());
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
	attributes: XmlObject | undefined = undefined;
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
 * Attributes become fields; for an element with nothing but text they become fields beside it:
 * `<price currency="EUR">1</price>` is `price` and `price_currency`.
 */
class XmlTree {
	private readonly frames: Frame[] = [];
	private top: Frame | undefined;
	/** Few names occur thousands of times. */
	private readonly names = Object.create(null) as Record<string, string>;
	root: XmlValue = '';

	get depth(): number {
		return this.frames.length;
	}

	/** Opens an element. The attributes are a map without prototype. */
	open(element: string, attributes: Record<string, string>): void {
		this.top = new Frame((this.names[element] ??= fieldName(element)));
		for (const name in attributes) this.attribute(this.top, name, attributes[name] ?? '');
		this.frames.push(this.top);
	}

	text(text: string): void {
		if (this.top) this.top.text += text;
	}

	close(): void {
		const frame = this.frames.pop();
		if (!frame) return;
		const parent = (this.top = this.frames.at(-1));
		let value = valueOf(frame);
		// Objects that grow field by field take three times the memory of those from JSON.parse, and substrings
		// keep the text that they come from.
		if (parent !== undefined && typeof value === 'object' && parent === this.frames.find(isList))
			value = JSON.parse(JSON.stringify(value)) as XmlValue;
		if (!parent) this.root = rootValue(frame, value);
		else addElement(parent, frame, value);
	}

	private attribute(frame: Frame, name: string, value: string): void {
		if (name === 'type' && TYPES.has(value)) {
			frame.type = value;
		} else if (name === 'nil' || name.endsWith(':nil')) {
			frame.isNil = ['true', '1'].includes(value.trim().toLowerCase());
		} else if (name !== 'xmlns' && !name.startsWith('xmlns:') && !name.startsWith('xsi:')) {
			setField((frame.attributes ??= {}), fieldName(name), value);
		}
	}
}

const fieldName = (element: string) => element.slice(element.indexOf(':') + 1).replaceAll('-', '_');

function addElement(parent: Frame, { name, attributes, isNil }: Frame, value: XmlValue): void {
	const hasFields = typeof value === 'object' && value !== null && !Array.isArray(value);
	if (attributes === undefined || hasFields) {
		addChild(parent, name, value);
	} else if (!isNil && typeof value === 'string' && value.trim() === '') {
		addChild(parent, name, attributes);
	} else if (parent.type === 'array') {
		addChild(parent, name, value === null ? attributes : { ...attributes, text: value });
	} else {
		addChild(parent, name, value);
		for (const [own, field] of Object.entries(attributes)) addChild(parent, `${name}_${own}`, field);
	}
}

function addChild(parent: Frame, name: string, value: XmlValue): void {
	if (parent.type === 'array') {
		(parent.members ??= []).push(value);
		return;
	}
	const fields = (parent.fields ??= parent.attributes ?? {});
	const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (before === undefined) {
		setField(fields, name, value);
	} else if (parent.repeated?.has(name) && Array.isArray(before)) {
		before.push(value);
	} else {
		setField(fields, name, [before, value]);
		(parent.repeated ??= new Set()).add(name);
	}
}

const isList = ({ type, repeated }: Frame) => type === 'array' || repeated !== undefined;

/** Names of root elements that make the document a refusal; in JSON that is a field. */
const ERROR_ROOT = /^(errors?|fault)$/i;

/** Only at the root can an object without fields be told from blank text. */
function rootValue({ name, attributes }: Frame, value: XmlValue): XmlValue {
	if (ERROR_ROOT.test(name)) return { error: value };
	const isBlank = typeof value === 'string' && value.trim() === '';
	return isBlank && (attributes ?? name === 'hash') ? { ...attributes } : value;
}

function valueOf(frame: Frame): XmlValue {
	if (frame.isNil) return null;
	if (frame.type === 'array') return frame.members ?? [];
	const { fields, attributes, text } = frame;
	if (!fields) return typedText(frame.type, text);
	const beside = text.trim();
	if (beside !== '') addChild(frame, 'text', beside);
	return (beside !== '' || attributes ? undefined : listOf(frame, fields)) ?? fields;
}

/** The members of a list that has no type attribute. */
function listOf({ name, repeated }: Frame, fields: XmlObject): XmlValue[] | undefined {
	const [only, ...others] = Object.keys(fields);
	const value = only === undefined || others.length > 0 ? undefined : fields[only];
	if (only === undefined || value === undefined) return undefined;
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
