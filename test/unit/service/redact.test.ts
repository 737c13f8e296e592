import fc from 'fast-check';

import {
	mayHoldSecret,
	redactText,
	redactValue,
	spellingsOf,
} from '../../../nodes/PriceCollection/service/redact';

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

test.each(Object.entries(SPELLINGS))('finds a secret written %s', (_name, spell) => {
	expect(redactText(`before ${spell(SECRET)} after`, spellingsOf([SECRET]))).toBe('before *** after');
	expect(mayHoldSecret(`before ${spell('LONGENOUGH/+&')} after`, spellingsOf(['LONGENOUGH/+&']))).toBe(
		true,
	);
});

test('finds any secret in any spelling', () => {
	const secrets = fc.string({ minLength: 4, maxLength: 30, unit: 'grapheme' });
	fc.assert(
		fc.property(secrets, fc.constantFrom(...Object.values(SPELLINGS)), (secret, spell) => {
			const text = `‹${spell(secret)}›`;
			expect(redactText(text, spellingsOf([secret]))).not.toBe(text);
			expect(mayHoldSecret(text, spellingsOf([secret]))).toBe(true);
		}),
	);
});

test('a secret inside another leaves nothing of the longer one', () => {
	expect(redactText('KEYKEYKEY and KEYKEY', spellingsOf(['KEYKEY', 'KEYKEYKEY']))).toBe('*** and ***');
});

test('of a secret that was cut or encoded twice the telling part goes', () => {
	const spellings = spellingsOf(['ABCDEFGHIJKLMNOP/+/']);
	expect(redactText('x%253DABCDEFGHIJKLMNOP%252F', spellings)).toBe('x%253D***%252F');
	expect(redactText('ordinary words stay', spellingsOf(['ordinary-words-stay!']))).toBe(
		'ordinary words stay',
	);
});

test('parameters that open doors are covered whatever they hold', () => {
	expect(redactText('https://h/x?a=1&token=ABC&pc_signature=DEF#x api_key=1', [])).toBe(
		'https://h/x?a=1&token=***&pc_signature=*** api_key=1',
	);
});

test('a secret too short to tell from words is left alone', () => {
	expect(spellingsOf(['abc'])).toEqual([]);
	expect(redactText('abc', spellingsOf(['abc']))).toBe('abc');
});

test('data loses secrets in texts and names, and nothing else changes', () => {
	const data = { n: 1, nil: null, list: ['x KEYKEY y', true], KEYKEY: { deep: 'KEYKEY' } };
	expect(redactValue(data, spellingsOf(['KEYKEY']))).toEqual({
		n: 1,
		nil: null,
		list: ['x *** y', true],
		'***': { deep: '***' },
	});
});

test('data loses the signature of a callback URL that the service echoes, and the rest of the URL stays', () => {
	const webhook_url =
		'https://n8n.test/webhook/1/price-collection?pc_expires=9&pc_nonce=7&pc_signature=0af3';
	expect(mayHoldSecret(JSON.stringify({ webhook_url }), [])).toBe(true);
	expect(redactValue({ webhook_url }, [])).toEqual({
		webhook_url: 'https://n8n.test/webhook/1/price-collection?pc_expires=9&pc_nonce=7&pc_signature=***',
	});
});
