import { decodeBody } from '../../../../nodes/PriceCollection/service/decode/body';

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
	['1e400', '1e400'],
	['null', null],
	['<hash><a>1</a></hash>', { a: '1' }],
	['\n\n<?xml version="1.0"?>\n<hash><a>1</a></hash>\n', { a: '1' }],
	['\uFEFF<?xml version="1.0"?><hash><a>1</a></hash>', { a: '1' }],
	['<!-- html --><header>x</header>', 'x'],
	// Blanks of any number, and a lone text of less than 16 KB.
	[`${' \n'.repeat(20_000)}{"a":"ä"}`, { a: 'ä' }],
	[`"${'x'.repeat(16_381)}"`, 'x'.repeat(16_381)],
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
	['Service Unavailable', 'text', text],
	['503 Service Unavailable', 'text', text],
	['"half', 'text', text],
	['true-ish', 'text', text],
	[`"${'x'.repeat(16_382)}"`, 'text', text],
	['<!-- <html>', 'malformed', cut, true],
	['<htmlx>', 'malformed', cut, true],
	['{"a":1,}', 'malformed', 'The JSON is not well-formed'],
	['<hash>\n <a>1</a>', 'malformed', cut, true],
	// Not held up by comments without end.
	[`${'<!---->'.repeat(5_000)}<!--`, 'malformed', cut, true],
])('%j is of no use: %s', async (body, problem, detail, truncated = false) => {
	const decoded = await decode(body);
	expect(decoded).toMatchObject({ ok: false, problem, detail, truncated });
	expect(decoded.head).toBe(body.replace(/^\s+/, '').slice(0, 16 * 1024));
});

describe('the encoding', () => {
	const JSON_TEXT = '{"name":"Müller 5 €","id":12345678901234567890}';
	const VALUE = { name: 'Müller 5 €', id: '12345678901234567890' };
	const xml = (encoding: string) =>
		`<?xml version="1.0" encoding="${encoding}"?>\n<hash><name>Müller</name></hash>`;
	const utf16be = (decoded: string) => Buffer.from(decoded, 'utf16le').swap16();

	it('of valid UTF-8 is UTF-8 whatever is declared', async () => {
		for (const charset of ['us-ascii', 'iso-8859-1', 'utf-16', 'UTF-16BE', 'klingon', 'utf-8']) {
			const json = { ok: true, value: VALUE, head: JSON_TEXT };
			expect(await decode(JSON_TEXT, `application/json; charset=${charset}`)).toEqual(json);
			const read = { ok: true, value: { name: 'Müller' }, head: xml(charset) };
			for (const mark of ['', '\uFEFF']) expect(await decode(mark + xml(charset))).toEqual(read);
		}
	});

	it.each(['\uFEFF', '', ' \n'])('is UTF-16 behind %j, whatever is declared', async (before) => {
		for (const bytes of [Buffer.from(before + JSON_TEXT, 'utf16le'), utf16be(before + JSON_TEXT)]) {
			for (const charset of ['utf-16', 'utf-8', 'iso-8859-1'])
				expect(await decode(bytes, `text/plain; charset=${charset}`)).toMatchObject({ value: VALUE });
		}
		const twin = await decode(Buffer.from(before + xml('utf-16'), 'utf16le'));
		expect(twin).toMatchObject({ value: { name: 'Müller' } });
	});

	it.each([
		['{"name":"Müller"}', 'application/json; charset = "ISO-8859-1"'],
		['{"name":"Müller"}', 'application/json;charset=cp1252'],
		[xml('ISO-8859-1'), undefined],
		[`\n ${xml('latin1')}`, 'text/xml; charset=unheard-of'],
		[xml('iso-8859-1').replaceAll('"', "'").replace('=', ' = '), 'text/xml'],
	])('is the declared one where %j is not UTF-8', async (body, contentType) => {
		const decoded = await decode(latin1(body), contentType);
		expect(decoded).toMatchObject({ ok: true, value: { name: 'Müller' } });
		expect(decoded).not.toHaveProperty('isRepaired');
	});

	const OTHERS = ['application/json; charset=utf-8', 'text/plain; charset=klingon', 'a/b; charset=utf-16'];
	it.each([undefined, ...OTHERS])('is Windows-1252 where %s is wrong, and says so', async (contentType) => {
		expect(await decode(latin1('{"name":"M\xfcller f\xfcr \xdf"}'), contentType)).toMatchObject({
			...{ ok: true, value: { name: 'Müller für ß' }, isRepaired: true },
		});
		expect(await decode(latin1('<hash><name>M\xfcller</name></hash>'), contentType)).toMatchObject({
			...{ ok: true, value: { name: 'Müller' }, isRepaired: true },
		});
		expect(await decode(latin1('Schlüssel'))).toMatchObject({ problem: 'text', head: 'Schlüssel' });
	});

	it('is UTF-8 where characters were lost before, and wherever the steps cut one', async () => {
		for (let shift = 0; shift < 4; shift++) {
			const name = `${'x'.repeat(65_536 - 10 - shift)}€\uFFFD`;
			const decoded = await decode(JSON.stringify({ name }), 'application/json; charset=iso-8859-1');
			expect(decoded).toMatchObject({ ok: true, value: { name } });
			expect(decoded).not.toHaveProperty('isRepaired');
		}
	});

	it('stays UTF-8 where only a character is cut', async () => {
		const [before, after] = [Buffer.from('{"name":"Müller für 5 € und wei'), Buffer.from('"}')];
		expect(await decode(Buffer.concat([before, Buffer.from([0xc3]), after]))).toMatchObject({
			...{ ok: true, value: { name: 'Müller für 5 € und wei\uFFFD' }, isRepaired: true },
		});
	});
});

it('lets others have their turn between looking and reading', async () => {
	const stop = async () => await Promise.reject(new Error('stopped'));
	await expect(decodeBody(Buffer.from('[1]'), undefined, stop)).rejects.toThrow('stopped');
});
