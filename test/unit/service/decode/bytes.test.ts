import {
	decoderOf,
	encodingOf,
	mendedText,
	textsOf,
	withHead,
} from '../../../../nodes/PriceCollection/service/decode/bytes';

/** From 0x80 to 0x9F, as the Encoding Standard has them. */
const SPECIAL = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** A byte as Windows-1252 has it. */
const windows1252 = (byte: number) => SPECIAL[byte - 0x80] ?? String.fromCharCode(byte);

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

describe('Windows-1252, in every Node', () => {
	const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
	const text = [...bytes].map(windows1252).join('');

	test.each(['windows-1252', 'CP1252', 'iso-8859-1', 'ISO_8859-1', 'latin1', 'us-ascii'])(
		'is what %s means',
		(label) => {
			for (const fatal of [true, false]) {
				const decoder = decoderOf(label, { fatal });
				expect(decoder.encoding).toBe('windows-1252');
				expect(decoder.decode(bytes)).toBe(text);
				expect(
					decoder.decode(bytes.subarray(0, 129), { stream: true }) +
						decoder.decode(bytes.subarray(129), { stream: true }) +
						decoder.decode(),
				).toBe(text);
			}
		},
	);

	test('is what bytes are read as that are not UTF-8', () => {
		const high = bytes.subarray(128);
		// Blanks between them, because some of them beside each other are UTF-8.
		const spaced = Buffer.from([...high].flatMap((byte) => [byte, 0x20]));
		expect(mendedText(spaced, /[^]+/g).text).toBe(`${[...text.slice(128)].join(' ')} `);
	});
});

test('the beginning of a body is looked at and stays in it', async () => {
	const { head, all } = await withHead(['ab', 'cd'].map((text) => Buffer.from(text)));
	expect(String(head)).toBe('abcd');
	const read: Buffer[] = [];
	for await (const piece of all) read.push(piece);
	expect(String(Buffer.concat(read))).toBe('abcd');
});

describe('bytes that are not UTF-8', () => {
	/** The character of UTF-8 beyond ASCII that begins here, if one does. */
	const characterAt = (bytes: number[], at: number): string | undefined => {
		// No character begins with ASCII or in the middle of one; asking the decoder costs an exception each time.
		if ((bytes[at] ?? 0) < 0xc0) return undefined;
		for (const length of [2, 3, 4]) {
			try {
				const character = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
					Uint8Array.from(bytes.slice(at, at + length)),
				);
				if ([...character].length === 1) return character;
			} catch {
				// No character is so long here.
			}
		}
		return undefined;
	};

	/** Character by character: what is UTF-8 as it is, every other byte by itself. */
	const plainReading = (bytes: number[]): string => {
		let text = '';
		for (let at = 0; at < bytes.length;) {
			const character = characterAt(bytes, at);
			text += character ?? windows1252(bytes[at] ?? 0);
			at += character === undefined ? 1 : Buffer.byteLength(character);
		}
		return text;
	};

	const LEADS = [0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5];
	const SECONDS = [0x61, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
	const OTHERS = [0x61, 0x80, 0xbf, 0xc0];
	const sequences = LEADS.flatMap((lead) =>
		SECONDS.flatMap((second) => [
			[lead, second],
			...OTHERS.flatMap((third) => [
				[lead, second, third],
				...OTHERS.map((fourth) => [lead, second, third, fourth]),
			]),
		]),
	);

	test('are read as Windows-1252 one by one, beside every character that is UTF-8', () => {
		// The last byte is never UTF-8, so that there is something to mend.
		const misread = sequences
			.map((sequence) => [0x61, ...sequence, 0x20, 0xff])
			.filter((bytes) => mendedText(Buffer.from(bytes), /[^ ]+/g).text !== plainReading(bytes));
		expect(misread).toEqual([]);
	});

	test('are counted by the stretches that hold some', () => {
		const bytes = Buffer.from('a\xe4 b\xc3\xa4 \xff\xfe', 'latin1');
		expect(mendedText(bytes, /[^ ]+/g)).toEqual({ text: 'aä bä ÿþ', mended: 2 });
	});
});
