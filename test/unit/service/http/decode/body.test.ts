import { decodeBody } from '../../../../../nodes/PriceCollection/service/http/decode/body';

const decode = async (bytes: Buffer | string, contentType?: string) =>
	await decodeBody(Buffer.from(bytes), contentType, async () => {});
const latin1 = (text: string) => Buffer.from(text, 'latin1');

it.each([
	['{"a":1}', { a: 1 }],
	[' \n[1]', [1]],
	['\uFEFF{"a":1}', { a: 1 }],
	['\uFEFF{"a":12345678901234567890}', { a: '12345678901234567890' }],
	['"text"', 'text'],
	[' 7 ', 7],
	['null', null],
	['<hash><a>1</a></hash>', { a: '1' }],
	['\n\n<?xml version="1.0"?>\n<hash><a>1</a></hash>\n', { a: '1' }],
	['\uFEFF<?xml version="1.0"?><hash><a>1</a></hash>', { a: '1' }],
	['<!-- html --><header>x</header>', 'x'],
	// Blanks and a lone text of any length.
	[`${' \n'.repeat(20_000)}{"a":"ä"}`, { a: 'ä' }],
	[`${' '.repeat(65_536)}{"a":1}`, { a: 1 }],
	[`${' \n'.repeat(100_000)}<a><b>1</b></a>`, { b: '1' }],
	[`${' '.repeat(70_000)}\uFEFF{"a":1}`, { a: 1 }],
	[`"${'x'.repeat(20_000)}"`, 'x'.repeat(20_000)],
])('%j is %j, whatever the header says', async (text, value) => {
	expect(await decode(text, 'image/png')).toMatchObject({ ok: true, value });
});

const page = 'The body is a web page';
const text = 'The body is plain text';
const cut = 'The XML ends in the middle';
it.each<[string, string, string, boolean?]>([
	['', 'empty', 'The body is empty'],
	[' ', 'empty', 'The body is empty'],
	['\uFEFF', 'empty', 'The body is empty'],
	['\r\n\t', 'empty', 'The body is empty'],
	['<!DOCTYPE html><p>x', 'html', page],
	['<!doctype HTML PUBLIC "-//W3C//DTD">', 'html', page],
	['\n<html>\r\n<head><title>502 Bad Gateway</title></head>', 'html', page],
	['<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="x"/>', 'html', page],
	['<!-- a --> <?xml?>\n<BODY ', 'html', page],
	['<p/>', 'html', page],
	// The first tag spans two pieces of the body.
	[`${' '.repeat(65_534)}<html><p>x`, 'html', page],
	[`${' '.repeat(65_536)}<html><p>x`, 'html', page],
	[' '.repeat(200_000), 'empty', 'The body is empty'],
	['Service Unavailable', 'text', text],
	['503 Service Unavailable', 'text', text],
	['"half', 'text', text],
	[`${'x'.repeat(20_000)} `, 'text', text],
	['true-ish', 'text', text],
	['<!-- <html>', 'malformed', cut, true],
	['<htmlx>', 'malformed', cut, true],
	['{"a":1,}', 'malformed', 'The JSON is not well-formed'],
	['<hash>\n <a>1</a>', 'malformed', cut, true],
	// Endless comments do not hold it up.
	[`${'<!---->'.repeat(5_000)}<!--`, 'malformed', cut, true],
])('%j is of no use: %s', async (body, problem, detail, truncated = false) => {
	const decoded = await decode(body);
	expect(decoded).toMatchObject({ ok: false, problem, detail, truncated });
	expect(decoded.head).toBe(body.replace(/^\s+/, '').slice(0, 16 * 1024));
});

describe('the encoding', () => {
	const JSON_TEXT = '{"name":"Müller 5 €","id":12345678901234567890}';
	const VALUE = { name: 'Müller 5 €', id: '12345678901234567890' };
	const NAME = { name: 'Müller' };
	const xml = (encoding: string) =>
		`<?xml version="1.0" encoding="${encoding}"?>\n<hash><name>Müller</name></hash>`;
	const utf16be = (decoded: string) => Buffer.from(decoded, 'utf16le').swap16();

	it('of valid UTF-8 is UTF-8 whatever is declared', async () => {
		for (const charset of ['us-ascii', 'iso-8859-1', 'utf-16', 'UTF-16BE', 'klingon', 'utf-8']) {
			const json = { ok: true, value: VALUE, head: JSON_TEXT };
			expect(await decode(JSON_TEXT, `application/json; charset=${charset}`)).toEqual(json);
			const read = { ok: true, value: NAME, head: xml(charset) };
			for (const mark of ['', '\uFEFF']) expect(await decode(mark + xml(charset))).toEqual(read);
		}
	});

	it('is the UTF-16 of a byte order mark, whatever is declared', async () => {
		for (const body of [JSON_TEXT, xml('utf-8')]) {
			const marked = `\uFEFF${body}`;
			for (const bytes of [Buffer.from(marked, 'utf16le'), utf16be(marked)]) {
				for (const charset of ['utf-16', 'utf-8', 'iso-8859-1']) {
					const decoded = await decode(bytes, `text/plain; charset=${charset}`);
					expect(decoded).toEqual({
						ok: true,
						value: body === JSON_TEXT ? VALUE : NAME,
						head: body,
					});
				}
			}
		}
	});

	it.each([
		['{"name":"Müller"}', 'application/json; charset = "ISO-8859-1"'],
		['{"name":"Müller"}', 'application/json;charset=cp1252'],
		[xml('ISO-8859-1'), undefined],
		[xml('ISO-8859-1'), 'text/xml; charset=utf-8'],
		[`\n ${xml('latin1')}`, 'text/xml; charset=unheard-of'],
		[xml('iso-8859-1').replaceAll('"', "'").replace('=', ' = '), 'text/xml'],
	])('is the declared one where %j is not UTF-8', async (body, contentType) => {
		expect(await decode(latin1(body), contentType)).toEqual({ ok: true, value: NAME, head: body.trim() });
	});

	// Some versions of Node decode € to a control character if they decode the body in one call.
	it.each([10, 65_530, 200_000])('is windows-1252 with its € in %i characters', async (length) => {
		const name = `${'x'.repeat(length)}\u20ac\u201e\u0153`;
		const bytes = (body: string) =>
			latin1(body.replace('\u20ac', '\x80').replace('\u201e', '\x84').replace('\u0153', '\x9c'));
		for (const charset of ['windows-1252', 'iso-8859-1']) {
			const json = await decode(
				bytes(JSON.stringify({ name })),
				`application/json; charset=${charset}`,
			);
			expect(json).toMatchObject({ ok: true, value: { name } });
			const inXml = `<?xml version="1.0" encoding="${charset}"?><a><name>${name}</name></a>`;
			expect(await decode(bytes(inXml))).toMatchObject({ ok: true, value: { name } });
		}
		const file = await decodeBody(bytes(`{"name":"${name}"}`), undefined, async () => {}, 'windows-1252');
		expect(file).toMatchObject({ ok: true, value: { name } });
	});

	it('is declared behind any blanks', async () => {
		const body = `${' \n'.repeat(40_000)}${xml('ISO-8859-1')}`;
		expect(await decode(latin1(body))).toEqual({ ok: true, value: NAME, head: body.trim() });
	});

	it('is a declared UTF-16 without a mark', async () => {
		const bodies = [Buffer.from(JSON_TEXT, 'utf16le'), utf16be(JSON_TEXT)];
		for (const [index, charset] of ['utf-16', 'utf-16be'].entries()) {
			const decoded = await decode(bodies[index] ?? '', `application/json; charset=${charset}`);
			expect(decoded).toEqual({ ok: true, value: VALUE, head: JSON_TEXT });
		}
	});

	const OTHERS = ['application/json; charset=utf-8', 'text/plain; charset=klingon'];
	const detail = 'The body is not valid UTF-8 and declares no other encoding that fits';
	it.each([undefined, ...OTHERS])('is not guessed where %s does not fit', async (contentType) => {
		const head = '{"name":"M\uFFFDller"}';
		const malformed = { ok: false, problem: 'malformed', detail, truncated: false };
		expect(await decode(latin1('{"name":"M\xfcller"}'), contentType)).toEqual({ ...malformed, head });
		expect(await decode(latin1('<a>M\xfcller</a>'), contentType)).toMatchObject(malformed);
		expect(await decode(latin1('Schl\xfcssel'))).toMatchObject({ problem: 'text', detail: text });
		expect(await decode(latin1('<html>Schl\xfcssel'))).toMatchObject({ problem: 'html', detail: page });
		expect(await decode(Buffer.from(JSON_TEXT, 'utf16le'))).toMatchObject({ ok: false, detail });
	});

	it('is UTF-8 where characters were lost before, and wherever the steps cut one', async () => {
		for (let shift = 0; shift < 4; shift++) {
			const name = `${'x'.repeat(65_536 - 10 - shift)}€\uFFFD`;
			const decoded = await decode(JSON.stringify({ name }), 'application/json; charset=iso-8859-1');
			expect(decoded).toMatchObject({ ok: true, value: { name } });
		}
	});

	it('stays UTF-8 in a body that ends in the middle of a character', async () => {
		for (const [begin, end] of [
			['{"name":"wei', 'The JSON ends in the middle'],
			['<hash><name>wei', cut],
		] as const) {
			const decoded = await decode(Buffer.concat([Buffer.from(begin), Buffer.from([0xc3])]));
			expect(decoded).toMatchObject({ problem: 'malformed', detail: end, truncated: true });
		}
	});
});

it('lets others have their turn between looking and reading', async () => {
	const stop = async () => await Promise.reject(new Error('stopped'));
	await expect(decodeBody(Buffer.from('[1]'), undefined, stop)).rejects.toThrow('stopped');
});

describe('a large body', () => {
	const FILL = 'x'.repeat(200_000);

	/** How many bytes are decoded at a time. */
	async function stepsOf(body: Buffer): Promise<number[]> {
		const decoding = jest.spyOn(TextDecoder.prototype, 'decode');
		const { ok } = await decodeBody(body, undefined, async () => {});
		const steps = decoding.mock.calls.map(([piece]) => piece?.byteLength ?? 0);
		decoding.mockRestore();
		expect(ok).toBe(true);
		return steps;
	}

	test.each(['', '\ufeff', ' \n'])(
		'of XML is never decoded as a whole, which begins with %j',
		async (start) => {
			const steps = await stepsOf(Buffer.from(`${start}<a>${FILL}</a>`));
			expect(Math.max(...steps)).toBe(65_536);
		},
	);

	test('of JSON is decoded once', async () => {
		const body = Buffer.from(JSON.stringify({ html: '<p>', fill: FILL }));
		expect((await stepsOf(body)).filter((bytes) => bytes === body.length)).toHaveLength(1);
	});
});
