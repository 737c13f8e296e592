import type { SandboxOptions } from './options.ts';
import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

describe('representations', () => {
	let client: Client;
	let id: string;

	beforeEach(async () => {
		client = await startStill();
		id = await client.finished({
			topic: 'product_and_offers',
			source: 'google_shopping',
			value: 'many-2',
		});
	});
	afterEach(() => client.sandbox.close());

	const path = () => `/v2/jobs/${id}/download`;
	const typeOf = async (where: string, accept = '*/*') => {
		const { headers, status } = await client.send(where, { headers: { accept } });
		return status === 200 ? headers.get('content-type')?.split(';')[0] : status;
	};

	it.each<[SandboxOptions['formatSelection'][number], unknown[]]>([
		['accept', ['application/xml', 404, 'application/json']],
		['suffix', ['application/json', 'application/xml', 'application/json']],
		['parameter', ['application/json', 404, 'application/xml']],
	])('are chosen by %s alone when only that is on', async (selection, expected) => {
		client.sandbox.setOptions({ formatSelection: [selection] });
		const asked = [
			await typeOf(path(), 'application/xml'),
			await typeOf(`${path()}.xml`),
			await typeOf(`${path()}?format=xml`),
		];
		expect(asked).toEqual(expected);
	});

	it('are JSON by default, and weigh the Accept header', async () => {
		expect(await typeOf(path(), 'text/plain, */*')).toBe('application/json');
		expect(await typeOf(path(), 'application/json;q=0.4, text/xml;q=0.8')).toBe('application/xml');
		client.sandbox.setOptions({ defaultFormat: 'xml' });
		expect(await typeOf(path())).toBe('application/xml');
	});

	it('say XML of everything: jobs, lists, usage and refusals', async () => {
		const status = await client.send(`/v2/jobs/${id}.xml`);
		expect(status.text).toContain('<status type="symbol">finished</status>');
		expect(fromXml(status.text)).toEqual((await client.send(`/v2/jobs/${id}`)).json);
		const list = await client.send('/v2/jobs.xml');
		expect(list.text).toMatch(/<data type="array">\s*<datum>/);
		expect(fromXml(list.text)).toEqual((await client.send('/v2/jobs')).json);
		const usage = await client.send('/v2/me/usage_month.xml');
		expect(fromXml(usage.text)).toEqual((await client.send('/v2/me/usage_month')).json);
		const refused = await client.send('/v2/jobs.xml', { token: false });
		expect(fromXml(refused.text)).toMatchObject({
			success: false,
			reason: 'unauthorized',
			parameter: 'token',
		});
	});

	it('write a bare list as jobs, and results as the root when told to', async () => {
		client.sandbox.setOptions({
			listShape: 'array',
			xmlRoot: 'results',
			statusSymbol: false,
			xmlIndent: false,
		});
		const list = await client.send('/v2/jobs.xml');
		expect(list.text).toContain('<jobs type="array"><job><job-id>');
		expect(list.text).toContain('<status>finished</status>');
		const download = await client.send(`${path()}.xml`);
		expect(download.text).toMatch(
			/^<\?xml version="1.0" encoding="UTF-8"\?>\n<results type="array"><result><query>/,
		);
		expect(fromXml(download.text)).toEqual((await client.send(path())).json.results);
	});

	it('give tables as CSV and XLSX', async () => {
		const csv = await client.send(`${path()}.csv`);
		expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
		const lines = csv.text.trim().split('\r\n');
		expect(lines).toHaveLength(3);
		expect(lines[0]).toMatch(/^job_id,source,country,topic,key,value,/);
		const xlsx = await fetch(`${client.sandbox.url}${path()}.xlsx?token=${client.sandbox.apiKey}`);
		const bytes = Buffer.from(await xlsx.arrayBuffer());
		expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
		expect(bytes.includes('xl/worksheets') || bytes.includes('xl/sheet1.xml')).toBe(true);
	});

	it.each([
		['text/html', 'text/html'],
		['none', null],
	])('lie about their type as %s', async (contentType, expected) => {
		client.sandbox.setOptions({ contentType });
		const { headers, json } = await client.send(path());
		expect(headers.get('content-type')).toBe(expected);
		expect(json.job_id).toBe(id);
	});

	it('refuse a format that nobody knows', async () => {
		const { status, json } = await client.send(`${path()}?format=yaml`);
		expect([status, json.parameter]).toEqual([400, 'format']);
	});

	it.each(['sameOrigin', 'otherOrigin'] as const)(
		'are served from %s without a key',
		async (downloadRedirect) => {
			client.sandbox.setOptions({ downloadRedirect });
			const redirect = await client.send(`${path()}.xml`);
			const location = redirect.headers.get('location') ?? '';
			expect(redirect.status).toBe(302);
			expect(location).not.toContain(client.sandbox.apiKey);
			const file = await fetch(location);
			expect(fromXml(await file.text())).toMatchObject({ job_id: id });
			expect(client.sandbox.otherOriginRequests).toHaveLength(
				downloadRedirect === 'otherOrigin' ? 1 : 0,
			);
		},
	);

	it('grow to the size that a value or an option asks for', async () => {
		const large = await client.finished({ value: 'megabytes-3' });
		const json = await client.send(`/v2/jobs/${large}/download`);
		expect(json.text.length).toBeGreaterThan(2_900_000);
		const values = (json.json.results as Array<{ query: { value: string } }>).map(
			({ query }) => query.value,
		);
		expect(new Set(values).size).toBe(values.length);
		client.sandbox.setOptions({ downloadMegabytes: 1 });
		const xml = await client.send(`${path()}.xml`);
		expect(xml.text.length).toBeGreaterThan(900_000);
		expect(fromXml(xml.text)).toMatchObject({ job_id: id, results: expect.any(Array) });
	});

	it('live below a prefix', async () => {
		const below = await startStill({ pathPrefix: '/api/shop' });
		expect(below.sandbox.url).toMatch(/\/api\/shop$/);
		expect((await below.send('/v2/jobs')).status).toBe(200);
		const outside = await fetch(
			`${new URL(below.sandbox.url).origin}/v2/jobs?token=${below.sandbox.apiKey}`,
		);
		expect(outside.status).toBe(404);
		await below.sandbox.close();
	});
});
