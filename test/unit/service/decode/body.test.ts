import { decodeBody, isHtml } from '../../../../nodes/PriceCollection/service/decode/body';

const decode = async (text: string) => await decodeBody(Buffer.from(text), undefined, async () => {});
const decodeBytes = async (bytes: Buffer | string, contentType?: string) =>
	await decodeBody(Buffer.from(bytes as string, 'latin1'), contentType, async () => {});

describe('decodeBody', () => {
	it.each([
		['{"a":1}', 'json', { a: 1 }],
		[' \n[1]', 'json', [1]],
		['\uFEFF{"a":1}', 'json', { a: 1 }],
		['"text"', 'json', 'text'],
		['12', 'json', 12],
		['null', 'json', null],
		['<hash><a>1</a></hash>', 'xml', { a: '1' }],
		['\n\n<?xml version="1.0"?>\n<hash><a>1</a></hash>\n', 'xml', { a: '1' }],
		['\uFEFF<?xml version="1.0"?><hash><a>1</a></hash>', 'xml', { a: '1' }],
		['<!-- html --><header>x</header>', 'xml', 'x'],
		['<products type="array"/>', 'xml', []],
	])('lets %j decide that it is %s', async (text, format, value) => {
		expect(await decode(text)).toMatchObject({ ok: true, format, value });
	});

	it.each(['', ' ', '\uFEFF', '\r\n\t'])('calls %j empty', async (text) => {
		expect(await decode(text)).toEqual({
			ok: false,
			problem: 'empty',
			detail: 'The body is empty',
			head: expect.stringMatching(/^\s*$/),
			truncated: false,
		});
	});

	it.each([
		'<!DOCTYPE html><p>x',
		'<!doctype HTML PUBLIC "-//W3C//DTD">',
		'\n<html>\r\n<head><title>502 Bad Gateway</title></head>',
		'<HTML lang="en">',
		'<!-- a --> <!-- b -->\n<html>',
		'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="http://www.w3.org/1999/xhtml"/>',
		'<h1>Service Unavailable</h1>',
		'<title>503</title>',
	])('knows the web page %j', async (text) => {
		expect(await decode(text)).toMatchObject({
			ok: false,
			problem: 'html',
			detail: 'The body is a web page',
		});
	});

	it('is not held up by comments without end', async () => {
		expect(await decode('<!---->'.repeat(5_000) + '<!--')).toMatchObject({
			problem: 'malformed',
			truncated: true,
		});
	});

	it.each([
		'Service Unavailable',
		'upstream timed out',
		'not found',
		'503 Service Unavailable',
		'"half',
		'true-ish',
	])('knows the plain text %j', async (text) => {
		expect(await decode(text)).toEqual({
			ok: false,
			problem: 'text',
			detail: 'The body is plain text',
			head: text,
			truncated: false,
		});
	});

	it('reads words that are not UTF-8 as Windows-1252, and says so of those that are data', async () => {
		expect(await decodeBytes('"für"')).toEqual({
			...{ ok: true, format: 'json', value: 'für', head: '"für"', mended: 1 },
		});
		expect(await decodeBytes('Schlüssel')).toMatchObject({ problem: 'text', head: 'Schlüssel' });
	});

	it.each<[string, unknown]>([
		[' 7 ', 7],
		['1e400', '1e400'],
		['12345678901234567890', '12345678901234567890'],
		['"12345678901234567890"', '12345678901234567890'],
	])('reads the lone value %j', async (text, value) => {
		expect(await decode(text)).toMatchObject({ ok: true, format: 'json', value });
	});

	it('takes a lone text of less than 16 KB for JSON', async () => {
		const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
		expect(await decode(text(16_383))).toMatchObject({ ok: true, value: 'x'.repeat(16_381) });
		expect(await decode(text(16_384))).toMatchObject({ ok: false, problem: 'text' });
	});

	it('looks behind blanks of any number', async () => {
		expect(await decode(`${' \n'.repeat(20_000)}{"a":"ä"}`)).toEqual({
			...{ ok: true, format: 'json', value: { a: 'ä' }, head: '{"a":"ä"}' },
		});
	});

	it('says what is wrong with a document that is not well-formed', async () => {
		expect(await decode('{"a":1,}')).toEqual({
			ok: false,
			problem: 'malformed',
			detail: 'The JSON is not well-formed at character 8',
			head: '{"a":1,}',
			truncated: false,
		});
		expect(await decode('<hash>\n <a>1</a>')).toEqual({
			ok: false,
			problem: 'malformed',
			detail: 'The XML ends in the middle',
			head: '<hash>\n <a>1</a>',
			truncated: true,
		});
	});
});

describe('the encoding', () => {
	const JSON_TEXT = '{"name":"Müller 5 €","id":12345678901234567890}';
	const VALUE = { name: 'Müller 5 €', id: '12345678901234567890' };
	const xml = (encoding: string) =>
		`<?xml version="1.0" encoding="${encoding}"?>\n<hash><name>Müller</name></hash>`;
	const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

	it.each(['us-ascii', 'iso-8859-1', 'windows-1252', 'utf-16', 'UTF-16BE', 'klingon', 'utf-8'])(
		'of valid UTF-8 is UTF-8 although %s is declared',
		async (charset) => {
			expect(await decodeBytes(Buffer.from(JSON_TEXT), `application/json; charset=${charset}`)).toEqual(
				{
					...{ ok: true, format: 'json', value: VALUE, head: JSON_TEXT },
				},
			);
			for (const mark of ['', '\uFEFF']) {
				expect(await decodeBytes(Buffer.from(mark + xml(charset)))).toEqual({
					...{ ok: true, format: 'xml', value: { name: 'Müller' }, head: xml(charset) },
				});
			}
		},
	);

	it.each([
		['with a mark', '\uFEFF'],
		['without one', ''],
		['behind blanks', ' \n'],
	])('is UTF-16 %s, whatever is declared', async (_name, before) => {
		for (const bytes of [Buffer.from(before + JSON_TEXT, 'utf16le'), utf16be(before + JSON_TEXT)]) {
			for (const charset of ['utf-16', 'utf-8', 'iso-8859-1'])
				expect(await decodeBytes(bytes, `text/plain; charset=${charset}`)).toMatchObject({
					value: VALUE,
				});
		}
		expect(await decodeBytes(Buffer.from(before + xml('utf-16'), 'utf16le'))).toMatchObject({
			value: { name: 'Müller' },
		});
	});

	it.each([
		['{"name":"Müller"}', 'application/json; charset = "ISO-8859-1"'],
		['{"name":"Müller"}', 'application/json;charset=cp1252'],
		[xml('ISO-8859-1'), undefined],
		[`\n ${xml('latin1')}`, 'text/xml; charset=unheard-of'],
		[xml('iso-8859-1').replaceAll('"', "'").replace('=', ' = '), 'text/xml'],
	])('is the declared one where %j is not UTF-8', async (text, contentType) => {
		const decoded = await decodeBytes(text, contentType);
		expect(decoded).toMatchObject({ ok: true, value: { name: 'Müller' } });
		expect(decoded).not.toHaveProperty('mended');
	});

	it.each([
		undefined,
		'application/json; charset=utf-8',
		'text/plain; charset=klingon',
		'a/b; charset=utf-16',
	])('is Windows-1252 where bytes are not UTF-8 although %s, and says so', async (contentType) => {
		expect(await decodeBytes('{"name":"M\xfcller f\xfcr \xdf"}', contentType)).toMatchObject({
			...{ ok: true, value: { name: 'Müller für ß' }, mended: 3 },
		});
		expect(await decodeBytes('<hash><name>M\xfcller</name></hash>', contentType)).toMatchObject({
			...{ ok: true, value: { name: 'Müller' }, mended: 1 },
		});
	});

	it('stays UTF-8 where only a character is cut', async () => {
		const bytes = Buffer.concat([
			Buffer.from('{"name":"Müller für 5 € und wei'),
			Buffer.from([0xc3]),
			Buffer.from('"}'),
		]);
		expect(await decodeBytes(bytes)).toMatchObject({
			...{ ok: true, value: { name: 'Müller für 5 € und wei\uFFFD' }, mended: 1 },
		});
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
