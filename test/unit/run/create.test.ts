import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import type { IDataObject } from 'n8n-workflow';

import { createJobs, splitIntoSingles, type CreateSettings } from '../../../nodes/PriceCollection/run/create';
import type { PlannedJob } from '../../../nodes/PriceCollection/run/lookup/plan';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';
import type { FakeService } from '../fakeClient';
import { requestsIn, type NodeStore } from './requestsIn';

const planned = (values: string[], items: number[], more: IDataObject = {}): PlannedJob => ({
	parameters: { topic: 'search', key: 'term', ...more },
	key: 'term',
	values,
	items,
	group: 0,
});
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	kind,
	endpoint: ENDPOINTS.create,
	effect: 'none',
	...more,
});

const NOW = Date.parse('2026-10-01T12:00:00Z');

/** How a test creates: with the settings of a first try of `create`, unless it says otherwise. */
interface How extends Partial<Omit<CreateSettings, 'requests'>> {
	/** What the node's context keeps from try to try. */
	store?: NodeStore;
	executionId?: string;
}

/** Creates the plan; the service answers each creation by `reply`, with the running number from 1. */
async function created(
	plan: PlannedJob[],
	reply: (parameters: IDataObject, count: number) => Outcome<Job>,
	service: FakeService = {},
	{ store = {}, executionId, ...settings }: How = {},
) {
	let count = 0;
	const { client, asked } = fakeClient({
		now: () => NOW,
		...service,
		create: (parameters) => reply(parameters, ++count),
	});
	const lines = new Map(plan.flatMap(({ items, values }) => items.map((item) => [item, values] as const)));
	const entries = await createJobs(client, plan, lines, {
		...{ continueAfterFailure: false, resultsCanProve: false },
		...{ identify: ({ values }) => values.join('\n') },
		...settings,
		requests: await requestsIn(store, client.clock, executionId),
	});
	return {
		entries,
		asked,
		store,
		sent: asked.flatMap(({ create }) => (create === undefined ? [] : [create as IDataObject])),
		outcomes: entries.map(({ outcome }) =>
			outcome.ok ? outcome.value.job.job_id : outcome.problem.kind,
		),
	};
}

const works = (_: IDataObject, count: number) => success({ job_id: `job ${count}`, status: 'new' });

test('creates one job after the other, in the order of the plan', async () => {
	const { sent, entries } = await created([planned(['a', 'b'], [0, 1]), planned(['c'], [2])], works);
	expect(sent).toEqual([
		{ topic: 'search', key: 'term', values: 'a\nb' },
		{ topic: 'search', key: 'term', value: 'c' },
	]);
	expect(entries.map(({ planned: { items }, outcome }) => [items, outcome])).toEqual([
		[[0, 1], success({ job: { job_id: 'job 1', status: 'new' }, evidence: 'reply', callsBack: true })],
		[[2], success({ job: { job_id: 'job 2', status: 'new' }, evidence: 'reply', callsBack: true })],
	]);
});

test('values that the parameters bring are not added to', async () => {
	const { sent } = await created([planned(['a', 'b'], [0], { values: 'a\nb' })], works, {
		fields: { lookupValues: 'single' },
	});
	expect(sent).toEqual([{ topic: 'search', key: 'term', values: 'a\nb' }]);
});

describe('the form of values that a service takes', () => {
	const wants = (form: string) => (parameters: IDataObject, count: number) =>
		form in parameters
			? works(parameters, count)
			: failure(problem('missingParameter', { reason: 'missing parameter', parameter: form }));

	test('is learned from its refusal', async () => {
		const { sent, outcomes } = await created([planned(['a'], [0]), planned(['b'], [1])], wants('values'));
		expect(sent.map(({ value, values }) => value ?? `list ${String(values)}`)).toEqual([
			'a',
			'list a',
			'list b',
		]);
		expect(outcomes).toEqual(['job 2', 'job 3']);
	});

	test('may need single jobs, each for the items that asked for its value', async () => {
		const { entries } = await created([planned(['a', 'b'], [0, 1])], wants('value'));
		expect(entries.map(({ planned: { values, items } }) => [values, items])).toEqual([
			[['a'], [0, 1]],
			[['b'], [0, 1]],
		]);
	});

	test('is also read from the comment', async () => {
		const { outcomes } = await created([planned(['a'], [0])], (parameters, count) =>
			'values' in parameters
				? works(parameters, count)
				: failure(
						problem('missingParameter', { comment: "Provide the mandatory parameter 'values'!" }),
					),
		);
		expect(outcomes).toEqual(['job 2']);
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
		const { sent, outcomes } = await created(plan, second('invalidValue'));
		expect(sent).toHaveLength(2);
		expect(outcomes).toEqual(['job 1', 'invalidValue', 'invalidValue']);
	});

	test('does not hold up the others where the node goes on', async () => {
		const { outcomes } = await created(plan, second('invalidValue'), {}, { continueAfterFailure: true });
		expect(outcomes).toEqual(['job 1', 'invalidValue', 'job 3']);
	});

	test.each([
		'unauthorized',
		'noCredits',
		'quotaExceeded',
		'rateLimited',
		'connectionRefused',
		'stopped',
	] as const)('that all would meet ends the run all the same: %s', async (kind) => {
		const { sent, outcomes } = await created(plan, second(kind), {}, { continueAfterFailure: true });
		expect(sent).toHaveLength(2);
		expect(outcomes).toEqual(['job 1', kind, kind]);
	});
});

describe('a lost reply', () => {
	const lost = () => failure(problem('connectionLost', { effect: 'unknown', detail: 'Details: socket' }));
	const job = (more: IDataObject = {}): Job => ({
		job_id: 'there',
		status: 'new',
		created_at: '2026-10-01T12:00:01Z',
		...more,
	});
	const plan = [planned(['a'], [0])];
	const proven = job({ values: 'a' });
	const entryIn = (store: NodeStore) =>
		(store.priceCollectionRequests as { requests: Record<string, IDataObject> }).requests.a;

	test('is made up for by a job that the list proves to be the one', async () => {
		const { entries, sent, store } = await created(plan, lost, { pages: [[proven]] });
		expect(entries.map(({ outcome }) => outcome)).toEqual([
			success({ job: proven, evidence: 'list', callsBack: true }),
		]);
		expect(sent).toHaveLength(1);
		expect(entryIn(store)).toMatchObject({ state: 'created', jobId: 'there', evidence: 'list' });
	});

	test('is made up for by the only job that could be it only where its results can prove it', async () => {
		const service = { pages: [[job()]] };
		const unproven = await created(plan, lost, service);
		expect(unproven.outcomes).toEqual(['connectionLost']);
		expect(entryIn(unproven.store)).toMatchObject({ state: 'unknown' });
		const { entries, store } = await created(plan, lost, service, { resultsCanProve: true });
		expect(entries.map(({ outcome }) => outcome)).toEqual([
			success({ job: job(), evidence: 'results', callsBack: true }),
		]);
		expect(entryIn(store)).toMatchObject({ state: 'created', jobId: 'there', evidence: 'results' });
	});

	test('is never made up for by a job of the same run', async () => {
		const ours = job({ job_id: 'job 1' });
		const { outcomes } = await created(
			[planned(['a'], [0]), planned(['b'], [1])],
			(parameters, count) => (count === 2 ? lost() : works(parameters, count)),
			{ list: () => success([ours]) },
			{ resultsCanProve: true },
		);
		expect(outcomes).toEqual(['job 1', 'connectionLost']);
	});

	test('stays unknown where the list does not help, with all that is known', async () => {
		const { entries, store } = await created(plan, lost, { pages: [] });
		expect(entries[0]?.outcome).toMatchObject({
			problem: {
				kind: 'connectionLost',
				effect: 'unknown',
				detail: 'Details: socket. The job list was looked through (0 jobs); it shows no job that could be this one.',
			},
		});
		expect(entryIn(store)).toMatchObject({ state: 'unknown', sentAt: NOW, executionId: '7' });
	});

	test('casts no doubt on jobs that were not tried', async () => {
		const { entries } = await created([...plan, planned(['b'], [1])], lost, { pages: [] });
		expect(entries[1]?.outcome).toMatchObject({ problem: { effect: 'none', detail: undefined } });
	});

	describe('of an earlier try', () => {
		/** The next try, so many milliseconds after the lost one. */
		async function again(service: FakeService, afterMs: number, how: How = {}) {
			const { store } = await created(plan, lost, { pages: [] });
			return await created(plan, works, { now: () => NOW + afterMs, ...service }, { store, ...how });
		}

		test('is looked for before anything is sent', async () => {
			const { entries, sent } = await again({ pages: [[proven]] }, 1_000);
			expect(sent).toEqual([]);
			expect(entries[0]?.outcome).toMatchObject({ ok: true, value: { job: proven, evidence: 'list' } });
		});

		test('is waited out first, as long as a slow service may enter the job late', async () => {
			const pauses: number[] = [];
			const { store } = await created(plan, lost, { pages: [] });
			const pause = async (milliseconds: number) => void pauses.push(milliseconds);
			await created(plan, works, { now: () => NOW + 5_000, pages: [], pause }, { store });
			expect(pauses[0]).toBe(25_001);
		});

		test('is sent again where the whole list shows no job that could be it', async () => {
			const { outcomes, sent } = await again({ pages: [] }, 30_001);
			expect(outcomes).toEqual(['job 1']);
			expect(sent).toHaveLength(1);
		});

		test('is not sent again where it may exist', async () => {
			const { entries, sent } = await again({ list: () => success([job()]) }, 30_001);
			expect(sent).toEqual([]);
			expect(entries[0]?.outcome).toMatchObject({
				problem: {
					kind: 'earlierTry',
					effect: 'unknown',
					detail: 'The job list was looked through (1 jobs); one of these jobs may be this one: there.',
				},
			});
		});

		test('is not sent again where the list cannot be read', async () => {
			const down = problem('unavailable', { endpoint: ENDPOINTS.list });
			const { outcomes, sent } = await again({ list: () => failure(down) }, 30_001);
			expect([outcomes, sent]).toEqual([['earlierTry'], []]);
		});

		test('knows its job by the mark of that try', async () => {
			const url = 'https://n8n.example.test/webhook/x';
			const asks = [planned(['a'], [0], { webhook_url: url })];
			const fields = { webhookSecret: 'SECRETSECRET' };
			const first = await created(asks, lost, { pages: [], fields });
			const ours = job({ webhook_url: first.sent[0]?.webhook_url, created_at: undefined });
			const { outcomes, sent } = await created(
				asks,
				works,
				{ fields, pages: [[job({ job_id: 'other' }), ours]] },
				{ store: first.store },
			);
			expect([outcomes, sent]).toEqual([['there'], []]);
		});
	});
});

describe('a request of an earlier try', () => {
	const plan = [planned(['a'], [0]), planned(['b'], [1])];
	const refuseSecond = (parameters: IDataObject, count: number) =>
		count === 2 ? failure(problem('noCredits')) : works(parameters, count);

	test('that created a job is not sent again; one that was refused is', async () => {
		const { store, outcomes: before } = await created(plan, refuseSecond);
		expect(before).toEqual(['job 1', 'noCredits']);
		const { sent, entries } = await created(
			plan,
			() => success({ job_id: 'job 3', status: 'new' }),
			{},
			{ store },
		);
		expect(sent).toEqual([{ topic: 'search', key: 'term', value: 'b' }]);
		expect(entries.map(({ outcome }) => outcome)).toEqual([
			success({ job: { job_id: 'job 1', status: '' }, evidence: 'reply', callsBack: true }),
			success({ job: { job_id: 'job 3', status: 'new' }, evidence: 'reply', callsBack: true }),
		]);
	});

	test('of another execution is known to call that one back', async () => {
		const { store } = await created(plan, works);
		const { entries, sent } = await created(plan, works, {}, { store, executionId: '8' });
		expect(sent).toEqual([]);
		expect(entries.map(({ outcome }) => outcome.ok && outcome.value.callsBack)).toEqual([false, false]);
	});

	test('that n8n did not see answered before it ended is looked for like one whose reply was lost', async () => {
		const store: NodeStore = {};
		// The process ends while the reply is awaited.
		await expect(
			created(
				[planned(['a'], [0])],
				() => {
					throw new Error('the end');
				},
				{},
				{ store },
			),
		).rejects.toThrow('the end');
		const found = { job_id: 'there', status: 'new', created_at: '2026-10-01T12:00:01Z', values: 'a' };
		const { outcomes, sent } = await created(
			[planned(['a'], [0])],
			works,
			{ pages: [[found]] },
			{ store },
		);
		expect([outcomes, sent]).toEqual([['there'], []]);
	});
});

describe('the callback URL', () => {
	const url = 'https://n8n.example.test/webhook/x';

	test('is signed where the credential has a secret, anew for each job', async () => {
		const plan = [planned(['a'], [0], { webhook_url: url }), planned(['b'], [1], { webhook_url: url })];
		const { sent } = await created(plan, works, { fields: { webhookSecret: 'SECRETSECRET' } });
		const urls = sent.map(({ webhook_url }) => String(webhook_url));
		for (const one of urls)
			expect(one).toMatch(/^https:\/\/n8n\.example\.test\/webhook\/x\?pc_expires=\d+&pc_nonce=/);
		expect(new Set(urls).size).toBe(2);
		expect(JSON.stringify(sent)).not.toContain('SECRETSECRET');
	});

	test('is sent as it is without a secret', async () => {
		const { sent } = await created([planned(['a'], [0], { webhook_url: url })], works);
		expect(sent[0]?.webhook_url).toBe(url);
	});
});

test('single jobs belong to exactly the items that asked for their value', () => {
	const asked = new Map([
		[0, ['a', 'b']],
		[1, ['b']],
	]);
	const singles = splitIntoSingles(planned(['a', 'b'], [0, 1]), asked);
	expect(singles.map(({ values, items }) => [values, items])).toEqual([
		[['a'], [0]],
		[['b'], [0, 1]],
	]);
});
