import { decodeBody, excerptOf } from '../../../../nodes/PriceCollection/service/decode/body';

const decode = async (text: string) => await decodeBody([Buffer.from(text)], undefined, async () => {});

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
		const decodeBytes = async (text: string) =>
			await decodeBody([Buffer.from(text, 'latin1')], undefined, async () => {});
		expect(await decodeBytes('"für"')).toEqual({
			...{ ok: true, format: 'json', value: 'für', head: '"für"', mended: 1 },
		});
		expect(await decodeBytes('Schlüssel')).toMatchObject({ problem: 'text', head: 'Schlüssel' });
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

describe('excerptOf', () => {
	it('gives the beginning on one line', () => {
		expect(excerptOf('  a\r\n\t b ')).toBe('a b');
		expect(excerptOf(`${' '.repeat(5_000)}${'x'.repeat(500)}`)).toBe('x'.repeat(200));
	});

	it('does not cut a character in two', () => {
		expect(excerptOf(`${'x'.repeat(199)}😀 and more`)).toBe('x'.repeat(199));
	});
});
