import type { InspectedJob } from '../../fakes/sandbox/inspection';
import { collectWorkflow, finishJob, jobsOf, rowsOf, sandbox } from './harness/collecting';
import { createCredential, runWorkflow, unique, waitForOutcome } from './harness/e2e';

/**
 * The loop of docs/waiting.md in the real n8n. `e2e/examples/overnight` has a run that callbacks wake, and
 * `e2e/triggers` has Create with a trigger, and both triggers together.
 */

test('on a timer rows come as each job ends, beside the items that asked, and the run sleeps until the last', async () => {
	const [quick, slow] = [unique('quick'), unique('slow')];
	const started = await runWorkflow(...collectWorkflow('durable'), {
		credential: await createCredential({ customizeService: true, maxValuesPerJob: 1 }),
		mode: 'production',
		until: ['waiting'],
		input: [slow, quick, slow].map((term, index) => ({ id: 'abc'[index] ?? '', term })),
	});
	expect(rowsOf(started)).toEqual([`b ${quick} true`]);
	const [job] = await jobsOf(slow);
	await finishJob(job?.job_id);
	// A timer of n8n takes 66 s.
	const ended = await waitForOutcome(started, { timeoutMs: 200_000 });
	expect(ended.error).toBeUndefined();
	expect(rowsOf(ended)).toEqual([`b ${quick} true`, `a ${slow} false`, `c ${slow} false`]);
	expect(await jobsOf(slow)).toHaveLength(1);
});

test('a thousand jobs of one value give all rows, each beside its item, with the defaults', async () => {
	const lamp = unique('lamp');
	const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
	const ended = await runWorkflow(...collectWorkflow('poll'), {
		credential: await createCredential({ customizeService: true, lookupValues: 'single' }),
		mode: 'production',
		input: ids.map((id) => ({ id, term: `${lamp} ${id}` })),
		timeoutMs: 240_000,
	});
	expect(ended.error).toBeUndefined();
	expect(rowsOf(ended)).toEqual(ids.map((id) => `${id} ${lamp} ${id} true`));
	const jobs = (await sandbox<InspectedJob[]>('GET', 'jobs')).filter(({ values }) =>
		values[0]?.startsWith(lamp),
	);
	expect(jobs).toHaveLength(1_000);
});
