import { textsOf } from '../../../../nodes/PriceCollection/service/decode/bytes';
import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';

const atOnce = async () => {};

const valueOf = async (text: string) => {
	const parsed = await parseXml([text], atOnce);
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
};

const refusalOf = async (text: string) => {
	const parsed = await parseXml([text], atOnce);
	return parsed.ok ? undefined : parsed;
};

describe('parseXml', () => {
	it('reads a download as its JSON twin', async () => {
		const text = `<?xml version="1.0" encoding="UTF-8"?>
<hash>
  <job-id>1234567890abcdef12345678</job-id>
  <status type="symbol">finished</status>
  <free-credits type="integer">2</free-credits>
  <results type="array">
    <result>
      <query><value>00885909666966</value><max-pages type="integer">1</max-pages></query>
      <success type="boolean">true</success>
      <metadata>
        <from-cache type="boolean">false</from-cache>
        <updated-at type="dateTime">2017-06-08T12:34:37Z</updated-at>
      </metadata>
      <content>
        <search-results type="array">
          <search-result><price>12.90</price><rank type="float">12.50</rank></search-result>
        </search-results>
        <min-price type="decimal">9.90</min-price>
        <tags type="array"/>
        <tax nil="true"/>
      </content>
    </result>
  </results>
</hash>`;
		expect(await valueOf(text)).toStrictEqual({
			job_id: '1234567890abcdef12345678',
			status: 'finished',
			free_credits: 2,
			results: [
				{
					query: { value: '00885909666966', max_pages: 1 },
					success: true,
					metadata: { from_cache: false, updated_at: '2017-06-08T12:34:37Z' },
					content: {
						search_results: [{ price: '12.90', rank: 12.5 }],
						min_price: '9.90',
						tags: [],
						tax: null,
					},
				},
			],
		});
	});

	it.each([
		['<r><a type="integer">7</a></r>', 7],
		['<r><a type="integer"> -7 </a></r>', -7],
		['<r><a type="integer">9007199254740991</a></r>', 9007199254740991],
		['<r><a type="integer">12345678901234567890</a></r>', '12345678901234567890'],
		['<r><a type="integer">many</a></r>', 'many'],
		['<r><a type="integer"/></r>', null],
		['<r><a type="float">1.5e3</a></r>', 1500],
		['<r><a type="float">12345678901234567890</a></r>', '12345678901234567890'],
		['<r><a type="float">0x10</a></r>', '0x10'],
		['<r><a type="boolean">true</a></r>', true],
		['<r><a type="boolean">0</a></r>', false],
		['<r><a type="boolean">perhaps</a></r>', 'perhaps'],
		['<r><a type="decimal">12.90</a></r>', '12.90'],
		['<r><a type="decimal"></a></r>', null],
		['<r><a type="dateTime">2026-01-02T03:04:05Z</a></r>', '2026-01-02T03:04:05Z'],
		['<r><a type="datetime">2026-01-02T03:04:05Z</a></r>', '2026-01-02T03:04:05Z'],
		['<r><a type="date">2026-01-02</a></r>', '2026-01-02'],
		['<r><a type="symbol">new</a></r>', 'new'],
		['<r><a>007</a></r>', '007'],
		['<r><a/></r>', ''],
		['<r><a></a></r>', ''],
		['<r><a> x\n </a></r>', ' x\n '],
		['<r><a nil="true"/></r>', null],
		['<r><a type="integer" nil="true"></a></r>', null],
		['<r xmlns:xsi="urn:x"><a xsi:nil="true"/></r>', null],
		['<r><a nil="false">x</a></r>', 'x'],
		['<r xmlns:i="urn:x"><a i:nil="true"/></r>', null],
		['<r><a nil="TRUE"/></r>', null],
	])('%s gives %j', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual({ a: value });
	});

	it.each([
		['<r><offers><offer/><offer/></offers><x/></r>', { offers: ['', ''], x: '' }],
		['<r><gtins><gtin>1</gtin></gtins><x/></r>', { gtins: ['1'], x: '' }],
		['<r><properties><property>1</property></properties><x/></r>', { properties: ['1'], x: '' }],
		['<r><boxes><box><a/></box></boxes><x/></r>', { boxes: [{ a: '' }], x: '' }],
		['<r><people><person/><person/></people><x/></r>', { people: ['', ''], x: '' }],
		['<r><query><value>1</value></query><x/></r>', { query: { value: '1' }, x: '' }],
		['<results><result><success>true</success></result></results>', [{ success: 'true' }]],
		[
			'<r><offers><offer><a/></offer></offers><gtins type="array"/></r>',
			{ offers: [{ a: '' }], gtins: [] },
		],
		['<r><gtins type="array"/><offers><offer/></offers></r>', { gtins: [], offers: [''] }],
	])('finds the lists in %s, where none says that it is one', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	it.each([
		['<r><offer id="9" price="12.90"/></r>', { offer: { id: '9', price: '12.90' } }],
		['<r><price currency="EUR">12.90</price></r>', { price: '12.90', price_currency: 'EUR' }],
		[
			'<r><gtins type="array"><gtin type="ean">1</gtin><gtin>2</gtin></gtins></r>',
			{ gtins: [{ type: 'ean', text: '1' }, '2'] },
		],
		['<r><offer id="9"><name>x</name></offer></r>', { offer: { id: '9', name: 'x' } }],
		['<r><offer name="a"><name>x</name></offer></r>', { offer: { name: ['a', 'x'] } }],
		['<r><a shop-name="b" nil="true"/></r>', { a: null, a_shop_name: 'b' }],
		['<r><a>about <price>12</price></a></r>', { a: { price: '12', text: 'about' } }],
		['<r><n type="float">1234567890123456.789</n></r>', { n: '1234567890123456.789' }],
	])('keeps attributes and mixed text: %s', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	it('takes a root called error for a field, as JSON has it', async () => {
		expect(await valueOf('<error>no</error>')).toStrictEqual({ error: 'no' });
		expect(await valueOf('<Error><Message>no</Message></Error>')).toStrictEqual({
			error: { Message: 'no' },
		});
	});

	it('takes every child of a list, whatever its name', async () => {
		const list = '<a type="array"><addendum>x</addendum><b type="integer">1</b><c nil="true"/></a>';
		expect(await valueOf(`<r>${list}</r>`)).toStrictEqual({ a: ['x', 1, null] });
		expect(await valueOf('<r><a type="array">\n</a></r>')).toStrictEqual({ a: [] });
		expect(await valueOf('<r><a type="array"><a>x</a></a></r>')).toStrictEqual({ a: ['x'] });
		expect(
			await valueOf('<r><a type="array"><b type="array"><c>x</c></b><b type="array"/></a></r>'),
		).toStrictEqual({
			a: [['x'], []],
		});
	});

	it('makes a list of repeated names, without mixing it with lists that are repeated', async () => {
		expect(await valueOf('<r><a>1</a><b>2</b><a>3</a><a>4</a></r>')).toStrictEqual({
			a: ['1', '3', '4'],
			b: '2',
		});
		const list = '<a type="array"><b>1</b></a>';
		expect(await valueOf(`<r>${list}${list}<c/></r>`)).toStrictEqual({ a: [['1'], ['1']], c: '' });
		expect(await valueOf(`<r>${list}${list}<a>2</a><c/></r>`)).toStrictEqual({
			a: [['1'], ['1'], '2'],
			c: '',
		});
	});

	it.each([
		['<results type="array"><result><a>1</a></result></results>', [{ a: '1' }]],
		['<results type="array"/>', []],
		['<hash/>', {}],
		['<hash>\n</hash>', {}],
		['<jobs/>', ''],
		['<nil-classes type="array"/>', []],
		['<status type="symbol">new</status>', 'new'],
		['<job><job-id>1</job-id></job>', { job_id: '1' }],
	])('the root %s gives %j', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	it('skips comments, processing instructions, namespaces, a DOCTYPE and text beside elements', async () => {
		const text = `<?xml version="1.0"?><!-- one --><?style sheet?><!DOCTYPE hash SYSTEM "http://example.test/x.dtd">
<pc:hash xmlns:pc="urn:pc"><?go on?>stray<pc:a-b>x<!-- two -->y<?three?>z</pc:a-b>stray<c/></pc:hash><!-- end -->`;
		expect(await valueOf(text)).toStrictEqual({
			a_b: 'xyz',
			c: '',
			text: 'straystray',
		});
	});

	it('reads CDATA and references as text', async () => {
		const text = '<r><a>1 &lt; 2 &amp;&#x20ac;&#128512;<![CDATA[<b>&amp;]]]]><![CDATA[>]]>&apos;</a></r>';
		expect(await valueOf(text)).toStrictEqual({ a: "1 < 2 &€😀<b>&amp;]]>'" });
		expect(await valueOf('<r><a>1\r\n2&#13;3</a></r>')).toStrictEqual({ a: '1\n2\r3' });
	});

	it('keeps dangerous names as mere fields', async () => {
		const value = await valueOf(
			'<r><__proto__><admin>1</admin></__proto__><constructor>x</constructor></r>',
		);
		expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect('admin' in (value as object)).toBe(false);
		const repeated = await valueOf('<r><__proto__>1</__proto__><__proto__>2</__proto__><a/></r>');
		expect(Object.entries(repeated as object)).toEqual([
			['__proto__', ['1', '2']],
			['a', ''],
		]);
	});

	it('gives the same wherever the steps cut the text', async () => {
		const piece = '<b-c type="integer">12</b-c><d>\r\n&amp;😀<![CDATA[]]]]><!--x-->é</d>';
		for (let shift = 0; shift <= piece.length; shift++) {
			const filler = 'x'.repeat(65_536 - '<r><a></a>'.length - shift);
			expect(await valueOf(`<r><a>${filler}</a>${piece}</r>`)).toStrictEqual({
				a: filler,
				b_c: 12,
				d: '\n&😀]]é',
			});
		}
	});

	it('reads a list as one wherever it stands in the document', async () => {
		const result = '<result><offers><offer><price>1</price></offer></offers></result>';
		const text = `<hash><results type="array">${result}<result><gtins type="array"/></result>${result}</results></hash>`;
		expect(await valueOf(text)).toEqual({
			results: [{ offers: [{ price: '1' }] }, { gtins: [] }, { offers: [{ price: '1' }] }],
		});
	});

	it('breathes once per 512 K characters, and stops when that is refused', async () => {
		let breaths = 0;
		const text = `<r><a>${'x'.repeat(1_200_000)}</a></r>`;
		await parseXml(textsOf(Buffer.from(text), 'utf-8'), async () => {
			breaths++;
		});
		expect(breaths).toBe(2);
		await expect(
			parseXml([text], async () => await Promise.reject(new Error('stopped'))),
		).rejects.toThrow('stopped');
	});

	it.each([
		['<r><a>1</b></r>', 'unexpected close tag'],
		['<r>a & b;</r>', 'disallowed character in entity name'],
		['<r a=1></r>', 'unquoted attribute value'],
		['<r a="1" a="2"/>', 'duplicate attribute: a'],
		['<r/><r/>', 'documents may contain only one root'],
		['<r/>text', 'text data outside of root node'],
		['<r>\u0001</r>', 'disallowed character'],
		['<r>&#0;</r>', 'malformed character entity'],
		['<r>&nbsp;</r>', 'undefined entity'],
		['<r>&constructor;</r>', 'undefined entity'],
	])('refuses %s', async (text, reason) => {
		const refusal = await refusalOf(text);
		expect(refusal?.truncated).toBe(false);
		expect(refusal?.detail).toContain('The XML is not well-formed: ');
		expect(refusal?.detail).toContain(reason);
	});

	it('says in which line', async () => {
		expect((await refusalOf('<r>\n<a>\n</b></r>'))?.detail).toBe(
			'The XML is not well-formed: unexpected close tag (line 3, column 4)',
		);
	});

	it('never expands what a document defines', async () => {
		const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY file SYSTEM "file:///etc/passwd">]><r><a>&b;</a></r>`;
		expect((await refusalOf(bomb))?.detail).toContain('undefined entity');
		expect((await refusalOf(bomb.replace('&b;</a>', '&file;</a>')))?.detail).toContain(
			'undefined entity',
		);
	});

	it.each([
		'<r><a>1',
		'<r><a>1</a>',
		'<r><a',
		'<r a="',
		'<r>&am',
		'<r><![CDATA[x',
		'<!-- x',
		'<?xml version="1.0"?>',
		'',
	])('calls %j truncated', async (text) => {
		expect(await refusalOf(text)).toEqual({
			ok: false,
			detail: 'The XML ends in the middle',
			truncated: true,
		});
	});

	it('takes 64 levels and refuses more, however many', async () => {
		expect(await refusalOf('<a>'.repeat(64) + '</a>'.repeat(64))).toBeUndefined();
		const detail = 'The XML is not well-formed: nested more than 64 levels deep (line 1, column 195)';
		expect((await refusalOf('<a>'.repeat(65) + '</a>'.repeat(65)))?.detail).toBe(detail);
		expect((await refusalOf('<a>'.repeat(1_000_000)))?.detail).toBe(detail);
	});

	it('keeps a refusal short when a name is long', async () => {
		const detail =
			(await refusalOf(`<r ${'a'.repeat(9_000)}="" ${'a'.repeat(9_000)}=""/>`))?.detail ?? '';
		expect(detail.length).toBeLessThan(300);
	});
});
