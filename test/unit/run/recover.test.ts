import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import type { IDataObject, INode } from 'n8n-workflow';

import { fitOf, recoverLostJob, wrongJobError } from '../../../nodes/PriceCollection/run/recover';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { fakeClient, type FakeService } from '../fakeClient';

const SENT_AT = Date.parse('2026-10-01T12:00:00Z');
const sent = { topic: 'search', source: 'test', country: 'de', key: 'gtin', values: '1\n2' };
const lost = { sent, values: ['0001', '2'], sentAt: SENT_AT, nonce: 'mine', known: new Set(['known']) };
const job = (more: IDataObject = {}): Job => ({
	job_id: 'new',
	status: 'new',
	created_at: '2026-10-01T12:00:01Z',
	...more,
});
const callback = (nonce: string) =>
	`https://n8n.example.test/webhook/x?pc_expires=1&pc_nonce=${nonce}&pc_signature=ab`;
const VALUES = { values: ['1', '2'] };
const UNDATED = { created_at: undefined };

describe('a job of the list', () => {
	test.each<[string, string, IDataObject]>([
		['marked', 'whose callback URL has our mark', { callback_url: callback('mine') }],
		[
			'marked',
			'whose callback URL one level down has our mark, whatever else it says',
			{ parameters: { webhook_url: callback('mine') }, topic: 'reviews', ...UNDATED },
		],
		['proven', 'that echoes all values and was created since', VALUES],
		['proven', 'that echoes them in another order and one level down', { query: { values: '2\n1' } }],
		['proven', 'whose GTINs have other leading zeros', { values: ['00000000000001', '02'] }],
		[
			'proven',
			'all of whose fields agree',
			{ ...VALUES, topic: 'search', source: 'test', country: 'de', key: 'gtin', requested: 2 },
		],
		['proven', 'that nobody has downloaded', { ...VALUES, downloaded_at: null }],
		['proven', 'that leaves open when somebody will download it', { ...VALUES, downloaded_at: '' }],
		['proven', 'that leaves a parameter open', { ...VALUES, topic: null }],
		['proven', 'that says more than was asked for', { ...VALUES, merchant: 'x' }],
		['possible', 'that says nothing but its time', {}],
		['possible', 'that leaves open how many values it has', { requested: '' }],
		['possible', 'whose number of values is no number', { requested: true }],
		['possible', 'whose fields agree but which echoes no values', { topic: 'search', requested: 2 }],
		['undated', 'that echoes all values but no time', { ...VALUES, ...UNDATED }],
		['undated', 'that tells nothing at all', UNDATED],
		['undated', 'whose time cannot be read', { ...VALUES, created_at: 'yesterday' }],
		['undated', 'whose time is no time of a job', { ...VALUES, created_at: 'job 7' }],
		['undated', 'of which nobody knows in which zone', { ...VALUES, created_at: '2026-10-01 14:00:01' }],
		['undated', 'in the other zone at the end of the world', { created_at: '2026-09-30T22:00:01' }],
		['other', 'that was there before in every zone', { ...VALUES, created_at: '2026-09-30T21:59:59' }],
		['proven', 'whose time counts seconds', { ...VALUES, created_at: SENT_AT / 1000 + 1 }],
		['proven', 'whose time counts milliseconds', { ...VALUES, created_at: String(SENT_AT + 1000) }],
		['other', 'that was there before, in microseconds', { ...VALUES, created_at: SENT_AT * 1000 - 1000 }],
		['other', 'that is accounted for', { ...VALUES, job_id: 'known' }],
		['other', 'whose callback URL has the mark of another', { ...VALUES, webhook: callback('theirs') }],
		['other', 'that was there before', { ...VALUES, created_at: '2026-10-01T11:59:59Z' }],
		['other', 'of another topic', { ...VALUES, topic: 'reviews' }],
		['other', 'of another source', { ...VALUES, source: 'google' }],
		['other', 'of another country, one level down', { ...VALUES, query: { country: 'fr' } }],
		['other', 'of another key', { ...VALUES, key: 'id' }],
		['other', 'that asks for another number of values', { requested: 3 }],
		['other', 'that asks for other values', { values: '1\n3' }],
		['other', 'that asks for one value more', { values: '1\n2\n3' }],
		['other', 'that asks for one value less', { values: '1' }],
		[
			'proven',
			'that somebody has downloaded since',
			{ ...VALUES, downloaded_at: '2026-10-01T12:00:02Z' },
		],
		[
			'other',
			'that somebody had downloaded before',
			{ ...VALUES, ...UNDATED, downloaded_at: '2026-10-01T11:59:59Z' },
		],
		['other', 'that asks for one value twice instead', { values: ['1', '01'] }],
		['other', 'that asks for one value twice as well', { values: ['1', '01', '2'] }],
	])('is %s: one %s', (fit, _name, more) => {
		expect(fitOf(job(more), lost, SENT_AT)).toBe(fit);
	});

	test('says nothing by a field called __proto__', () => {
		const odd = JSON.parse(
			'{"__proto__":{"topic":"reviews","created_at":"2020-01-01T00:00:00Z"}}',
		) as Job;
		expect(fitOf({ ...odd, ...job(VALUES) }, lost, SENT_AT)).toBe('proven');
		const undated = { ...odd, ...job({ ...VALUES, query: odd }) };
		delete undated.created_at;
		expect(fitOf(undated, lost, SENT_AT)).toBe('undated');
	});

	test('may say a parameter that was not asked for', () => {
		const rest = { ...sent, country: undefined };
		expect(fitOf(job(VALUES), { ...lost, sent: rest }, SENT_AT)).toBe('proven');
		expect(fitOf(job({ ...VALUES, country: 'fr' }), { ...lost, sent: rest }, SENT_AT)).toBe('proven');
	});

	test('was created while the request can have been at work', () => {
		const created = Date.parse('2026-10-01T12:00:01Z');
		expect(fitOf(job(VALUES), lost, SENT_AT, created)).toBe('proven');
		expect(fitOf(job(VALUES), lost, SENT_AT, created - 1)).toBe('other');
	});

	test('may bear any mark where nobody knows that of the creation any more', () => {
		const unmarked = { ...lost, nonce: undefined };
		expect(fitOf(job({ ...VALUES, webhook_url: callback('mine') }), unmarked, SENT_AT)).toBe('proven');
	});
});

describe('looking for the job of a lost creation', () => {
	/** What the list says, and how often it was asked. */
	async function lookFor(service: FakeService) {
		const { client, asked } = fakeClient(service);
		return { seen: await recoverLostJob(client, lost), looks: asked.length, asked };
	}
	const ids = (...jobs: Job[]) => jobs.map(({ job_id }) => job_id);

	test.each<[string, Job]>([
		['the mark', job({ callback_url: callback('mine') })],
		['values and time', job(VALUES)],
	])('finds it by %s, whatever stands around it', async (_name, ours) => {
		const others = [job({ job_id: 'possible' }), job({ job_id: 'undated', ...UNDATED })];
		const { seen } = await lookFor({ pages: [[...others, ours]] });
		expect(seen).toMatchObject({ kind: 'found', job: ours });
	});

	test('the mark counts for more than values and time', async () => {
		const ours = job({ job_id: 'marked', callback_url: callback('mine') });
		expect((await lookFor({ pages: [[job(VALUES), ours]] })).seen).toMatchObject({
			kind: 'found',
			job: ours,
		});
	});

	test('takes the only one that could be it for likely, and no more', async () => {
		const { seen } = await lookFor({ pages: [[job({ topic: 'reviews', job_id: 'other' }), job()]] });
		expect(seen).toEqual({
			kind: 'likely',
			job: job(),
			detail: 'The job list was looked through (2 jobs); one of these jobs may be this one: new.',
		});
	});

	test.each<[string, Job[]]>([
		['two that could be it', [job(), job({ job_id: 'second' })]],
		['two that prove to be it', [job(VALUES), job({ job_id: 'second', ...VALUES })]],
		['one without a time', [job({ ...VALUES, ...UNDATED })]],
		['one that could be it beside one without a time', [job(), job({ job_id: 'second', ...UNDATED })]],
	])('takes none of %s, and names them', async (_name, jobs) => {
		const { seen, looks } = await lookFor({ pages: [jobs] });
		expect(seen).toEqual({
			kind: 'unclear',
			detail: `The job list was looked through (${jobs.length} jobs); one of these jobs may be this one: ${ids(...jobs).join(', ')}.`,
		});
		// A list of less than a page is asked for a second one, which brings nothing.
		expect(looks).toBe(2);
	});

	test.each<[string, IDataObject, Job[], string, string]>([
		[
			'takes one with our mark',
			{ callback_url: callback('mine') },
			[job({ job_id: 'b' })],
			'found',
			'new',
		],
		['takes one with our values and time', VALUES, [job({ job_id: 'b' })], 'found', 'new'],
		['takes one for likely where no other could be it', {}, [], 'likely', 'new'],
		['prefers another one to it', {}, [job({ job_id: 'b' })], 'likely', 'b'],
		['prefers another one with our values', VALUES, [job({ job_id: 'b', ...VALUES })], 'found', 'b'],
	])('%s, although a trigger has downloaded it already', async (_name, more, others, kind, jobId) => {
		const downloaded = job({ ...more, downloaded_at: '2026-10-01T12:00:02Z' });
		const { seen } = await lookFor({ pages: [[downloaded, ...others]] });
		expect(seen).toMatchObject({ kind, job: { job_id: jobId } });
	});

	test('looks again when the service enters it late', async () => {
		let looks = 0;
		const { client } = fakeClient({ list: () => success(++looks < 3 ? [] : [job(VALUES)]) });
		expect(await recoverLostJob(client, lost)).toMatchObject({ kind: 'found', job: job(VALUES) });
	});

	test('says that it is absent after three looks, and what was looked at', async () => {
		const { seen, looks } = await lookFor({ pages: [] });
		expect(seen).toEqual({
			kind: 'absent',
			detail: 'The job list was looked through (0 jobs); it shows no job that could be this one.',
		});
		expect(looks).toBe(3);
	});

	/** A list of others with ours on page `place`, a hundred jobs each. */
	const longList = (pages: number, place: number) => (query: IDataObject) => {
		const page = Number(query.page);
		if (page > pages) return success([]);
		const others = Array.from({ length: 99 }, (_, index) =>
			job({ job_id: `${page}-${index}`, created_at: '2026-09-01T00:00:00Z' }),
		);
		return success([
			...others,
			page === place ? job(VALUES) : job({ job_id: `${page}-99`, created_at: '2026-09-01T00:00:00Z' }),
		]);
	};

	test('looks through pages in whatever order the list comes', async () => {
		expect((await lookFor({ list: longList(8, 7) })).seen).toMatchObject({
			kind: 'found',
			job: job(VALUES),
		});
	});

	test('does not call it absent where the list is longer than what is looked at', async () => {
		const { seen } = await lookFor({ list: longList(12, 12) });
		expect(seen).toEqual({
			kind: 'unclear',
			detail: 'The job list was looked through (its first 1000 jobs); it shows no job that could be this one.',
		});
	});

	test('says when the list cannot be read', async () => {
		const problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' } as const;
		const { seen } = await lookFor({ list: () => failure(problem) });
		expect(seen).toEqual({ kind: 'unclear', detail: 'The job list could not be read to find out.' });
	});

	test('takes none for likely that another request has taken without proof', async () => {
		const { client } = fakeClient({ list: () => success([job()]) });
		const claimed = (...jobIds: string[]) =>
			recoverLostJob(client, { ...lost, claimed: new Set(jobIds) });
		expect((await claimed('new')).kind).toBe('unclear');
		expect((await claimed('another')).kind).toBe('likely');
	});

	test.each([
		['not told', undefined, 42_000, 'found'],
		['not told', undefined, 42_001, 'absent'],
		['told', 0, 34_000, 'found'],
		['told', 0, 34_001, 'absent'],
	])(
		'takes nothing that came long after the reply was lost, with a clock that is %s: %#',
		async (_name, clockAheadMs, created, kind) => {
			const late = job({ ...VALUES, created_at: new Date(SENT_AT + created).toISOString() });
			const { client } = fakeClient({ list: () => success([late]), clockAheadMs });
			expect((await recoverLostJob(client, { ...lost, lostAt: SENT_AT + 2_000 })).kind).toBe(kind);
		},
	);

	const at = (ms: number) => new Date(SENT_AT + ms).toISOString();

	test.each([
		['not told: ten seconds early are forgiven', undefined, -10_000, 'found'],
		['not told: more are not', undefined, -10_001, 'absent'],
		['told: only what the cut to seconds takes is forgiven', 3_600_000, 3_600_000 - 2_000, 'found'],
		['told: more is not', 3_600_000, 3_600_000 - 2_001, 'absent'],
	])('goes by the clock of the service, %s', async (_name, clockAheadMs, created, kind) => {
		const only = job({ ...VALUES, created_at: at(created) });
		expect((await lookFor({ list: () => success([only]), clockAheadMs })).seen.kind).toBe(kind);
	});
});

describe('results prove a job to be the one that was asked for', () => {
	const node = { name: 'Prices', type: 'x', typeVersion: 1 } as INode;
	const planned = {
		parameters: { topic: 'search', key: 'term', country: 'de' },
		key: 'term',
		values: ['kettle', 'mug'],
		items: [0],
		group: 0,
	};
	const result = (query?: IDataObject) => ({ query, success: true });
	const errorFor = (results: unknown, more = 'Job: j.') =>
		wrongJobError(node, planned, { job_id: 'j', results: results as IDataObject[] }, [0], more);

	test('where each value is echoed by one of them', () => {
		expect(
			errorFor([result({ value: 'mug', country: 'de' }), result({ value: 'kettle' })]),
		).toBeUndefined();
	});

	test.each<[string, unknown]>([
		['where there are none', []],
		['where one only looks like a value', [result({ value: 'mug' }), result({ value: 'Kettle' })]],
		['where only some values are answered', [result({ value: 'mug', country: 'de' })]],
		['where they are no list', 'x'],
		['where one is none', [result({ value: 'mug' }), result({ value: 'kettle' }), null]],
		[
			'where one more does not say what it answers',
			[result({ value: 'mug' }), result({ value: 'kettle' }), result({})],
		],
		[
			'where one shares a value and another does not',
			[result({ value: 'mug' }), result({ value: 'sock' })],
		],
		['where one does not say what it answers', [result({ value: 'mug' }), result(undefined)]],
		[
			'where one is for another country',
			[result({ value: 'mug', country: 'fr' }), result({ value: 'kettle' })],
		],
	])('not %s', (_name, results) => {
		expect(errorFor(results)).toMatchObject({
			message: 'The results of job j do not show that they answer what was asked',
			description:
				'The reply to the creation was lost, and this job of the list was the only one that could be it. The right one may exist as well: look into the job list (Get Many) before you run again, or it may be paid for twice. Job: j.',
		});
	});

	test('and nothing more is said where nothing more is known', () => {
		expect(errorFor([], '')?.description).toMatch(/paid for twice\.$/);
	});
});
