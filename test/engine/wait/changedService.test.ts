import { startSandbox } from '../../fakes/sandbox/sandbox';
import { callsOf, useCollecting } from '../support/collecting';
import { failureOf, forJob, itemsOf, runNode, seedJob } from '../support/core';
import { items } from '../support/harness';

/** What may change at a service while jobs are under way. */
const { sandbox, collectInLoop, finish } = useCollecting({ autoFinish: false });

it('a sleeping run goes on with the key that the credential has by then', async () => {
	const { apiKey } = sandbox;
	let run = await collectInLoop(['kettle']);
	sandbox.setOptions({ apiKey: 'THEKEYOFTHENEXTYEAR', formerApiKeys: [apiKey] });
	Object.assign(run.scene.credentials?.priceCollectionApi ?? {}, { apiKey: sandbox.apiKey });
	finish(0);
	run = await run.throughTimers();
	expect([run.error, run.rows]).toEqual(['', ['a kettle true']]);
	expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
});

it('results that were deleted before their job are said to be, in the words of the service', async () => {
	const jobId = await seedJob(sandbox);
	sandbox.setOptions({ resultsForMs: 1_000 });
	sandbox.advance(60_000);
	const { message, description } = await failureOf(sandbox, forJob('download', jobId));
	expect(message).toBe('The job has finished, but its results are not there');
	expect(description).toContain('The results of the job were deleted.');
});

it('a service whose certificate no authority has signed gets no request', async () => {
	const secure = await startSandbox({ tls: true });
	const { message, description } = await failureOf(secure, forJob('get', 'a'));
	expect(message).toBe("n8n does not trust the service's certificate");
	expect(description).toContain('NODE_EXTRA_CA_CERTS');
	expect(secure.requests).toEqual([]);
	await secure.close();
});

it('a create may leave out what the service does not require, and say what it does not know', async () => {
	sandbox.setOptions({ requiredParameters: [], unknownParameters: 'ignore' });
	const parameters = { resource: 'job', operation: 'create', topic: 'search', lookupKey: 'term' };
	const options = { additionalParameters: { parameter: [{ name: 'colour', value: 'red' }] } };
	const run = await runNode(sandbox, { ...parameters, values: 'kettle', options });
	expect(items(run, 'Prices')).toMatchObject([{ status: 'new' }]);
	expect(JSON.parse(sandbox.requests.at(-1)?.body ?? '')).toEqual({
		...{ topic: 'search', key: 'term', value: 'kettle', colour: 'red' },
	});
	const [{ job_id: id } = {}] = await itemsOf(sandbox, { resource: 'job', operation: 'getAll' });
	expect(id).toBe(sandbox.jobs[0]?.job_id);
});
