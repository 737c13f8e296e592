import type { SandboxOptions } from './options.ts';
import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

describe('replies about jobs', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill({ jobDurationMs: 1000 });
	});
	afterEach(() => client.sandbox.close());

	const set = (changes: Partial<SandboxOptions>) => client.sandbox.setOptions(changes);
	const lastId = () => String(client.sandbox.jobs.at(-1)?.job_id);
	const running = async (more: object = {}) => {
		await client.create({ ...more });
		return lastId();
	};
	const done = async (more: object = {}) => {
		const id = await running(more);
		client.sandbox.finishJob(id);
		return id;
	};

	describe('a create', () => {
		const shape = async (changes: Partial<SandboxOptions>) => {
			set(changes);
			const { status, headers, text } = await client.create();
			return { status, location: headers.get('location'), text: text.replaceAll(lastId(), 'ID') };
		};

		it.each<[string, Partial<SandboxOptions>, object]>([
			[
				'nothing but a Location',
				{ createReply: 'empty', createStatus: 201, createLocation: 'path' },
				{ status: 201, location: '/v2/jobs/ID', text: '' },
			],
			[
				'a list of one',
				{ createReply: 'list' },
				{ status: 200, text: '[{"job_id":"ID","status":"new","requested":1}]' },
			],
			[
				'the job and its credits',
				{ createReply: 'jobAndCredits' },
				{ status: 200, text: '{"job":{"job_id":"ID","status":"new","requested":1},"credits":1}' },
			],
			[
				'no success beside the new job',
				{ createReply: 'notSuccess', createStatus: 201 },
				{ status: 201, text: '{"success":false,"job_id":"ID","status":"new"}' },
			],
			[
				'408 and words, although the job exists',
				{ createReply: 'timedOut' },
				{ status: 408, text: 'The request took too long' },
			],
		])('answers %s', async (_name, changes, expected) => {
			const { location, ...answer } = await shape(changes);
			const where = location?.replace(lastId(), 'ID');
			expect({ ...answer, ...(where === undefined ? {} : { location: where }) }).toEqual(expected);
			expect(client.sandbox.jobs).toHaveLength(1);
		});

		it('names the job by a whole address when told to', async () => {
			set({ createLocation: 'absolute' });
			const { headers } = await client.create();
			expect(headers.get('location')).toBe(`${client.sandbox.url}/v2/jobs/${lastId()}`);
		});
	});

	describe('envelopes', () => {
		it.each<[string, Partial<SandboxOptions>, object]>([
			['data', { envelope: 'data' }, { data: { job_id: 'ID', status: 'finished' } }],
			['job', { envelope: 'job' }, { job: { job_id: 'ID', status: 'finished' } }],
			[
				'a flag',
				{ envelopeFlag: 'successText' },
				{ success: 'true', job_id: 'ID', status: 'finished' },
			],
			[
				'data with a flag',
				{ envelope: 'data', envelopeFlag: 'error0' },
				{ error: 0, data: { job_id: 'ID', status: 'finished' } },
			],
			[
				'only what is switched on',
				{ envelope: 'data', enveloped: ['download'] },
				{ job_id: 'ID', status: 'finished' },
			],
		])('wrap a status: %s', async (_name, changes, expected) => {
			set({ statusReply: 'minimal', ...changes });
			const id = await done();
			const { text } = await client.send(`/v2/jobs/${id}`);
			expect(JSON.parse(text.replaceAll(id, 'ID'))).toEqual(expected);
		});

		it.each(['none', 'data', 'job'] as const)(
			'wrap a download, whose JSON and XML say the same: %s',
			async (envelope) => {
				set({ envelope, envelopeFlag: 'successTrue' });
				const id = await done();
				const { json } = await client.send(`/v2/jobs/${id}/download`);
				const xml = await client.send(`/v2/jobs/${id}/download.xml`);
				expect(json.success).toBe(true);
				expect(envelope === 'none' ? json : json[envelope]).toMatchObject({
					job_id: id,
					results: [{ success: true }],
				});
				expect(fromXml(xml.text)).toEqual(json);
			},
		);

		it('leave a usage out of a job, and flag lists that are objects', async () => {
			set({ envelope: 'job', envelopeFlag: 'successOne' });
			expect((await client.send('/v2/me/usage_today')).json).toMatchObject({ success: 1, jobs: 0 });
			expect((await client.send('/v2/jobs')).json).toEqual({ success: 1, data: [] });
			set({ listShape: 'array' });
			expect((await client.send('/v2/jobs')).json).toEqual([]);
		});
	});

	it('hold the parts of a job that are switched on', async () => {
		set({ jobFields: ['values', 'webhookUrl'] });
		const id = await running({ webhook_url: 'http://127.0.0.1:9/x?pc_signature=1' });
		expect((await client.send(`/v2/jobs/${id}`)).json).toEqual({
			job_id: id,
			status: 'new',
			values: ['kettle'],
			webhook_url: 'http://127.0.0.1:9/x?pc_signature=1',
		});
		set({ jobFields: [] });
		expect((await client.send(`/v2/jobs/${id}`)).json).toEqual({ job_id: id, status: 'new' });
	});

	it.each([
		['upper', 'FINISHED'],
		['capitalised', 'Finished'],
	] as const)('spell statuses %s', async (statusCase, expected) => {
		set({ statusCase });
		expect((await client.send(`/v2/jobs/${await done()}`)).json.status).toBe(expected);
	});

	it('count successes and errors without naming the job when told to', async () => {
		set({ statusReply: 'counters', usageShape: 'counters' });
		const id = await done({ value: undefined, values: ['a', 'fail', 'b'] });
		expect((await client.send(`/v2/jobs/${id}`)).json).toEqual({
			status: 'finished',
			success: 2,
			error: 1,
		});
		expect((await client.send('/v2/me/usage_today')).json).toEqual({ success: 3, error: 0 });
	});

	describe('the place of results', () => {
		const places = async (resultsIn: SandboxOptions['resultsIn'], more: Partial<SandboxOptions> = {}) => {
			set({ resultsIn, ...more });
			const id = await done();
			const status = (await client.send(`/v2/jobs/${id}`)).json;
			const download = (await client.send(`/v2/jobs/${id}/download`)).json;
			const count = (body: Record<string, unknown>) =>
				Array.isArray(body.results) ? body.results.length : body.results;
			return [count(status), count(download)];
		};

		it.each([
			['download', {}, [undefined, 1]],
			['status', {}, [1, 0]],
			['status', { emptyDownload: 'null' }, [1, null]],
			['status', { emptyDownload: 'absent' }, [1, undefined]],
			['both', { statusReply: 'minimal' }, [1, 1]],
		] as const)('is %s %j', async (resultsIn, more, expected) => {
			expect(await places(resultsIn, more)).toEqual(expected);
		});
	});

	it.each<[SandboxOptions['earlyDownload'], object]>([
		['withoutResults', { data: { job_id: 'ID', status: 'new' } }],
		['emptyResults', { data: { job_id: 'ID', status: 'new', results: [] } }],
		['large', { data: { job_id: 'ID', status: 'new', log: expect.any(Array) } }],
	])('about an early download can be %s, in an envelope', async (earlyDownload, expected) => {
		set({ earlyDownload, earlyDownloadStatus: 202, envelope: 'data', jobFields: [] });
		const id = await running();
		const { status, text } = await client.send(`/v2/jobs/${id}/download`);
		expect([status, JSON.parse(text.replace(id, 'ID'))]).toEqual([202, expected]);
		expect(text.length > 9000).toBe(earlyDownload === 'large');
	});
});

describe('what the service tells when', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill({ jobDurationMs: 1000 });
	});
	afterEach(() => client.sandbox.close());

	const look = async (id: string) => (await client.send(`/v2/jobs/${id}`)).json.status;

	it('tells of an end later than it happens when told to', async () => {
		client.sandbox.setOptions({ statusDelayMs: 500 });
		const id = await client.finished();
		expect(await look(id)).toBe('finishing');
		expect((await client.send(`/v2/jobs/${id}/download`)).status).toBe(409);
		client.sandbox.advance(500);
		expect(await look(id)).toBe('finished');
		expect((await client.send(`/v2/jobs/${id}/download`)).status).toBe(200);
	});

	it('lets a finished job work again when told to', async () => {
		client.sandbox.setOptions({ relapseAfterMs: 100, relapseMs: 200 });
		const id = await client.finished();
		const seen = [];
		for (const ms of [0, 100, 200]) {
			client.sandbox.advance(ms);
			seen.push(await look(id));
		}
		expect(seen).toEqual(['finished', 'working', 'finished']);
	});

	it('knows a new job late, by its id and in the list', async () => {
		client.sandbox.setOptions({ statusLagMs: 200, listLagMs: 300 });
		const id = String((await client.create()).json.job_id);
		const seen = [];
		for (const ms of [0, 200, 100]) {
			client.sandbox.advance(ms);
			const { status } = await client.send(`/v2/jobs/${id}`);
			const { json } = await client.send('/v2/jobs');
			seen.push([status, (json.data as unknown[]).length]);
		}
		expect(seen).toEqual([
			[404, 0],
			[200, 0],
			[200, 1],
		]);
	});

	it('calls the end at a timeout as told, and lets its clock be ahead', async () => {
		client.sandbox.setOptions({ timeoutStatus: 'expired', clockSkewMs: 3_600_000, timeoutMinuteMs: 100 });
		const { json } = await client.create({ value: undefined, values: ['a', 'slow'], timeout: 20 });
		client.sandbox.advance(2000);
		const ended = (await client.send(`/v2/jobs/${String(json.job_id)}`)).json;
		expect(ended).toMatchObject({
			status: 'expired',
			created_at: '2026-10-20T13:00:00Z',
			terminated_at: '2026-10-20T13:00:02Z',
			downloaded_at: null,
		});
		const download = (await client.send(`/v2/jobs/${String(json.job_id)}/download`)).json;
		expect([download.status, download.results]).toMatchObject(['expired', { length: 1 }]);
	});

	it('finishes a job at its creation where the cache has it all', async () => {
		client.sandbox.setOptions({ cachedJobs: 'finishedAtOnce' });
		await client.finished();
		expect((await client.create()).json.status).toBe('finished');
		expect((await client.create({ value: undefined, values: ['kettle', 'other'] })).json.status).toBe(
			'new',
		);
	});
});
