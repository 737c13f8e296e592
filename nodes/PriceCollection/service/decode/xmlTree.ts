import { setField } from '../types';
import { isExactNumber } from './json';
import { ownText } from './bytes';

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
	/** Its own text. Beside elements only what is more than layout. */
	text = '';
	hasText = false;
	members: XmlValue[] | undefined = undefined;
	fields: XmlObject | undefined = undefined;
	attributes: XmlObject | undefined = undefined;
	/** Names that were repeated: their values are lists for that, whatever the elements say. */
	repeated: Set<string> | undefined = undefined;

	constructor(readonly name: string) {}
}

/** What a type attribute can say about a value; any other is a field called `type`. */
const TYPES: ReadonlySet<string> = new Set(
	'array boolean date dateTime datetime decimal double float integer string symbol'.split(' '),
);
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** How the text of a type is written that becomes another value. */
const FORMS: Readonly<Record<string, RegExp>> = {
	...{ boolean: /^(?:true|false|1|0)$/i, integer: /^[+-]?\d+$/, float: FLOAT, double: FLOAT },
};

/**
 * Builds typed values from the events of one document, in one pass. The style is that of Rails: dashes for
 * underscores, types and null in attributes, the element's own name for the members of a list. An element that does not
 * say its type is a list when its children all have one name and are several, or one of which it is the plural.
 * Attributes are fields like elements, and where an element is but a text fields beside it: `<price currency="EUR">1</price>`
 * is `price` and `price_currency`.
 */
export class XmlTree {
	private readonly frames: Frame[] = [];

	/** Field names by element names: there are few, and each is used thousands of times. */
	private readonly names = new Map<string, string>();

	private top: Frame | undefined;

	/** The document's value once its root is closed. */
	root: XmlValue = '';

	get depth(): number {
		return this.frames.length;
	}

	/** An element opens. The attributes are a map without prototype. */
	open(element: string, attributes: Record<string, string>): void {
		this.top = new Frame(this.fieldName(element));
		for (const name in attributes) this.attribute(this.top, name, attributes[name] ?? '');
		this.frames.push(this.top);
	}

	text(text: string): void {
		const { top } = this;
		if (!top) return;
		const isLayout = !/\S/.test(text);
		if (isLayout && (top.fields ?? top.members)) return;
		top.hasText ||= !isLayout;
		top.text += text;
	}

	close(): void {
		const frame = this.frames.pop();
		if (!frame) return;
		const parent = (this.top = this.frames.at(-1));
		const value = valueOf(frame);
		if (!parent) this.root = rootValue(frame, value);
		else addElement(parent, frame, value);
	}

	private attribute(frame: Frame, name: string, value: string): void {
		if (name === 'type' && TYPES.has(value)) {
			frame.type = value;
		} else if (name === 'nil' || name.endsWith(':nil')) {
			frame.isNil = ['true', '1'].includes(value.trim().toLowerCase());
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

/** Roots that say by their name that the document is a refusal: in JSON that is a field. */
const ERROR_ROOT = /^(errors?|fault)$/i;

/** An object without fields has nothing that sets it apart from blank text, except at the root. */
function rootValue({ name, attributes }: Frame, value: XmlValue): XmlValue {
	if (ERROR_ROOT.test(name)) return { error: value };
	const isBlank = typeof value === 'string' && value.trim() === '';
	return isBlank && (attributes ?? name === 'hash') ? { ...attributes } : value;
}

function valueOf(frame: Frame): XmlValue {
	if (frame.isNil) return null;
	if (frame.type === 'array') return frame.members ?? [];
	const { fields, attributes, hasText, text } = frame;
	if (!fields) return typedText(frame.type, ownText(text));
	if (hasText) addChild(frame, 'text', ownText(text.trim()));
	return (hasText || attributes ? undefined : listOf(frame, fields)) ?? fields;
}

/** The members of a list that does not say that it is one. */
function listOf({ name, repeated }: Frame, fields: XmlObject): XmlValue[] | undefined {
	let only: string | undefined;
	for (const child in fields) {
		if (only !== undefined) return undefined;
		only = child;
	}
	const value = only === undefined ? undefined : fields[only];
	if (only === undefined || value === undefined) return undefined;
	if (repeated?.has(only) && Array.isArray(value)) return value;
	return isPluralOf(name, only) ? [value] : undefined;
}

/** Whether one name is the plural of another: `offers` of `offer`, `properties` of `property`, `boxes` of `box`. */
function isPluralOf(plural: string, singular: string): boolean {
	if (plural === `${singular}s` || plural === `${singular}es`) return true;
	return singular.endsWith('y') && plural === `${singular.slice(0, -1)}ies`;
}

/** A text by its type. One that does not fit its type stays text, so that nothing is lost or made up. */
function typedText(type: string, text: string): XmlValue {
	if (type === '' || type === 'string' || type === 'symbol') return text;
	const word = text.trim();
	if (word === '') return text === '' || type in FORMS ? null : text;
	const form = FORMS[type];
	// Decimals are prices: text, like in JSON, because a number would round them.
	if (!form?.test(word)) return text;
	if (type === 'boolean') return /true|1/i.test(word);
	return isExactNumber(word) ? Number(word) : word;
}
