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
		...{ path: new URL(url).pathname, query: queryOf(url), secrets: [SECRET], now: NOW },
		...more,
	});
const sign = (more: Partial<typeof OPTIONS> = {}, secret = SECRET, url = URL_OF_TRIGGER) =>
	signCallbackUrl(url, secret, { ...OPTIONS, ...more });

const signed = sign();
const query = queryOf(signed);
const signature = String(query.pc_signature);

describe('signing a callback URL', () => {
	/** The test vectors of docs/triggers.md, and more. */
	it.each([
		[SECRET, 'n0nce', TAIL, '72ea590e4e43a66168d23f38963b4848df19abab1edd3b97c94aaf9080ca3c14'],
		[
			'Schlüssel für Rückrufe',
			'n0nce',
			TAIL,
			'ee49dc8ee96d718f84ef8f11c3b34f65e9f2f18ac2fa785c62ba85fb050168a6',
		],
		[
			SECRET,
			'A-b_9',
			'my hook/price-collection',
			'57110a3934df32e4f5b9282dfbd9dddd6f43696721d6a3358cfb388be40e6e12',
		],
		[
			SECRET,
			'n0nce',
			'Rückruf/price-collection',
			'9edcac2e930b2e188c1e56a86a7f225fddbc1d4f013aaa1a3d585186118112d5',
		],
	])('adds expiry in seconds, nonce and a documented HMAC: %s, %s, %s', (secret, nonce, tail, hmac) => {
		const url = sign({ nonce }, secret, `https://n8n.example.com/webhook/${tail}`);
		expect(queryOf(url)).toEqual({ pc_expires: '1790003600', pc_nonce: nonce, pc_signature: hmac });
		expect(verify(url, { secrets: [secret] })).toBe('genuine');
	});

	it("keeps the URL's own query byte by byte, and its fragment", () => {
		const url = 'https://n8n.example.com/webhook-waiting/42/node-1?signature=ab%2Bc+d&x=1&x=2&y#part';
		const result = sign({}, SECRET, url);
		expect(result.replace(/[0-9a-f]{64}/, 'HMAC')).toBe(
			url.replace('#part', '&pc_expires=1790003600&pc_nonce=n0nce&pc_signature=HMAC#part'),
		);
		expect(verify(result)).toBe('genuine');
	});

	it.each(['', '?', '?&', '?&&'])('adds no empty parameter to a URL that ends in "%s"', (end) => {
		expect(sign({}, SECRET, `${URL_OF_TRIGGER}${end}`)).toBe(
			`${URL_OF_TRIGGER}?pc_expires=1790003600&pc_nonce=n0nce&pc_signature=${signature}`,
		);
	});

	it('replaces an earlier signature instead of adding a second one', () => {
		expect(sign({}, SECRET, signed)).toBe(signed);
		const later = sign({ nonce: 'other' }, 'another secret', signed);
		expect(later.match(/pc_signature=/g)).toHaveLength(1);
		expect(verify(later, { secrets: ['another secret'] })).toBe('genuine');
	});

	it('leaves alone what is no URL or has no secret, and gives a nonce that is different each time', () => {
		expect([sign({}, ''), sign({}, SECRET, 'not a url')]).toEqual([URL_OF_TRIGGER, 'not a url']);
		const [first, second] = [newNonce(), newNonce()];
		expect(first).not.toBe(second);
		expect(verify(sign({ nonce: first }))).toBe('genuine');
	});
});

describe('the name of a signature', () => {
	it('is the same for the URL and for the call that came by it, and different for every other URL', () => {
		const name = signatureHashOf(signed);
		expect(name).toMatch(/^[\w-]{43}$/);
		expect(hashOfSignature({ ...query, more: 'x' })).toBe(name);
		expect(signatureHashOf(sign({ nonce: 'x' }))).not.toBe(name);
	});

	it('is none where anything of it is missing', () => {
		for (const parameter of ['pc_expires', 'pc_nonce', 'pc_signature'])
			for (const value of [undefined, '', ['a', 'a']])
				expect(hashOfSignature({ ...query, [parameter]: value })).toBeUndefined();
		for (const url of [undefined, '', 'no url', URL_OF_TRIGGER])
			expect(signatureHashOf(url)).toBeUndefined();
	});
});

describe('verifying a callback', () => {
	it.each([
		['production', `/webhook/${TAIL}`],
		['test', `/webhook-test/${TAIL}`],
		['prefix added by a proxy', `/test/support/n8n/webhook/${TAIL}`],
		['prefix stripped by a proxy', `/${TAIL}`],
		['trailing slash', `/webhook/${TAIL}/`],
		['doubled slash', `/webhook//${TAIL}`],
		['needless encoding', `/webhook/${TAIL.replace('price', '%70rice')}`],
	])('accepts the path of the node: %s', (_name, path) => {
		expect(verify(signed, { path })).toBe('genuine');
	});

	it('survives a percent sign that encodes nothing', () => {
		expect(signedPath('/webhook/50%/x')).toBe('50%/x');
	});

	it('misses one where a parameter of it is missing, or only inherited', () => {
		const parts = ['pc_signature', 'pc_nonce', 'pc_expires'].map((name) => ({
			...query,
			[name]: undefined,
		}));
		for (const given of [{}, ...parts, Object.create(query) as Record<string, unknown>])
			expect(verify(signed, { query: given })).toBe('missing');
	});

	it.each<[string, object]>([
		['an empty signature', { pc_signature: '' }],
		['a truncated signature', { pc_signature: signature.slice(0, 63) }],
		['a longer signature', { pc_signature: `${signature}0` }],
		['an upper-case signature', { pc_signature: signature.toUpperCase() }],
		['another signature', { pc_signature: signature.replace(/^./, (c) => (c === '0' ? '1' : '0')) }],
		['a signature given twice', { pc_signature: [signature, signature] }],
		['a list of one signature', { pc_signature: [signature] }],
		['a nonce given twice', { pc_nonce: ['n0nce', 'n0nce'] }],
		['a nested parameter', { pc_nonce: { a: 'n0nce' } }],
		['a nonce with something before it', { pc_nonce: '!n0nce' }],
		['a nonce that is too long', { pc_nonce: 'n'.repeat(129) }],
		['a line feed in the nonce', { pc_nonce: 'n0nce\n' }],
		['another nonce', { pc_nonce: 'n0nce2' }],
		['an expiry given twice', { pc_expires: ['1', '1790003600'] }],
		['an expiry with something behind it', { pc_expires: '1790003600x' }],
		['an expiry in words', { pc_expires: 'Infinity' }],
		['an expiry with a sign', { pc_expires: '+1790003600' }],
		['an expiry with leading zeros', { pc_expires: '01790003600' }],
		['a later expiry', { pc_expires: '1890003600' }],
		['an expiry that is over', { pc_expires: '1' }],
	])('refuses %s', (_name, given) => {
		expect(verify(signed, { query: { ...query, ...given } })).toBe('wrong');
	});

	const blank = signatureOf(new URL(signed).pathname, String(query.pc_expires), 'n0nce', '');
	const unkeyed = { ...query, pc_signature: blank.toString('hex') };
	it.each<[string, Parameters<typeof verify>[1], 'genuine' | 'wrong']>([
		['the URL of another node', { path: '/webhook/another-id/price-collection' }, 'wrong'],
		['another secret', { secrets: ['another'] }, 'wrong'],
		['a previous secret beside the present one', { secrets: ['the new secret', SECRET, ''] }, 'genuine'],
		['what was signed with a blank secret', { query: unkeyed, secrets: [''] }, 'wrong'],
		['the moment before it expires', { now: OPTIONS.expiresAt - 1 }, 'genuine'],
		['the moment when it expires', { now: OPTIONS.expiresAt }, 'wrong'],
	])('with %s: %j is %s', (_name, more, expected) => {
		expect(verify(signed, more)).toBe(expected);
	});
});

it.each([
	[undefined, 72],
	[5, 72],
	[4320, 120],
	[NaN, 72],
	[Infinity, 72],
	[1441, 72 + 1 / 60],
])('with the timeout %s a callback URL expires later than the job can run: in %d hours', (timeout, hours) => {
	expect((callbackExpiry(NOW, timeout) - NOW) / 3_600_000).toBe(hours);
});
