import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';

/** What stands for a document with this inside of its root. */
async function valueOf(inner: string, root = 'hash'): Promise<unknown> {
	const parsed = await parseXml([`<${root}>${inner}</${root}>`], async () => {});
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
}

describe('a type', () => {
	it.each<[string, string, unknown]>([
		['integer', ' 7 ', 7],
		['integer', '+7', 7],
		['integer', '1.5', '1.5'],
		['integer', '9007199254740993', '9007199254740993'],
		['float', '1.5', 1.5],
		['double', '-1.5e2', -150],
		['double', '.5', 0.5],
		['double', '.25', 0.25],
		['double', '5.', 5],
		['double', '+0.5', 0.5],
		['double', '7', 7],
		['double', '0.12345678901234567891', '0.12345678901234567891'],
		['double', '+0.12345678901234567891', '+0.12345678901234567891'],
		['double', '+1e400', '+1e400'],
		['double', 'x.5', 'x.5'],
		['double', '', null],
		['boolean', ' True ', true],
		['boolean', '1', true],
		['boolean', '0', false],
		['boolean', 'false', false],
		['boolean', '', null],
		['boolean', ' maybe', ' maybe'],
		['string', '7', '7'],
		['symbol', 'x', 'x'],
		['date', '', null],
	])('%s makes of %j', async (type, text, value) => {
		expect(await valueOf(`<a type="${type}">${text}</a><b/>`)).toEqual({ a: value, b: '' });
	});

	it('is said by the attribute of that name only, and by a known word', async () => {
		expect(await valueOf('<a kind="string">x</a><b type="offer">y</b>')).toEqual({
			...{ a: 'x', a_kind: 'string' },
			...{ b: 'y', b_type: 'offer' },
		});
	});
});

describe('null', () => {
	it.each([
		['nil="true"', null],
		['nil=" TRUE "', null],
		['xsi:nil="1"', null],
		['nil="false"', 'x'],
		['nil="untrue"', 'x'],
		['nil="true2"', 'x'],
	])('is said by %s', async (attribute, value) => {
		expect(await valueOf(`<a ${attribute}>x</a><b/>`)).toEqual({ a: value, b: '' });
	});
});

test('namespaces are no fields', async () => {
	const attributes = 'xmlns="u:d" xmlns:xsi="u:i" xsi:schemaLocation="u:s" xmlnsx="1"';
	expect(await valueOf(`<a ${attributes}>x</a><b/>`)).toEqual({ a: 'x', a_xmlnsx: '1', b: '' });
});

describe('lists that do not say so', () => {
	it('are those whose name is the plural of that of their only member', async () => {
		const plurals = ['offers/offer', 'boxes/box', 'properties/property', 'days/day'];
		for (const [plural = '', one = ''] of plurals.map((pair) => pair.split('/'))) {
			expect(await valueOf(`<${plural}><${one}>x</${one}></${plural}><b/>`)).toEqual({
				...{ [plural]: ['x'], b: '' },
			});
		}
	});

	it.each([
		['abies', 'abx'],
		['cities', 'country'],
		['offer', 'offers'],
	])('are not %s of one %s', async (name, one) => {
		expect(await valueOf(`<${name}><${one}>x</${one}></${name}><b/>`)).toEqual({
			...{ [name]: { [one]: 'x' }, b: '' },
		});
	});

	it('have members of one name', async () => {
		expect(await valueOf('<offers><a>1</a><offer>2</offer></offers><b/>')).toEqual({
			...{ offers: { a: '1', offer: '2' }, b: '' },
		});
	});
});

describe('attributes', () => {
	it.each<[string, unknown]>([
		['<a k="1">x</a>', { a: 'x', a_k: '1' }],
		['<a k="1"> </a>', { a: { k: '1' } }],
		['<a k="1" nil="true"/>', { a: null, a_k: '1' }],
		['<a k="1" c="2"><c>3</c></a>', { a: { k: '1', c: ['2', '3'] } }],
	])('of %s are fields', async (xml, value) => {
		expect(await valueOf(`${xml}<b/>`)).toEqual({ ...(value as object), b: '' });
	});

	it('of members of a list stay with them', async () => {
		const members =
			'<x k="1">t</x><x k="2"/><x k="3" nil="true"/><x k="4" type="integer">5</x><x k="6"><c>7</c></x>';
		expect(await valueOf(`<xs type="array">${members}</xs>`)).toEqual({
			xs: [{ k: '1', text: 't' }, { k: '2' }, { k: '3' }, { k: '4', text: 5 }, { k: '6', c: '7' }],
		});
	});
});

describe('texts with elements in them', () => {
	it.each<[string, unknown]>([
		['<x>one</x> tail', { x: 'one', text: 'tail' }],
		['x <b>y</b> <price>1</price>', { b: 'y', price: '1', text: 'x' }],
		['x <b><em2>1</em2></b>', { b: { em2: '1' }, text: 'x' }],
		['<b type="integer">1</b> tail', { b: 1, text: 'tail' }],
	])('are read from %s', async (inner, value) => {
		expect(await valueOf(`<p>${inner}</p><q/>`)).toEqual({ p: value, q: '' });
	});

	it('keep their attributes beside them', async () => {
		expect(await valueOf('<p k="1">x <b>y</b></p><q/>')).toEqual({
			p: { k: '1', b: 'y', text: 'x' },
			q: '',
		});
	});
});

describe('the root', () => {
	it.each([
		['error', 'no', { error: 'no' }],
		['Errors', '<a>1</a>', { error: { a: '1' } }],
		['fault', 'no', { error: 'no' }],
		['terror', 'no', 'no'],
		['errors_found', 'no', 'no'],
		['hash', ' ', {}],
		['hash', 'x', 'x'],
		['other', ' ', ' '],
	])('%s around %j is read', async (root, inner, value) => {
		expect(await valueOf(inner, root)).toEqual(value);
	});

	it('may have fields that would change a prototype', async () => {
		const value = (await valueOf('<__proto__>1</__proto__><__proto__>2</__proto__><b/>')) as object;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(JSON.stringify(value)).toBe('{"__proto__":["1","2"],"b":""}');
	});
});
