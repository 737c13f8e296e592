import { setField } from '../types';
import { isExactNumber } from './rules';

/** What an XML document of the service stands for: what its JSON twin would parse to. */
export type XmlValue = string | number | boolean | null | XmlValue[] | { [name: string]: XmlValue };

type XmlObject = { [name: string]: XmlValue };

/**
 * An element that is open. Made by a constructor, not by a literal: what a literal makes, V8 may take for long-lived
 * after a few hundred of them, and frames are not.
 */
class Frame {
	type = '';
	isNil = false;
	/** Before the first child; behind one, text is kept only where it is more than layout. */
	text = '';
	list: XmlValue[] | undefined = undefined;
	object: XmlObject | undefined = undefined;
	/** Fields that came from attributes. */
	attributes: XmlObject | undefined = undefined;
	/** Lists that came about because a name was repeated; without it a second list would look like one. */
	repeated: Map<string, XmlValue[]> | undefined = undefined;
	/** Texts in their order, of the element (`own`) and of its children, where both stand side by side. */
	mixed: Array<{ text: string; own: boolean }> | undefined = undefined;

	constructor(readonly name: string) {}
}

/** What a type attribute can say about a value; any other is a field called `type`. */
const TYPES: ReadonlySet<string> = new Set([
	...[
		'array',
		'boolean',
		'date',
		'dateTime',
		'datetime',
		'decimal',
		'double',
		'float',
		'integer',
		'string',
		'symbol',
	],
]);

const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Builds typed values from the events of one document, in one pass. The style is that of Rails: dashes for
 * underscores, types and null in attributes, the element's own name for the members of a list. Where nothing says
 * the types, an element whose children all have one name is a list when it is their plural or they are several.
 * Attributes become fields, and of a text fields beside it: `<price currency="EUR">1</price>` is `price` and
 * `price_currency`.
 */
export class XmlTree {
	private readonly frames: Frame[] = [];

	/** Field names by element names: there are few, and each is used thousands of times. */
	private readonly names = new Map<string, string>();

	private top: Frame | undefined;

	/** Whether lists say that they are: then nothing else is one. */
	private saysLists = false;

	/** How many levels below the kept ones are open. */
	private below = 0;

	/** The document's value once its root is closed. */
	root: XmlValue = '';

	/** @param levels how many levels are kept */
	constructor(private readonly levels = Infinity) {}

	get depth(): number {
		return this.frames.length + this.below;
	}

	/** An element opens. The attributes are a map without prototype. */
	open(element: string, attributes: Record<string, string>): void {
		if (this.below > 0 || this.frames.length >= this.levels) {
			this.below++;
			return;
		}
		const parent = this.top;
		if (parent && isText(parent.text)) mixedOf(parent);
		this.top = new Frame(this.fieldName(element));
		for (const name in attributes) this.attribute(this.top, name, attributes[name] ?? '');
		this.frames.push(this.top);
	}

	text(text: string): void {
		const { top } = this;
		if (!top || this.below > 0) return;
		if (top.mixed) top.mixed.push({ text, own: true });
		else if (!top.list && !top.object) top.text += text;
		else if (isText(text)) mixedOf(top).push({ text, own: true });
	}

	close(): void {
		if (this.below > 0) {
			this.below--;
			return;
		}
		const frame = this.frames.pop();
		if (!frame) return;
		const parent = (this.top = this.frames.at(-1));
		const value = valueOf(frame, this.saysLists);
		if (!parent) this.root = rootValue(frame, value);
		else addElement(parent, frame, value);
	}

	private attribute(frame: Frame, name: string, value: string): void {
		if (name === 'type' && TYPES.has(value)) {
			frame.type = value;
			// The document shows the type of `results` where no other element has one.
			this.saysLists ||= value === 'array' && frame.name !== 'results';
		} else if (name === 'nil' || name.endsWith(':nil')) {
			frame.isNil = /^(true|1)$/i.test(value.trim());
		} else if (name !== 'xmlns' && !name.startsWith('xmlns:') && !name.startsWith('xsi:')) {
			setField((frame.attributes ??= {}), this.fieldName(name), ownText(value));
		}
	}

	private fieldName(element: string): string {
		let name = this.names.get(element);
		if (name === undefined) {
			name = element.slice(element.indexOf(':') + 1).replaceAll('-', '_');
			this.names.set(element, name);
		}
		return name;
	}
}

/** Whether a text is more than layout. */
function isText(text: string): boolean {
	return /\S/.test(text);
}

/** The texts of an element in which text and elements stand side by side, from now on. */
function mixedOf(frame: Frame): NonNullable<Frame['mixed']> {
	if (frame.mixed) return frame.mixed;
	const before = frame.object ? Object.values(frame.object).flat() : (frame.list ?? []);
	const texts = before.filter((child) => typeof child === 'string');
	frame.mixed = [
		{ text: frame.text, own: true },
		...texts.map((text) => ({ text: ` ${text}`, own: false })),
	];
	return frame.mixed;
}

function addElement(parent: Frame, frame: Frame, value: XmlValue): void {
	if (parent.mixed && typeof value === 'string') parent.mixed.push({ text: value, own: false });
	const { attributes } = frame;
	const isMember = parent.type === 'array';
	if (attributes === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))) {
		addChild(parent, frame.name, value);
	} else if (isMember) {
		addChild(parent, frame.name, isBlank(value) ? attributes : { ...attributes, text: value });
	} else if (isBlank(value) && !frame.isNil) {
		addChild(parent, frame.name, attributes);
	} else {
		addChild(parent, frame.name, value);
		for (const [name, field] of Object.entries(attributes))
			addChild(parent, `${frame.name}_${name}`, field);
	}
}

function isBlank(value: XmlValue): boolean {
	return value === null || (typeof value === 'string' && value.trim() === '');
}

function addChild(parent: Frame, name: string, value: XmlValue): void {
	if (parent.type === 'array') {
		(parent.list ??= []).push(value);
		return;
	}
	const object = (parent.object ??= {});
	if (!Object.hasOwn(object, name)) setField(object, name, value);
	else addRepeated(parent, object, name, value);
}

function addRepeated(parent: Frame, object: XmlObject, name: string, value: XmlValue): void {
	const lists = (parent.repeated ??= new Map<string, XmlValue[]>());
	const list = lists.get(name);
	if (list) {
		list.push(value);
		return;
	}
	const both = [object[name] ?? null, value];
	lists.set(name, both);
	setField(object, name, both);
}

/** Roots that say by their name that the document is a refusal: in JSON that is a field. */
const ERROR_ROOT = /^(errors?|fault)$/i;

/** An object without fields has nothing that sets it apart from blank text, except at the root. */
function rootValue(frame: Frame, value: XmlValue): XmlValue {
	if (ERROR_ROOT.test(frame.name)) return { error: value };
	return frame.name === 'hash' && typeof value === 'string' && value.trim() === '' ? {} : value;
}

function valueOf(frame: Frame, saysLists: boolean): XmlValue {
	if (frame.isNil) return null;
	if (frame.type === 'array') return frame.list ?? [];
	if (frame.mixed) return mixedValue(frame, frame.mixed);
	const { object, attributes } = frame;
	if (!object) return typedText(frame.type, ownText(frame.text));
	if (attributes) return withAttributes(object, attributes);
	return (saysLists ? undefined : listOf(frame, object)) ?? object;
}

/** Elements that mark up a text, as in a name with a word in bold. */
const MARKUP: ReadonlySet<string> = new Set(
	'a abbr b big br code em font i li mark p s small span strike strong sub sup u ul'.split(' '),
);

/** Marked up text is the text; fields in it are kept beside it. */
function mixedValue({ object = {}, attributes }: Frame, mixed: NonNullable<Frame['mixed']>): XmlValue {
	const isMarkup = Object.entries(object).every(
		([name, child]) => MARKUP.has(name) && [child].flat().every((one) => typeof one === 'string'),
	);
	const texts = isMarkup ? mixed : mixed.filter(({ own }) => own);
	const joined = texts.map((one) => one.text).join('');
	const text = ownText(joined.trim());
	if (isMarkup && attributes === undefined) return text;
	return withAttributes(isMarkup ? { text } : { ...object, text }, attributes ?? {});
}

function withAttributes(object: XmlObject, attributes: XmlObject): XmlObject {
	const all: XmlObject = {};
	for (const [name, value] of Object.entries(attributes)) {
		setField(all, Object.hasOwn(object, name) ? `attribute_${name}` : name, value);
	}
	for (const [name, value] of Object.entries(object)) setField(all, name, value);
	return all;
}

/** The members of a list that does not say that it is one. */
function listOf({ name, repeated }: Frame, object: XmlObject): XmlValue[] | undefined {
	let only: string | undefined;
	for (const child in object) {
		if (only !== undefined) return undefined;
		only = child;
	}
	if (only === undefined) return undefined;
	const members = repeated?.get(only);
	if (members) return members;
	return isPluralOf(name, only) ? [object[only] ?? null] : undefined;
}

/** Whether one name is the plural of another: `offers` of `offer`, `properties` of `property`, `boxes` of `box`. */
function isPluralOf(plural: string, singular: string): boolean {
	if (plural === `${singular}s` || plural === `${singular}es`) return true;
	return singular.endsWith('y') && plural === `${singular.slice(0, -1)}ies`;
}

/** From this length on, V8 makes a part of a text a view of the whole. */
const SHORTEST_VIEW = 13;

/** A text by itself. One that was cut out of the document would keep all of the piece that it stood in. */
function ownText(text: string): string {
	return text.length < SHORTEST_VIEW ? text : Buffer.from(text).toString();
}

/** A text by its type. One that does not fit its type stays text, so that nothing is lost or made up. */
function typedText(type: string, text: string): XmlValue {
	switch (type) {
		case 'integer':
			return numberOf(text, INTEGER);
		case 'float':
		case 'double':
			return numberOf(text, FLOAT);
		case 'boolean':
			return booleanOf(text);
		case 'date':
		case 'dateTime':
		case 'datetime':
		case 'decimal':
			// Decimals are prices: text, like in JSON, because a number would round them.
			return text === '' ? null : text;
		default:
			return text;
	}
}

function numberOf(text: string, form: RegExp): XmlValue {
	const literal = text.trim();
	if (literal === '') return null;
	if (!form.test(literal)) return text;
	return isExactNumber(literal) ? Number(literal) : literal;
}

function booleanOf(text: string): XmlValue {
	const word = text.trim().toLowerCase();
	if (word === '') return null;
	if (word === 'true' || word === '1') return true;
	return word === 'false' || word === '0' ? false : text;
}
