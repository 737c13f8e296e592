import type { INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { callsOf, useCollecting } from './collecting';
import { createJob, failureOf, forJob, itemsOf, reply } from './core';
import { callTrigger, pollTrigger, runCalled } from './trigger';
import { triggerScenario } from './triggerSupport';

/** How jobs end, in all of the words for it, and what becomes of those who asked. */
const { sandbox, collect, idOf, fail } = useCollecting();

const WHY = 'the source blocked the job';
const SHEET = [
	{ id: 'a', term: 'kettle' },
	{ id: 'b', term: 'mug' },
	{ id: 'c', term: 'kettle' },
];
const BESIDE: INodeParameters = { options: { includeInputFields: true } };
const row = (linked: string, term: string, reason: string) => ({
	...{ linked, id: linked, term, result_value: term, found: false, success: false, reason },
});
const rowsFor = (reason: string) => SHEET.map(({ id, term }) => row(id, term, reason));

describe.each([
	['failed', `the job failed: ${WHY}`, 'failed failure ERROR errored aborted Expired rejected'],
	['cancelled', 'the job was cancelled', 'cancelled Canceled'],
] as const)('a job that ends %s', (jobEnd, reason, words) => {
	test.each(words.split(' '))('by the word %s gives every item that asked its row', async (word) => {
		sandbox.setOptions({ jobEnd, failedSpelling: word, cancelledSpelling: word });
		const { done, running, hints } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject(rowsFor(reason));
		expect(running).toEqual([]);
		expect(hints.join(' ')).toContain('1 job, 2 values: 0 found, 0 not found, 0 failed, 2 unanswered.');
		expect(callsOf(sandbox).status).toBeLessThan(10);
	});

	it('gives the results that are still served', async () => {
		sandbox.setOptions({ jobEnd, endedDownload: 'serve', partialEnds: true });
		const { done } = await collect(SHEET, BESIDE);
		const kettle = { term: 'kettle', found: true, success: true, reason: null };
		expect(done).toMatchObject([
			{ linked: 'a', ...kettle },
			row('b', 'mug', reason),
			{ linked: 'c', ...kettle },
		]);
	});

	it('is asked for again where its download fails for the moment, so that no result is lost', async () => {
		sandbox.setOptions({ jobEnd, endedDownload: 'serve' });
		fail('download', { type: 'serverError' }, 'always');
		const { error, done } = await collect(SHEET, BESIDE);
		expect(error).toContain(`The service is temporarily unavailable`);
		expect(error).toContain(idOf());
		expect(done).toEqual([]);
	});

	it('fails the items where the user wants that', async () => {
		sandbox.setOptions({ jobEnd });
		const { failed, done } = await collect(
			SHEET,
			{ options: { onFailedResult: 'error' } },
			{ onError: 'continueErrorOutput' },
		);
		expect(done).toEqual([]);
		expect(failed).toMatchObject(
			SHEET.map(({ id }) => ({ linked: id, error: expect.stringContaining(reason) as string })),
		);
	});

	it('is one item with its status where no rows are wanted, and an error where a file is', async () => {
		sandbox.setOptions({ jobEnd });
		const jobId = await createJob(sandbox);
		sandbox.finishJob(jobId);
		const wait = (output: string) => forJob('wait', jobId, { output });
		for (const output of ['job', 'status'])
			expect(await itemsOf(sandbox, wait(output))).toMatchObject([{ job_id: jobId, status: jobEnd }]);
		const text =
			jobEnd === 'failed'
				? `The job failed, so it has no results`
				: 'The job was cancelled, so it has no results';
		expect((await failureOf(sandbox, wait('file'))).message).toBe(text);
	});

	it('is one row for Wait, which does not know its values, and no job that Download can give', async () => {
		sandbox.setOptions({ jobEnd });
		const jobId = await createJob(sandbox);
		sandbox.finishJob(jobId);
		const rows = await itemsOf(sandbox, forJob('wait', jobId, { output: 'results' }));
		expect(rows).toMatchObject([{ job_id: jobId, value: null, found: false, success: false, reason }]);
		const { message, description } = await failureOf(
			sandbox,
			forJob('download', jobId, { output: 'results' }),
		);
		expect(message).toBe(
			`The job ${jobEnd === 'failed' ? 'failed' : 'was cancelled'}, so it has no results`,
		);
		if (jobEnd === 'failed') expect(description).toContain(WHY);
	});

	it('is over for a cancellation', async () => {
		sandbox.setOptions({ jobEnd });
		const jobId = await createJob(sandbox);
		sandbox.finishJob(jobId);
		const ignoring = forJob('cancel', jobId, { options: { ignoreEnded: true } });
		expect(await itemsOf(sandbox, ignoring)).toEqual([
			{ job_id: jobId, status: jobEnd, already_over: true },
		]);
	});

	it.each([
		[['finished'], []],
		[['any'], [{ found: false, success: false, reason }]],
	])('starts a workflow by call or by poll, if it listens for %j', async (events, items) => {
		const polling = triggerScenario(sandbox, new PriceCollectionPollingTrigger(), {
			events,
			output: 'results',
		});
		expect(await pollTrigger(polling, 'Ends')).toBeNull();
		sandbox.setOptions({ jobEnd });
		const job_id = await createJob(sandbox);
		sandbox.finishJob(job_id);
		const polled = ((await pollTrigger(polling, 'Ends'))?.[0] ?? []).map(({ json }) => json);
		expect(polled).toEqual(items.map((item) => ({ job_id, status: jobEnd, ...item })));
		const webhook = triggerScenario(sandbox, new PriceCollectionTrigger(), { events, output: 'results' });
		const { reply: given, response, isStored } = await callTrigger(webhook, 'Ends', { body: { job_id } });
		// Where the workflow starts, n8n answers with 200.
		expect(given.workflowData === undefined ? response.status : 200).toBe(200);
		const started = isStored ? await runCalled(webhook, 'Ends', given) : [];
		expect(started).toEqual(items.map((item) => ({ job_id, status: jobEnd, ...item })));
	});
});

describe('a job that ends with results', () => {
	const words = 'finished Completed complete done success SUCCEEDED ready timed_out time-out partial';
	test.each(words.split(' '))('by the word %s gives those that it has', async (word) => {
		sandbox.setOptions({ finishedSpelling: word, partialEnds: true });
		const { done } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject([
			{ linked: 'a', found: true },
			row('b', 'mug', 'not answered: the job ended without a result for this value'),
			{ linked: 'c', found: true },
		]);
	});
});

describe('a download of a finished job that is empty', () => {
	const empty = reply({ status: 'finished', results: [] });
	const download = (operation: string, jobId: string) => forJob(operation, jobId, { output: 'results' });

	it('is asked for again, by Collect, Wait and Download alike', async () => {
		fail('download', empty);
		const { done } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject(SHEET.map(({ id }) => ({ linked: id, found: true })));
		for (const operation of ['wait', 'download']) {
			fail('download', empty);
			const rows = await itemsOf(sandbox, download(operation, idOf()));
			expect(rows).toMatchObject([{ value: 'kettle' }, { value: 'mug' }]);
		}
	});

	it('is said in a row where it stays so', async () => {
		fail('download', empty, 'always');
		const { done } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject(rowsFor('not answered: the job ended without a result for this value'));
		const none = [{ job_id: idOf(), found: false, success: false, reason: 'the job has no results' }];
		for (const operation of ['wait', 'download'])
			expect(await itemsOf(sandbox, download(operation, idOf()))).toMatchObject(none);
	});
});

describe('a status that nobody knows', () => {
	const ending: INodeParameters = { waitOptions: { maxWait: 1 } };

	it('counts as running, and is named at the deadline', async () => {
		sandbox.setOptions({ finishedSpelling: 'archived' });
		const { done, running, hints } = await collect(SHEET, ending);
		expect(done).toEqual([]);
		expect(running).toMatchObject([{ job_id: idOf(), status: 'archived', still_running: true }]);
		expect(hints.join(' ')).toContain(
			'This node does not know the status "archived", so it counts as running. If it is the end of a job, add it to Finished Statuses or Failed Statuses in the credential (Customize Service).',
		);
	});

	it('is the end that the credential says', async () => {
		const credential = {
			customizeService: true,
			finishedStatuses: 'archived',
			failedStatuses: 'given up',
		};
		sandbox.setOptions({ finishedSpelling: 'archived' });
		expect((await collect(SHEET, { ...BESIDE, ...ending }, {}, credential)).done).toMatchObject(
			SHEET.map(({ id }) => ({ linked: id, found: true })),
		);
		sandbox.setOptions({ jobEnd: 'failed', failedSpelling: 'given_up' });
		expect((await collect(SHEET, { ...BESIDE, ...ending }, {}, credential)).done).toMatchObject(
			rowsFor(`the job failed: ${WHY}`),
		);
	});
});
