import { askFor, fieldsOf, keyOf, readDialect } from '../../../nodes/PriceCollection/service/dialect';
import type { CredentialFields } from '../../../nodes/PriceCollection/service/dialect';

const baseUrl = 'https://api.example.com';
function dialectOf(fields: CredentialFields) {
	const read = readDialect({ baseUrl, apiKey: 'KEYKEY', ...fields });
	if (!read.ok) throw new Error(read.problem);
	return read.value;
}

test('an address and a key are enough: the rest is what practice shows', () => {
	expect(dialectOf({ apiKey: 'KEYKEY' })).toEqual({
		base: baseUrl,
		origin: baseUrl,
		account: expect.stringMatching(/^[\w-]{43}$/) as string,
		authentication: 'queryParameter',
		parameterName: 'token',
		requestBody: 'json',
		formatSelection: 'acceptHeader',
		formatParameter: 'format',
		lookupValues: 'automatic',
		testSource: 'test',
		webhookUrlParameter: 'webhook_url',
		webhookSecret: '',
		webhookSecrets: [],
		secrets: ['KEYKEY'],
		unmistakableSecrets: [],
	});
});

test('blank names fall back to their defaults, others are trimmed', () => {
	expect(
		dialectOf({
			parameterName: ' ',
			formatParameter: ' as ',
			testSource: '',
			webhookUrlParameter: 'hook',
		}),
	).toMatchObject({
		parameterName: 'token',
		formatParameter: 'as',
		testSource: 'test',
		webhookUrlParameter: 'hook',
	});
});

test('a bad address is said in words', () => {
	expect(readDialect({ baseUrl: 'nowhere' })).toEqual({
		ok: false,
		problem: 'The Base URL has no scheme. Put https:// in front of it.',
	});
});

test.each<[CredentialFields, string]>([
	[{}, 'The API Key is empty. Enter the key of your account.'],
	[
		{ authentication: 'bearer', apiKey: ' \n', username: 'me' },
		'The API Key is empty. Enter the key of your account.',
	],
	[
		{ authentication: 'basic', apiKey: 'KEY' },
		'User Name and Password are empty. Enter those of your account.',
	],
])('a missing key is said in words: %j', (fields, message) => {
	expect(readDialect({ baseUrl, ...fields })).toEqual({ ok: false, problem: message });
});

test('a user name without a password can be the key', () => {
	expect(readDialect({ baseUrl, authentication: 'basic', username: 'KEYKEY' })).toMatchObject({ ok: true });
});

test('a pasted key loses its blanks and line breaks', () => {
	expect(keyOf({ apiKey: ' KEY\n' })).toBe('KEY');
	expect(dialectOf({ apiKey: ' LONGKEY\n' }).secrets).toContain('LONGKEY');
	expect(dialectOf({ apiKey: ' LONGKEY\n' }).secrets.join()).not.toMatch(/\s/);
});

test('the fields of a credential are texts and switches, whatever an expression makes of them', () => {
	expect(
		fieldsOf({ apiKey: 4711, username: null, parameterName: { a: 1 }, baseUrl: [], password: true }),
	).toEqual({
		apiKey: '4711',
	});
	expect(fieldsOf({ customizeService: true, allowInsecureHttp: 'yes', apiKey: 'k' })).toEqual({
		customizeService: true,
		apiKey: 'k',
	});
});

test('a webhook secret that was changed is still among those that may have signed', () => {
	const fields = { webhookSecret: 'new-secret', previousWebhookSecret: 'old-secret' };
	expect(dialectOf(fields).webhookSecrets).toEqual(['new-secret', 'old-secret']);
	expect(dialectOf(fields).secrets).toEqual(expect.arrayContaining(['new-secret', 'old-secret']));
	expect(dialectOf({ previousWebhookSecret: 'old-secret' }).webhookSecrets).toEqual([]);
});

test('only secrets that are no ordinary words are taken out of data', () => {
	expect(dialectOf({ apiKey: 'price', webhookSecret: 'demo-shop' }).unmistakableSecrets).toEqual([]);
	expect(dialectOf({ apiKey: 'a8F3kd92Lsp0xQ7z' }).unmistakableSecrets).toContain('a8F3kd92Lsp0xQ7z');
});

describe('secrets', () => {
	test('are key, password, webhook secret and what Basic makes of name and password', () => {
		const { secrets } = dialectOf({
			apiKey: 'KEYKEY',
			username: 'me',
			password: 'PASSWORD',
			webhookSecret: 'HOOK/1',
		});
		expect(secrets).toEqual(
			expect.arrayContaining([
				'KEYKEY',
				'PASSWORD',
				'HOOK/1',
				Buffer.from('me:PASSWORD').toString('base64'),
			]),
		);
		expect(secrets).not.toContain('me');
	});

	test('a user name without a password is the key', () => {
		const { secrets } = dialectOf({ username: 'KEYASNAME', password: '' });
		expect(secrets).toEqual(
			expect.arrayContaining(['KEYASNAME', Buffer.from('KEYASNAME:').toString('base64')]),
		);
	});
});

describe('a format is asked for', () => {
	const asked = { formatSelection: 'acceptHeader', formatParameter: 'as' } as const;

	test('JSON on the documented path in every way', () => {
		for (const formatSelection of ['acceptHeader', 'pathSuffix', 'queryParameter'] as const) {
			expect(askFor('json', { ...asked, formatSelection })).toEqual({
				accept: 'application/json',
				suffix: '',
				// Where XML is the default, nothing else asks for JSON.
				query: formatSelection === 'queryParameter' ? { [asked.formatParameter]: 'json' } : {},
			});
		}
	});

	test.each([
		['xml', 'application/xml'],
		['csv', 'text/csv'],
		['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
	] as const)('%s in three ways', (format, accept) => {
		expect(askFor(format, asked)).toEqual({ accept, suffix: '', query: {} });
		expect(askFor(format, { ...asked, formatSelection: 'pathSuffix' })).toEqual({
			accept: '*/*',
			suffix: `.${format}`,
			query: {},
		});
		expect(askFor(format, { ...asked, formatSelection: 'queryParameter' })).toEqual({
			accept: '*/*',
			suffix: '',
			query: { as: format },
		});
	});
});
