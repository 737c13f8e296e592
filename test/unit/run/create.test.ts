import type { IDataObject } from 'n8n-workflow';

import { Parameters } from '../../../nodes/PriceCollection/n8n/parameters';
import { startJobs } from '../../../nodes/PriceCollection/run/create';
import type { Ledger } from '../../../nodes/PriceCollection/run/ledger';
import { without, type Creation } from '../../../nodes/PriceCollection/run/lookup/record';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import {
	failure,
	success,
	type Outcome,
	type Problem,
} from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';
import type { FakeService } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const NOW = Date.parse('2026-10-01T12:00:00Z');
const LATER = { now: () => NOW + 30_001 };
const SECRET = { webhookSecret: 'SECRETSECRET' };
const URL_OF_NODE = 'https://n8n.example.test/webhook/x';

const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.create, effect: 'none' },
	...more,
});

/** How a test creates: in a first try of `create` that stops at failures, unless it says otherwise. */
interface How {
	/** What is known of earlier requests, by their identity. */
	known?: Map<string, Creation>;
	ledger?: Partial<Ledger>;
	goesOn?: boolean;
	webhookUrl?: string;
}

/** Creates a job for each of the items; the service answers each creation by `reply`, with the running number from 1. */
async function created(
	items: string[],
	reply: (parameters: IDataObject, count: number) => Outcome<Job>,
	service: FakeService = {},
	{ known = new Map<string, Creation>(), ledger: unusual, goesOn = false, webhookUrl }: How = {},
) {
	let count = 0;
	const create = (parameters: IDataObject) => reply(parameters, ++count);
	const { client, asked } = fakeClient({ now: () => NOW, ...service, create });
	const ledger: Ledger = {
		...{ isOfTool: false, hasGaps: false, round: '', forgetUnanswered: () => undefined },
		find: (identity) => known.get(identity),
		...{ requests: () => [...known.values()], groupsBy: () => undefined, noteGroups: () => undefined },
		note: (identity, creation) => {
			const what = creation?.jobId ?? (creation?.lostAt === undefined ? 'sent' : 'lost');
			asked.push({ note: creation === undefined ? 'nothing' : what });
			if (creation === undefined) known.delete(identity);
			else known.set(identity, creation);
		},
		jobIds: () => new Set([...known.values()].flatMap(({ jobId }) => jobId ?? [])),
		...unusual,
	};
	const { context } = nodeContext({
		parameters: { topic: 'search', values: '={{ $json.x }}', options: { grouping: 'perItem' } },
		items: items.map(() => ({})),
		expressions: { '={{ $json.x }}': (item) => items[item] },
		more: { continueOnFail: () => goesOn, getExecutionId: () => '7' },
	});
	const onCreated = jest.fn();
	const settings = { fields: new Parameters(context), ledger, webhookUrl };
	const run = await startJobs(context, client, settings, onCreated).catch((error: Error) => ({ error }));
	return {
		...{ run, known, onCreated },
		jobs: 'records' in run ? run.records.map(({ job }) => job.job_id) : [],
		/** The text of the error that stopped the run, or of each item without a job. */
		said: 'error' in run ? JSON.stringify(run.error) : JSON.stringify(run.asides),
		/** Everything that was done, in turn. */
		done: asked.map((one) => one.note ?? Object.keys(one)[0]),
		sent: asked.flatMap(({ create: one }) => (one === undefined ? [] : [one as IDataObject])),
	};
}

const works = (_: IDataObject, count: number) => success({ job_id: `job ${count}`, status: 'new' });
const lost = () => failure(problem('connectionLost', { effect: 'unknown', detail: 'Details: socket' }));
const job = (more: IDataObject = {}): Job => ({
	...{ job_id: 'there', status: 'new', created_at: '2026-10-01T12:00:01Z' },
	...more,
});
const lists = (...jobs: Job[]) => ({
	list: ({ page }: IDataObject) => success(page === undefined ? jobs : []),
});
/** A list without our job. */
const OTHERS = [job({ job_id: 'another', created_at: '2026-10-01T11:00:00Z' })];

test('creates one job after the other, each noted before and after', async () => {
	const { sent, done, onCreated, known } = await created(['a\nb', 'c'], works);
	expect(sent).toEqual([
		{ topic: 'search', key: 'term', values: 'a\nb' },
		{ topic: 'search', key: 'term', value: 'c' },
	]);
	expect(done).toEqual(['sent', 'create', 'job 1', 'sent', 'create', 'job 2']);
	expect(onCreated.mock.calls).toEqual([['job 1'], ['job 2']]);
	const noted = { sentAt: NOW, executionId: '7', jobId: 'job 2' };
	expect([...known.values()][1]).toMatchObject(noted);
});

describe('the form of the lookup values', () => {
	/** What is sent for the items where the first requests are refused in this way. */
	const lookups = async (items: string[], refusals: Array<Partial<Problem>>, how: How = {}) => {
		const refuses = (parameters: IDataObject, count: number) => {
			const refusal = refusals[count - 1];
			return refusal ? failure(problem('refused', refusal)) : works(parameters, count);
		};
		const { sent, said, done } = await created(items, refuses, { pages: [] }, how);
		return { said, done, sent: sent.map((one) => without(one, 'topic', 'key')) };
	};
	const TEXT = { values: 'a\nb' };
	const ARRAY = { values: ['a', 'b'] };

	test.each<[Partial<Problem>]>([
		[{ parameter: 'value' }],
		[{ parameter: 'values' }],
		[{ parameter: 'values[]', reason: 'is required' }],
		[{ reason: 'parameter value invalid', parameter: 'values' }],
		[{ reason: "Value can't be blank" }],
		[{ reason: 'missing parameter', comment: "Provide the mandatory parameter 'values'!" }],
		[{ reason: 'values[] is missing' }],
	])('is another one after a refusal that names it, of which nothing is kept: %j', async (refusal) => {
		const { sent, done } = await lookups(['a', 'b'], [refusal]);
		expect(sent).toEqual([{ value: 'a' }, { values: 'a' }, { values: 'b' }]);
		expect(done.slice(0, 6)).toEqual(['sent', 'create', 'nothing', 'sent', 'create', 'job 2']);
	});

	test.each<[Partial<Problem>]>([
		[{ effect: 'unknown', parameter: 'value' }],
		[{ kind: 'unauthorized', parameter: 'value' }],
		[{ parameter: 'country', reason: 'parameter value invalid' }],
		[{ reason: 'parameter value invalid', comment: 'It must be a country.' }],
		[{ reason: 'invalid value', parameter: 'value' }],
		[{ reason: 'value disabled', parameter: 'value' }],
		[{ reason: 'too many values', parameter: 'values' }],
		[{ reason: 'the valued customer is unknown' }],
	])('stays after any other refusal: %j', async (refusal) => {
		expect((await lookups(['a'], [refusal])).sent).toEqual([{ value: 'a' }]);
	});

	const named = { parameter: 'values' };
	test.each<[string[], number, IDataObject[]]>([
		[['a', 'c'], 1, [{ value: 'a' }, { values: 'a' }, { values: 'c' }]],
		[['a', 'c'], 2, [{ value: 'a' }, { values: 'a' }, { values: ['a'] }, { values: ['c'] }]],
		[['a', 'a\nb'], 2, [{ value: 'a' }, { values: 'a' }, { values: ['a'] }, ARRAY]],
		[['a\nb', 'c'], 0, [TEXT, { value: 'c' }]],
		[['a\nb', 'c'], 1, [TEXT, ARRAY, { values: ['c'] }]],
		[['a\nb', 'c'], 2, [TEXT, ARRAY, { value: 'a' }, { value: 'b' }, { value: 'c' }]],
	])(
		'for %j, after %i refusals, is what the service took, for the rest of the run',
		async (items, refused, sent) => {
			const refusals = Array.from({ length: refused }, () => named);
			expect((await lookups(items, refusals)).sent).toEqual(sent);
		},
	);

	test('is tried once each, and the error says what the service said to all of them', async () => {
		const refusals = ['value is not it', 'values must be an array', 'values are unknown'];
		const { sent, said } = await lookups(
			['a'],
			refusals.map((reason) => ({ reason })),
		);
		expect(sent).toEqual([{ value: 'a' }, { values: 'a' }, { values: ['a'] }]);
		expect(said).toMatch(
			/The service says: ."value is not it.". The other forms .* refused as well: ."values must be an array.", ."values are unknown."\./,
		);
	});

	test('with Continue, is tried again for the next job: the first one may have been refused for its value', async () => {
		const refusals = Array.from({ length: 4 }, () => named);
		const { sent } = await lookups(['a', 'c'], refusals, { goesOn: true });
		expect(sent.slice(3)).toEqual([{ value: 'c' }, { values: 'c' }]);
	});
});

test.each<[string, Partial<Problem>, string]>([
	['source', { reason: 'unknown source' }, 'A required parameter is missing: source'],
	['country', { parameter: 'country' }, 'A required parameter is missing: country'],
	['topic', { parameter: 'topic' }, 'The service refused the request: topic'],
	['source of it', { reason: 'the source of it' }, 'The service refused the request'],
])('a refusal for a %s that was not sent is no misspelling', async (_name, refusal, message) => {
	expect((await created(['a'], () => failure(problem('refused', refusal)))).said).toContain(`"${message}"`);
});

describe('a failed creation', () => {
	test('names the jobs of all tries, and those that other requests may have made', async () => {
		const [made, lost] = [{ jobId: 'first' }, { doubt: 'one of these may be this one: second.' }].map(
			(one): Creation => ({ sentAt: NOW, executionId: '7', ...one }),
		) as [Creation, Creation];
		const known = new Map(Object.entries({ made, lost }));
		const { said } = await created(['a'], () => failure(problem('noCredits')), {}, { known });
		expect(said).toMatch(
			/running: first\. .* An earlier request: one of these may be this one: second\. /,
		);
	});
});

describe('a lost reply', () => {
	const proven = job({ values: 'a' });

	test('is never made up for without a proof: the job is named', async () => {
		const { said, known } = await created(['a'], lost, { list: () => success([job()]) });
		expect(said).toContain('Details: socket. The job list was searched (its first 1 jobs); one of');
		expect([...known.values()]).toMatchObject([{ sentAt: NOW, lostAt: NOW, doubt: expect.any(String) }]);
	});

	test('is looked for three times, because a slow service enters the job late', async () => {
		let looks = 0;
		const list = ({ page }: IDataObject) =>
			success(page !== undefined ? [] : ++looks === 3 ? [proven] : OTHERS);
		expect((await created(['a'], lost, { list })).jobs).toEqual(['there']);
		// Each list has two pages: the second one, which is empty, ends it.
		const never = await created(['a'], lost, lists(...OTHERS));
		expect(never.done.filter((one) => one === 'list')).toHaveLength(6);
	});

	test('is no proof of anything while a slow service may still enter the job', async () => {
		let time = NOW;
		const pause = async (milliseconds: number) => void (time += milliseconds);
		const { said } = await created(['a'], lost, { now: () => time, pause, ...lists(...OTHERS) });
		expect(said).toContain('Details: socket. The job list was searched (1 jobs); none of them can');
	});

	test('casts no doubt on jobs that were not tried', async () => {
		const rateLimited = () => failure(problem('rateLimited', { effect: 'unknown' }));
		const { run } = await created(['a', 'b'], rateLimited, { pages: [] }, { goesOn: true });
		const messages = 'asides' in run ? run.asides.map(({ error }) => String(error?.message)) : [];
		expect(messages.map((text) => text.startsWith('An earlier request: '))).toEqual([false, true]);
	});

	describe('of an earlier try', () => {
		/** The next try, so many milliseconds after the lost one. */
		async function again(service: FakeService, afterMs = 30_001, how: How = {}) {
			const webhook = how.webhookUrl === undefined ? {} : { fields: SECRET };
			const first = await created(['a'], lost, { pages: [], ...webhook }, how);
			const now = () => NOW + afterMs;
			const next = { now, ...lists(), ...webhook, ...service };
			return { first, ...(await created(['a'], works, next, { ...how, known: first.known })) };
		}

		test('is looked for before anything is sent, after the time in which a slow service enters it', async () => {
			const pauses: number[] = [];
			const pause = async (milliseconds: number) => void pauses.push(milliseconds);
			const { jobs, sent } = await again({ pause, ...lists(proven) }, 5_000);
			expect([jobs, sent, pauses[0]]).toEqual([['there'], [], 25_001]);
		});

		test('is sent again where every job of the list is certainly another one, and not where one may be it', async () => {
			const others = [job({ job_id: 'b', values: 'x' }), job({ created_at: '2026-10-01T11:00:00Z' })];
			expect((await again(lists(...others))).jobs).toEqual(['job 1']);
			const unclear = await again(lists(job()));
			expect(unclear.said).toContain('(1 jobs); one of these jobs may be this one: there.');
			expect(unclear.sent).toEqual([]);
		});

		test('is looked for in one list with the others', async () => {
			const { known } = await created(['a', 'b'], lost, { pages: [] }, { goesOn: true });
			expect(known.size).toBe(2);
			const { done } = await created(['a', 'b'], works, { ...LATER, ...lists(...OTHERS) }, { known });
			expect(done).toEqual(['list', 'list', 'sent', 'create', 'job 1', 'sent', 'create', 'job 2']);
		});

		test('may bear another mark where the ledger has gaps', async () => {
			const marked = lists(job({ values: 'a', webhook_url: `${URL_OF_NODE}?pc_nonce=another` }));
			const trusted = await again(marked, 30_001, { webhookUrl: URL_OF_NODE });
			const ledger = { hasGaps: true };
			const gaps = await again(marked, 30_001, { webhookUrl: URL_OF_NODE, ledger });
			expect([trusted.jobs, gaps.jobs]).toEqual([['job 1'], ['there']]);
		});
	});
});

describe('a job of an earlier try', () => {
	test.each<[string, Outcome<Job>, number, string[], number]>([
		['as it is now', success({ job_id: 'j', status: 'finished' }), 0, ['j'], 0],
		['although its status cannot be read', failure(problem('unavailable')), 60_000, ['j'], 0],
		['although it is not known yet', failure(problem('jobNotFound')), 30_000, ['j'], 0],
		['but not a deleted one', failure(problem('jobNotFound')), 30_001, ['job 1'], 1],
		['but not a cancelled one', success({ job_id: 'j', status: 'canceled' }), 0, ['job 1'], 1],
	])('is taken up for a question of an agent %s', async (_name, seen, afterMs, taken, paid) => {
		const find = () => ({ sentAt: NOW, executionId: '7', jobId: 'j' });
		const service = { getJob: () => seen, now: () => NOW + afterMs };
		const { jobs, sent } = await created(['a'], works, service, { ledger: { isOfTool: true, find } });
		expect([jobs, sent.length]).toEqual([taken, paid]);
	});

	test.each([
		[1_000, 'j', 1_000],
		[Infinity, 'job 1', 60_000],
	])('that another execution has in %d ms is waited for: %s, after %d', async (afterMs, jobId, lasted) => {
		let waited = 0;
		const asked = { sentAt: NOW, executionId: '' };
		const find = () => (waited < afterMs ? asked : { ...asked, jobId: 'j' });
		const service: FakeService = {
			...{ now: () => NOW + waited, ...lists(...OTHERS) },
			pause: async (milliseconds) => void (waited += Math.max(0, milliseconds)),
			getJob: (job_id) => success({ job_id, status: 'working' }),
		};
		const { jobs } = await created(['a'], works, service, { ledger: { isOfTool: true, find } });
		expect([jobs, waited]).toEqual([[jobId], lasted]);
	});
});

test('the callback URL is signed where the credential has a secret, anew for each job', async () => {
	const how = { webhookUrl: URL_OF_NODE };
	const { sent, known } = await created(['a', 'b'], works, { fields: SECRET }, how);
	const nonces = sent.map(({ webhook_url: url }) => new URL(String(url)).searchParams.get('pc_nonce'));
	expect(new Set(nonces).size).toBe(2);
	expect([...known.values()]).toMatchObject(
		nonces.map((nonce) => ({ nonce, signatureHash: expect.any(String) as string })),
	);
	expect((await created(['a'], works, {}, how)).sent[0]?.webhook_url).toBe(URL_OF_NODE);
});
