import { decodeBody, excerptOf, isHtml } from '../../../../nodes/PriceCollection/service/decode/body';
import { encodingOf, textsOf, withHead } from '../../../../nodes/PriceCollection/service/decode/bytes';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const XML = '<?xml version="1.0" encoding="iso-8859-1"?>';

describe('the encoding', () => {
	it.each<[string, string | undefined, string]>([
		['\xef\xbb\xbf{', 'text/plain; charset=iso-8859-1', 'utf-8'],
		['\xff\xfe{\0', undefined, 'utf-16le'],
		['\xfe\xff\0{', undefined, 'utf-16be'],
		['\xfe{', undefined, 'utf-8'],
		[' \0\n\0{\0', undefined, 'utf-16le'],
		['\0 \0\n\0[', undefined, 'utf-16be'],
		['\0<', 'text/xml; charset=utf-8', 'utf-16be'],
		['\0x\0{', undefined, 'utf-8'],
		['ab\0{', undefined, 'utf-8'],
		['{}', 'application/json; charset = "ISO-8859-1"', 'ISO-8859-1'],
		[XML, undefined, 'iso-8859-1'],
		[XML.replace('=', ' = ').replace('g=', 'g = '), undefined, 'iso-8859-1'],
		[`\n ${XML}`, 'text/xml; charset=unheard-of', 'iso-8859-1'],
		[`text ${XML}`, undefined, 'utf-8'],
		['{}', 'application/json', 'utf-8'],
	])('of %j with %j is %s', (head, contentType, encoding) => {
		expect(encodingOf(latin1(head), contentType)).toBe(encoding);
	});
});

describe('the head of a body', () => {
	const read = async (pieces: AsyncIterable<Buffer> | Iterable<Buffer>) => {
		const { head, all } = await withHead(pieces);
		const sizes: number[] = [];
		for await (const piece of all) sizes.push(piece.length);
		return { head: head.length, sizes };
	};
	const pieces = (...sizes: number[]) => sizes.map((size) => Buffer.alloc(size));

	it('is 16 KB wherever the body is cut, and all of the body follows', async () => {
		expect(await read(pieces(10_000, 10_000, 10_000))).toEqual({ head: 16_384, sizes: [20_000, 10_000] });
		expect(await read(pieces(16_384, 5))).toEqual({ head: 16_384, sizes: [16_384, 5] });
		expect(await read(pieces(16_383, 5, 7))).toEqual({ head: 16_384, sizes: [16_388, 7] });
	});

	it('is the whole of a small one, and nothing of none', async () => {
		expect(await read(pieces(3, 4))).toEqual({ head: 7, sizes: [7] });
		expect(await read([])).toEqual({ head: 0, sizes: [] });
	});

	it('lets the body go when nobody reads on', async () => {
		let released = false;
		async function* body() {
			try {
				for (;;) yield Buffer.alloc(20_000);
			} finally {
				released = true;
			}
		}
		const { all } = await withHead(body());
		for await (const piece of all) {
			expect(piece).toHaveLength(20_000);
			break;
		}
		expect(released).toBe(true);
	});
});

test('texts come whole, however their bytes are cut, and never empty', async () => {
	const texts = async (...pieces: Buffer[]) => {
		const all: string[] = [];
		for await (const text of textsOf(pieces, 'utf-8')) all.push(text);
		return all;
	};
	const [first, second] = [Buffer.from([0xc3]), Buffer.from([0xa4])];
	expect(await texts(Buffer.from('\uFEFFx'), first, second)).toEqual(['x', 'ä']);
	expect(await texts(Buffer.from('x'), first)).toEqual(['x', '\uFFFD']);
	expect(await texts(Buffer.alloc(0))).toEqual([]);
});

describe('a body', () => {
	const decode = async (body: string | Buffer, contentType?: string) =>
		await decodeBody([Buffer.from(body as string)], contentType, async () => {});

	it.each<[string, unknown]>([
		['[1]', [1]],
		[' {"a":1}', { a: 1 }],
		[' 7 ', 7],
		['1e400', '1e400'],
		['12345678901234567890', '12345678901234567890'],
		['"12345678901234567890"', '12345678901234567890'],
		['null', null],
	])('%j is JSON', async (text, value) => {
		expect(await decode(text)).toMatchObject({ ok: true, format: 'json', value });
	});

	it('that begins like JSON or XML is one of them, broken or not', async () => {
		for (const text of ['[1', '{"a"', '<a>']) {
			expect(await decode(text)).toMatchObject({ ok: false, problem: 'malformed', truncated: true });
		}
		expect(await decode('1 [')).toMatchObject({ ok: false, problem: 'text' });
	});

	it('in another encoding is read in that', async () => {
		expect(await decode(Buffer.from('{"a":"ä€"}', 'utf16le'))).toMatchObject({ value: { a: 'ä€' } });
		expect(await decode(latin1('{"a":"ä"}'), 'a/b; charset=ISO-8859-1')).toMatchObject({
			value: { a: 'ä' },
		});
		expect(await decode('{"a":"ä"}', 'a/b; charset=UTF-8')).toMatchObject({ value: { a: 'ä' } });
	});

	it('is a lone text of less than 16 KB', async () => {
		const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
		expect(await decode(text(16_383))).toMatchObject({ ok: true, value: 'x'.repeat(16_381) });
		expect(await decode(text(16_384))).toMatchObject({ ok: false, problem: 'text' });
	});

	it('has a head without half a character', async () => {
		const body = Buffer.from(`{"a":"${'x'.repeat(16_377)}ä"}`);
		const pieces = [body.subarray(0, 16_384), body.subarray(16_384)];
		const { head } = await decodeBody(pieces, undefined, async () => {});
		expect(head).toBe(`{"a":"${'x'.repeat(16_377)}`);
	});
});

describe('a web page', () => {
	it.each(['<!DOCTYPE   html>', '<html>', '<h1>', '<!-- a --> <?xml?>\n<BODY ', '<p/>'])(
		'begins with %s',
		(text) => {
			expect(isHtml(text)).toBe(true);
		},
	);

	it.each(['', ' ', 'x<html>', '<hash>', '<!-- <html>', '<?xml <html', '<htmlx>', '<!-- a -->'])(
		'does not begin with %s',
		(text) => {
			expect(isHtml(text)).toBe(false);
		},
	);
});

test('an excerpt is the first 200 characters with single blanks, and no half of one', () => {
	expect(excerptOf(` \n a \t b${' '.repeat(3_000)}c`)).toBe('a b');
	expect(excerptOf('x'.repeat(200))).toBe('x'.repeat(200));
	expect(excerptOf('x'.repeat(201))).toBe('x'.repeat(200));
	expect(excerptOf(`${'x'.repeat(199)}😀y`)).toBe('x'.repeat(199));
	expect(excerptOf(`${'x'.repeat(198)}😀`)).toBe(`${'x'.repeat(198)}😀`);
	expect(excerptOf(`😀${'x'.repeat(300)}`)).toBe(`😀${'x'.repeat(198)}`);
	expect(excerptOf(' ')).toBe('');
});
