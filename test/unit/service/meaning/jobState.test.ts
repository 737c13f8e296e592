import {
	denialIn,
	isOver,
	isProven,
	mayHaveResults,
	proofOf,
	reasonOf,
	troubleOf,
	unknownStatusText,
} from '../../../../nodes/PriceCollection/service/meaning/jobState';
import { failure, PROBLEMS, success, type Problem } from '../../../../nodes/PriceCollection/service/problems';
import type { ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../../fakeClient';

const { endOf, knowsStatus } = fakeClient({}).client;
const problem = (kind: ProblemKind, more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.get, effect: 'none' },
	...more,
});

test.each([
	['working', 'runs'],
	['', 'runs'],
	['any other word', 'runs'],
	['finished', 'over'],
	['failed', 'over'],
	['cancelled', 'over'],
])('a job that is described as "%s" %s', (status, proof) => {
	expect(proofOf(success({ job_id: 'j', status }), endOf)).toBe(proof);
});

/** What the service's own words about the job or the key prove; those of all other kinds prove nothing. */
const DENIALS: Partial<Record<ProblemKind, ['job' | 'key', string]>> = {
	jobNotFound: ['job', 'gone'],
	forbidden: ['job', 'gone'],
	unauthorized: ['key', 'refused'],
};

test.each(Object.keys(PROBLEMS) as ProblemKind[])('only words about it prove a denial: %s', (kind) => {
	const [denied, proof] = DENIALS[kind] ?? [];
	for (const about of ['job', 'key'] as const) {
		const said = about === denied ? proof : 'nothing';
		expect(denialIn(problem(kind, { about }))).toBe(said);
		expect(proofOf(failure(problem(kind, { about })), endOf)).toBe(said);
	}
	// Words that are not about the job may be those of a gateway.
	expect(denialIn(problem(kind, { reason: 'not found', status: 404 }))).toBe('nothing');
});

test('a denial counts when it is repeated 30 seconds later', () => {
	const proven = [undefined, 29_999, 30_000].map((ago) => isProven(ago && 50_000 - ago, 50_000));
	expect(proven).toEqual([false, false, true]);
	expect(isProven(0, 30_000)).toBe(true);
});

test.each([
	[{}, false, true],
	[{ end: 'results' }, true, true],
	[{ end: 'failed' }, true, false],
	[{ end: 'cancelled' }, true, false],
	[{ problem: problem('jobNotFound', { about: 'job' }) }, true, false],
	[{ problem: problem('unauthorized', { about: 'key' }) }, true, true],
] as const)('a job of which this is known is over, and may have results: %j', (state, over, may) => {
	expect([isOver(state), mayHaveResults(state)]).toEqual([over, may]);
});

describe('why a job has no results', () => {
	const job = { job_id: 'a', status: 'x' };
	test.each([
		['the job failed', 'failed', {}],
		['the job was cancelled', 'cancelled', {}],
		['the job failed: source down', 'failed', { reason: 'source down' }],
		['the job was cancelled: out of quota', 'cancelled', { reason: 'out of quota' }],
		['the job failed: blocked', 'failed', { failure: { detail: 'blocked' } }],
		['the job failed: blocked', 'failed', { failure: 'blocked', errors: 3, message: 'none' }],
		[
			'the job failed: source down; try later',
			'failed',
			{ Errors: ['source down', { text: 'try later' }] },
		],
		[undefined, 'results', { reason: 'source down' }],
		[undefined, undefined, { reason: 'source down' }],
	] as const)('is said in one sentence: %s', (sentence, end, more) => {
		expect(reasonOf({ job: { ...job, ...more }, end })).toBe(sentence);
	});
});

test('the latest request about a job that failed is said with its words', () => {
	expect(troubleOf({})).toBeUndefined();
	expect(troubleOf({ trouble: problem('unavailable') })).toBe(
		'The latest request about this job failed: The service is temporarily unavailable.',
	);
	const trouble = problem('refused', { reason: 'not now', detail: 'HTTP 400' });
	expect(troubleOf({ trouble })).toBe(
		'The latest request about this job failed: The service refused the request (not now; HTTP 400).',
	);
});

test('status words that are in no table are named, three of them, each once', () => {
	const text = (...statuses: string[]) =>
		unknownStatusText(
			statuses.map((status) => ({ job_id: 'a', status })),
			knowsStatus,
		);
	expect(text('working', '', ' ', 'finished')).toBeUndefined();
	expect(text('17', '17', 'b', 'c', 'd')).toBe(
		'This node does not know the status "17", "b", "c", so it counts as running. If it means that a job has ended, add it to Finished Statuses, Failed Statuses or Cancelled Statuses in the credential (Customize Service).',
	);
});
