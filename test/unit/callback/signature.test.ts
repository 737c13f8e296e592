import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import {
	callbackExpiry,
	hashOfSignature,
	newNonce,
	signatureHashOf,
	signatureOf,
	signCallbackUrl,
	signedPath,
	verifyCallback,
} from '../../../nodes/PriceCollection/callback/signature';

const SECRET = 'a long random secret';
const NOW = 1_790_000_000_000;
const TAIL = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d/price-collection';
const URL_OF_TRIGGER = `https://n8n.example.com/webhook/${TAIL}`;
const OPTIONS = { expiresAt: NOW + 3_600_000, nonce: 'n0nce' };

const queryOf = (url: string): Record<string, unknown> => Object.fromEntries(new URL(url).searchParams);

const verify = (url: string, more: Partial<Parameters<typeof verifyCallback>[0]> = {}) =>
	verifyCallback({
		path: new URL(url).pathname,
		query: queryOf(url),
		secrets: [SECRET],
		now: NOW,
		...more,
	});

const signed = signCallbackUrl(URL_OF_TRIGGER, SECRET, OPTIONS);

describe('signing a callback URL', () => {
	it('adds expiry in seconds, nonce and a documented HMAC', () => {
		const expected = createHmac('sha256', SECRET)
			.update(`price-collection-callback/1\n1790003600\nn0nce\n${TAIL}`)
			.digest('hex');
		expect(signed).toBe(
			`${URL_OF_TRIGGER}?pc_expires=1790003600&pc_nonce=n0nce&pc_signature=${expected}`,
		);
	});

	it("keeps the URL's own query byte by byte, and its fragment", () => {
		const url = 'https://n8n.example.com/webhook-waiting/42/node-1?signature=ab%2Bc+d&x=1&x=2&y#part';
		const result = signCallbackUrl(url, SECRET, OPTIONS);
		expect(result).toMatch(
			/^https:\/\/n8n\.example\.com\/webhook-waiting\/42\/node-1\?signature=ab%2Bc\+d&x=1&x=2&y&pc_expires=1790003600&pc_nonce=n0nce&pc_signature=[0-9a-f]{64}#part$/,
		);
		expect(verify(result)).toBe('genuine');
	});

	it('replaces an earlier signature instead of adding a second one', () => {
		expect(signCallbackUrl(signed, SECRET, OPTIONS)).toBe(signed);
		const later = signCallbackUrl(signed, 'another secret', { ...OPTIONS, nonce: 'other' });
		expect(later.match(/pc_signature=/g)).toHaveLength(1);
		expect(verify(later, { secrets: ['another secret'] })).toBe('genuine');
	});

	it('leaves a URL alone when there is no secret', () => {
		expect(signCallbackUrl(URL_OF_TRIGGER, '', OPTIONS)).toBe(URL_OF_TRIGGER);
	});

	it('leaves alone what is no URL', () => {
		expect(signCallbackUrl('not a url', SECRET, OPTIONS)).toBe('not a url');
	});

	it('gives a nonce that is accepted and different each time', () => {
		const [first, second] = [newNonce(), newNonce()];
		expect(first).not.toBe(second);
		expect(verify(signCallbackUrl(URL_OF_TRIGGER, SECRET, { ...OPTIONS, nonce: first }))).toBe('genuine');
	});
});

describe('the name of a signature', () => {
	it('is the same for the URL and for the call that came by it, and different for every other URL', () => {
		const name = signatureHashOf(signed);
		expect(name).toMatch(/^[\w-]{43}$/);
		expect(hashOfSignature({ ...queryOf(signed), more: 'x' })).toBe(name);
		expect(signatureHashOf(signCallbackUrl(URL_OF_TRIGGER, SECRET, { ...OPTIONS, nonce: 'x' }))).not.toBe(
			name,
		);
	});

	it.each(['pc_expires', 'pc_nonce', 'pc_signature'])('is none without %s', (parameter) => {
		const query = queryOf(signed);
		for (const value of [undefined, '', ['a', 'a']]) {
			expect(hashOfSignature({ ...query, [parameter]: value })).toBeUndefined();
		}
	});

	it.each([[undefined], [''], ['no url'], [URL_OF_TRIGGER]])('is none of %j', (url) => {
		expect(signatureHashOf(url)).toBeUndefined();
	});
});

describe('the signed part of the path', () => {
	it.each([
		['production', `/webhook/${TAIL}`],
		['test', `/webhook-test/${TAIL}`],
		['renamed endpoint', `/hooks/${TAIL}`],
		['prefix added by a proxy', `/tools/n8n/webhook/${TAIL}`],
		['prefix stripped by a proxy', `/${TAIL}`],
		['trailing slash', `/webhook/${TAIL}/`],
		['doubled slash', `/webhook//${TAIL}`],
		['needless encoding', `/webhook/${TAIL.replace('price', '%70rice')}`],
	])('is the same for %s', (_name, path) => {
		expect(verify(signed, { path })).toBe('genuine');
	});

	it('survives a percent sign that encodes nothing', () => {
		expect(signedPath('/webhook/50%/x')).toBe('50%/x');
	});
});

describe('verifying a callback', () => {
	const query = queryOf(signed);
	const signature = String(query.pc_signature);

	it.each([
		['no parameters at all', {}, true],
		['no signature', { ...query, pc_signature: undefined }, true],
		['no nonce', { ...query, pc_nonce: undefined }, true],
		['no expiry', { ...query, pc_expires: undefined }, true],
		['an inherited signature', Object.create(query) as Record<string, unknown>, true],
		['an empty signature', { ...query, pc_signature: '' }, false],
		['a truncated signature', { ...query, pc_signature: signature.slice(0, 63) }, false],
		['a longer signature', { ...query, pc_signature: `${signature}0` }, false],
		['a signature given twice', { ...query, pc_signature: [signature, signature] }, false],
		['a nonce given twice', { ...query, pc_nonce: ['n0nce', 'n0nce'] }, false],
		['an expiry given twice', { ...query, pc_expires: ['1', '1790003600'] }, false],
		['a nested parameter', { ...query, pc_nonce: { a: 'n0nce' } }, false],
		['a list of one signature', { ...query, pc_signature: [signature] }, false],
		['an expiry with something behind it', { ...query, pc_expires: '1790003600x' }, false],
		['a nonce with something before it', { ...query, pc_nonce: '!n0nce' }, false],
		['a nonce that is too long', { ...query, pc_nonce: 'n'.repeat(129) }, false],
		['an expiry in words', { ...query, pc_expires: 'Infinity' }, false],
		['a negative expiry', { ...query, pc_expires: '-1' }, false],
		['an expiry with a sign', { ...query, pc_expires: '+1790003600' }, false],
		['an expiry with leading zeros', { ...query, pc_expires: '01790003600' }, false],
		['a line feed in the nonce', { ...query, pc_nonce: 'n0nce\n' }, false],
		['an upper-case signature', { ...query, pc_signature: signature.toUpperCase() }, false],
		[
			'another signature',
			{ ...query, pc_signature: signature.replace(/^./, (c) => (c === '0' ? '1' : '0')) },
			false,
		],
		['a later expiry', { ...query, pc_expires: '1890003600' }, false],
		['another nonce', { ...query, pc_nonce: 'n0nce2' }, false],
	])('refuses %s', (_name, given, isMissing) => {
		expect(verify(signed, { query: given })).toBe(isMissing ? 'missing' : 'wrong');
	});

	it('refuses the URL of another node', () => {
		expect(verify(signed, { path: '/webhook/another-id/price-collection' })).toBe('wrong');
	});

	it('refuses another secret', () => {
		expect(verify(signed, { secrets: ['another'] })).toBe('wrong');
	});

	it('accepts a previous secret beside the present one, and no blank one', () => {
		const secrets = ['the new secret', SECRET, ''];
		expect(verify(signed, { secrets })).toBe('genuine');
		const blank = signCallbackUrl(URL_OF_TRIGGER, ' ', OPTIONS);
		expect(verify(blank, { secrets: ['', ' '.trim()] })).toBe('wrong');
	});

	it('accepts nothing that was signed with a blank secret', () => {
		const { pc_expires: expires, pc_nonce: nonce } = query;
		const blank = signatureOf(new URL(signed).pathname, String(expires), String(nonce), '');
		const given = { ...query, pc_signature: blank.toString('hex') };
		expect(verify(signed, { query: given, secrets: [''] })).toBe('wrong');
	});

	it('refuses from the second of its expiry on', () => {
		expect(verify(signed, { now: OPTIONS.expiresAt - 1 })).toBe('genuine');
		expect(verify(signed, { now: OPTIONS.expiresAt })).toBe('wrong');
	});

	it('says only of a genuine signature that it is expired', () => {
		const forged = { ...query, pc_expires: '1' };
		expect(verify(signed, { query: forged })).toBe('wrong');
	});

	it('accepts whatever was signed for the same node', () => {
		const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
		fc.assert(
			fc.property(fc.array(word, { maxLength: 3 }), word, word, word, (prefix, id, nonce, secret) => {
				const tail = `${id}/price-collection`;
				const url = signCallbackUrl(`https://h.example/${[...prefix, tail].join('/')}`, secret, {
					...OPTIONS,
					nonce,
				});
				expect(
					verifyCallback({
						path: `/webhook/${tail}`,
						query: queryOf(url),
						secrets: [secret],
						now: NOW,
					}),
				).toBe('genuine');
			}),
		);
	});
});

describe('the published test vectors', () => {
	it.each([
		[
			'a long random secret',
			'1790003600',
			'n0nce',
			'9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d/price-collection',
			'72ea590e4e43a66168d23f38963b4848df19abab1edd3b97c94aaf9080ca3c14',
		],
		[
			'Schlüssel für Rückrufe',
			'1790003600',
			'n0nce',
			'9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d/price-collection',
			'ee49dc8ee96d718f84ef8f11c3b34f65e9f2f18ac2fa785c62ba85fb050168a6',
		],
		[
			'a long random secret',
			'1790003600',
			'A-b_9',
			'my hook/price-collection',
			'57110a3934df32e4f5b9282dfbd9dddd6f43696721d6a3358cfb388be40e6e12',
		],
	])('hold for %s, %s, %s and %s', (secret, expires, nonce, signedPart, signature) => {
		const url = signCallbackUrl(`https://n8n.example.com/webhook/${signedPart}`, secret, {
			expiresAt: Number(expires) * 1000,
			nonce,
		});
		expect(queryOf(url)).toEqual({ pc_expires: expires, pc_nonce: nonce, pc_signature: signature });
		expect(verify(url, { secrets: [secret] })).toBe('genuine');
	});
});

describe('the expiry of a callback URL', () => {
	const hours = (expiry: number) => (expiry - NOW) / 3_600_000;

	it.each([
		['the default timeout', undefined, 72],
		['a short timeout', 5, 72],
		['a long timeout', 4320, 120],
		['no usable timeout', NaN, 72],
		['an endless timeout', Infinity, 72],
		['a timeout of a day and a minute', 1441, 72 + 1 / 60],
		['a negative timeout', -10, 72],
	])('with %s is longer than the job can run', (_name, timeout, expected) => {
		expect(hours(callbackExpiry(NOW, timeout))).toBe(expected);
	});
});
