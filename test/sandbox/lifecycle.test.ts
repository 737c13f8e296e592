import type { Client } from './support.ts';
import { startStill } from './support.ts';

describe('the life of a job', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill({ jobDurationMs: 1000, timeoutMinuteMs: 100 });
	});
	afterEach(() => client.sandbox.close());

	const statusOf = async (id: string) => (await client.send(`/v2/jobs/${id}`)).json;
	const created = async (more = {}) => (await client.create(more)).json.job_id as string;

	it('goes from new over working and finishing to finished', async () => {
		const id = await created();
		const seen = [];
		for (const ms of [0, 200, 650, 200]) {
			client.sandbox.advance(ms);
			seen.push((await statusOf(id)).status);
		}
		expect(seen).toEqual(['new', 'working', 'finishing', 'finished']);
	});

	it('shows statuses that nobody has heard of when told to', async () => {
		client.sandbox.setOptions({ extraStatuses: ['compressing', 'archiving'] });
		const id = await created();
		const seen = [];
		for (const ms of [300, 250, 150]) {
			client.sandbox.advance(ms);
			seen.push((await statusOf(id)).status);
		}
		expect(seen).toEqual(['working', 'compressing', 'archiving']);
	});

	it('answers a create with job_id, status and requested', async () => {
		const answer = await client.create({ value: undefined, values: 'a\nb' });
		expect(answer.status).toBe(200);
		expect(answer.json).toEqual({
			job_id: expect.stringMatching(/^[0-9a-f]{24}$/),
			status: 'new',
			requested: 2,
		});
	});

	it('counts what is done in the job object, and never gives results with it', async () => {
		const id = await created({ value: undefined, values: ['a', 'notfound', 'fail', 'b'] });
		client.sandbox.advance(500);
		expect(await statusOf(id)).toMatchObject({
			status: 'working',
			requested: 4,
			completed: 2,
			progress: 50,
		});
		client.sandbox.advance(500);
		const ended = await statusOf(id);
		expect(ended).toMatchObject({
			completed: 4,
			successful: 3,
			not_founds: 1,
			errors: 1,
			to_be_searched: 0,
		});
		expect(ended).toMatchObject({
			created_at: '2026-10-20T12:00:00Z',
			terminated_at: '2026-10-20T12:00:01Z',
		});
		expect(ended).not.toHaveProperty('results');
	});

	it('refuses a download before the end, and gives it afterwards', async () => {
		const id = await created();
		const early = await client.send(`/v2/jobs/${id}/download`);
		expect([early.status, early.json.reason]).toEqual([409, 'not finished']);
		client.sandbox.advance(1000);
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		expect(json).toMatchObject({ job_id: id, status: 'finished', free_credits: 1, paid_credits: 0 });
		expect(json.results).toHaveLength(1);
		expect((await statusOf(id)).downloaded_at).toBe('2026-10-20T12:00:01Z');
	});

	it('answers an early download without results when told to', async () => {
		client.sandbox.setOptions({ earlyDownload: 'withoutResults' });
		const { status, json } = await client.send(`/v2/jobs/${await created()}/download`);
		expect(status).toBe(200);
		expect(Object.keys(json)).toEqual(['job_id', 'status']);
	});

	it('ends at its timeout with the results it has', async () => {
		const id = await created({ value: undefined, values: ['a', 'slow', 'b'], timeout: 20 });
		client.sandbox.advance(1999);
		expect((await statusOf(id)).status).toBe('working');
		client.sandbox.advance(1);
		expect(await statusOf(id)).toMatchObject({ status: 'finished', completed: 2, timeouts: 1 });
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		const values = (json.results as Array<{ query: { value: string } }>).map(({ query }) => query.value);
		expect(values).toEqual(['a', 'b']);
	});

	it('gives only what was collected when the timeout comes first', async () => {
		const id = await created({ value: undefined, values: ['a', 'b', 'c', 'd'], timeout: 5 });
		client.sandbox.advance(500);
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		expect(json.results).toHaveLength(2);
	});

	it('runs until told to finish when jobs do not end by themselves', async () => {
		client.sandbox.setOptions({ autoFinish: false });
		const id = await created();
		client.sandbox.advance(60_000);
		expect((await statusOf(id)).status).toBe('working');
		expect(client.sandbox.finishJob(id)).toBe(true);
		expect((await statusOf(id)).status).toBe('finished');
		expect(client.sandbox.jobs[0]).toMatchObject({ answered: ['kettle'], charged: 1 });
	});

	it('forgets a job 72 hours after its creation', async () => {
		const id = await created();
		client.sandbox.advance(72 * 3_600_000 - 1);
		expect((await client.send(`/v2/jobs/${id}/download`)).status).toBe(200);
		client.sandbox.advance(1);
		const { status, json } = await client.send(`/v2/jobs/${id}/download`);
		expect([status, json.reason]).toEqual([404, 'job not found']);
		expect(client.sandbox.jobs).toEqual([]);
	});

	it('cancels a running job for good and without credits', async () => {
		const id = await created();
		const { status, json } = await client.send(`/v2/jobs/${id}/cancel`, { method: 'POST' });
		expect([status, json]).toEqual([200, { job_id: id, status: 'cancelled' }]);
		client.sandbox.advance(5000);
		expect((await statusOf(id)).status).toBe('cancelled');
		expect((await client.send(`/v2/jobs/${id}/download`)).json.reason).toBe('job canceled');
		expect(client.sandbox.jobs[0]?.charged).toBe(0);
	});

	it('refuses to cancel what is over, in the phrases of that endpoint', async () => {
		const id = await client.finished();
		const over = await client.send(`/v2/jobs/${id}/cancel`, { method: 'POST' });
		expect([over.status, over.json.reason]).toEqual([409, 'Job is already finished or canceled']);
		const none = await client.send('/v2/jobs/none/cancel', { method: 'POST' });
		expect([none.status, none.json.reason]).toEqual([404, 'Not found']);
		const stranger = await client.send(`/v2/jobs/${id}/cancel`, { method: 'POST', token: false });
		expect([stranger.status, stranger.json.reason]).toEqual([401, 'Unauthorized']);
	});

	it.each([
		['job', { cancelReply: 'job' }, { status: 'canceled', requested: 1 }],
		['success', { cancelReply: 'success' }, { success: true }],
	] as const)('answers a cancel as %s', async (_name, options, expected) => {
		client.sandbox.setOptions({ ...options, cancelledSpelling: 'canceled' });
		const { json } = await client.post(`/v2/jobs/${await created()}/cancel`, {});
		expect(json).toMatchObject(expected);
	});

	it('answers a cancel with nothing at all', async () => {
		client.sandbox.setOptions({ cancelReply: 'empty' });
		const { status, text } = await client.post(`/v2/jobs/${await created()}/cancel`, {});
		expect([status, text]).toEqual([204, '']);
	});

	it.each([
		['hex', /^[0-9a-f]{24}$/],
		['uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/],
		['number', /^\d{20}$/],
		['odd', /^Job\..*~v2_\d+$/],
	] as const)('gives ids of the kind %s, which lead back to the job', async (jobIdFormat, expected) => {
		client.sandbox.setOptions({ jobIdFormat });
		const id = await created();
		expect(id).toMatch(expected);
		expect((await statusOf(encodeURIComponent(id))).job_id).toBe(id);
	});

	it('settles all jobs that end at once', async () => {
		for (let index = 0; index < 50; index++) await created({ value: `v${index}` });
		client.sandbox.advance(1000);
		expect(
			client.sandbox.jobs.every(({ status, charged }) => status === 'finished' && charged === 1),
		).toBe(true);
	});

	it('limits status requests per key, with the Retry-After that is switched on', async () => {
		client.sandbox.setOptions({ statusRateLimit: 2, retryAfter: 'seconds' });
		const id = await created();
		await statusOf(id);
		await statusOf(id);
		const full = await client.send(`/v2/jobs/${id}`);
		expect([full.status, full.json.reason, full.headers.get('retry-after')]).toEqual([
			429,
			'too many requests',
			'60',
		]);
		client.sandbox.advance(60_000);
		expect((await client.send(`/v2/jobs/${id}`)).status).toBe(200);
	});

	it.each([
		['minimal', ['job_id', 'status']],
		['withResults', ['job_id', 'status', 'results']],
	] as const)('answers a status request as %s', async (statusReply, fields) => {
		client.sandbox.setOptions({ statusReply });
		expect(Object.keys(await statusOf(await client.finished()))).toEqual(fields);
	});

	it('answers a create with the whole job when told to', async () => {
		client.sandbox.setOptions({ createReply: 'job', jobIdFormat: 'number' });
		const { json } = await client.create();
		expect(json).toMatchObject({
			job_id: expect.stringMatching(/^\d{20}$/),
			country: 'de',
			topic: 'search',
		});
	});

	it('keeps the jobs of two accounts apart', async () => {
		const id = await created();
		const token = client.sandbox.options.secondApiKey;
		const { status, json } = await client.send(`/v2/jobs/${id}`, { token });
		expect([status, json.reason]).toEqual([403, 'job forbidden']);
		expect((await client.send('/v2/jobs', { token })).json).toEqual({ data: [] });
	});
});
