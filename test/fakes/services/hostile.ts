/**
 * Bodies that a stranger could send to slow a reader down: each place for a text or a number gets one piece, repeated
 * up to any size. `benchmarks/hostile` measures them every night.
 */

/** The pieces to repeat: blanks, digits, and everything with a meaning in some pattern. */
const PIECES = [
	...[' ', '\n', '\t', '0', '1', '.', ',', "'", '/', '\\', '"', '-', '_', ':', ';', '=', '#', '?', '%'],
	...['<', '>', '&', '[', '{', '(', 'e', 'A', 'é', '€', '\u2028', '\u00a0'],
	...['no ', 'a.', '1.', '1 ', '://', '/jobs/', 'null', 'EUR ', '1,000', '\\u0000', '</', '&amp;', '-->'],
	...[
		'webhook-waiting/',
		'webhook-waiting%2F',
		'signature=',
		'pc_signature=',
		'?token=',
		'not found ',
		'source ',
	],
	...['<https://x>; rel=', 'rel=next '],
];

function run(piece: string, size: number): string {
	return piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
}

/** Ends that make a pattern backtrack. */
const ENDS = ['', '1', 'x', '!'];

type Fields = Record<string, unknown>;

function documentWith(offer: Fields, content: Fields = {}, result: Fields = {}, root: Fields = {}): Fields {
	return {
		job_id: 'a',
		status: 'finished',
		...root,
		results: [
			{
				query: { topic: 'product_and_offers', value: 'pen' },
				success: true,
				...result,
				content: { name: 'Pen', ...content, offers: [{ price: '1.20', ...offer }] },
			},
		],
	};
}

/** A document for each place that can hold a text. */
const PLACES: Record<string, (text: string) => Fields> = {
	...Object.fromEntries(
		['price', 'currency', 'shop_name', 'shop_url', 'shop_domain', 'condition_text', 'shipping_costs'].map(
			(field) => [field, (text: string) => documentWith({ [field]: text })],
		),
	),
	'another price': (text) => documentWith({ price: null }, { prices: { best: text } }),
	'the name of a field': (text) => documentWith({ [text]: 1 }, { [text]: '1' }),
	'the name of a list': (text) => documentWith({}, {}, {}, { [text]: [{ [text]: text }] }),
	topic: (text) => documentWith({}, {}, { query: { topic: text } }),
	'an echoed value': (text) => documentWith({}, {}, { query: { value: text } }),
	success: (text) => documentWith({}, {}, { success: text }),
	reason: (text) => documentWith({}, {}, { success: false, reason: text }),
	error: (text) => documentWith({}, {}, { success: undefined, error: [text, text] }),
	'the status of a result': (text) => documentWith({}, {}, { success: undefined, status: text }),
	content: (text) => documentWith({}, {}, { data: text }),
	status: (text) => documentWith({}, {}, {}, { status: text }),
	'a job ID': (text) => documentWith({}, {}, {}, { job_id: text }),
};

const NUMBERS: Record<string, (digits: string) => string> = {
	'a fraction': (digits) => `4.${digits}1`,
	'an integer': (digits) => `4${digits}`,
	'an exponent': (digits) => `4e${digits}1`,
	'a sign too many': (digits) => `4.${digits}-`,
};

const escapeXml = (text: string) =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function xmlOf(name: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (Array.isArray(value))
		return `<${name} type="array">${value.map((one) => xmlOf('one', one)).join('')}</${name}>`;
	if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`;
	const fields = Object.entries(value).filter(([field]) => /^[a-z_]+$/.test(field));
	return `<${name}>${fields.map(([field, one]) => xmlOf(field, one)).join('')}</${name}>`;
}

/** Whole bodies that are hostile by their form. */
const FORMS: Record<string, (text: string) => string> = {
	'nothing else': (text) => text,
	'the beginning': (text) => `${text}{"a":1}`,
	'what is left out': (text) =>
		`<!--${text.replaceAll('-', '~')}--><?x ${text.replaceAll('?', '~')}?><hash><a>1</a></hash>`,
	'an attribute': (text) => `<hash><a b="${escapeXml(text)}" type="${escapeXml(text)}"/></hash>`,
	'a declaration': (text) => `<?xml version="1.0" encoding="${escapeXml(text)}"?><hash/>`,
	'a text of JSON': (text) => `[${JSON.stringify(text)}`,
};

/** A text among very many elements. Each element must cost the same, whatever the others are. */
const CROWDS: Record<string, (text: string) => string> = {
	'many elements behind it': (text) =>
		`<hash>${text.replaceAll(/[<&]/g, '~')}${'<a>1</a>'.repeat(text.length / 16)}</hash>`,
	'many elements': (text) =>
		`<hash>${`${text.slice(0, 8).replaceAll(/[<&]/g, '~')}<a>1</a>`.repeat(text.length / 16)}</hash>`,
	'many fields': (text) =>
		`{${Array.from({ length: text.length / 16 }, (_, n) => `"${n}f":{"status":"x"}`).join(',')}}`,
	'many names in brackets': (text) =>
		`{${Array.from({ length: text.length / 16 }, (_, n) => `"job[x${n}]":1`).join(',')},"job[id]":"a"}`,
	'many levels': (text) => '['.repeat(text.length),
	'many numbers': (text) => `[${'12345678901234567890,'.repeat(text.length / 21)}1]`,
};

/** Makes bodies of a given size, hostile at one place. */
interface HostileKind {
	place: string;
	bodies: (size: number) => string[];
	/** Harmless words at the same place, for comparison. */
	harmless: (size: number) => string;
}

function kindOf(place: string, make: (text: string) => string, pieces = PIECES, ends = ENDS): HostileKind {
	const bodyOf = (piece: string, size: number, end = '') => {
		const body = make(run(piece, size) + end);
		// Escaping can make the body much larger than requested.
		return body.length <= 1.5 * size ? body : make(run(piece, Math.floor(size ** 2 / body.length)) + end);
	};
	return {
		place,
		harmless: (size) => bodyOf('kettle ', size),
		bodies: (size) => pieces.map((piece, index) => bodyOf(piece, size, ends[index % ends.length])),
	};
}

const DIGITS = ['0', '1', '9', '.', '0.', 'e', '-', '+'];

/** Every place and form. */
export const HOSTILE: HostileKind[] = [
	...Object.entries(PLACES).flatMap(([place, make]) => [
		kindOf(`${place} in JSON`, (text) => JSON.stringify(make(text))),
		kindOf(`${place} in XML`, (text) => xmlOf('hash', make(text))),
	]),
	...Object.entries(NUMBERS).flatMap(([place, make]) => [
		kindOf(`${place} in JSON`, (text) => `{"n":${make(text)}}`, DIGITS, ['']),
		kindOf(`${place} in XML`, (text) => `<a><n type="float">${make(text)}</n></a>`, DIGITS, ['']),
	]),
	...Object.entries(FORMS).map(([place, make]) => kindOf(place, make)),
	...Object.entries(CROWDS).map(([place, make]) => kindOf(place, make, [' ', '0', 'é', 'no '], [''])),
];
