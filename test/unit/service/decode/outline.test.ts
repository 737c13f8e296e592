import { Outline } from '../../../../nodes/PriceCollection/service/decode/outline';

/** The outline of a text that comes in pieces of so many bytes. */
async function outlineOf(
	text: string | Buffer,
	{ format = 'json' as 'json' | 'xml', contentType = undefined as string | undefined, size = 7 } = {},
) {
	const outline = new Outline(format, contentType);
	const bytes = Buffer.from(text as string);
	for (let at = 0; at < bytes.length; at += size) outline.push(bytes.subarray(at, at + size));
	return await outline.finish();
}
const valueIn = async (...given: Parameters<typeof outlineOf>) => {
	const read = await outlineOf(...given);
	return read.ok ? read.value : `${read.problem}, truncated: ${read.truncated}`;
};
const nested = (levels: number, inner: string) => '{"a":'.repeat(levels) + inner + '}'.repeat(levels);

describe('the outline of JSON', () => {
	it.each([['utf-16le'], ['utf-16be']])('is the value in %s as well, beyond the head', async (encoding) => {
		const value = { status: 'finished', list: ['weiß €', 'ä'.repeat(3_000)], more: 'ä€😀' };
		const bytes = Buffer.from(`\uFEFF${JSON.stringify(value)}`, 'utf16le');
		if (encoding === 'utf-16be') bytes.swap16();
		for (const size of [7, 1_000, bytes.length]) {
			const read = await valueIn(bytes, { size });
			expect(read).toMatchObject({ status: 'finished', more: 'ä€😀' });
			expect((read as typeof value).list[0]).toBe('weiß €');
		}
	});

	it('is the whole value where that is small', async () => {
		const value = { job_id: 'a"\\b', list: [1, { x: [] }], text: 'ä€😀', flag: true, none: null };
		for (const size of [1, 7, 10_000])
			expect(await valueIn(JSON.stringify(value), { size })).toEqual(value);
	});

	it('has the first three of every list, and all fields', async () => {
		const value = { list: [1, [2, 3, 4, 5], { a: [6, 7, 8, 9], b: 10 }, 11, [12]], more: 13, end: [14] };
		expect(await valueIn(JSON.stringify(value))).toEqual({
			...{ list: [1, [2, 3, 4], { a: [6, 7, 8], b: 10 }], more: 13, end: [14] },
		});
		const fields = { a: 1, b: 2, c: 3, d: 4 };
		expect(await valueIn(JSON.stringify([fields, ['x', ',', '"', ']']]))).toEqual([
			fields,
			['x', ',', '"'],
		]);
	});

	it('has five levels', async () => {
		expect(await valueIn(nested(5, '1'))).toEqual(JSON.parse(nested(5, '1')));
		expect(await valueIn(nested(5, '{"b":[1,{"c":"}"}],"d":2}'))).toEqual(JSON.parse(nested(5, '{}')));
		expect(await valueIn(nested(5, '[1,[2],"]"]'))).toEqual(JSON.parse(nested(5, '[]')));
		expect(await valueIn(`[${nested(4, '[1,2]')},2]`)).toEqual(JSON.parse(`[${nested(4, '[]')},2]`));
	});

	it('has the first 1,000 bytes of a text, whatever stands in it', async () => {
		const [text] = (await valueIn(JSON.stringify(['x'.repeat(1_001), 1]))) as string[];
		expect(text).toBe('x'.repeat(1_000));
		const after = await valueIn(JSON.stringify({ a: 'x'.repeat(5_000), b: 'y'.repeat(1_000) }));
		expect(after).toEqual({ a: 'x'.repeat(1_000), b: 'y'.repeat(1_000) });
		const escaped = (await valueIn(JSON.stringify(['"'.repeat(3_000), 'z']))) as string[];
		expect(escaped[1]).toBe('z');
	});

	it.each([...['{"a":1', '{"a":"x', '[1,[2,3,4,5', '[1,2,3,4', nested(7, '1').slice(0, -1), '["x\\"]']])(
		'says that the end is missing: %s',
		async (text) => {
			expect(await outlineOf(text)).toMatchObject({ ok: false, truncated: true, head: text });
		},
	);

	it('says that it is none', async () => {
		expect(await outlineOf('{"a":x}')).toMatchObject({
			ok: false,
			problem: 'malformed',
			truncated: false,
		});
	});

	it('is read in the encoding that is said', async () => {
		const latin = Buffer.from('{"a":"weiß"}', 'latin1');
		const contentType = 'application/json; charset=iso-8859-1';
		expect(await outlineOf(latin, { contentType })).toMatchObject({
			value: { a: 'weiß' },
			head: '{"a":"weiß"}',
		});
		const long = `{"a":"${'ß'.repeat(9_000)}","b":"weiß"}`;
		expect(await valueIn(Buffer.from(long, 'latin1'), { contentType, size: 1_000 })).toMatchObject({
			b: 'weiß',
		});
	});

	it('keeps how the document begins', async () => {
		const { head } = await outlineOf(JSON.stringify(['x'.repeat(20_000)]), { size: 5_000 });
		expect(head.startsWith('["xxx')).toBe(true);
		expect([head.length >= 8_000, head.length < 20_000]).toEqual([true, true]);
	});
});

describe('the outline of XML', () => {
	const xml = (text: string, contentType?: string) => outlineOf(text, { format: 'xml', contentType });

	it('is its value down to five levels', async () => {
		expect(await xml('<hash><job-id>a</job-id><n type="integer">1</n></hash>')).toMatchObject({
			...{ ok: true, format: 'xml', value: { job_id: 'a', n: 1 } },
			head: '<hash><job-id>a</job-id><n type="integer">1</n></hash>',
		});
		const five = '<a><b><c><d><e>1<f>x<g>y</g></f>2</e><h>3</h></d></c></b></a>';
		expect(await xml(five)).toMatchObject({ value: { b: { c: { d: { e: '12', h: '3' } } } } });
	});

	it('says what is wrong with it', async () => {
		expect(await xml('<a><b>1</b>')).toMatchObject({ ok: false, problem: 'malformed', truncated: true });
		expect(await xml('<a><b>1</c></a>')).toMatchObject({ ok: false, truncated: false });
		expect(await new Outline('xml', undefined).finish()).toMatchObject({ ok: false, truncated: true });
	});

	it('refuses what is nested without end, although it keeps little of it', async () => {
		const deep = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);
		expect(await xml(deep(64))).toMatchObject({ ok: true });
		expect(await xml(deep(65))).toMatchObject({ ok: false, truncated: false });
	});
});

test('an outline is made once', async () => {
	const outline = new Outline('json', undefined);
	outline.push(Buffer.from('{"a":1}'));
	expect(await outline.finish()).toBe(await outline.finish());
});
