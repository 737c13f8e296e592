import type { SandboxOptions } from './options.ts';
import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

describe('XML', () => {
	let client: Client;
	let id: string;

	beforeEach(async () => {
		client = await startStill({ xmlIndent: false });
		id = await client.finished({
			topic: 'product_and_offers',
			source: 'google_shopping',
			value: undefined,
			values: ['many-2', 'awkward', 'nulls', 'notfound'],
		});
	});
	afterEach(() => client.sandbox.close());

	const bytes = async (changes: Partial<SandboxOptions>) => {
		client.sandbox.setOptions(changes);
		const url = `${client.sandbox.url}/v2/jobs/${id}/download.xml?token=${client.sandbox.apiKey}`;
		const answer = await fetch(url);
		return { type: answer.headers.get('content-type'), body: Buffer.from(await answer.arrayBuffer()) };
	};
	const text = async (changes: Partial<SandboxOptions>) => (await bytes(changes)).body.toString();

	it('says types everywhere, on the results alone as the document shows, or nowhere', async () => {
		const typesOf = async (xmlTypes: SandboxOptions['xmlTypes']) =>
			[...new Set((await text({ xmlTypes })).match(/<[\w-]+ type="\w+"/g))].sort();
		expect(await typesOf('all')).toEqual(
			expect.arrayContaining(['<max-pages type="integer"', '<offers type="array"']),
		);
		expect(await typesOf('results')).toEqual(['<results type="array"']);
		expect(await typesOf('none')).toEqual([]);
		expect(await text({})).toMatch(/<offers><offer><id>/);
	});

	it.each<[SandboxOptions['xmlNil'], string]>([
		['nil', '<image-url nil="true"/>'],
		['iNil', '<image-url i:nil="true"/>'],
		['upperCase', '<image-url nil="TRUE"/>'],
		['empty', '<image-url/>'],
		['absent', '<feature-bullets type="array"/>'],
	])('writes null as %s', async (xmlNil, expected) => {
		const written = await text({ xmlNil });
		expect(written).toContain(expected);
		expect(written.includes('xmlns:i=')).toBe(xmlNil === 'iNil');
		if (xmlNil === 'absent') expect(written).not.toContain('nil=');
	});

	it('puts the fields of entries into attributes, or only the currency', async () => {
		const attributes = await text({ xmlEntries: 'attributes' });
		expect(attributes).toMatch(/<offer id="\d{20}" product-id="\d{20}" price="\d+\.\d+"/);
		expect(attributes).toMatch(/<result><query><source>/);
		const currency = await text({ xmlEntries: 'currencyOnPrice' });
		expect(currency).toMatch(/<price currency="EUR">\d+\.\d+<\/price>/);
		expect(currency).not.toMatch(/<offer>.*<currency>.*<\/offer>/);
	});

	it('mixes text and elements', async () => {
		expect(await text({ xmlMixedText: true })).toMatch(/<name>[^<]+<b>[^<]+<\/b>[^<]*<\/name>/);
	});

	it.each([
		['default', /<hash xmlns="https:[^"]+"><job-id>/],
		['prefixed', /<pc:hash xmlns:pc="https:[^"]+"><pc:job-id>/],
	] as const)('has a namespace: %s', async (xmlNamespace, expected) => {
		expect(await text({ xmlNamespace })).toMatch(expected);
		const list = await client.send('/v2/jobs.xml');
		expect(list.text).toMatch(/^<\?xml[^>]+>\n<(pc:)?hash xmlns/);
	});

	const ENCODINGS: Array<[SandboxOptions['xmlEncoding'], string, string, string]> = [
		['utf8', 'utf-8', 'UTF-8', '3c3f786d6c'],
		['utf8Bom', 'utf-8', 'UTF-8', 'efbbbf3c3f'],
		['latin1', 'iso-8859-1', 'ISO-8859-1', '3c3f786d6c'],
		['utf16le', 'utf-16le', 'UTF-16', '3c003f0078'],
		['utf16leBom', 'utf-16le', 'UTF-16', 'fffe3c003f'],
		['utf16be', 'utf-16be', 'UTF-16', '003c003f00'],
		['utf16beBom', 'utf-16be', 'UTF-16', 'feff003c00'],
	];
	it.each(ENCODINGS)('is encoded in %s', async (xmlEncoding, decoder, name, start) => {
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		const { body, type } = await bytes({ xmlEncoding });
		expect(body.subarray(0, 5).toString('hex')).toBe(start);
		expect(type).toBe(`application/xml; charset=${name.toLowerCase()}`);
		const written = new TextDecoder(decoder).decode(body);
		expect(written).toContain(`encoding="${name}"`);
		expect(fromXml(written)).toEqual(json);
		expect((await bytes({ charset: 'omitted' })).type).toBe('application/xml');
	});

	it('has a blank line before its declaration, or none, when told to', async () => {
		expect(await text({ xmlDeclaration: 'afterBlankLine' })).toMatch(/^\n<\?xml /);
		expect(await text({ xmlDeclaration: 'none' })).toMatch(/^<hash>/);
	});
});
