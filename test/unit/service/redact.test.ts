import fc from 'fast-check';

import { fixedClock } from '../fixedClock';
import {
	isUnmistakable,
	redactText,
	redactValue,
	mayHoldSecret,
} from '../../../nodes/PriceCollection/service/redact';

const clock = fixedClock();

const SECRET = 'Kéy/1+2=3&4"5\'6<7>8:9 0$,;%[x]!';

const SPELLINGS: Record<string, (secret: string) => string> = {
	'as it is': (secret) => secret,
	'by encodeURIComponent': encodeURIComponent,
	'by encodeURI': encodeURI,
	'in a form': (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
	'in lower-case percent codes': (secret) =>
		encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
	'by axios': (secret) =>
		encodeURIComponent(secret)
			.replaceAll('%3A', ':')
			.replaceAll('%24', '$')
			.replaceAll('%2C', ',')
			.replaceAll('%20', '+'),
	'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
	'in JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
	'in XML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
	'in an XML attribute': (secret) =>
		secret
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('"', '&quot;')
			.replaceAll("'", '&#39;'),
};

test.each(Object.entries(SPELLINGS))('finds a secret written %s', async (_name, spell) => {
	expect(redactText(`before ${spell(SECRET)} after`, [SECRET])).toBe('before *** after');
	const text = `before ${spell('LONGENOUGH/+&')} after`;
	expect(mayHoldSecret(Buffer.from(text), ['LONGENOUGH/+&'])).toBe(true);
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

test('a secret inside another leaves nothing of the longer one', () => {
	expect(redactText('KEYKEYKEY and KEYKEY', ['KEYKEY', 'KEYKEYKEY'])).toBe('*** and ***');
});

test('of a secret that was cut or encoded twice the telling part goes', () => {
	const spellings = ['ABCDEFGHIJKLMNOP/+/'];
	expect(redactText('x%253DABCDEFGHIJKLMNOP%252F', spellings)).toBe('x%253D***%252F');
	expect(redactText('ordinary words stay', ['ordinary-words-stay!'])).toBe('ordinary words stay');
});

test('parameters that open doors are covered whatever they hold', () => {
	expect(redactText('https://h/x?a=1&token=ABC&pc_signature=DEF#x api_key=1', [])).toBe(
		'https://h/x?a=1&token=***&pc_signature=*** api_key=1',
	);
});

test('a secret too short to tell from words is left alone', () => {
	expect(redactText('abc', ['abc'])).toBe('abc');
});

test('data loses secrets in texts and names, and nothing else changes', async () => {
	const key = 'ABCDEFGHIJ1234567890';
	const data = JSON.parse(
		`{"n":1,"nil":null,"list":["x ${key} y",true],"${key}":{"deep":"${key}"},"__proto__":"${key}"}`,
	) as unknown;
	const expected = JSON.parse(
		'{"n":1,"nil":null,"list":["x *** y",true],"***":{"deep":"***"},"__proto__":"***"}',
	) as object;
	const clean = (await redactValue(data, [key], clock)) as object;
	expect(Object.entries(clean).sort()).toEqual(Object.entries(expected).sort());
	expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
});

test('data of any size is walked in steps, between which others get their turn', async () => {
	let turns = 0;
	const counting = { yieldToEventLoop: async () => void turns++ };
	const texts = Array.from({ length: 65_000 }, () => 'text');
	expect(await redactValue(texts, [], counting)).toEqual(texts);
	expect(turns).toBe(3);
});

test.each([
	['sandbox-key', false],
	['price', false],
	['price_with_shipping_and_more', false],
	['Passwort1', false],
	['demo', false],
	['aaaaaaaaaaaaaaaaaaaaaaaaaaaa', false],
	['SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM', true],
	['a8F3kd92Lsp0xQ7z', true],
	['correct horse battery staple', true],
])('whether %s is replaced in data as well: %s', (secret, expected) => {
	expect(isUnmistakable(secret)).toBe(expected);
});

test.each([
	['in capitals', (key: string) => key.toUpperCase()],
	['in small letters', (key: string) => key.toLowerCase()],
	['in base64', (key: string) => Buffer.from(key).toString('base64')],
])('finds a secret %s', (_name, spell) => {
	expect(redactText(`<${spell('a8F3kd92Lsp0xQ7z')}>`, ['a8F3kd92Lsp0xQ7z'])).toMatch(/^<\*\*\*=*>$/);
});

test('a body that writes characters as escapes is looked through', async () => {
	const text = '{"a":"\\u0041BC"}';
	expect(mayHoldSecret(Buffer.from(text), ['ABCDEFGHIJ1234567890'])).toBe(true);
	expect(mayHoldSecret(Buffer.from('{"a":"ABC"}'), ['ABCDEFGHIJ1234567890'])).toBe(false);
});

test('data loses the signature of a callback URL that the service echoes, and the rest of the URL stays', async () => {
	const webhook_url =
		'https://n8n.test/webhook/1/price-collection?pc_expires=9&pc_nonce=7&pc_signature=0af3';
	expect(mayHoldSecret(Buffer.from(JSON.stringify({ webhook_url })), [])).toBe(true);
	expect(await redactValue({ webhook_url }, [], clock)).toEqual({
		webhook_url: 'https://n8n.test/webhook/1/price-collection?pc_expires=9&pc_nonce=7&pc_signature=***',
	});
});

test("data loses n8n's own token for a waiting execution, and other signatures stay", async () => {
	const url = 'https://n8n.test/webhook-waiting/77/price?a=1&signature=0af3d&x=2';
	const other = 'https://shop.test/p?signature=blue';
	expect(mayHoldSecret(Buffer.from(url), [])).toBe(true);
	expect(await redactValue([url, encodeURIComponent(url), other], [], clock)).toEqual([
		'https://n8n.test/webhook-waiting/77/price?a=1&signature=***&x=2',
		`${encodeURIComponent('https://n8n.test/webhook-waiting/77/price?a=1&signature=')}***${encodeURIComponent('&x=2')}`,
		other,
	]);
	expect(redactText(url, [])).toContain('signature=***&x=2');
});

describe('words that look like an address of a waiting execution', () => {
	const token = 'signature=0af3d';

	test('take no longer than others, however many there are', async () => {
		const many = 'webhook-waiting/'.repeat(62_500);
		const texts = [
			many,
			many.replaceAll('/', '/ '),
			many.replaceAll('/', '%2F'),
			'signature='.repeat(100_000),
		];
		for (const text of texts) {
			expect(redactText(text, []).length).toBeLessThanOrEqual(text.length);
			const [clean] = (await redactValue([`${text} ${token}`], [], clock)) as string[];
			// No address with a token in it.
			expect(clean?.endsWith(token)).toBe(true);
		}
		const [clean] = (await redactValue([`${many}?${token}`], [], clock)) as string[];
		expect(clean?.endsWith('?signature=***')).toBe(true);
	});

	test('are left alone without a token, and lose each one that they have', () => {
		expect(redactText('the webhook-waiting/ page, with a signature= of its own', [])).toBe(
			'the webhook-waiting/ page, with a signature= of its own',
		);
		expect(redactText(`https://n/webhook-waiting/7?${token}&a=1&${token} x ${token}`, [])).toBe(
			`https://n/webhook-waiting/7?signature=***&a=1&signature=*** x ${token}`,
		);
	});
});

test('data keeps short secrets that are ordinary words, and the parameters of addresses', async () => {
	const secrets = ['offers', 'test'].filter(isUnmistakable);
	const job = {
		topic: 'product_and_offers',
		name: 'testing kit',
		url: 'https://shop.test/p?token=blue&api_key=7',
	};
	expect(await redactValue({ ...job }, secrets, clock)).toEqual(job);
	expect(redactText(job.url, secrets)).toBe('https://shop.test/p?token=***&api_key=***');
});
