import type { IDataObject } from 'n8n-workflow';

import { createJobs, splitIntoSingles } from '../../../nodes/PriceCollection/run/create';
import type { PlannedJob } from '../../../nodes/PriceCollection/run/lookup/plan';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';
import type { FakeService } from '../fakeClient';

const planned = (values: string[], items: number[], more: IDataObject = {}): PlannedJob => ({
	parameters: { topic: 'search', key: 'term', ...more },
	key: 'term',
	values,
	items,
	group: 0,
});
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	kind,
	endpoint: 'POST /v2/jobs',
	effect: 'none',
	...more,
});

/** Creates the plan; the service answers each creation by `reply`, with the running number from 1. */
async function created(
	plan: PlannedJob[],
	reply: (parameters: IDataObject, count: number) => Outcome<Job>,
	service: FakeService = {},
	continueAfterFailure = false,
) {
	let count = 0;
	const { client, asked } = fakeClient({
		now: () => Date.parse('2026-10-01T12:00:00Z'),
		...service,
		create: (parameters) => reply(parameters, ++count),
	});
	const lines = new Map(plan.flatMap(({ items, values }) => items.map((item) => [item, values] as const)));
	const entries = await createJobs(client, plan, lines, { continueAfterFailure });
	return {
		entries,
		asked,
		sent: asked.flatMap(({ create }) => (create === undefined ? [] : [create as IDataObject])),
		outcomes: entries.map(({ outcome }) => (outcome.ok ? outcome.value.job_id : outcome.problem.kind)),
	};
}

const works = (_: IDataObject, count: number) => success({ job_id: `job ${count}`, status: 'new' });

test('creates one job after the other, in the order of the plan', async () => {
	const { sent, entries } = await created([planned(['a', 'b'], [0, 1]), planned(['c'], [2])], works);
	expect(sent).toEqual([
		{ topic: 'search', key: 'term', values: 'a\nb' },
		{ topic: 'search', key: 'term', value: 'c' },
	]);
	expect(entries.map(({ planned: { items }, recovered }) => [items, recovered])).toEqual([
		[[0, 1], false],
		[[2], false],
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
		const { outcomes } = await created(plan, second('invalidValue'), {}, true);
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
		const { sent, outcomes } = await created(plan, second(kind), {}, true);
		expect(sent).toHaveLength(2);
		expect(outcomes).toEqual(['job 1', kind, kind]);
	});
});

describe('a lost reply', () => {
	const lost = () => failure(problem('connectionLost', { effect: 'unknown', detail: 'Details: socket' }));
	const job = (id: string) => ({ job_id: id, status: 'new', created_at: '2026-10-01T12:00:01Z' });

	test('is made up for by the job list', async () => {
		const { entries, sent } = await created([planned(['a'], [0])], lost, { pages: [[job('there')]] });
		expect(entries).toMatchObject([
			{ recovered: true, outcome: { ok: true, value: { job_id: 'there' } } },
		]);
		expect(sent).toHaveLength(1);
	});

	test('is never made up for by a job of the same run', async () => {
		const pages = [[job('job 1')], [job('job 1')], [job('job 1')]];
		const { outcomes } = await created(
			[planned(['a'], [0]), planned(['b'], [1])],
			(parameters, count) => (count === 2 ? lost() : works(parameters, count)),
			{ pages },
		);
		expect(outcomes).toEqual(['job 1', 'connectionLost']);
	});

	test('stays unknown where the list does not help, with all that is known', async () => {
		const { entries } = await created([planned(['a'], [0])], lost, { pages: [] });
		expect(entries[0]?.outcome).toMatchObject({
			problem: {
				kind: 'connectionLost',
				effect: 'unknown',
				detail: 'Details: socket. The job list shows no job that could be this one.',
			},
		});
	});

	test('casts no doubt on jobs that were not tried', async () => {
		const { entries } = await created([planned(['a'], [0]), planned(['b'], [1])], lost, { pages: [] });
		expect(entries[1]?.outcome).toMatchObject({ problem: { effect: 'none', detail: undefined } });
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
