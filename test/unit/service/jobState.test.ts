import { denialIn, isProven, proofOf } from '../../../nodes/PriceCollection/run/proof';
import { failure, PROBLEMS, success } from '../../../nodes/PriceCollection/service/problems';
import type { ProblemKind } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';

const { endOf } = fakeClient({}).client;
const problem = (kind: ProblemKind, reason?: string) =>
	({ kind, reason, endpoint: ENDPOINTS.get, effect: 'none' }) as const;

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

/** What the service says in its own words; of all other kinds, nothing. */
const DENIALS: Partial<Record<ProblemKind, string>> = {
	jobNotFound: 'gone',
	forbidden: 'gone',
	unauthorized: 'refused',
};

test.each(Object.keys(PROBLEMS) as ProblemKind[])('a denial is only one in words: %s', (kind) => {
	const said = DENIALS[kind] ?? 'nothing';
	expect(denialIn(problem(kind, 'own words'))).toBe(said);
	expect(proofOf(failure(problem(kind, 'own words')), endOf)).toBe(said);
	expect(proofOf(failure(problem(kind)), endOf)).toBe('nothing');
	// Words that somebody else wrote, such as a proxy, are in the detail.
	expect(denialIn({ ...problem(kind), detail: 'not found', status: 404 })).toBe('nothing');
});

test('a denial counts when it is repeated 30 seconds later', () => {
	const proven = [undefined, 29_999, 30_000].map((ago) => isProven(ago && 50_000 - ago, 50_000));
	expect(proven).toEqual([false, false, true]);
	expect(isProven(0, 30_000)).toBe(true);
});
