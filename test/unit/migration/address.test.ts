import type { KnownAddresses } from '../../../nodes/PriceCollection/migration/address';
import { plainAddress, readAddress, writeAddress } from '../../../nodes/PriceCollection/migration/address';

const known: KnownAddresses = {
	legacy: 'api.old.example/prices',
	current: 'api.new.example',
	fields: new Map([['host', 'legacy']]),
};
const OLD = 'https://api.old.example/prices';

const newAddress = (url: string, method = 'GET') => {
	const address = readAddress(url, method, known);
	return address && writeAddress(address, 'https://api.new.example');
};

it.each([
	['https://API.example.com/', 'api.example.com'],
	['http://user:word@api.example.com/v2/', 'api.example.com'],
	['https://a.example/x/', 'a.example/x'],
	['a.example', undefined],
	['https://a.example?x=1', undefined],
	['https://', undefined],
])('takes %s for %s', (address, plain) => {
	expect(plainAddress(address)).toBe(plain);
});

it.each([
	['POST', `${OLD}/jobs`, 'https://api.new.example/v2/jobs'],
	['GET', `${OLD}/jobs/`, 'https://api.new.example/v2/jobs'],
	['GET', `=${OLD}/jobs/{{ $json.id }}`, '=https://api.new.example/v2/jobs/{{ $json.id }}'],
	[
		'GET',
		`=${OLD}/products/bulk/{{$json["job_id"]}}.json`,
		'=https://api.new.example/v2/jobs/{{ $json["job_id"] }}/download',
	],
	['GET', `${OLD}/products/bulk/abc.xml`, 'https://api.new.example/v2/jobs/abc/download.xml'],
	['POST', `${OLD}/jobs/abc/cancel`, 'https://api.new.example/v2/jobs/abc/cancel'],
	['GET', `${OLD}/v2/jobs/abc/download`, 'https://api.new.example/v2/jobs/abc/download'],
	['GET', `${OLD}/settings/monthly_usage`, 'https://api.new.example/v2/me/usage_month'],
	['GET', `${OLD}/settings/daily_usage`, 'https://api.new.example/v2/me/usage_today'],
	['GET', `${OLD}/v2/me/usage_today`, 'https://api.new.example/v2/me/usage_today'],
	['GET', 'https://api.new.example/jobs/abc', 'https://api.new.example/v2/jobs/abc'],
	['GET', `={{ '${OLD}' + '/jobs/' + $json.id }}`, '=https://api.new.example/v2/jobs/{{ $json.id }}'],
	['GET', `={{ \`${OLD}/jobs/\${$json.id}\` }}`, '=https://api.new.example/v2/jobs/{{ $json.id }}'],
	['GET', '={{ $json.host }}/jobs', '={{ $json.host }}/v2/jobs'],
	[
		'GET',
		"={{ $('Config').first().json['host'] + '/jobs/' + $json.id }}",
		"={{ $('Config').first().json['host'] }}/v2/jobs/{{ $json.id }}",
	],
	[
		'GET',
		`=${OLD}/jobs?page={{ $json.page }}&note=a%20b%26c`,
		'=https://api.new.example/v2/jobs?page={{ $json.page }}&note=a%20b%26c',
	],
])('%s %s becomes %s', (method, from, to) => {
	expect(newAddress(from, method)).toBe(to);
});

it.each([
	['GET', 'https://api.old.example/jobs'],
	['GET', 'https://api.old.example/pricesx/jobs'],
	['GET', 'ftp://api.old.example/prices/jobs'],
	['DELETE', `${OLD}/jobs/abc`],
	['GET', `${OLD}/jobs/abc/other`],
	['GET', `${OLD}/jobs/abc/download/more`],
	['GET', `${OLD}/settings/quota`],
	['POST', `${OLD}/products/bulk/abc`],
	['GET', OLD],
	['GET', `={{ $json.test ? '${OLD}' : 'x' }}/y`],
])('does not claim to understand %s %s', (method, url) => {
	expect(newAddress(url, method)).toBeUndefined();
});

it('tells a host that it cannot read', () => {
	expect(readAddress('={{ $vars.API }}/jobs/{{ $json.id }}', 'GET', known)).toEqual({
		base: 'unknown',
		baseCode: '$vars.API',
		version: 1,
		endpoint: 'get',
		jobId: '={{ $json.id }}',
		format: undefined,
		query: [],
		hadUserInfo: false,
	});
});

it('sees a user name in the address', () => {
	expect(readAddress('https://me:word@api.old.example/prices/jobs', 'GET', known)?.hadUserInfo).toBe(true);
});
