import type { INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { LEAVES, useCollecting } from '../support/collecting';
import { failureOf, forJob, itemsOf, reply } from '../support/core';
import { callTrigger, pollTrigger, runCalled } from '../support/trigger';
import { finishedJob, triggerScenario } from '../support/triggerSupport';
import { time } from '../support/virtualClock';

/** How jobs end, and what the items that asked get. `unit/service/statuses` has the words for it. */
const { sandbox, collect, idOf, fail } = useCollecting();

const WHY = 'the source blocked the job';

/** What two polls give: an end without results counts only once it is reported twice. */
async function polledTwice(scenario: Parameters<typeof pollTrigger>[0]) {
	const first = (await pollTrigger(scenario, 'Ends'))?.[0] ?? [];
	time.skip(60_000);
	return [...first, ...((await pollTrigger(scenario, 'Ends'))?.[0] ?? [])].map(({ json }) => json);
}

const SHEET = [
	{ id: 'a', term: 'kettle' },
	{ id: 'b', term: 'mug' },
	{ id: 'c', term: 'kettle' },
];
const BESIDE: INodeParameters = { options: { includeInputFields: true } };
const row = (linked: string, term: string, reason: string) => ({
	...{ linked, id: linked, term, result_value: term, result_found: false },
	...{ result_success: false, result_reason: reason },
});
const rowsFor = (reason: string) => SHEET.map(({ id, term }) => row(id, term, reason));

describe.each([
	['failed', `the job failed: ${WHY}`, 'The job failed, so it has no results', WHY],
	['cancelled', 'the job was cancelled', 'The job was cancelled, so it has no results', ''],
] as const)('a job that ends %s', (jobEnd, reason, noResults, why) => {
	beforeEach(() => sandbox.setOptions({ jobEnd }));

	it('gives every item that asked its row', async () => {
		const { done, running, hints } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject(rowsFor(reason));
		expect(running).toEqual([]);
		expect(hints.join(' ')).toContain('1 job, 2 values: 0 found, 0 not found, 0 failed, 2 unanswered.');
	});

	it('gives the results that are still served', async () => {
		sandbox.setOptions({ endedDownload: 'serve', partialEnds: true });
		const { done } = await collect(SHEET, BESIDE);
		const kettle = { term: 'kettle', result_found: true, result_success: true, result_reason: null };
		const [a, c] = ['a', 'c'].map((linked) => ({ linked, ...kettle }));
		expect(done).toMatchObject([a, row('b', 'mug', reason), c]);
	});

	it('fails the items where the user wants that', async () => {
		const options = { onFailedResult: 'error' };
		const { failed, done } = await collect(SHEET, { options }, { onError: 'continueErrorOutput' });
		expect(done).toEqual([]);
		const error = expect.stringContaining(reason) as string;
		expect(failed).toMatchObject(SHEET.map(({ id }) => ({ linked: id, error })));
	});

	it('is what each operation and output can say of it', async () => {
		const job_id = await finishedJob(sandbox);
		const wait = (output: string) => forJob('wait', job_id, { output });
		for (const output of ['job', 'status'])
			expect(await itemsOf(sandbox, wait(output))).toMatchObject([{ job_id, status: jobEnd }]);
		expect((await failureOf(sandbox, wait('file'))).message).toBe(noResults);
		// Wait does not know its values.
		const only = { job_id, value: null, found: false, success: false, reason };
		expect(await itemsOf(sandbox, wait('results'))).toMatchObject([only]);
		const download = await failureOf(sandbox, forJob('download', job_id, { output: 'results' }));
		expect(download.message).toBe(noResults);
		expect(download.description).toContain(why);
		const cancelled = await itemsOf(
			sandbox,
			forJob('cancel', job_id, { options: { ignoreEnded: true } }),
		);
		expect(cancelled).toEqual([{ job_id, status: jobEnd, already_over: true }]);
	});

	it.each([
		[['finished'], []],
		[['any'], [{ found: false, success: false, reason }]],
	])('starts a workflow by call or by poll, if it listens for %j', async (events, items) => {
		const listens = { events, output: 'results' };
		const polling = triggerScenario(sandbox, new PriceCollectionPollingTrigger(), listens);
		expect(await pollTrigger(polling, 'Ends')).toBeNull();
		const job_id = await finishedJob(sandbox);
		const polled = await polledTwice(polling);
		expect(polled).toEqual(items.map((item) => ({ job_id, status: jobEnd, ...item })));
		const webhook = triggerScenario(sandbox, new PriceCollectionTrigger(), listens);
		const { reply: given, response, isStored } = await callTrigger(webhook, 'Ends', { body: { job_id } });
		// If the workflow starts, n8n answers with 200.
		expect(given.workflowData === undefined ? response.status : 200).toBe(200);
		const started = isStored ? await runCalled(webhook, 'Ends', given) : [];
		expect(started).toEqual(items.map((item) => ({ job_id, status: jobEnd, ...item })));
	});
});

describe('a download of a finished job that is empty', () => {
	const empty = reply({ status: 'finished', results: [] });
	const download = (operation: string, jobId: string) => forJob(operation, jobId, { output: 'results' });

	it('is asked for again, by Collect, Wait and Download alike', async () => {
		fail('download', empty);
		const { done } = await collect(SHEET, BESIDE);
		expect(done).toMatchObject(SHEET.map(({ id }) => ({ linked: id, result_found: true })));
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
	const ending: INodeParameters = { waitOptions: { ...LEAVES, maxWait: 1 } };

	it('counts as running, and is named at the deadline', async () => {
		sandbox.setOptions({ finishedSpelling: 'archived' });
		const { done, running, hints } = await collect(SHEET, ending);
		expect(done).toEqual([]);
		expect(running).toMatchObject([{ job_id: idOf(), status: 'archived', still_running: true }]);
		expect(hints.join(' ')).toContain(
			'This node does not know the status "archived", so it counts as running. If it means that a job has ended, add it to Finished Statuses, Failed Statuses or Cancelled Statuses in the credential (Customize Service).',
		);
	});

	it('is the end that the credential says', async () => {
		const statuses = {
			...{ finishedStatuses: 'archived', failedStatuses: 'given up' },
			cancelledStatuses: 'withdrawn, stopped',
		};
		const credential = { customizeService: true, ...statuses };
		const done = async () => (await collect(SHEET, { ...BESIDE, ...ending }, {}, credential)).done;
		sandbox.setOptions({ finishedSpelling: 'archived' });
		expect(await done()).toMatchObject(SHEET.map(({ id }) => ({ linked: id, result_found: true })));
		sandbox.setOptions({ jobEnd: 'failed', failedSpelling: 'given_up' });
		expect(await done()).toMatchObject(rowsFor(`the job failed: ${WHY}`));
		sandbox.setOptions({ jobEnd: 'cancelled', cancelledSpelling: 'withdrawn' });
		expect(await done()).toMatchObject(rowsFor('the job was cancelled'));
	});
});
