import type { INodeParameters } from 'n8n-workflow';

import { callsOf, collecting, itemsOf, useSandboxInTime, TERMS, THROWING } from './collecting';
import { binaryContent, errorOf, hints, items, outputItems, runWorkflow, startWorkflow } from './harness';
import { credentialFor, locator, scenario } from './support';
import { time } from './virtualClock';

const sandbox = useSandboxInTime();

/** `linked value found` of every row. */
const rowsOf = (rows: ReturnType<typeof items>) =>
	rows.map(({ linked, value, found }) => `${linked} ${value} ${found}`);

describe('collect: rows beside the items that asked', () => {
	it('pays once for a value that three items ask for, and answers each', async () => {
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'toaster', 'kettle', 'kettle')));
		expect(errorOf(run)).toBeUndefined();
		expect(rowsOf(items(run, 'Done'))).toEqual([
			'a kettle true',
			'b toaster true',
			'c kettle true',
			'd kettle true',
		]);
		expect(outputItems(run, 'Prices').map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'toaster']]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
		expect(items(run, 'Prices', 1)).toEqual([]);
	});

	it('names the lists that could hold the entries where none is clear, and loses none of them', async () => {
		sandbox.setOptions({ contentShape: 'groupedLists' });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), { output: 'entries' }));
		const [row, ...others] = items(run, 'Done');
		expect(others).toEqual([]);
		expect(row).toMatchObject({
			...{ linked: 'a', value: 'kettle', found: true },
			offers: { new: expect.any(Array), used: expect.any(Array) },
		});
		expect(hints(run, 'Prices').map(({ message }) => message)).toContain(
			'In 1 result it is not clear which list holds the entries: each is one row with all of its content. These are in it: properties, specifications, offers.new, offers.used. Enter the right one as Content List in the options.',
		);
	});

	it('keeps input order over several jobs and several values of an item, whatever order results come in', async () => {
		sandbox.setOptions({ resultsOrder: 'reversed' });
		const input = itemsOf('pan\nlid', ['kettle', 'pan'], 'lid\n\nlid', 'mug');
		const run = await runWorkflow(collecting(sandbox, input, { options: { maxValuesPerJob: 2 } }));
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([
			['pan', 'lid'],
			['kettle', 'mug'],
		]);
		expect(rowsOf(items(run, 'Done'))).toEqual([
			'a pan true',
			'a lid true',
			'b kettle true',
			'b pan true',
			'c lid true',
			'd mug true',
		]);
	});

	it('gives every entry the item that asked', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug', 'kettle'), { output: 'entries' }),
		);
		const rows = items(run, 'Done');
		const count = (id: string) => rows.filter(({ linked }) => linked === id).length;
		expect(count('a')).toBeGreaterThan(1);
		expect(count('c')).toBe(count('a'));
		expect(rows.map(({ linked }) => linked)).toEqual(rows.map(({ linked }) => linked).sort());
	});

	it('creates jobs for each item with Grouping set to one job per item, and says what that means', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'kettle'), {
				options: { grouping: 'perItem', maxValuesPerJob: 1 },
			}),
		);
		expect(sandbox.jobs).toHaveLength(2);
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true', 'b kettle true']);
		const three = await runWorkflow(
			collecting(sandbox, itemsOf('kettle\nmug\nlid'), { options: { maxValuesPerJob: 1 } }),
		);
		expect(hints(three, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringContaining('This run creates 3 jobs for 1 item.'),
		);
	});

	it('tells what was not found, failed and stayed unanswered from what was found', async () => {
		sandbox.setOptions({ timeoutMinuteMs: 1_000 });
		const input = itemsOf('kettle', 'notfound-x', 'fail-no-access', 'slow-y');
		const run = await runWorkflow(collecting(sandbox, input, { options: { timeout: 60 } }));
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', success: true, found: true, reason: null },
			{ linked: 'b', success: true, found: false, reason: null },
			{ linked: 'c', success: false, found: false, reason: 'no access' },
			{ linked: 'd', success: false, found: false, reason: expect.stringContaining('not answered') },
		]);
		expect(hints(run, 'Prices').map(({ message }) => message)).toEqual([
			expect.stringMatching(
				/^1 job, 4 values: 1 found, 1 not found, 1 failed, 1 unanswered\. \d free credits used\. Estimate: 4 credits\.$/,
			),
		]);
	});

	it('tells a run with the test source, which charges nothing, from a real one', async () => {
		const summary = async (more: INodeParameters) => {
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug'), more));
			return hints(run, 'Prices').map(({ message }) => message.replace(/^.* failed\. /, ''));
		};
		expect(await summary({})).toEqual(['2 free credits used. Estimate: 2 credits.']);
		expect(await summary({ useTestSource: true })).toEqual(['The test source costs nothing.']);
	});

	it('leaves out failed and not found values where the user wants that', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'notfound-x', 'fail-x'), {
				options: { onFailedResult: 'skip', includeNotFound: false },
			}),
		);
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true']);
	});

	it('gives the same items from JSON and XML', async () => {
		const input = itemsOf('kettle', 'notfound-x', 'fail-x');
		const json = await runWorkflow(collecting(sandbox, input));
		const xml = await runWorkflow(collecting(sandbox, input, { options: { format: 'xml' } }));
		const plain = (rows: ReturnType<typeof items>) =>
			rows.map((row) => ({ ...row, job_id: '', collected_at: '', from_cache: null }));
		expect(plain(items(xml, 'Done'))).toEqual(plain(items(json, 'Done')));
	});

	it('makes one item per job of Job, File and Status, linked to all items that asked', async () => {
		const input = itemsOf('kettle', 'mug', 'kettle');
		for (const output of ['job', 'file', 'status']) {
			const run = await runWorkflow(
				collecting(sandbox, input, { output, options: { maxValuesPerJob: 1 } }),
			);
			const given = outputItems(run, 'Prices');
			expect(given.map(({ pairedItem }) => pairedItem)).toEqual([
				[{ item: 0 }, { item: 2 }],
				{ item: 1 },
			]);
			expect(given.map(({ json }) => typeof json.job_id)).toEqual(['string', 'string']);
			if (output === 'file') {
				const body = await binaryContent(given[1] ?? { json: {} });
				expect(JSON.parse(body.toString())).toMatchObject({ results: [{ query: { value: 'mug' } }] });
			}
			expect(given[0]?.json.results !== undefined).toBe(output === 'job');
		}
		expect(callsOf(sandbox).download).toBe(4);
	});

	it('gives out a cancelled job as one item with its status, in whatever spelling', async () => {
		for (const cancelledSpelling of ['cancelled', 'Canceled']) {
			sandbox.setOptions({ cancelledSpelling });
			const cancelFirst = () => {
				const [job] = sandbox.jobs.slice(-1);
				if (job?.status === 'new' || job?.status === 'working') void cancelJob(job.job_id);
			};
			time.listeners.add(cancelFirst);
			const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
			time.listeners.delete(cancelFirst);
			expect(items(run, 'Prices')).toMatchObject([{ status: cancelledSpelling }]);
			expect(outputItems(run, 'Prices')[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
			expect(items(run, 'Prices', 1)).toEqual([]);
		}
	});

	it('waits through statuses that nobody has heard of', async () => {
		sandbox.setOptions({ extraStatuses: ['pondering', 'error'], jobDurationMs: 60_000 });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true']);
	});
});

async function cancelJob(jobId: string): Promise<void> {
	await fetch(`${sandbox.url}/v2/jobs/${jobId}/cancel?token=${sandbox.apiKey}`, { method: 'POST' });
}

describe('collect: failures', () => {
	const failing = { options: { onFailedResult: 'error' } };
	const input = itemsOf('kettle', 'fail-x', 'mug');

	it('stops with an error that names the job and the value', async () => {
		const run = await runWorkflow(collecting(sandbox, input, failing));
		expect(errorOf(run)?.message).toBe('The service could not look up "fail-x": x');
		expect(errorOf(run)?.description).toContain(sandbox.jobs[0]?.job_id);
	});

	it('fails only the item concerned with Continue On Fail', async () => {
		const run = await runWorkflow(
			collecting(sandbox, input, failing, { onError: 'continueRegularOutput' }),
		);
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', value: 'kettle' },
			{ linked: 'b', error: expect.stringContaining('fail-x') },
			{ linked: 'c', value: 'mug' },
		]);
	});

	it('sends only the item concerned to the error output, with its own fields', async () => {
		const run = await runWorkflow(
			collecting(sandbox, input, failing, { onError: 'continueErrorOutput' }),
		);
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true', 'c mug true']);
		expect(items(run, 'Failed')).toMatchObject([
			{ linked: 'b', id: 'b', term: 'fail-x', error: expect.stringContaining('fail-x') },
		]);
	});

	it('goes on without items that cannot be asked for', async () => {
		const run = await runWorkflow(
			collecting(
				sandbox,
				[...itemsOf('throws', 'kettle'), { id: 'c', term: 'mug', country: ['de', 'at'] }],
				{ ...THROWING, country: locator('code', "={{ $json.country ?? 'de' }}") },
				{ onError: 'continueRegularOutput' },
			),
		);
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', error: expect.stringContaining("Referenced node doesn't exist") },
			{ linked: 'b', value: 'kettle' },
			{ linked: 'c', error: 'Country cannot be ["de","at"]' },
		]);
	});

	it('gives an error item to every item of a job that cannot be downloaded', async () => {
		sandbox.faults.add({
			match: { pathPattern: '/download' },
			times: 'always',
			fault: { type: 'refusal', reason: 'job forbidden', status: 403 },
		});
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug'), {}, { onError: 'continueRegularOutput' }),
		);
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', message: expect.stringContaining(String(sandbox.jobs[0]?.job_id)) },
			{ linked: 'b', message: expect.stringContaining(String(sandbox.jobs[0]?.job_id)) },
		]);
	});

	it('names the jobs that exist when a later one cannot be created', async () => {
		sandbox.faults.add({
			match: { method: 'POST', nth: 2 },
			fault: { type: 'refusal', reason: 'not enough free credits' },
		});
		const run = await runWorkflow(collecting(sandbox, input, { options: { maxValuesPerJob: 1 } }));
		expect(sandbox.jobs).toHaveLength(1);
		expect(errorOf(run)?.message).toContain('not enough credits');
		expect(errorOf(run)?.description).toContain(sandbox.jobs[0]?.job_id);
	});

	it('gives out the jobs that could be created beside the errors of the others', async () => {
		sandbox.faults.add({
			match: { method: 'POST', nth: 2 },
			fault: { type: 'refusal', reason: 'unknown source' },
		});
		const run = await runWorkflow(
			collecting(
				sandbox,
				itemsOf('kettle', 'mug', 'lid'),
				{ options: { maxValuesPerJob: 1 } },
				{ onError: 'continueRegularOutput' },
			),
		);
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', value: 'kettle' },
			{ linked: 'b', error: 'The service does not know this source' },
			{ linked: 'c', value: 'lid' },
		]);
	});

	it('takes up the jobs of a failed try when n8n runs the node again', async () => {
		sandbox.faults.add({
			match: { pathPattern: '/download' },
			times: 4,
			fault: { type: 'serverError' },
		});
		const run = await runWorkflow(
			collecting(sandbox, input, {}, { retryOnFail: true, waitBetweenTries: 0, maxTries: 2 }),
		);
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true', 'b fail-x false', 'c mug true']);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('creates only what an earlier try could not create', async () => {
		sandbox.faults.add({
			match: { method: 'POST', nth: 2 },
			fault: { type: 'refusal', reason: 'source disabled' },
		});
		const run = await runWorkflow(
			collecting(
				sandbox,
				itemsOf('kettle', 'mug', 'lid'),
				{ options: { maxValuesPerJob: 1 } },
				{ retryOnFail: true, waitBetweenTries: 0, maxTries: 2 },
			),
		);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle'], ['mug'], ['lid']]);
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true', 'b mug true', 'c lid true']);
	});

	it('takes them up when somebody runs the failed execution again', async () => {
		sandbox.faults.add({
			match: { pathPattern: '/download' },
			times: 4,
			fault: { type: 'serverError' },
		});
		const scene = collecting(sandbox, itemsOf('kettle', 'mug'));
		const failed = await runWorkflow(scene);
		expect(errorOf(failed)?.description).toContain(sandbox.jobs[0]?.job_id);
		// What n8n does with the stored execution.
		const stored = JSON.parse(JSON.stringify(failed.data)) as typeof failed.data;
		delete stored.resultData.error;
		stored.resultData.runData.Prices?.pop();
		const again = await runWorkflow(scene, stored);
		expect(rowsOf(items(again, 'Done'))).toEqual(['a kettle true', 'b mug true']);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('does not pay again where Retry On Fail meets an error item', async () => {
		await runWorkflow(
			collecting(
				sandbox,
				itemsOf('', 'kettle'),
				{},
				{ onError: 'continueRegularOutput', retryOnFail: true, waitBetweenTries: 0, maxTries: 3 },
			),
		);
		expect(sandbox.jobs).toHaveLength(1);
	});
});

describe('collect: deadline', () => {
	const long = { jobDurationMs: 3_600_000 };

	it('gives out what still runs by the second output, and never as a result', async () => {
		sandbox.setOptions(long);
		const start = Date.now() + time.skipped;
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug')));
		const [job] = sandbox.jobs;
		expect(items(run, 'Done')).toEqual([]);
		const [ticket] = items(run, 'Running');
		expect(ticket).toMatchObject({
			job_id: job?.job_id,
			status: 'working',
			still_running: true,
			ticket: { version: 1, givenUpBy: ['Prices'] },
		});
		expect(ticket?.results).toBeUndefined();
		const deadline = Date.parse(String(ticket?.deadline));
		expect(Math.abs(deadline - start - 600_000)).toBeLessThan(5_000);
		expect(Date.parse(String(ticket?.checked_at))).toBeGreaterThanOrEqual(deadline - 1);
		expect(outputItems(run, 'Prices', 1)[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		expect(hints(run, 'Prices').map(({ message }) => message)).toEqual([
			expect.stringContaining('held a worker'),
			'Not over yet: 1 job, see the output Still Running.',
		]);
	});

	it('cancels at the service, and reports that', async () => {
		sandbox.setOptions(long);
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 1, onDeadline: 'cancel' } }),
		);
		expect(sandbox.jobs[0]?.status).toBe('cancelled');
		expect(items(run, 'Done')).toMatchObject([{ status: 'cancelled', cancel_confirmed: true }]);
		expect(items(run, 'Running')).toEqual([]);
	});

	it('gives out the results of a job that finishes while it is to be cancelled', async () => {
		sandbox.setOptions(long);
		const scene = collecting(sandbox, itemsOf('kettle'), {
			waitOptions: { maxWait: 0, onDeadline: 'cancel' },
		});
		sandbox.faults.add({ match: { pathPattern: '/cancel$' }, fault: { type: 'delay', ms: 200 } });
		const running = runWorkflow(scene);
		await until(() => callsOf(sandbox).cancel === 1);
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		const run = await running;
		expect(callsOf(sandbox)).toMatchObject({ cancel: 1, download: 1 });
		expect(rowsOf(items(run, 'Done'))).toEqual(['a kettle true']);
	});

	it('stops with an error that names the job', async () => {
		sandbox.setOptions(long);
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 1, onDeadline: 'error' } }),
		);
		const [job] = sandbox.jobs;
		expect(errorOf(run)?.message).toBe(`Job ${job?.job_id} was still ${job?.status} at the deadline`);
		expect(errorOf(run)?.description).toContain('Raise Max Wait');
	});

	it('creates and hands over with a Max Wait of nothing', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait: 0 } }),
		);
		expect(items(run, 'Running')).toMatchObject([{ still_running: true }]);
		expect(callsOf(sandbox)).toEqual({ create: 1, status: 1 });
	});

	it('tells why the status is not known when the service cannot be asked', async () => {
		sandbox.faults.add({
			match: { pathPattern: '/jobs/[^/]+$' },
			times: 'always',
			fault: { type: 'htmlUnavailable' },
		});
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(items(run, 'Running')).toMatchObject([
			{
				status: 'new',
				note: 'The latest status check failed: The service is temporarily unavailable.',
			},
		]);
	});
});

describe('collect: stop', () => {
	/** What the browser's console shows. */
	const messages: string[] = [];
	beforeEach(() => void messages.splice(0));

	async function stopWhileItPolls(onStop: string): Promise<void> {
		sandbox.setOptions({ jobDurationMs: 3_600_000 });
		const scene = collecting(sandbox, itemsOf('kettle', 'mug'), {
			waitOptions: { onStop, onDeadline: 'cancel' },
			options: { maxValuesPerJob: 1 },
		});
		const { run, cancel } = await startWorkflow({ ...scene, messages });
		let looks = 0;
		const stop = () => {
			if (++looks === 4) cancel();
		};
		time.listeners.add(stop);
		await run;
		time.listeners.delete(stop);
	}

	it('cancels the jobs at the service', async () => {
		await stopWhileItPolls('cancel');
		await until(() => sandbox.jobs.every(({ status }) => status === 'cancelled'));
		await until(() => messages.filter((message) => message.includes('was cancelled')).length === 2);
		expect(sandbox.jobs).toHaveLength(2);
		for (const { job_id } of sandbox.jobs) {
			expect(messages.join()).toContain(
				`Price Collection: the execution was stopped, job ${job_id} was cancelled`,
			);
		}
	});

	it('leaves them running, and asks the service for nothing more', async () => {
		await stopWhileItPolls('leave');
		const asked = sandbox.requests.length;
		for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
		expect(sandbox.requests).toHaveLength(asked);
		expect(sandbox.jobs.map(({ endedAt }) => endedAt)).toEqual([null, null]);
		const [one, other] = sandbox.jobs.map(({ job_id }) => job_id);
		expect(messages.at(-1)).toContain(
			`Its jobs that have not ended keep running at the service: ${one}, ${other}. Wait and Download get their results, Cancel ends them.`,
		);
	});
});

/** Lets the event loop run until something is so. */
async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('collect: reading', () => {
	it('refuses more values than Max Values before anything is sent', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle', 'mug', 'lid'), { options: { maxValues: 2 } }),
		);
		expect(errorOf(run)?.message).toContain('This run would look up 3 values');
		expect(sandbox.requests).toEqual([]);
	});

	it('polls with a hint on the engine that cannot suspend', async () => {
		const scene = scenario(credentialFor(sandbox), { ...TERMS, waitMode: 'durable' }, itemsOf('kettle'));
		const run = await runWorkflow({ ...scene, settings: { engineType: 'v2' } as object });
		expect(run.data.waitTill).toBeUndefined();
		expect(items(run, 'Done')).toHaveLength(1);
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringContaining('cannot suspend'),
		);
	});

	it('remarks on a wait that held a worker for long', async () => {
		sandbox.setOptions({ jobDurationMs: 480_000 });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(hints(run, 'Prices').map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^This node held a worker for \d+ minutes/),
		);
	});
});
