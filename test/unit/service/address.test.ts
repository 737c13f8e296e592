import { checkBaseUrl, isLegacy, isLoopback } from '../../../nodes/PriceCollection/service/address';

describe('the Base URL', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['  https://api.example.com/  ', 'https://api.example.com'],
		['https://api.example.com/v2', 'https://api.example.com'],
		['https://api.example.com/V2/', 'https://api.example.com'],
		['https://api.example.com//', 'https://api.example.com'],
		['https://API.example.com:443/prices/v2/', 'https://api.example.com/prices'],
		['https://api.example.com/v20', 'https://api.example.com/v20'],
		['http://localhost:8080/v2', 'http://localhost:8080'],
		['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
		['http://127.1/', 'http://127.0.0.1'],
		['http://[::1]:9000/', 'http://[::1]:9000'],
		['http://prices.localhost', 'http://prices.localhost'],
	])('takes %s as %s', (text, base) => {
		expect(checkBaseUrl(text, {})).toEqual({ ok: true, value: { base, origin: new URL(base).origin } });
	});

	test.each([
		[undefined, 'is empty'],
		['   ', 'is empty'],
		['api.example.com', 'has no scheme'],
		['localhost:8080', 'has no scheme'],
		['ftp://api.example.com', 'must start with https://'],
		['https://', 'is not a valid address'],
		['https://user@api.example.com', 'contains a user name or password'],
		['https://user:pass@api.example.com', 'contains a user name or password'],
		['https://api.example.com?token=KEY', 'contains a query'],
		['https://api.example.com/?', 'contains a query'],
		['https://api.example.com/#part', 'contains a fragment'],
		['https://api.example.com/#', 'contains a fragment'],
		['http://api.example.com', 'uses plain http'],
		['http://127.0.0.1.example.com', 'uses plain http'],
		['http://localhost.example.com', 'uses plain http'],
		['http://0.0.0.0', 'uses plain http'],
	])('refuses %p: it %s', (text, words) => {
		const checked = checkBaseUrl(text, {});
		expect(checked).toMatchObject({
			ok: false,
			problem: expect.stringContaining(`The Base URL ${words}`),
		});
	});

	test('never repeats what was entered, which may hold a key', () => {
		for (const text of [
			'https://SECRET@host',
			'https://host?token=SECRET',
			'SECRET',
			'https://host/#SECRET',
		]) {
			expect(JSON.stringify(checkBaseUrl(text, {}))).not.toContain('SECRET');
		}
	});

	test('takes plain http where the credential allows it', () => {
		expect(checkBaseUrl('http://10.0.0.5', { allowInsecureHttp: true })).toMatchObject({ ok: true });
	});

	test('refuses the legacy address with what to do instead', () => {
		expect(
			checkBaseUrl('https://old.example.com/v2/', { legacyBaseUrl: 'https://old.example.com' }),
		).toEqual({
			ok: false,
			problem:
				'The Base URL is the legacy address, which is retired. Enter the address of version 2 of the service.',
		});
	});
});

test.each([
	['https://old.example.com', 'https://old.example.com/', true],
	['https://old.example.com', 'old.example.com', true],
	['https://old.example.com:8443', 'old.example.com:8443', true],
	['https://old.example.com', 'http://old.example.com', true],
	['https://old.example.com/api', 'https://old.example.com', false],
	['https://new.example.com', 'https://old.example.com', false],
	['https://new.example.com', '', false],
	['https://new.example.com', undefined, false],
])('%s is the legacy address %s: %p', (address, legacy, expected) => {
	expect(isLegacy(address, legacy)).toBe(expected);
});

test.each([
	['localhost', true],
	['127.255.0.1', true],
	['[::1]', true],
	['example.com', false],
	['notlocalhost', false],
])('%s is this machine: %p', (hostname, expected) => {
	expect(isLoopback(hostname)).toBe(expected);
});
