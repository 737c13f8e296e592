import {
	checkBaseUrl,
	type CredentialFields,
	credentialFields,
	readConnection,
} from '../../../nodes/PriceCollection/service/connection';

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
		...{
			maxValuesPerJob: 1000,
			countryCase: 'lower',
			labelParameter: '',
			requestNames: {},
			fieldNames: {},
		},
		...{ finishedStatuses: '', failedStatuses: '', cancelledStatuses: '' },
		...{ pagination: 'pageNumber', firstPage: 'automatic' },
		...{ pageParameter: 'page', pageSizeParameter: 'per_page', cursorParameter: 'cursor' },
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
	const fields = { parameterName: ' ', formatParameter: ' as ', testSource: '' };
	expect(dialectOf(fields)).toEqual({ ...dialectOf({}), formatParameter: 'as' });
});

test('a parameter of the list of which the name was emptied is not sent', () => {
	const names = { pageParameter: '', pageSizeParameter: ' ', cursorParameter: '' };
	expect(dialectOf(names)).toEqual({ ...dialectOf({}), ...names, pageSizeParameter: '' });
});

const NO_USER = 'User Name and Password are empty. Enter those of your account.';
const NO_KEY = 'The API Key is empty. Enter the key of your account.';
test.each<[CredentialFields, string | undefined]>([
	[{ baseUrl: 'nowhere', apiKey: 'KEY' }, 'The Base URL must begin with https://.'],
	[{}, NO_KEY],
	[{ authentication: 'bearer', apiKey: ' \n', username: 'me' }, NO_KEY],
	[{ authentication: 'basic', apiKey: 'KEY' }, NO_USER],
	// A user name without a password can be the key.
	[{ authentication: 'basic', username: 'KEYKEY' }, undefined],
])('of %j is said what is missing: %s', (fields, message) => {
	const read = readConnection({ baseUrl, ...fields });
	expect(read.ok ? undefined : read.problem).toBe(message);
});

test('the fields of a credential are texts and switches, whatever an expression makes of them', () => {
	const odd = { username: null, parameterName: { a: 1 }, baseUrl: [], allowInsecureHttp: 'yes' };
	const fields = { customizeService: true, apiKey: '4711', firstPage: '0' };
	expect(credentialFields({ ...odd, customizeService: true, apiKey: 4711, firstPage: 0 })).toEqual(fields);
});

test('what must not be wrong in silence is a field of a credential as it is', () => {
	const checked = { maxValuesPerJob: [2], requestNames: { names: [] }, requestNamesText: 7 };
	expect(credentialFields(checked)).toEqual(checked);
});

describe('Max Values per Job', () => {
	test.each<[CredentialFields['maxValuesPerJob'], number]>([
		[undefined, 1000],
		[null, 1000],
		[' ', 1000],
		[1, 1],
		[' 250 ', 250],
	])('%j is %d', (maxValuesPerJob, expected) => {
		expect(dialectOf({ maxValuesPerJob }).maxValuesPerJob).toBe(expected);
	});

	test.each<[CredentialFields['maxValuesPerJob'], string]>([
		[0, '0'],
		[-1, '-1'],
		[2.5, '2.5'],
		['2.5', '"2.5"'],
		['1,000', '"1,000"'],
		[Infinity, 'Infinity'],
		[true, 'true'],
		[{ a: 1 }, '{"a":1}'],
		[[1, 2], '[1,2]'],
		['x'.repeat(99), `"${'x'.repeat(49)}`],
	])('cannot be %j', (maxValuesPerJob, shown) => {
		const problem = `Max Values per Job cannot be ${shown}. Enter a whole number of at least 1.`;
		expect(readConnection({ baseUrl, apiKey: 'KEYKEY', maxValuesPerJob })).toEqual({
			ok: false,
			problem,
		});
	});
});

test('Request Names are those of both fields, or a sentence that says what is wrong', () => {
	expect(dialectOf({}).requestNames).toEqual({});
	const requestNames = { names: [{ meaning: 'gtin', fields: 'ean' }] };
	const both = { requestNames, requestNamesText: 'country: market' };
	expect(dialectOf(both).requestNames).toEqual({ gtin: 'ean', country: 'market' });
	const read = readConnection({ baseUrl, apiKey: 'KEYKEY', requestNames, requestNamesText: 'gtin: upc' });
	const problem = 'The line "gtin: upc" of Request Names names gtin a second time. Remove one of the two.';
	expect(read).toEqual({ ok: false, problem });
});

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
	const secretsOf = (fields: CredentialFields) => dialectOf({ previousWebhookSecret: 'old', ...fields });
	expect(secretsOf({ webhookSecret: 'new' }).webhookSecrets).toEqual(['new', 'old']);
	expect(secretsOf({}).webhookSecrets).toEqual([]);
});

describe('the Base URL', () => {
	test.each([
		['  https://api.example.com/  ', 'https://api.example.com'],
		['https://api.example.com/v2', 'https://api.example.com'],
		['https://api.example.com/V2/', 'https://api.example.com'],
		['https://api.example.com/v2/jobs/', 'https://api.example.com'],
		['https://api.example.com/jobs', 'https://api.example.com/jobs'],
		['https://API.example.com:443/prices/v2/', 'https://api.example.com/prices'],
		['https://api.example.com/v20', 'https://api.example.com/v20'],
		['http://localhost:8080/v2', 'http://localhost:8080'],
		['http://127.1/', 'http://127.0.0.1'],
		['http://[::1]:9000/', 'http://[::1]:9000'],
		['http://prices.localhost', 'http://prices.localhost'],
	])('takes %s as %s', (text, base) => {
		expect(checkBaseUrl({ baseUrl: text })).toEqual({
			ok: true,
			value: { base, origin: new URL(base).origin },
		});
	});

	test.each([
		['   ', 'is empty'],
		['api.example.com', 'must begin with https://'],
		['localhost:8080', 'must begin with https://'],
		['ftp://api.example.com', 'must begin with https://.'],
		['https://', 'is not a valid address'],
		['https://SECRET@api.example.com', 'contains a user name'],
		['https://user:SECRET@api.example.com', 'contains a user name, a password'],
		['https://api.example.com?token=SECRET', 'contains a user name, a password, a query'],
		[
			'https://api.example.com/#SECRET',
			'contains a user name, a password, a query (after ?) or a fragment',
		],
		['http://api.example.com', 'uses plain http'],
		['http://127.0.0.1.example.com', 'uses plain http'],
		['http://notlocalhost', 'uses plain http'],
	])('refuses %p: it %s, without a word of it', (text, words) => {
		const checked = checkBaseUrl({ baseUrl: text });
		const problem = expect.stringContaining(`The Base URL ${words}`) as string;
		expect(checked).toMatchObject({ ok: false, problem });
		expect(JSON.stringify(checked)).not.toContain('SECRET');
	});

	test('takes plain http where the credential allows it', () => {
		expect(checkBaseUrl({ baseUrl: 'http://10.0.0.5', allowInsecureHttp: true }).ok).toBe(true);
	});

	test.each([
		['https://old.example.com/v2/', 'https://old.example.com', true],
		['https://old.example.com/api', 'https://old.example.com', false],
		['https://new.example.com', 'https://old.example.com', false],
		['https://new.example.com', '', false],
	])('%s is the legacy address %s: %p', (address, legacyBaseUrl, expected) => {
		const checked = checkBaseUrl({ baseUrl: address, legacyBaseUrl });
		const problem =
			'The Base URL is the legacy address, which is retired. Enter the address of version 2 of the service.';
		expect(checked.ok ? undefined : checked.problem).toBe(expected ? problem : undefined);
	});
});
