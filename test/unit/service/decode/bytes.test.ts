import { encodingOf, textsOf, withHead } from '../../../../nodes/PriceCollection/service/decode/bytes';

async function textOf(bytes: Buffer, contentType?: string): Promise<string> {
	let text = '';
	for await (const piece of textsOf(
		[bytes.subarray(0, 5), bytes.subarray(5)],
		encodingOf(bytes, contentType),
	))
		text += piece;
	return text;
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const XML = '<?xml version="1.0" encoding="utf-16"?><a>säge</a>';

test.each<[string, Buffer, string | undefined, string]>([
	['UTF-8', Buffer.from('säge'), undefined, 'säge'],
	['UTF-8 with a mark', Buffer.from('\uFEFFsäge'), undefined, 'säge'],
	['what the header says', Buffer.from('säge', 'latin1'), 'text/plain; charset="ISO-8859-1"', 'säge'],
	['an unknown charset as UTF-8', Buffer.from('säge'), 'text/plain; charset=klingon', 'säge'],
	['UTF-16 with a mark', Buffer.from(`\uFEFF${XML}`, 'utf16le'), undefined, XML],
	['UTF-16 without one', Buffer.from(` ${XML}`, 'utf16le'), undefined, ` ${XML}`],
	['UTF-16 the other way round', utf16be(XML), 'application/xml; charset=utf-8', XML],
	['JSON in UTF-16', Buffer.from('{"a":"säge"}', 'utf16le'), 'application/json', '{"a":"säge"}'],
])('decodes %s', async (_name, bytes, contentType, text) => {
	expect(await textOf(bytes, contentType)).toBe(text);
});

test('decodes what the XML declaration says, also behind blank lines', async () => {
	for (const before of ['', '\n\n ']) {
		const xml = `${before}<?xml version="1.0" encoding="iso-8859-1"?><a>säge</a>`;
		expect(await textOf(Buffer.from(xml, 'latin1'))).toBe(xml);
	}
});

test('the beginning of a body is looked at and stays in it', async () => {
	const { head, all } = await withHead(['ab', 'cd'].map((text) => Buffer.from(text)));
	expect(String(head)).toBe('abcd');
	const read: Buffer[] = [];
	for await (const piece of all) read.push(piece);
	expect(String(Buffer.concat(read))).toBe('abcd');
});
