import fc from 'fast-check';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';

/** What a document says, before it is written as JSON or as XML. Numbers are literals: digits must survive. */
export type Model =
	| {
			type: 'text' | 'symbol' | 'date' | 'dateTime' | 'decimal' | 'integer' | 'float' | 'boolean';
			text: string;
	  }
	| { type: 'null' }
	| { type: 'list'; members: Array<{ name: string; model: Model }> }
	| { type: 'object'; fields: Array<{ name: string; model: Model }> };

/** Names that fast-xml-parser refuses, whatever its options. */
const REFUSED_NAMES = /^(constructor|prototype|hasOwnProperty|toString|valueOf|__\w+__)$/i;

const character = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(...'abz019 .-') },
	{ weight: 2, arbitrary: fc.constantFrom(...'<>&"\';]\t\n\r') },
	fc.constantFrom(
		'€',
		'ü',
		'😀',
		'\u{10FFFD}',
		'\u0085',
		'\u2028',
		'\uFEFF',
		'&lt;',
		'&#x20ac;',
		']]>',
		'-->',
		'?>',
	),
	fc.integer({ min: 0x20, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
	fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
);
const text = fc.oneof(
	fc.string({ unit: character, maxLength: 12 }),
	fc.constantFrom('', ' ', '00885909666966', '12.90', '1e5', 'true', 'null', '12345678901234567890'),
);
const name = fc.oneof(
	fc.constantFrom(
		'job_id',
		'results',
		'page_count_live',
		'hash',
		'type',
		'nil',
		'__proto__',
		'_',
		'a_1',
		'größe',
	),
	fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.]{0,8}$/).filter((word) => !REFUSED_NAMES.test(word)),
);

const typed =
	(type: 'text' | 'symbol' | 'date' | 'dateTime' | 'decimal' | 'integer' | 'float' | 'boolean') =>
	(value: string | number | bigint | boolean): Model => ({ type, text: String(value) });
const leaf: fc.Arbitrary<Model> = fc.oneof(
	{ weight: 3, arbitrary: text.map(typed('text')) },
	fc
		.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }))
		.map(typed('integer')),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map(typed('float')),
	fc.boolean().map(typed('boolean')),
	fc.constantFrom('12.90', '20.0', '0.1').map(typed('decimal')),
	fc.constantFrom('new', 'finished').map(typed('symbol')),
	fc.constant('2017-06-08').map(typed('date')),
	fc.constant('2017-06-08T12:34:37Z').map(typed('dateTime')),
	fc.constant<Model>({ type: 'null' }),
);

const { object, list } = fc.letrec<{ model: Model; object: Model; list: Model }>((tie) => ({
	model: fc.oneof({ maxDepth: 5, withCrossShrink: true }, leaf, tie('object'), tie('list')),
	object: fc
		.uniqueArray(fc.record({ name, model: tie('model') }), {
			minLength: 1,
			maxLength: 5,
			selector: (f) => f.name,
		})
		.map((fields) => ({ type: 'object', fields })),
	list: fc
		.array(fc.record({ name, model: tie('model') }), { maxLength: 4 })
		.map((members) => ({ type: 'list', members })),
}));

/** Any document the service could send. An object without fields is possible at the root only. */
export const documents: fc.Arbitrary<Model> = fc.oneof(
	{ weight: 6, arbitrary: object },
	{ weight: 2, arbitrary: list },
	fc.constant<Model>({ type: 'object', fields: [] }),
);

export function setOwn(target: object, key: string, value: unknown): void {
	Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The value that both readers must give. */
export function valueOf(model: Model): unknown {
	switch (model.type) {
		case 'null':
			return null;
		case 'boolean':
			return model.text === 'true';
		case 'integer':
		case 'float':
			return numberOf(model.text);
		case 'list':
			return model.members.map((member) => valueOf(member.model));
		case 'object': {
			const value = {};
			for (const field of model.fields) setOwn(value, field.name, valueOf(field.model));
			return value;
		}
		default:
			return model.text;
	}
}

function numberOf(literal: string): number | string {
	const isInteger = /^-?\d+$/.test(literal);
	return isInteger &&
		BigInt(literal) !== BigInt(Number.isSafeInteger(Number(literal)) ? Number(literal) : 0)
		? literal
		: Number(literal);
}

export function asJson(model: Model): string {
	switch (model.type) {
		case 'null':
			return 'null';
		case 'boolean':
		case 'integer':
		case 'float':
			return model.text;
		case 'list':
			return `[${model.members.map((member) => asJson(member.model)).join(', ')}]`;
		case 'object':
			return `{${model.fields.map((field) => `${JSON.stringify(field.name)}: ${asJson(field.model)}`).join(',\n')}}`;
		default:
			return JSON.stringify(model.text);
	}
}

type Entry = Record<string, unknown>;

/** Numbers that decide, one after the other, where a document gets its comments, CDATA and the like. */
export const noises = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 60 });

/** Writes XML in the style of Rails, with everything in it that must not matter. */
export function asXml(model: Model, noise: number[]): string {
	let turn = 0;
	const next = () => noise[turn++ % noise.length]!;
	const layout = (): Entry[] => {
		const entries: Entry[] = [
			{ '#text': '\n\t ' },
			{ '#comment': [{ '#text': ' <not> & read ' }] },
			{ '?go': [{ '#text': '' }], ':@': { '@on': 'x>y' } },
		];
		const entry = entries[next() - 3];
		return entry ? [entry] : [];
	};
	const element = (field: string, content: Model): Entry => ({
		[`${next() === 0 ? 'pc:' : ''}${field.slice(0, 1)}${field.slice(1).replaceAll('_', '-')}`]:
			children(content),
		':@': attributesOf(content),
	});
	const children = (content: Model): Entry[] => {
		if (content.type === 'null') return [];
		if (content.type === 'list' || content.type === 'object') {
			const parts = content.type === 'list' ? content.members : content.fields;
			return [...layout(), ...parts.flatMap((part) => [element(part.name, part.model), ...layout()])];
		}
		return content.type === 'text' ? textEntries(content.text, next) : [{ '#text': content.text }];
	};
	const root = {
		hash: children(model),
		':@': { ...attributesOf(model), '@xmlns:pc': 'urn:pc', '@xmlns:x': 'urn:x' },
	};
	const declaration = { '?xml': [{ '#text': '' }], ':@': { '@version': '1.0', '@encoding': 'UTF-8' } };
	return new XMLBuilder({ ...FORM, processEntities: false }).build([
		declaration,
		...layout(),
		root,
		...layout(),
	]);
}

function attributesOf(model: Model): Entry {
	if (model.type === 'null') return { '@nil': 'true' };
	if (model.type === 'list') return { '@type': 'array' };
	return model.type === 'text' || model.type === 'object' ? {} : { '@type': model.type };
}

/** A text in pieces: plain, with references, as CDATA, with comments and instructions in between. */
function textEntries(whole: string, next: () => number): Entry[] {
	const entries: Entry[] = [];
	const characters = Array.from(whole);
	while (characters.length > 0) {
		const piece = characters.splice(0, 1 + next()).join('');
		const kind = next();
		// A carriage return survives as a reference only, and CDATA has none.
		if (kind < 3 && !/\r|\]/.test(piece)) entries.push({ '#cdata': [{ '#text': piece }] });
		else entries.push({ '#text': Array.from(piece, (one) => reference(one, next())).join('') });
		if (kind === 5) entries.push({ '#comment': [{ '#text': 'x' }] });
		if (kind === 6) entries.push({ '?x': [{ '#text': '' }], ':@': { '@y': '1' } });
	}
	return entries;
}

function reference(one: string, kind: number): string {
	const named: Record<string, string> = {
		'&': '&amp;',
		'<': '&lt;',
		'>': '&gt;',
		'"': '&quot;',
		"'": '&apos;',
	};
	const code = one.codePointAt(0)!;
	if (kind === 0) return `&#x${code.toString(16)};`;
	if (kind === 1 || one === '\r') return `&#${code};`;
	return named[one] ?? one;
}

const FORM = {
	preserveOrder: true,
	ignoreAttributes: false,
	attributeNamePrefix: '@',
	commentPropName: '#comment',
	cdataPropName: '#cdata',
} as const;

/** The second reader: fast-xml-parser's tree, and a walk over it that shares nothing with the product. */
export function readIndependently(xml: string): unknown {
	const parser = new XMLParser({
		...FORM,
		trimValues: false,
		parseTagValue: false,
		parseAttributeValue: false,
		htmlEntities: true,
		ignorePiTags: true,
		ignoreDeclaration: true,
		strictReservedNames: false,
	});
	const roots = (parser.parse(xml) as Entry[]).filter(isElement);
	const value = walk(roots[0]!);
	return value === '' || (typeof value === 'string' && /^\s*$/.test(value)) ? {} : value;
}

function elementName(entry: Entry): string {
	return Object.keys(entry).find((key) => key !== ':@')!;
}

function isElement(entry: Entry): boolean {
	return !/^[#?]/.test(elementName(entry));
}

function walk(entry: Entry): unknown {
	const content = entry[elementName(entry)] as Entry[];
	const attributes = (entry[':@'] ?? {}) as Record<string, string>;
	const elements = content.filter(isElement);
	if (attributes['@nil'] === 'true') return null;
	if (attributes['@type'] === 'array') return elements.map(walk);
	if (elements.length === 0) return convert(content.map(textOf).join(''), attributes['@type']);
	const value = {};
	for (const child of elements) {
		setOwn(value, elementName(child).replace(/^\w+:/, '').split('-').join('_'), walk(child));
	}
	return value;
}

function textOf(entry: Entry): string {
	if ('#text' in entry) return String(entry['#text']);
	return '#cdata' in entry ? String((entry['#cdata'] as Entry[])[0]?.['#text'] ?? '') : '';
}

function convert(value: string, type: string | undefined): unknown {
	if (type === 'boolean') return value === 'true';
	return type === 'integer' || type === 'float' ? numberOf(value) : value;
}
