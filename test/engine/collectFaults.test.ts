import type { INode, IRun } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import { collecting, itemsOf, useSandboxInTime } from './collecting';
import { errorOf, hints, items, runWorkflow } from './harness';

const sandbox = useSandboxInTime();

const FAULTS: Array<[string, Fault]> = [
	['a reset before', { type: 'reset' }],
	['a reset after', { type: 'reset', when: 'after' }],
	['a 500 before', { type: 'serverError' }],
	['a 500 after', { type: 'serverError', when: 'after' }],
	['a 503 page before', { type: 'htmlUnavailable' }],
	['a 503 page after', { type: 'htmlUnavailable', when: 'after' }],
	['a 429', { type: 'tooManyRequests' }],
	['a 429 that asks for a pause', { type: 'tooManyRequests', retryAfterSeconds: 30 }],
	['half a reply', { type: 'truncate' }],
	['no answer', { type: 'noAnswer' }],
	['no answer although it was done', { type: 'noAnswer', when: 'after' }],
];

const ITEMS = itemsOf('kettle', 'mug', 'kettle', 'notfound-x', 'lid');
/** Two jobs of two values each. */
const JOBS = 2;
const PARAMETERS = { options: { maxValuesPerJob: 2, requestTimeout: 0.15 } };

const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };

/** Everything a user gets to read. */
function textOf(run: IRun): string {
	const error = errorOf(run);
	return JSON.stringify([
		items(run, 'Prices'),
		items(run, 'Prices', 1),
		error?.message,
		error && 'description' in error ? error.description : '',
	]);
}

describe.each(FAULTS)('%s', (_name, fault) => {
	it('at any one request creates no job twice and loses none', async () => {
		for (let nth = 1; ; nth++) {
			sandbox.reset();
			const rule = sandbox.faults.add({ match: { nth }, fault });
			const run = await runWorkflow(collecting(sandbox, ITEMS, PARAMETERS));
			if (rule.played === 0) {
				expect(nth).toBeGreaterThan(6);
				return;
			}
			const told = textOf(run);
			const where = `request ${nth}: ${sandbox.requests[nth - 1]?.method} ${sandbox.requests[nth - 1]?.path}`;
			expect([where, sandbox.jobs.length <= JOBS]).toEqual([where, true]);
			const lost = sandbox.jobs.filter(
				({ status, job_id }) => status !== 'finished' && !told.includes(job_id),
			);
			expect([where, lost]).toEqual([where, []]);
			if (errorOf(run) === undefined) {
				const rows = items(run, 'Done').map(({ linked, value }) => `${linked} ${value}`);
				expect([where, rows]).toEqual([
					where,
					['a kettle', 'b mug', 'c kettle', 'd notfound-x', 'e lid'],
				]);
			} else {
				expect(`${where} ${told}`).toMatch(/the job may exist|was created|were created/);
			}
		}
	});
});

describe('a creation whose reply was lost', () => {
	const lostReply = () =>
		sandbox.faults.add({ match: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });

	it('is found in the job list, which the output says', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		lostReply();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		expect(sandbox.jobs).toHaveLength(1);
		expect(items(run, 'Done')).toMatchObject([{ value: 'kettle' }, { value: 'mug' }]);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringContaining(
				`the job list had the job (${sandbox.jobs[0]?.job_id}), so nothing was created twice`,
			),
		);
	});

	it('is named where the list shows too little to prove it, and nothing is created', async () => {
		lostReply();
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug'), {}, RETRY));
		expect(textOf(run)).toContain(`one of these jobs may be this one: ${sandbox.jobs[0]?.job_id}.`);
		expect(sandbox.jobs).toHaveLength(1);
		expect(items(run, 'Done')).toEqual([]);
	});

	/** Another workflow asks for something else of the same size at that moment, and ours was never created. */
	async function stranger(): Promise<void> {
		await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				topic: 'product_and_offers',
				source: 'google_shopping',
				country: 'de',
				key: 'term',
				value: 'socks',
			}),
		});
		sandbox.faults.add({ match: { method: 'POST', nth: 1 }, fault: { type: 'reset' } });
	}

	it.each(['poll', 'durable', 'webhook'])(
		'never passes off the results of a stranger as ours: %s',
		async (waitMode) => {
			await stranger();
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), { waitMode }));
			expect(textOf(run)).toContain(`one of these jobs may be this one: ${sandbox.jobs[0]?.job_id}.`);
			expect(run.data.waitTill).toBeUndefined();
			expect([...items(run, 'Done'), ...items(run, 'Running')]).toEqual([]);
			expect(sandbox.jobs).toHaveLength(1);
		},
	);
});
