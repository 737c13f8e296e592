import type { SandboxOptions } from './options.ts';
import type { Answer, Client } from './support.ts';
import { order, startStill } from './support.ts';

type Place = SandboxOptions['authentication'][number];

const UNAUTHORIZED = {
	success: false,
	reason: 'unauthorized',
	parameter: 'token',
	comment: "Provide your API key with the parameter 'token'!",
};

describe('authentication', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
	const key = () => client.sandbox.apiKey;
	const body = (more: object) => ({
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...order(), ...more }),
	});

	const ways: Record<Place, () => Promise<Answer>> = {
		query: () => client.send('/v2/jobs'),
		body: () => client.send('/v2/jobs', { token: false, ...body({ token: key() }) }),
		header: () => client.send('/v2/jobs', { token: false, headers: { 'X-API-Key': key() } }),
		bearer: () =>
			client.send('/v2/jobs', { token: false, headers: { authorization: `Bearer ${key()}` } }),
		basic: () =>
			client.send('/v2/jobs', {
				token: false,
				headers: { authorization: basic('sandbox:sandbox-password') },
			}),
	};
	const places = Object.keys(ways) as Place[];

	it.each(places)('takes the key by %s where that is on, and nowhere else', async (place) => {
		client.sandbox.setOptions({ authentication: [place] });
		const statuses: Record<string, number> = {};
		for (const way of places) statuses[way] = (await ways[way]()).status;
		expect(statuses).toEqual(Object.fromEntries(places.map((way) => [way, way === place ? 200 : 401])));
	});

	it('takes query and body by default', () => {
		expect(client.sandbox.options.authentication).toEqual(['query', 'body']);
	});

	it.each(['/v2/jobs', '/v2/jobs/1', '/v2/jobs/1/download', '/v2/me/usage_today', '/v2/me/usage_month'])(
		'refuses %s without a key and with a wrong one, in the words of the sample',
		async (path) => {
			for (const token of [false, 'WRONG'] as const) {
				const { status, json } = await client.send(path, { token });
				expect([status, json]).toEqual([401, UNAUTHORIZED]);
			}
		},
	);

	it('names the parameter and the header as it is told', async () => {
		client.sandbox.setOptions({
			authParameter: 'api_key',
			authHeader: 'Api-Token',
			authentication: ['query', 'header'],
		});
		expect((await client.send(`/v2/jobs?api_key=${key()}`, { token: false })).status).toBe(200);
		expect(
			(await client.send('/v2/jobs', { token: false, headers: { 'api-token': key() } })).status,
		).toBe(200);
		expect((await client.send('/v2/jobs')).json.parameter).toBe('api_key');
	});

	it('refuses with HTTP 200 or another status when told to, and asks for credentials', async () => {
		client.sandbox.setOptions({
			refusalStatuses: { unauthorized: 403 },
			wwwAuthenticate: 'Basic realm="jobs"',
		});
		const refused = await client.send('/v2/jobs', { token: false });
		expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
			403,
			'Basic realm="jobs"',
		]);
		client.sandbox.setOptions({ refusalStyle: 'ok' });
		const { status, json } = await client.send('/v2/jobs', { token: false });
		expect([status, json]).toEqual([200, UNAUTHORIZED]);
	});

	it('logs every request as it came', async () => {
		await ways.body();
		await ways.header();
		const [first, second] = client.sandbox.requests;
		expect(first).toMatchObject({ method: 'POST', path: '/v2/jobs', query: {}, replyStatus: 200 });
		expect(JSON.parse(first?.body ?? '')).toEqual({ ...order(), token: key() });
		expect(second).toMatchObject({ method: 'GET', body: '', replyStatus: 401 });
		expect(second?.headers['x-api-key']).toBe(key());
		client.sandbox.clearRequests();
		expect(client.sandbox.requests).toEqual([]);
	});

	it('refuses the paths of version 1, and everything at the retired address', async () => {
		const old = await client.send('/jobs', { method: 'POST' });
		expect([old.status, old.json.success]).toEqual([410, false]);
		client.sandbox.setOptions({ retiredStatus: 404 });
		for (const path of ['/jobs', '/jobs/1', '/products/bulk/1'])
			expect((await client.send(path)).status).toBe(404);
		const gone = await fetch(`${client.sandbox.legacyUrl}/v2/jobs?token=${key()}`);
		expect([gone.status, client.sandbox.legacyRequests.length]).toEqual([410, 1]);
		client.sandbox.setOptions({ legacyReply: 'html' });
		expect(await (await fetch(`${client.sandbox.legacyUrl}/jobs`)).text()).toContain('<h1>404');
		client.sandbox.setOptions({ legacyReply: 'reset' });
		await expect(fetch(`${client.sandbox.legacyUrl}/jobs`)).rejects.toThrow();
		client.sandbox.setOptions({ legacyReply: 'redirect' });
		const moved = await fetch(`${client.sandbox.legacyUrl}/v2/jobs`, { redirect: 'manual' });
		expect(moved.headers.get('location')).toBe(`${client.sandbox.url}/v2/jobs`);
	});
});
