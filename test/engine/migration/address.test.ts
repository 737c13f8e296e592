import type { Workflow } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import {
	plainAddress,
	readAddress,
	writeAddress,
} from '../../../nodes/PriceCollection/migration/request/address';
import { links, node } from './convert';

const hosts = { legacy: 'api.old.example/prices', current: 'api.new.example' };
const OLD = 'https://api.old.example/prices';

/** A Config node with these fields in front of the node that reads them. */
const behind = (fields: Record<string, string>): Workflow => ({
	nodes: [
		node(
			'Config',
			'set',
			{
				assignments: {
					assignments: Object.entries(fields).map(([name, value]) => ({ name, value })),
				},
			},
			{ typeVersion: 3.4 },
		),
		node('Reader', 'httpRequest'),
	],
	connections: links('Config>Reader') as Workflow['connections'],
});

const read = (url: string, method = 'GET', fields: Record<string, string> = {}) =>
	readAddress(url, method, 'Reader', behind(fields), hosts);

const newAddress = (url: string, method?: string, fields?: Record<string, string>) => {
	const address = read(url, method, fields);
	return typeof address === 'object' ? writeAddress(address, 'https://api.new.example') : address;
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
	[
		'GET',
		`=${OLD}/jobs?page={{ $json.page }}&note=a%20b%26c`,
		'=https://api.new.example/v2/jobs?page={{ $json.page }}&note=a%20b%26c',
	],
])('%s %s becomes %s', (method, from, to) => {
	expect(newAddress(from, method)).toBe(to);
});

it.each([
	['{{ $json.host }}/jobs', { host: OLD }, '={{ $json.host }}/v2/jobs', ''],
	['{{ $json.host }}jobs', { host: `${OLD}/` }, '={{ $json.host }}v2/jobs', '/'],
	['{{ $json.host }}/jobs', { host: `${OLD}/v2` }, '={{ $json.host }}/jobs', '/v2'],
	['{{ $json.jobs }}/abc', { jobs: `${OLD}/jobs` }, '={{ $json.jobs }}/abc', '/v2/jobs'],
	['{{ $json.bulk }}/abc', { bulk: `${OLD}/products/bulk` }, '={{ $json.bulk }}/abc/download', '/v2/jobs'],
	[
		"{{ $('Config').first().json['host'] + '/jobs/' + $json.id }}",
		{ host: OLD },
		"={{ $('Config').first().json['host'] }}/v2/jobs/{{ $json.id }}",
		'',
	],
])('%s with %j becomes %s, and the field holds the new host with %s', (url, fields, to, path) => {
	const address = read(`=${url}`, 'GET', fields as Record<string, string>);
	expect(newAddress(`=${url}`, 'GET', fields as Record<string, string>)).toBe(to);
	expect(address).toMatchObject({ base: { host: 'legacy', fieldPath: path } });
});

it('takes an encoded job ID for what it stands for', () => {
	expect(read(`=${OLD}/jobs/{{ encodeURIComponent($json.id) }}`)).toMatchObject({
		jobId: '={{ $json.id }}',
	});
});

it('sees that a field of the same name holds another host', () => {
	expect(read('={{ $json.host }}/jobs', 'POST', { host: 'https://other.example' })).toBeUndefined();
});

it.each([
	['GET', 'https://api.old.example/jobs'],
	['GET', 'https://api.old.example/pricesx/jobs'],
	['GET', 'ftp://api.old.example/prices/jobs'],
	['GET', `={{ $json.test ? '${OLD}' : 'x' }}/y`],
])('does not take %s %s for an address of the service', (method, url) => {
	expect(read(url, method)).toBeUndefined();
});

it.each([
	['DELETE', `${OLD}/jobs/abc`],
	['GET', `${OLD}/jobs/abc/other`],
	['GET', `${OLD}/jobs/abc/download/more`],
	['GET', `${OLD}/settings/quota`],
	['POST', `${OLD}/products/bulk/abc`],
	['GET', OLD],
])('does not claim to understand %s %s', (method, url) => {
	expect(read(url, method)).toBe('unclear');
});

it.each([
	['={{ $vars.API }}/jobs/{{ $json.id }}', [{ code: '$vars.API' }]],
	['=https://{{ $vars.HOST }}/jobs/{{ $json.id }}', [{ text: 'https://' }, { code: '$vars.HOST' }]],
	['={{ $json.host }}/jobs/{{ $json.id }}', [{ code: '$json.host' }]],
])('tells that it cannot read the host of %s', (url, code) => {
	expect(read(url)).toMatchObject({
		base: { host: 'unknown', code, fields: [] },
		version: 1,
		endpoint: 'get',
		jobId: '={{ $json.id }}',
	});
});

it('sees a user name in the address', () => {
	expect(read('https://me:word@api.old.example/prices/jobs')).toMatchObject({
		base: { userInfo: 'me:word' },
	});
});
