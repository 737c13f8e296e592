import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { arbitraryEarly, arbitraryList, arbitraryRefusal, replyOf } from '../../fakes/services/replies';
import { runs } from '../../support/runs';
import { useSandbox } from '../../support/useSandbox';
import { failureOf, forJob, itemsOf, runNode, seedJob, TERM_PARAMETERS } from '../support/core';
import { hints, items } from '../support/harness';

/** The number of replies of each sort. */
const RUNS = runs(80);

const sandbox = useSandbox({ autoFinish: false });

const LIST: INodeParameters = { resource: 'job', operation: 'getAll' };
const OPERATIONS: INodeParameters[] = [
	{ ...TERM_PARAMETERS, values: 'drill' },
	forJob('get', 'abc'),
	forJob('cancel', 'abc'),
	forJob('download', 'abc'),
	forJob('download', 'abc', { output: 'file' }),
	forJob('download', 'abc', { output: 'file', options: { format: 'csv' } }),
	LIST,
	{ resource: 'usage', operation: 'getToday' },
];

test('a refusal of any form is one at every operation, in its own words, on one line', async () => {
	await fc.assert(
		fc.asyncProperty(
			arbitraryRefusal(),
			fc.constantFrom(...OPERATIONS),
			async ({ words, ...reply }, parameters) => {
				sandbox.faults.clear();
				sandbox.clearRequests();
				sandbox.faults.add({ times: 'always', fault: { type: 'reply', ...reply } });
				const { message, description } = await failureOf(sandbox, parameters);
				for (const word of words) expect(description).toContain(word);
				expect(`${message}${description}`).not.toMatch(/\p{Cc}/u);
				// A request that changes something is never sent again.
				expect(sandbox.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(
					1,
				);
			},
		),
		{ numRuns: RUNS },
	);
});

test.each(['download', 'poll'] as const)('a %s that comes too early is waited for', async (of) => {
	const jobId = await seedJob(sandbox);
	const pathPattern = of === 'download' ? '/download' : '/jobs/[^/]+$';
	const outputs = of === 'download' ? ['results', 'file', 'job'] : ['status', 'results'];
	await fc.assert(
		fc.asyncProperty(
			fc.array(arbitraryEarly(of), { minLength: 1, maxLength: 3 }),
			fc.constantFrom(...outputs),
			async (replies, output) => {
				sandbox.faults.clear();
				for (const [at, reply] of replies.entries()) {
					sandbox.faults.add({
						match: { pathPattern, nth: [at + 1] },
						fault: { type: 'reply', ...reply },
					});
				}
				const [item, ...others] = await itemsOf(sandbox, forJob('wait', jobId, { output }));
				expect(others).toEqual([]);
				expect(item).toMatchObject(output === 'results' ? { found: true } : { job_id: jobId });
			},
		),
		{ numRuns: RUNS / 2 },
	);
});

test('a list that speaks of its pages in any way is read to its end, or said not to be', async () => {
	const address = `${sandbox.url}/v2/jobs`;
	await fc.assert(
		fc.asyncProperty(arbitraryList(), async (generated) => {
			sandbox.faults.clear();
			for (let page = 1; page <= generated.pages.length + 2; page++) {
				sandbox.faults.add({
					match: { pathPattern: '/v2/jobs$', nth: [page] },
					fault: replyOf(generated, page, address),
				});
			}
			const run = await runNode(sandbox, { ...LIST, returnAll: true });
			expect(items(run, 'Prices').map(({ job_id }) => job_id)).toEqual(generated.pages.flat());
			expect(hints(run, 'Prices')).toEqual([]);
		}),
		{ numRuns: RUNS / 2 },
	);
});
