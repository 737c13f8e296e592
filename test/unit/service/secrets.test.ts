import fc from 'fast-check';

import {
	mayHoldSecret,
	redactText,
	redactValue,
	withoutSecrets,
} from '../../../nodes/PriceCollection/service/secrets';
import { fixedClock } from '../fixedClock';

const clock = fixedClock();
const clean = async (value: unknown, secrets: string[] = []) => await redactValue(value, secrets, clock);

const SECRET = 'Kéy/1+2=3&4"5\'6<7>8:9 0$,;%[x]!';
/** Long and random, so it is removed from data as well. */
const KEY = 'ABCDEFGHIJ1234567890';

const SPELLINGS: Record<string, (secret: string) => string> = {
	'as it is': (secret) => secret,
	'by encodeURIComponent': encodeURIComponent,
	'in a form': (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
	'in lower-case percent codes': (secret) =>
		encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
	'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
	'in JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
	'in XML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
	'in JSON without marks of HTML': (secret) =>
		JSON.stringify(secret)
			.slice(1, -1)
			.replace(/[<>&'+]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`),
	'in ASCII JSON': (secret) =>
		JSON.stringify(secret)
			.slice(1, -1)
			.replace(
				/[^ -~]/g,
				(unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
			),
	'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
	'in XML with quotes': (secret) =>
		secret.replace(
			/[&<>"']/g,
			(mark) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }[mark]};`,
		),
	'in decimal references': (secret) => secret.replace(/[^a-z\d]/giu, (mark) => `&#${mark.codePointAt(0)};`),
	'in hexadecimal references': (secret) =>
		secret.replace(/[^a-z\d]/giu, (mark) => `&#x0${mark.codePointAt(0)?.toString(16).toUpperCase()};`),
	'in an address in an address': (secret) => encodeURIComponent(encodeURIComponent(secret)),
	'in base64': (secret) => Buffer.from(secret).toString('base64').replace(/=*$/, ''),
	'in base64 in an address': (secret) =>
		encodeURIComponent(Buffer.from(secret).toString('base64').replace(/=*$/, '')),
};

test.each(Object.entries(SPELLINGS))('finds a secret written %s', (_name, spell) => {
	expect(redactText(`before ${spell(SECRET)} after`, [SECRET])).toBe('before *** after');
	expect(mayHoldSecret(Buffer.from(`before ${spell(SECRET)}`), [SECRET])).toBe(true);
});

const inJson = (text: string, times: number): string =>
	times === 0 ? text : JSON.stringify(inJson(text, times - 1)).slice(1, -1);
test.each([
	['in JSON six times over', inJson('Key\\Value', 6)],
	['in JSON in an address', encodeURIComponent(inJson('Key\\Value', 1))],
	['in an address in an address', encodeURIComponent(encodeURIComponent('Key\\Value'))],
])('finds a secret with a backslash in it %s', (_name, spelled) => {
	expect(redactText(`before ${spelled} after`, ['Key\\Value'])).toBe('before *** after');
});

test.each([
	['as it is', 'Key😀'],
	['in an address', 'Key%F0%9F%98%80'],
	['in ASCII JSON', 'Key\\ud83d\\uDE00'],
	['in a decimal reference', 'Key&#128512;'],
	['in a hexadecimal reference', 'Key&#x1F600;'],
])('finds a secret with a character of two units %s', (_name, spelled) => {
	expect(redactText(`before ${spelled} after`, ['Key😀'])).toBe('before *** after');
});

test.each([
	['that has only the shorter part of a secret', 'ab', ['ABCDEFGHIJ1234567890-ab'], false],
	['that has the longest part of a secret', 'abcdefghij1234567890', ['ABCDEFGHIJ1234567890-ab'], true],
	['with a secret that could be an ordinary word', 'the price', ['price'], false],
	// Nothing in such a secret is the same in every spelling.
	['that has a secret of marks only', '!'.repeat(16), ['!'.repeat(16)], true],
	['that is empty', '', ['!'.repeat(16)], false],
])('of a body %s, "%s", says whether it may hold any of %j: %s', (_name, body, secrets, expected) => {
	expect(mayHoldSecret(Buffer.from(body), secrets)).toBe(expected);
});

test('finds a secret in any case before a body is read', () => {
	for (const spelled of [
		KEY,
		KEY.toLowerCase(),
		'AbcDefghij1234567890',
		Buffer.from(KEY).toString('base64').toUpperCase(),
		// Across the end of a piece, and in a later one.
		`${' '.repeat(1_048_570)}${KEY}`,
		`${' '.repeat(1_048_560)}${Buffer.from(KEY).toString('base64')}`,
		`${' '.repeat(2_500_000)}${KEY}`,
	])
		expect(mayHoldSecret(Buffer.from(spelled), [KEY])).toBe(true);
	for (const other of ['', 'a body', KEY.slice(1), 'x'.repeat(2_500_000)])
		expect(mayHoldSecret(Buffer.from(other), [KEY])).toBe(false);
});

test('finds any secret in any spelling', () => {
	const secrets = fc.string({ minLength: 4, maxLength: 30, unit: 'grapheme' });
	fc.assert(
		fc.property(secrets, fc.constantFrom(...Object.values(SPELLINGS)), (secret, spell) => {
			const text = `‹${spell(secret)}›`;
			expect(redactText(text, [secret])).not.toBe(text);
		}),
	);
});

test.each([
	// A secret inside another leaves nothing of the longer one.
	['KEYKEYKEY and KEYKEY', ['KEYKEY', 'KEYKEYKEY'], '*** and ***'],
	['ordinary words stay', ['ordinary-words-stay!'], 'ordinary words stay'],
	['nothing is replaced without secrets', [], 'nothing is replaced without secrets'],
	['abc', ['abc'], 'abc'],
	['<abcd>', ['abcd'], '<***>'],
	// A plus sign is a space, and nothing else.
	['key+value', ['key value'], '***'],
	['key+value', ['key-value'], 'key+value'],
	[`<${KEY.toLowerCase()}>`, [KEY], '<***>'],
	[`<${Buffer.from(KEY).toString('base64').replace(/=*$/, '')}>`, [KEY], '<***>'],
	['x?a=1&token=ABC&pc_signature=DEF&x', [], 'x?a=1&token=ABC&pc_signature=***&x'],
])('makes of "%s" without %j "%s"', (text, secrets, expected) => {
	expect(redactText(text, secrets)).toBe(expected);
});

test.each([
	['https://n8n.test/p?a=1&b=2#c', [KEY], 'https://n8n.test/p?a=1&b=2#c'],
	[`https://n8n.test/p?a=1&key=${KEY}&b=2#c`, [KEY], 'https://n8n.test/p?a=1&b=2#c'],
	[`https://n8n.test/p?a=1&${KEY}=x&b=2`, [KEY], 'https://n8n.test/p?a=1&b=2'],
	[`https://n8n.test/p?${KEY}=${KEY}&b=2`, [KEY], 'https://n8n.test/p?b=2'],
	['https://n8n.test/p?a=1&key=x%2Fy+z%21&b=2', ['x/y z!'], 'https://n8n.test/p?a=1&b=2'],
	[`https://n8n.test/p?key=x&b=2&key=${KEY}`, [KEY], 'https://n8n.test/p?b=2'],
	['https://n8n.test/p?a=secret1&b=secret2&c=3', ['secret1', 'secret2'], 'https://n8n.test/p?c=3'],
	[`https://n8n.test/p?a=1&key=${KEY}`, [], `https://n8n.test/p?a=1&key=${KEY}`],
	[`https://n8n.test/${KEY}/p?a=1`, [KEY], undefined],
	[`https://n8n.test/p?a=1#${KEY}`, [KEY], undefined],
	[`https://user:${KEY}@n8n.test/p?a=${KEY}`, [KEY], undefined],
	// The secret spans the name and the value.
	['https://n8n.test/p?page=1', ['page=1'], undefined],
])('the address %s without %j is %s, and stays itself as it was', (address, secrets, expected) => {
	const target = new URL(address);
	expect(withoutSecrets(target, secrets)?.href).toBe(expected);
	expect(target.href).toBe(address);
});

test('data without secrets are not copied', async () => {
	const data = { list: ['a text', 1], nothing: null };
	expect(await clean(data, [KEY])).toBe(data);
	expect(await clean(undefined, [KEY])).toBeUndefined();
});

test('data lose secrets in texts and names, and nothing else changes', async () => {
	const text = `{"n":1,"nil":null,"list":["x ${KEY} y",true],"__proto__":"${KEY}","${KEY}":{"deep":"${KEY}"}}`;
	const cleaned = (await clean(JSON.parse(text), [KEY])) as object;
	expect(JSON.stringify(cleaned)).toBe(text.replaceAll(KEY, '***'));
	expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
});

test('data stay whole where a secret has marks of JSON in it', async () => {
	for (const secret of ['"ABCDEFGHIJ1234567890', 'ABCDEFGHIJ1234567890\\', '\\"},{"ABCDEFGHIJ12345'])
		for (const text of [secret, JSON.stringify(secret), `${secret}"`, `${secret}\\"`])
			expect(
				JSON.stringify(await clean({ a: [text, 1], b: 'ABCDEFGHIJ1234567890' }, [secret])),
			).toMatch(/^\{"a":\["[\\"]*\*\*\*[\\"]*",1\],"b":"ABCDEFGHIJ1234567890"\}$/);
});

test('data keep both fields whose names differ by a secret', async () => {
	const data = { [`a${KEY}`]: 1, [`a${KEY.toLowerCase()}`]: 2 };
	expect(await clean(data, [KEY])).toEqual({ 'a***': [1, 2] });
});

test('a long row of backslashes stays as it is', () => {
	const secrets = ['\\\\\\\\"\\"\\"', 'a\\\\\\"b'];
	const text = 'a\\'.repeat(1_000) + '\\'.repeat(10_000);
	expect(redactText(text, secrets)).toBe(text);
});

test('data keep ordinary words, and lose what is long and random or several words', async () => {
	const words = ['sandbox-key', 'price', 'price_with_shipping_and_more', 'Passwort1', 'offers', 'test'];
	for (const secret of [...words, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa', '1234567890123456', '1234567890.12345'])
		expect(await clean(`my ${secret}ing`, [secret])).toBe(`my ${secret}ing`);
	for (const secret of ['SANDBOXKEYQWERTZUIOPASDFGHJK', 'a8F3kd92Lsp0xQ7z', 'correct horse battery staple'])
		expect(await clean(`my ${secret}`, [secret])).toBe('my ***');
});

const WAITING = 'https://n8n.test/webhook-waiting/77/price?a=1&signature=';
test.each([
	['https://n8n.test/1?pc_nonce=7&pc_signature=0af3', 'https://n8n.test/1?pc_nonce=7&pc_signature=***'],
	[`${WAITING}0af3d&x=2`, `${WAITING}***&x=2`],
	[
		encodeURIComponent(`${WAITING}0af3d&x=2`),
		`${encodeURIComponent(WAITING)}***${encodeURIComponent('&x=2')}`,
	],
	[`${WAITING}0af3d x signature=0af3d`, `${WAITING}*** x signature=0af3d`],
	// After other spellings of the mark before it.
	[
		'https%3A%2F%2Fn8n.test%2F1%3Fa%3D1%26pc_signature%3D0af3',
		'https%3A%2F%2Fn8n.test%2F1%3Fa%3D1%26pc_signature%3D***',
	],
	[
		'https://n8n.test/1?a=1\\u0026pc_signature\\u003d0af3',
		'https://n8n.test/1?a=1\\u0026pc_signature\\u003d***',
	],
	[`${WAITING.replaceAll('/', '\\/')}0af3d`, `${WAITING.replaceAll('/', '\\/')}***`],
])('data lose our signature and the token of a waiting execution: %s', async (url, expected) => {
	expect(mayHoldSecret(Buffer.from(url), [])).toBe(true);
	expect(await clean({ url })).toEqual({ url: expected });
	expect(redactText(url, [])).toBe(expected);
});

test('other signatures stay', async () => {
	const texts = [
		'https://shop.test/p?signature=blue',
		'the webhook-waiting/ page, with a signature= of its own',
	];
	for (const text of texts) expect([await clean(text), redactText(text, [])]).toEqual([text, text]);
});

test('an address of a waiting execution ends where its words do, however often they come', async () => {
	const many = 'webhook-waiting/'.repeat(1_000);
	const respelt = ['/ ', '%2F'].map((mark) => many.replaceAll('/', mark));
	// These are not addresses with a token.
	for (const text of [many, ...respelt, 'signature='.repeat(1_000)])
		expect(String(await clean(`${text} signature=0af3d`)).endsWith(' signature=0af3d')).toBe(true);
	expect(await clean(`${many}?signature=0af3d`)).toBe(`${many}?signature=***`);
});
