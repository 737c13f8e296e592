import { exactInteger } from './rules';

/** What an XML document of the service stands for: what its JSON twin would parse to. */
export type XmlValue = string | number | boolean | null | XmlValue[] | { [name: string]: XmlValue };

type XmlObject = { [name: string]: XmlValue };

/** An element that is open. */
interface Frame {
	name: string;
	type: string;
	isNil: boolean;
	/** Given up with the first child: text beside children is layout. */
	text: string;
	list: XmlValue[] | undefined;
	object: XmlObject | undefined;
	/** Lists that came about because a name was repeated; without it a second list would look like one. */
	repeated: Map<string, XmlValue[]> | undefined;
}

const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Builds typed values from the events of one document, in one pass. The style is that of Rails: dashes for
 * underscores, types and null in attributes, the element's own name for the members of a list.
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
		const nil = attributes.nil ?? attributes['xsi:nil'];
		this.top = {
			name: this.fieldName(element),
			type: attributes.type ?? '',
			isNil: nil === 'true' || nil === '1',
			text: '',
			list: undefined,
			object: undefined,
			repeated: undefined,
		};
		this.frames.push(this.top);
	}

	text(text: string): void {
		const { top } = this;
		if (top && !top.list && !top.object) top.text += text;
	}

	close(): void {
		const frame = this.frames.pop();
		if (!frame) return;
		const parent = (this.top = this.frames.at(-1));
		if (!parent) this.root = rootValue(frame);
		else addChild(parent, frame.name, valueOf(frame));
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

/** An assignment to `__proto__` would replace the prototype instead of adding a field. */
function setField(object: XmlObject, name: string, value: XmlValue): void {
	if (name !== '__proto__') object[name] = value;
	else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** An object without fields has nothing that sets it apart from blank text, except at the root. */
function rootValue(frame: Frame): XmlValue {
	const value = valueOf(frame);
	return frame.name === 'hash' && typeof value === 'string' && value.trim() === '' ? {} : value;
}

function valueOf(frame: Frame): XmlValue {
	if (frame.isNil) return null;
	if (frame.type === 'array') return frame.list ?? [];
	return frame.object ?? typedText(frame.type, frame.text);
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
	if (INTEGER.test(literal)) return exactInteger(literal);
	const value = Number(literal);
	return Number.isFinite(value) ? value : text;
}

function booleanOf(text: string): XmlValue {
	const word = text.trim().toLowerCase();
	if (word === '') return null;
	if (word === 'true' || word === '1') return true;
	return word === 'false' || word === '0' ? false : text;
}
