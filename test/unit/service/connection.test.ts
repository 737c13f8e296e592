import { askFor, fieldsOf, readConnection } from '../../../nodes/PriceCollection/service/connection';
import type { CredentialFields } from '../../../nodes/PriceCollection/service/connection';

const baseUrl = 'https://api.example.com';
function dialectOf(fields: CredentialFields) {
	const read = readConnection({ baseUrl, apiKey: 'KEYKEY', ...fields });
	if (!read.ok) throw new Error(read.problem);
	return read.value;
}

test('an address and a key are enough: the rest is what practice shows', () => {
	expect(dialectOf({})).toEqual({
		...{ base: baseUrl, origin: baseUrl, account: expect.stringMatching(/^[\w-]{43}$/) as string },
		...{ authentication: 'queryParameter', parameterName: 'token', headerName: 'X-API-Key' },
		...{ requestBody: 'json', formatSelection: 'acceptHeader', formatParameter: 'format' },
		...{ lookupValues: 'automatic', testSource: 'test', webhookUrlParameter: 'webhook_url' },
		...{ webhookSecret: '', webhookSecrets: [], secrets: ['KEYKEY'] },
	});
});

test('accounts are told apart by service, key, user and password, and by nothing else', () => {
	const others = [
		{ baseUrl: 'https://other.example.test' },
		{ apiKey: 'ANOTHERKEY' },
		{ username: 'u' },
		{ username: 'u', password: 'pq' },
		{ username: 'up', password: 'q' },
	];
	const accounts = [{}, ...others].map((fields) => dialectOf(fields).account);
	expect(new Set(accounts).size).toBe(accounts.length);
	expect(dialectOf({ webhookSecret: 'x', authentication: 'bearer' }).account).toBe(accounts[0]);
});

test('blank names fall back to their defaults, others are trimmed', () => {
	const fields = {
		parameterName: ' ',
		formatParameter: ' as ',
		testSource: '',
		webhookUrlParameter: 'hook',
	};
	const connection = {
		parameterName: 'token',
		formatParameter: 'as',
		testSource: 'test',
		webhookUrlParameter: 'hook',
	};
	expect(dialectOf(fields)).toMatchObject(connection);
});

const NO_KEY = 'The API Key is empty. Enter the key of your account.';
test.each<[CredentialFields, string | undefined]>([
	[{ baseUrl: 'nowhere', apiKey: 'KEY' }, 'The Base URL has no scheme. Put https:// in front of it.'],
	[{}, NO_KEY],
	[{ authentication: 'bearer', apiKey: ' \n', username: 'me' }, NO_KEY],
	[
		{ authentication: 'basic', apiKey: 'KEY' },
		'User Name and Password are empty. Enter those of your account.',
	],
	// A user name without a password can be the key.
	[{ authentication: 'basic', username: 'KEYKEY' }, undefined],
])('of %j is said what is missing: %s', (fields, message) => {
	const read = readConnection({ baseUrl, ...fields });
	expect(read.ok ? undefined : read.problem).toBe(message);
});

test.each<[object, CredentialFields]>([
	[
		{ apiKey: 4711, username: null, parameterName: { a: 1 }, baseUrl: [], password: true },
		{ apiKey: '4711' },
	],
	[
		{ customizeService: true, allowInsecureHttp: 'yes', apiKey: 'k' },
		{ customizeService: true, apiKey: 'k' },
	],
])(
	'the fields of a credential are texts and switches, whatever an expression makes of them: %j',
	(given, fields) => {
		expect(fieldsOf(given)).toEqual(fields);
	},
);

const basic = (text: string) => Buffer.from(text).toString('base64');
test.each<[CredentialFields, string[]]>([
	[{ apiKey: ' LONGKEY\n' }, ['LONGKEY']],
	[
		{ username: 'me', password: 'PASSWORD', webhookSecret: 'HOOK/1' },
		['KEYKEY', 'PASSWORD', basic('me:PASSWORD'), 'HOOK/1'],
	],
	[{ username: 'KEYASNAME', password: '' }, ['KEYKEY', 'KEYASNAME', basic('KEYASNAME:')]],
	[{ webhookSecret: 'new', previousWebhookSecret: 'old' }, ['KEYKEY', 'new', 'old']],
])('the secrets of %j are %j', (fields, secrets) => {
	expect(dialectOf(fields).secrets).toEqual(secrets);
});

test('a webhook secret that was changed is still among those that may have signed', () => {
	const fields = { webhookSecret: 'new-secret', previousWebhookSecret: 'old-secret' };
	expect(dialectOf(fields).webhookSecrets).toEqual(['new-secret', 'old-secret']);
	expect(dialectOf({ previousWebhookSecret: 'old-secret' }).webhookSecrets).toEqual([]);
});

test.each([
	['json', 'application/json'],
	['xml', 'application/xml'],
	['csv', 'text/csv'],
	['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
] as const)('%s is asked for in three ways, JSON always on the documented path', (format, mediaType) => {
	const isJson = format === 'json';
	const accept = isJson ? mediaType : '*/*';
	const asked = { formatSelection: 'acceptHeader', formatParameter: 'as' } as const;
	expect(askFor({ format }, asked)).toEqual({ accept: mediaType, suffix: '', query: {} });
	expect(askFor({ format }, { ...asked, formatSelection: 'pathSuffix' })).toEqual({
		...{ accept, suffix: isJson ? '' : `.${format}`, query: {} },
	});
	expect(askFor({ format }, { ...asked, formatSelection: 'queryParameter' })).toEqual({
		...{ accept, suffix: '', query: { as: format } },
	});
});
