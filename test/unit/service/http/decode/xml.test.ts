import { decodeBody, textsOf } from '../../../../../nodes/PriceCollection/service/http/decode/body';
import { parseXml } from '../../../../../nodes/PriceCollection/service/http/decode/xml';

const atOnce = async () => {};

const refusalOf = async (text: string) => {
	const parsed = await parseXml([text], atOnce);
	return parsed.ok ? undefined : parsed;
};

const valueOf = async (text: string) => {
	const parsed = await parseXml([text], atOnce);
	return parsed.ok ? parsed.value : new Error(parsed.detail);
};

const DOCUMENT = `<?xml version="1.0" encoding="UTF-8"?>
<hash>
  <job-id>1234567890abcdef12345678</job-id>
  <results type="array">
    <result>
      <query><value>00885909666966</value><max-pages type="integer">1</max-pages></query>
      <success type="boolean">true</success>
      <content>
        <search-results type="array"><search-result><price>12.90</price></search-result></search-results>
        <tags type="array"/><!-- 5 > 3 -->
        <tax nil="true"/><name><![CDATA[<Müller> &]]> &amp; Söhne</name>
      </content>
    </result>
  </results>
</hash>`;

describe('a whole document', () => {
	it('is read as its JSON twin', async () => {
		const content = {
			search_results: [{ price: '12.90' }],
			tags: [],
			tax: null,
			name: '<Müller> & & Söhne',
		};
		const query = { value: '00885909666966', max_pages: 1 };
		const twin = { job_id: '1234567890abcdef12345678', results: [{ query, success: true, content }] };
		expect(await valueOf(DOCUMENT)).toStrictEqual(twin);
	});

	it('is refused wherever it is cut, as one whose end is missing or that is not well-formed', async () => {
		for (let end = 1; end < DOCUMENT.length; end++) {
			const decoded = await decodeBody(Buffer.from(DOCUMENT.slice(0, end)), undefined, atOnce);
			expect(decoded).toMatchObject({ ok: false, problem: 'malformed' });
		}
	});
});

describe('an element', () => {
	it.each<[string, string, unknown]>([
		['integer', '7', 7],
		['integer', '1.5', '1.5'],
		['integer', '9007199254740991', 9007199254740991],
		['integer', '9007199254740993', '9007199254740993'],
		['integer', '', ''],
		['integer', '+7', '+7'],
		['float', '1.5e3', 1500],
		['float', '15E-1', 1.5],
		['float', '12e+10', 12e10],
		['float', '-12.0', -12],
		['float', '98765432109876543.25', '98765432109876543.25'],
		['float', '1e999', '1e999'],
		['float', '.5', '.5'],
		['float', 'x12', 'x12'],
		['float', '12x', '12x'],
		['float', 'e', 'e'],
		['boolean', 'untrue', 'untrue'],
		['boolean', '10', '10'],
		['string', '', ''],
		['symbol', ' ', ' '],
		['string', '1', '1'],
		['boolean', ' true ', true],
		['boolean', 'false', false],
		['boolean', '1', '1'],
		['boolean', '', ''],
		['boolean', ' maybe', ' maybe'],
		['decimal', '12.90', '12.90'],
		['decimal', '', ''],
		['dateTime', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
		['symbol', 'new', 'new'],
		['string', '7', '7'],
		['date', '2026-01-02', '2026-01-02'],
		['datetime', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
	])('of the type %s makes of %j %j', async (type, text, value) => {
		expect(await valueOf(`<r><a type="${type}">${text}</a></r>`)).toStrictEqual({ a: value });
	});

	it.each<[string, unknown]>([
		['<a>007</a>', '007'],
		['<a/>', ''],
		['<a></a>', ''],
		['<a> x\n </a>', ' x\n '],
		['<a nil="true">x</a>', null],
		['<a type="integer" nil="true"></a>', null],
		['<a type="array" nil="true"></a>', null],
		['<a nil="false">x</a>', 'x'],
	])('%s is %j', async (inner, value) => {
		expect(await valueOf(`<r>${inner}</r>`)).toStrictEqual({ a: value });
	});
});

describe('a list', () => {
	it.each<[string, object]>([
		['<offers><offer>1</offer></offers>', { offers: { offer: '1' } }],
		['<gtins type="array"/>', { gtins: [] }],
		// It declares itself a list, whatever its children are called.
		['<a type="array"><all>x</all><b type="integer">1</b><c nil="true"/></a>', { a: ['x', 1, null] }],
		['<a type="array"><a>x</a></a>', { a: ['x'] }],
		['<a type="array"><b type="array"><c>x</c></b><b type="array"/></a>', { a: [['x'], []] }],
		['<a>1</a><b>2</b><a>3</a><a>4</a>', { a: ['1', '3', '4'], b: '2' }],
		['<a type="array"><b>1</b></a><a type="array"><b>1</b></a>', { a: [['1'], ['1']] }],
		['<a type="array"><b>1</b></a><a type="array"><b>1</b></a><a>2</a>', { a: [['1'], ['1'], '2'] }],
	])('is found in %s', async (inner, value) => {
		expect(await valueOf(`<r>${inner}<x/></r>`)).toStrictEqual({ ...value, x: '' });
	});
});

it.each<[string, unknown]>([
	['<results type="array"><result><a>1</a></result></results>', [{ a: '1' }]],
	['<nil-classes type="array"/>', []],
	['<jobs/>', ''],
	['<other> </other>', ' '],
	['<status type="symbol">new</status>', 'new'],
	['<job><job-id>1</job-id></job>', { job_id: '1' }],
	['<error>no</error>', 'no'],
])('the root %s gives %j', async (text, value) => {
	expect(await valueOf(text)).toStrictEqual(value);
});

it('skips comments, processing instructions, blanks between elements and a DOCTYPE', async () => {
	const text = `<?xml version="1.0"?><!-- one --><?style sheet?><!DOCTYPE hash SYSTEM "http://example.test/x.dtd">
<hash><?go on?>
 <a-b>x<!-- two -->y<?three?>z</a-b>\t<c/></hash><!-- end -->`;
	expect(await valueOf(text)).toStrictEqual({ a_b: 'xyz', c: '' });
});

describe('attributes and text beside children', () => {
	it.each<[string, unknown]>([
		['<price currency="USD">10</price>', { price: { currency: 'USD', text: '10' } }],
		['<price>10<currency>USD</currency></price>', { price: { currency: 'USD', text: '10' } }],
		['<price>\n 10\n <currency>USD</currency>\n</price>', { price: { currency: 'USD', text: '10' } }],
		['<a><b>1</b>x<b>2</b><![CDATA[ y ]]></a>', { a: { b: ['1', '2'], text: 'x y' } }],
		['<a x="1"> y\n</a>', { a: { x: '1', text: ' y\n' } }],
		['<a x="1"> \n</a>', { a: { x: '1' } }],
		['<link href="https://a.test/?b=1&amp;c"/>', { link: { href: 'https://a.test/?b=1&c' } }],
		['<a x="">1</a>', { a: { x: '', text: '1' } }],
		['<a item-condition="used" item_condition="new"/>', { a: { item_condition: ['used', 'new'] } }],
		['<a x="1"><x>2</x><y>3</y></a>', { a: { x: ['1', '2'], y: '3' } }],
		['<a text="1">2</a>', { a: { text: ['1', '2'] } }],
		['<a>2<text>1</text></a>', { a: { text: ['1', '2'] } }],
		['<a><text>1</text></a>', { a: { text: '1' } }],
		[
			'<a __proto__="1">2</a>',
			{
				a: Object.fromEntries([
					['__proto__', '1'],
					['text', '2'],
				]),
			},
		],
		// Attributes of the style, and of XML itself.
		['<a type="integer" unit="pcs">5</a>', { a: { unit: 'pcs', text: 5 } }],
		['<a type="decimal" currency="USD">5.00</a>', { a: { currency: 'USD', text: '5.00' } }],
		['<a type="sale">5</a>', { a: { type: 'sale', text: '5' } }],
		['<a type="sale"/>', { a: { type: 'sale' } }],
		['<a type="">5</a>', { a: { type: '', text: '5' } }],
		['<a nil="true" x="1"/>', { a: null }],
		['<a nil="false" x="1"/>', { a: { x: '1' } }],
		['<a xmlns="urn:a" xmlns:b="urn:b" xsi:nil="true" b:c="1" xml:lang="de">5</a>', { a: '5' }],
		['<a type="array" x="1"><b y="2">3</b></a>', { a: [{ y: '2', text: '3' }] }],
		['<a type="array" x="1"/>', { a: [] }],
		['<a type="array"> \n</a>', { a: [] }],
		// Text is not a list.
		['<a type="array">x, y</a>', { a: 'x, y' }],
	])('are fields in %s', async (inner, value) => {
		expect(await valueOf(`<r>${inner}</r>`)).toStrictEqual(value);
	});

	it('are fields of the root', async () => {
		expect(await valueOf('<job id="1">new</job>')).toStrictEqual({ id: '1', text: 'new' });
	});
});

it('reads CDATA and references as text', async () => {
	const text = '<r><a>1 &lt; 2 &amp;&#x20ac;&#128512;<![CDATA[<b>&amp;]]]]><![CDATA[>]]>&apos;</a></r>';
	expect(await valueOf(text)).toStrictEqual({ a: "1 < 2 &€😀<b>&amp;]]>'" });
	expect(await valueOf('<r><a>1\r\n2&#13;3</a></r>')).toStrictEqual({ a: '1\n2\r3' });
});

it('keeps dangerous names as mere fields', async () => {
	const text = '<r><__proto__>1</__proto__><__proto__><b>1</b></__proto__><constructor>x</constructor></r>';
	const value = (await valueOf(text)) as object;
	expect(JSON.stringify(value)).toBe('{"__proto__":["1",{"b":"1"}],"constructor":"x"}');
	expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

it('gives the same wherever the steps cut the text', async () => {
	const piece = '<b-c type="integer">12</b-c><d>\r\n&amp;😀<![CDATA[]]]]><!--x-->é</d>';
	for (let shift = 0; shift <= piece.length; shift++) {
		const filler = 'x'.repeat(65_536 - '<r><a></a>'.length - shift);
		expect(await valueOf(`<r><a>${filler}</a>${piece}</r>`)).toStrictEqual({
			...{ a: filler, b_c: 12, d: '\n&😀]]é' },
		});
	}
});

it('breathes once per 512 K characters, and stops when that is refused', async () => {
	let breaths = 0;
	const text = `<r><a>${'x'.repeat(1_200_000)}</a></r>`;
	await parseXml(textsOf(Buffer.from(text), 'utf-8'), async () => void breaths++);
	expect(breaths).toBe(2);
	const stop = async () => await Promise.reject(new Error('stopped'));
	await expect(parseXml([text], stop)).rejects.toThrow('stopped');
});

const BOMB = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY file SYSTEM "file:///etc/passwd">]>`;

it.each([
	['<r><a>1</b></r>', 'unexpected close tag'],
	['<r>\n<a>\n</b></r>', 'unexpected close tag (line 3, column 4)'],
	['<r>a & b;</r>', 'disallowed character in entity name'],
	['<r a=1></r>', 'unquoted attribute value'],
	['<r a="1" a="2"/>', 'duplicate attribute: a'],
	['<r/><r/>', 'documents may contain only one root'],
	['<r>\u0001</r>', 'disallowed character'],
	['<r>&#0;</r>', 'malformed character entity'],
	['<r>&nbsp;</r>', 'undefined entity'],
	// Entities that a document defines are not expanded.
	[`${BOMB}<r><a>&b;</a></r>`, 'undefined entity'],
	[`${BOMB}<r><a>&file;</a></r>`, 'undefined entity'],
	['<a>'.repeat(65) + '</a>'.repeat(65), 'nested more than 64 levels deep (line 1, column 195)'],
	['<a>'.repeat(1_000_000), 'nested more than 64 levels deep (line 1, column 195)'],
	[`<r ${'a'.repeat(9_000)}="" ${'a'.repeat(9_000)}=""/>`, 'duplicate attribute: aaa'],
])('refuses %s', async (text, reason) => {
	const { truncated, detail = '' } = (await refusalOf(text)) ?? {};
	expect(truncated).toBe(false);
	expect(detail).toContain(`The XML is not well-formed: ${reason}`);
	expect(detail.length).toBeLessThan(300);
});

it('takes 64 levels, and calls what ends before its end truncated', async () => {
	expect(await refusalOf('<a>'.repeat(64) + '</a>'.repeat(64))).toBeUndefined();
	const cut = { ok: false, detail: 'The XML ends in the middle', truncated: true };
	const texts = ['<r><a>1', '<r><a>1</a>', '<r><a', '<r a="', '<r>&am', '<r><![CDATA[x', '<!-- x', ''];
	for (const text of [...texts, '<?xml version="1.0"?>']) expect(await refusalOf(text)).toEqual(cut);
});

it.each([0, 1, 5])('makes members of a list compact one by one below %d envelopes', async (depth) => {
	const parse = jest.spyOn(JSON, 'parse');
	const member = `<result><offers type="array"><offer><price>1</price></offer></offers></result>`;
	const list = `<results type="array">${member.repeat(1_000)}</results>`;
	const value = await valueOf(`${'<in>'.repeat(depth)}${list}${'</in>'.repeat(depth)}`);
	const texts = parse.mock.calls.map(([text]) => text);
	parse.mockRestore();
	expect(JSON.stringify(value)).toContain('{"offers":[{"price":"1"}]},{"offers":[{"price":"1"}]}');
	expect(texts).toHaveLength(1_000);
	expect(new Set(texts.slice(2))).toEqual(new Set(['{"offers":[{"price":"1"}]}']));
});
