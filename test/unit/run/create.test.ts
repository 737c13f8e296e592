import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import type { IDataObject } from 'n8n-workflow';

import { createJobs, startJobs, type CreateSettings } from '../../../nodes/PriceCollection/run/create';
import type { Ledger } from '../../../nodes/PriceCollection/run/ledger';
import type { PlannedJob } from '../../../nodes/PriceCollection/run/lookup/plan';
import { newRecord, type Creation } from '../../../nodes/PriceCollection/run/lookup/record';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';
import type { FakeService } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const NOW = Date.parse('2026-10-01T12:00:00Z');

const planned = (values: string[], items: number[], more: IDataObject = {}): PlannedJob => {
	const parameters = { topic: 'search', key: 'term', ...more };
	const requesters = items.map((item) => ({
		item,
		asks: values.map((value, place): [number, string] => [place, value]),
	}));
	const request = { parameters, key: 'term', values };
	return { ...newRecord('', requesters, request), request, group: 'g' };
};
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.create, effect: 'none' },
	...more,
});

/** What is known of earlier requests, by their values. */
type Known = Map<string, Creation>;

/** How a test creates: in a first try of `create`, unless it says otherwise. */
interface How extends Partial<Omit<CreateSettings, 'ledger'>> {
	known?: Known;
	ledger?: Partial<Ledger>;
}

/** Creates the plan; the service answers each creation by `reply`, with the running number from 1. */
async function created(
	plan: PlannedJob[],
	reply: (parameters: IDataObject, count: number) => Outcome<Job>,
	service: FakeService = {},
	{ known = new Map(), ledger: unusual, ...settings }: How = {},
) {
	let count = 0;
	const { client, asked } = fakeClient({
		now: () => NOW,
		...service,
		create: (parameters) => reply(parameters, ++count),
	});
	const ledger: Ledger = {
		isOfTool: false,
		hasGaps: false,
		find: (identity) => known.get(identity),
		requests: () => known,
		note: (identity, creation) => {
			const what = creation?.jobId ?? (creation?.lostAt === undefined ? 'sent' : 'lost');
			asked.push({ note: creation === undefined ? 'nothing' : what });
			if (creation === undefined) known.delete(identity);
			else known.set(identity, creation);
		},
		jobIds: () => new Set([...known.values()].flatMap(({ jobId }) => jobId ?? [])),
		close: () => undefined,
		...unusual,
	};
	const entries = await createJobs(client, plan, {
		...{ continueAfterFailure: false, executionId: '7', ledger },
		...{ identify: ({ request }) => request.values.join('\n') },
		...settings,
	});
	return {
		...{ entries, known },
		/** Everything that was done, in turn. */
		done: asked.map((one) => one.note ?? Object.keys(one)[0]),
		sent: asked.flatMap(({ create }) => (create === undefined ? [] : [create as IDataObject])),
		outcomes: entries.map(({ outcome }) =>
			outcome.ok ? outcome.value.job.job_id : outcome.problem.kind,
		),
	};
}

const works = (_: IDataObject, count: number) => success({ job_id: `job ${count}`, status: 'new' });

test('creates one job after the other, in the order of the plan, each noted before and after', async () => {
	const onCreated = jest.fn();
	const plan = [planned(['a', 'b'], [0, 1]), planned(['c'], [2])];
	const { sent, done, entries, known } = await created(plan, works, {}, { onCreated });
	expect(sent).toEqual([
		{ topic: 'search', key: 'term', values: 'a\nb' },
		{ topic: 'search', key: 'term', value: 'c' },
	]);
	expect(done).toEqual(['sent', 'create', 'job 1', 'sent', 'create', 'job 2']);
	expect(onCreated.mock.calls).toEqual([['job 1'], ['job 2']]);
	expect(entries.map(({ outcome }) => outcome)).toEqual(
		plan.map((one, index) =>
			success({
				...one,
				job: { job_id: `job ${index + 1}`, status: 'new' },
				creation: known.get(one.request.values.join('\n')),
			}),
		),
	);
	expect(known.get('c')).toMatchObject({ sentAt: NOW, executionId: '7', jobId: 'job 2' });
});

describe('the form of values that a service takes', () => {
	const wants = (form: string) => (parameters: IDataObject, count: number) =>
		form in parameters
			? works(parameters, count)
			: failure(problem('missingParameter', { reason: 'missing parameter', parameter: form }));

	test('is learned from its refusal, of which nothing stays on record', async () => {
		const plan = [planned(['a'], [0]), planned(['b'], [1])];
		const { sent, done, outcomes } = await created(plan, wants('values'));
		expect(sent.map(({ value, values }) => value ?? `list ${String(values)}`)).toEqual([
			...['a', 'list a', 'list b'],
		]);
		expect(done.slice(0, 6)).toEqual(['sent', 'create', 'nothing', 'sent', 'create', 'job 2']);
		expect(outcomes).toEqual(['job 2', 'job 3']);
	});

	test('may need single jobs, each for the items that asked for its value, as the credential may say', async () => {
		for (const service of [{}, { fields: { lookupValues: 'single' as const } }]) {
			const { entries } = await created([planned(['a', 'b'], [0, 1])], wants('value'), service);
			expect(
				entries.map(({ planned: { request, requesters } }) => [request.values, requesters]),
			).toEqual([
				[['a'], [0, 1].map((item) => ({ item, asks: [[0, 'a']] }))],
				[['b'], [0, 1].map((item) => ({ item, asks: [[1, 'b']] }))],
			]);
		}
	});

	test('is also read from the comment', async () => {
		const comment = "Provide the mandatory parameter 'values'!";
		const { outcomes } = await created([planned(['a'], [0])], (parameters, count) =>
			'values' in parameters
				? works(parameters, count)
				: failure(problem('missingParameter', { comment })),
		);
		expect(outcomes).toEqual(['job 2']);
	});

	test('does not matter where the parameters bring the values', async () => {
		const fields = { lookupValues: 'single' as const };
		const { sent } = await created([planned(['a', 'b'], [0], { values: 'a\nb' })], works, { fields });
		expect(sent).toEqual([{ topic: 'search', key: 'term', values: 'a\nb' }]);
	});

	test.each([
		['after a lost reply', problem('missingParameter', { parameter: 'values', effect: 'unknown' })],
		['for another parameter', problem('missingParameter', { parameter: 'country' })],
		['after another refusal', problem('invalidValue', { parameter: 'values' })],
	])('is not tried %s', async (_name, refusal) => {
		const { sent } = await created([planned(['a'], [0])], () => failure(refusal), { pages: [] });
		expect(sent).toHaveLength(1);
	});
});

describe('a failed creation', () => {
	const second = (kind: Problem['kind']) => (parameters: IDataObject, count: number) =>
		count === 2 ? failure(problem(kind)) : works(parameters, count);
	const plan = [planned(['a'], [0]), planned(['b'], [1]), planned(['c'], [2])];

	test('ends the run, and what was not tried is said to be so', async () => {
		const { sent, outcomes, known } = await created(plan, second('invalidValue'));
		expect([sent.length, [...known.keys()]]).toEqual([2, ['a']]);
		expect(outcomes).toEqual(['job 1', 'invalidValue', 'invalidValue']);
	});

	test('does not hold up the others where the node goes on', async () => {
		const { outcomes } = await created(plan, second('invalidValue'), {}, { continueAfterFailure: true });
		expect(outcomes).toEqual(['job 1', 'invalidValue', 'job 3']);
	});

	test.each(['unauthorized', 'noCredits', 'rateLimited', 'connectionRefused', 'stopped'] as const)(
		'that all would meet ends the run all the same: %s',
		async (kind) => {
			const { sent, outcomes } = await created(plan, second(kind), {}, { continueAfterFailure: true });
			expect([sent.length, outcomes]).toEqual([2, ['job 1', kind, kind]]);
		},
	);
});

describe('a lost reply', () => {
	const lost = () => failure(problem('connectionLost', { effect: 'unknown', detail: 'Details: socket' }));
	const job = (more: IDataObject = {}): Job => ({
		...{ job_id: 'there', status: 'new', created_at: '2026-10-01T12:00:01Z' },
		...more,
	});
	const plan = [planned(['a'], [0])];
	const proven = job({ values: 'a' });

	test('is made up for by a job that the list proves to be the one', async () => {
		const { entries, done } = await created(plan, lost, { pages: [[proven]] });
		expect(entries).toMatchObject([
			{ outcome: { ok: true, value: { job: proven, creation: { recovered: true } } } },
		]);
		expect(done).toEqual(['sent', 'create', 'lost', 'list', 'list', 'list', 'there']);
	});

	test.each([
		['for want of another one', job()],
		['without a proof', job({ values: 'a, b' })],
	])('is never made up for %s: the job is named', async (_name, there) => {
		const { entries, known } = await created(plan, lost, { list: () => success([there]) });
		const detail =
			'Details: socket. The job list was looked through (its first 1 jobs); one of these jobs may be this one: there.';
		expect(entries).toMatchObject([
			{ outcome: { problem: { kind: 'connectionLost', effect: 'unknown', detail } } },
		]);
		expect(known.get('a')).toMatchObject({ sentAt: NOW, lostAt: NOW, executionId: '7' });
	});

	test('is never made up for by a job of the same run', async () => {
		const { outcomes } = await created(
			[planned(['b'], [0]), planned(['a'], [1])],
			(parameters, count) => (count === 2 ? lost() : works(parameters, count)),
			{ list: () => success([job({ job_id: 'job 1', values: 'a' })]) },
		);
		expect(outcomes).toEqual(['job 1', 'connectionLost']);
	});

	test('is looked for three times, because a slow service enters the job late', async () => {
		let looks = 0;
		const late = await created(plan, lost, {
			list: ({ page }) => success(page === 1 && ++looks === 3 ? [proven] : []),
		});
		expect(late.outcomes).toEqual(['there']);
		const never = await created(plan, lost, { pages: [] });
		// Page 0 is asked for as well: an empty first page may be the second one.
		expect(never.done.filter((one) => one === 'list')).toHaveLength(6);
		expect(never.entries).toMatchObject([
			{
				outcome: {
					problem: {
						detail: 'Details: socket. The job list was looked through (0 jobs); none of them can be this one.',
					},
				},
			},
		]);
	});

	test('casts no doubt on jobs that were not tried', async () => {
		const { entries } = await created([...plan, planned(['b'], [1])], lost, { pages: [] });
		expect(entries[1]?.outcome).toMatchObject({ problem: { effect: 'none', detail: undefined } });
	});

	describe('of an earlier try', () => {
		const url = 'https://n8n.example.test/webhook/x';
		const fields = { webhookSecret: 'SECRETSECRET' };

		/** The next try, so many milliseconds after the lost one. */
		async function again(service: FakeService, afterMs: number, asks = plan, how: How = {}) {
			const first = await created(asks, lost, { pages: [], fields });
			const list = (asked: IDataObject) => service.list?.(asked) ?? success([]);
			const now = () => NOW + afterMs;
			return {
				first,
				...(await created(
					asks,
					works,
					{ now, fields, ...service, list },
					{ known: first.known, ...how },
				)),
			};
		}
		const lists = (...jobs: Job[]) => ({
			list: ({ page }: IDataObject) => success(page === 1 ? jobs : []),
		});

		test('is looked for before anything is sent', async () => {
			const { outcomes, sent } = await again(lists(proven), 1_000);
			expect([outcomes, sent]).toEqual([['there'], []]);
		});

		test('is waited out first, as long as a slow service may enter the job late', async () => {
			const pauses: number[] = [];
			await again({ pause: async (milliseconds) => void pauses.push(milliseconds) }, 5_000);
			expect(pauses[0]).toBe(25_001);
		});

		test('is sent again where every job of the list is certainly another one', async () => {
			const others = [
				job({ job_id: 'b', values: 'other' }),
				job({ created_at: '2026-10-01T11:00:00Z' }),
			];
			const { outcomes, sent } = await again(lists(...others), 30_001);
			expect([outcomes, sent.length]).toEqual([['job 1'], 1]);
		});

		test('is not sent again where it may exist, or the list cannot be read', async () => {
			const { entries, sent } = await again(lists(job()), 30_001);
			const detail =
				'The job list was looked through (1 jobs); one of these jobs may be this one: there.';
			expect(entries).toMatchObject([
				{ outcome: { problem: { kind: 'earlierTry', effect: 'unknown', detail } } },
			]);
			const down = { list: () => failure(problem('unavailable', { endpoint: ENDPOINTS.list })) };
			const unread = await again(down, 30_001);
			expect([sent, unread.sent, unread.outcomes]).toEqual([[], [], ['earlierTry']]);
		});

		test('is looked for in one list with the others', async () => {
			const asks = [planned(['a'], [0]), planned(['b'], [1])];
			const first = await created(asks, lost, { pages: [] }, { continueAfterFailure: true });
			expect(first.outcomes).toEqual(['connectionLost', 'connectionLost']);
			const now = () => NOW + 30_001;
			const { done } = await created(asks, works, { now, pages: [] }, { known: first.known });
			expect(done).toEqual(['list', 'list', 'sent', 'create', 'job 1', 'sent', 'create', 'job 2']);
		});

		test('knows its job by the mark of that try', async () => {
			const asks = [planned(['a'], [0], { webhook_url: url })];
			const first = await created(asks, lost, { pages: [], fields });
			const ours = job({ webhook_url: first.sent[0]?.webhook_url, created_at: undefined });
			const service = { fields, pages: [[job({ job_id: 'other' }), ours]] };
			const { outcomes, sent } = await created(asks, works, service, { known: first.known });
			expect([outcomes, sent]).toEqual([['there'], []]);
		});

		test('may bear another mark where the ledger has gaps', async () => {
			const asks = [planned(['a'], [0], { webhook_url: url })];
			const marked = job({ values: 'a', webhook_url: `${url}?pc_nonce=another` });
			const trusted = await again(lists(marked), 30_001, asks);
			const gaps = await again(lists(marked), 30_001, asks, { ledger: { hasGaps: true } });
			expect([trusted.outcomes, gaps.outcomes]).toEqual([['job 1'], ['there']]);
		});
	});

	test('that n8n did not live to see is looked for alike', async () => {
		const known: Known = new Map();
		const dies = () => {
			throw new Error('the end');
		};
		await expect(created(plan, dies, {}, { known })).rejects.toThrow('the end');
		const { outcomes, sent } = await created(plan, works, { pages: [[proven]] }, { known });
		expect([outcomes, sent]).toEqual([['there'], []]);
	});
});

describe('a job of an earlier try', () => {
	test('is taken up, with the execution that it calls back; what was refused is sent', async () => {
		const plan = [planned(['a'], [0]), planned(['b'], [1])];
		const refused = (parameters: IDataObject, count: number) =>
			count === 2 ? failure(problem('noCredits')) : works(parameters, count);
		const { known } = await created(plan, refused);
		const { sent, entries } = await created(plan, works, {}, { known, executionId: '8' });
		expect(sent).toEqual([{ topic: 'search', key: 'term', value: 'b' }]);
		expect(entries.map(({ outcome }) => outcome.ok && outcome.value)).toMatchObject([
			{ job: { job_id: 'job 1', status: '' }, creation: { executionId: '7' } },
			{ job: { job_id: 'job 1', status: 'new' }, creation: { executionId: '8' } },
		]);
	});

	test.each<[string, Outcome<Job>, number, string[], number]>([
		['as it is now', success({ job_id: 'j', status: 'finished' }), 0, ['j'], 0],
		['although its status cannot be read', failure(problem('unavailable')), 60_000, ['j'], 0],
		['although it is not known yet', failure(problem('jobNotFound')), 30_000, ['j'], 0],
		['but not a deleted one', failure(problem('jobNotFound')), 30_001, ['job 1'], 1],
		['but not a cancelled one', success({ job_id: 'j', status: 'canceled' }), 0, ['job 1'], 1],
	])('is taken up for a question of an agent %s', async (_name, seen, afterMs, outcomes, sent) => {
		const known: Known = new Map([['a', { sentAt: NOW, executionId: '7', jobId: 'j' }]]);
		const service = { getJob: () => seen, now: () => NOW + afterMs };
		const again = await created([planned(['a'], [0])], works, service, {
			known,
			ledger: { isOfTool: true },
		});
		expect([again.outcomes, again.sent.length]).toEqual([outcomes, sent]);
	});

	test('is waited for where another execution asks the same at this moment, for a minute at the most', async () => {
		const ask = async (answeredAfterMs: number) => {
			let waited = 0;
			const known: Known = new Map([['a', { sentAt: NOW, executionId: '' }]]);
			const pause = async (milliseconds: number) => {
				waited += Math.max(0, milliseconds);
				if (waited >= answeredAfterMs) known.set('a', { sentAt: NOW, executionId: '', jobId: 'j' });
			};
			const service: FakeService = {
				...{ pause, now: () => NOW + waited, pages: [] },
				getJob: (job_id) => success({ job_id, status: 'working' }),
			};
			const plan = [planned(['a'], [0])];
			const { outcomes } = await created(plan, works, service, { known, ledger: { isOfTool: true } });
			return [outcomes, waited];
		};
		expect(await ask(1_000)).toEqual([['j'], 1_000]);
		expect(await ask(Infinity)).toEqual([['job 1'], 60_000]);
	});
});

describe('the callback URL', () => {
	const url = 'https://n8n.example.test/webhook/x';
	const plan = ['a', 'b'].map((value, item) => planned([value], [item], { webhook_url: url }));

	test('is signed where the credential has a secret, anew for each job', async () => {
		const { sent, known } = await created(plan, works, { fields: { webhookSecret: 'SECRETSECRET' } });
		const urls = sent.map(({ webhook_url }) => String(webhook_url));
		for (const one of urls) expect(one).toContain(`${url}?pc_expires=`);
		const nonces = urls.map((one) => new URL(one).searchParams.get('pc_nonce'));
		expect(new Set(nonces).size).toBe(2);
		expect(nonces).toEqual([...known.values()].map(({ nonce }) => nonce));
		expect([...known.values()].every(({ signatureHash }) => signatureHash !== undefined)).toBe(true);
		expect(JSON.stringify(sent)).not.toContain('SECRETSECRET');
	});

	test('is sent as it is without a secret', async () => {
		const { sent } = await created(plan, works);
		expect(sent[0]?.webhook_url).toBe(url);
	});
});

test('an error names the jobs of all tries, and those that other requests may have made', async () => {
	const known: Known = new Map([
		['made', { sentAt: NOW, executionId: '7', jobId: 'first' }],
		['lost', { sentAt: NOW, executionId: '7', doubt: 'one of these jobs may be this one: second.' }],
	]);
	const { client } = fakeClient({ now: () => NOW, create: () => failure(problem('noCredits')) });
	const ledger: Partial<Ledger> = { find: () => undefined, requests: () => known, note: () => undefined };
	const { context } = nodeContext({ more: { getExecutionId: () => '7' } });
	const plan = [planned(['a'], [0])];
	const prepared = { plan, asides: [], estimate: 1, identify: () => 'new' };
	await expect(startJobs(context, client, prepared, ledger as Ledger)).rejects.toMatchObject({
		description: expect.stringMatching(
			/^These jobs were created and are running: first\. .* An earlier request: one of these jobs may be this one: second\. /,
		) as string,
	});
});
