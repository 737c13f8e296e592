import { convert, links, node } from './convert';

const OLD = 'https://api.legacy.example';
const NEW = 'https://api.example.test';

/** Converts a request to this address behind a Set node with these fields. */
function converted(url: string, method = 'GET', fields: Record<string, string> = {}) {
	const assignments = Object.entries(fields).map(([name, value]) => ({ name, value }));
	const config = node('Config', 'set', { assignments: { assignments } }, { typeVersion: 3.4 });
	const request = node('Reader', 'httpRequest', { method, url }, { typeVersion: 4.2 });
	const { workflow, warnings } = convert([config, request], links('Config>Reader'), 'updateRequests');
	const set = workflow.nodes[0]?.parameters.assignments as { assignments: Array<{ value: string }> };
	return {
		url: workflow.nodes[1]?.parameters.url,
		fields: set.assignments.map(({ value }) => value),
		isNamed: warnings.some((one) => one.node === 'Reader'),
	};
}

it.each([
	['POST', '/jobs', '/v2/jobs'],
	['GET', '/jobs/', '/v2/jobs'],
	['GET', '=/jobs/{{ $json.id }}', '=/v2/jobs/{{ $json.id }}'],
	['GET', '=/products/bulk/{{$json["job_id"]}}.json', '=/v2/jobs/{{ $json["job_id"] }}/download'],
	['GET', '/products/bulk/abc.xml', '/v2/jobs/abc/download.xml'],
	['POST', '/jobs/abc/cancel', '/v2/jobs/abc/cancel'],
	['GET', '/v2/jobs/abc/download', '/v2/jobs/abc/download'],
	['GET', '/settings/monthly_usage', '/v2/me/usage_month'],
	['GET', '/settings/daily_usage', '/v2/me/usage_today'],
	['GET', '/v2/me/usage_today', '/v2/me/usage_today'],
	['GET', '=/jobs?page={{ $json.page }}&note=a%20b%26c', '=/v2/jobs?page={{ $json.page }}&note=a%20b%26c'],
	['GET', '=/jobs/{{ encodeURIComponent($json.id) }}', '=/v2/jobs/{{ $json.id }}'],
])('%s %s becomes %s', (method, from, to) => {
	const at = (host: string, path: string) => path.replace(/^=?/, (mark) => `${mark}${host}`);
	expect(converted(at(OLD, from), method).url).toBe(at(NEW, to));
});

it.each([
	[`${NEW}/jobs/abc`, `${NEW}/v2/jobs/abc`],
	[`={{ '${OLD}' + '/jobs/' + $json.id }}`, `=${NEW}/v2/jobs/{{ $json.id }}`],
	[`={{ \`${OLD}/jobs/\${$json.id}\` }}`, `=${NEW}/v2/jobs/{{ $json.id }}`],
	['https://me:word@api.legacy.example/jobs/a', `${NEW}/v2/jobs/a`],
])('%s becomes %s', (from, to) => {
	expect(converted(from).url).toBe(to);
});

it.each([
	['{{ $json.host }}/jobs', OLD, '={{ $json.host }}/v2/jobs', ''],
	['{{ $json.host }}jobs', `${OLD}/`, '={{ $json.host }}v2/jobs', '/'],
	['{{ $json.host }}/jobs', `${OLD}/v2`, '={{ $json.host }}/jobs', '/v2'],
	['{{ $json.host }}/abc', `${OLD}/jobs`, '={{ $json.host }}/abc', '/v2/jobs'],
	['{{ $json.host }}/abc', `${OLD}/products/bulk`, '={{ $json.host }}/abc/download', '/v2/jobs'],
	[
		"{{ $('Config').first().json['host'] + '/jobs/' + $json.id }}",
		OLD,
		"={{ $('Config').first().json['host'] }}/v2/jobs/{{ $json.id }}",
		'',
	],
])('%s with %s in the field becomes %s, and the field holds the new host with %s', (from, host, to, path) => {
	expect(converted(`=${from}`, 'GET', { host })).toMatchObject({ url: to, fields: [`${NEW}${path}`] });
});

it.each([
	[false, 'GET', 'https://api.other.example/jobs'],
	[true, 'GET', 'https://api.legacy.example.org/jobs'],
	[false, 'GET', `={{ $json.test ? '${OLD.replace('legacy', 'else')}' : 'x' }}/y`],
	[false, 'POST', '={{ $json.host }}/jobs'],
	[true, 'DELETE', `${OLD}/jobs/abc`],
	[true, 'GET', `${OLD}/jobs/abc/other`],
	[true, 'GET', `${OLD}/jobs/abc/download/more`],
	[true, 'GET', `${OLD}/settings/quota`],
	[true, 'POST', `${OLD}/products/bulk/abc`],
	[true, 'GET', OLD],
	[true, 'GET', '={{ $vars.API }}/jobs/{{ $json.id }}'],
	[true, 'GET', '=https://{{ $vars.HOST }}/jobs/{{ $json.id }}'],
])('named in a warning: %j, %s %s stays as it is', (isNamed, method, url) => {
	expect(converted(url, method, { host: 'https://other.example' })).toMatchObject({ url, isNamed });
});
