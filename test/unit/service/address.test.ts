import { checkBaseUrl, loopbackWarning } from '../../../nodes/PriceCollection/service/address';

describe('the Base URL', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['  https://api.example.com/  ', 'https://api.example.com'],
		['https://api.example.com/v2', 'https://api.example.com'],
		['https://api.example.com/V2/', 'https://api.example.com'],
		['https://api.example.com/v2/jobs/', 'https://api.example.com'],
		['https://api.example.com/jobs', 'https://api.example.com/jobs'],
		['https://api.example.com//', 'https://api.example.com'],
		['https://API.example.com:443/prices/v2/', 'https://api.example.com/prices'],
		['https://api.example.com/v20', 'https://api.example.com/v20'],
		['http://localhost:8080/v2', 'http://localhost:8080'],
		['http://127.1/', 'http://127.0.0.1'],
		['http://127.255.0.1:9000', 'http://127.255.0.1:9000'],
		['http://[::1]:9000/', 'http://[::1]:9000'],
		['http://prices.localhost', 'http://prices.localhost'],
	])('takes %s as %s', (text, base) => {
		expect(checkBaseUrl(text, {})).toEqual({ ok: true, value: { base, origin: new URL(base).origin } });
	});

	test.each([
		[undefined, 'is empty'],
		['   ', 'is empty'],
		['api.example.com', 'has no scheme'],
		['SECRET', 'has no scheme'],
		['localhost:8080', 'has no scheme'],
		['ftp://api.example.com', 'must start with https://'],
		['https://', 'is not a valid address'],
		['https://SECRET@api.example.com', 'contains a user name or password'],
		['https://user:SECRET@api.example.com', 'contains a user name or password'],
		['https://api.example.com?token=SECRET', 'contains a query'],
		['https://api.example.com/?', 'contains a query'],
		['https://api.example.com/#SECRET', 'contains a fragment'],
		['https://api.example.com/#', 'contains a fragment'],
		['http://api.example.com', 'uses plain http'],
		['http://127.0.0.1.example.com', 'uses plain http'],
		['http://notlocalhost', 'uses plain http'],
		['http://0.0.0.0', 'uses plain http'],
	])('refuses %p: it %s, without a word of it', (text, words) => {
		const checked = checkBaseUrl(text, {});
		const problem = expect.stringContaining(`The Base URL ${words}`) as string;
		expect(checked).toMatchObject({ ok: false, problem });
		expect(JSON.stringify(checked)).not.toContain('SECRET');
	});

	test('takes plain http where the credential allows it', () => {
		expect(checkBaseUrl('http://10.0.0.5', { allowInsecureHttp: true })).toMatchObject({ ok: true });
	});

	test.each([
		['https://old.example.com/v2/', 'https://old.example.com', true],
		['https://old.example.com', 'old.example.com/', true],
		['https://old.example.com:8443', 'old.example.com:8443', true],
		['https://old.example.com', 'http://old.example.com', true],
		['https://old.example.com/api', 'https://old.example.com', false],
		['https://new.example.com', 'https://old.example.com', false],
		['https://new.example.com', '', false],
		['https://new.example.com', undefined, false],
	])('%s is the legacy address %s: %p', (address, legacyBaseUrl, expected) => {
		const checked = checkBaseUrl(address, { legacyBaseUrl });
		const problem =
			'The Base URL is the legacy address, which is retired. Enter the address of version 2 of the service.';
		expect(checked.ok ? undefined : checked.problem).toBe(expected ? problem : undefined);
	});
});

test.each([
	['http://localhost:5678/webhook', 'https://api.example.com', true],
	['http://localhost:5678/webhook', 'http://127.0.0.1', false],
	['https://n8n.example.com/webhook', 'https://api.example.com', false],
	['nowhere', 'https://api.example.com', false],
])('the service cannot reach %s from %s: %s', (url, service, expected) => {
	const warning = loopbackWarning(url, service, 'poll') ?? '';
	expect(warning.startsWith('The service cannot reach http://localhost:5678:')).toBe(expected);
});
