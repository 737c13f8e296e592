import type { IDataObject, INode } from 'n8n-workflow';

import { callsOf, collecting, itemsOf, useCollecting } from '../support/collecting';
import { binaryContent, outputItems, startWorkflow, until } from '../support/harness';
import { valuesPerJob } from '../support/common';
import { locator } from '../support/common';
import { now, time } from '../support/virtualClock';

const { sandbox, collect, fail, finish, idOf, idsOfJobs, valuesOfJobs } = useCollecting();

const EACH = valuesPerJob(1);
const HOUR_MS = 3_600_000;

describe('collect: rows beside the items that asked', () => {
	it('pays once for a value that three items ask for, and answers each', async () => {
		const { rows, links, running } = await collect(['kettle', 'toaster', 'kettle', 'kettle']);
		expect(rows).toEqual(['a kettle true', 'b toaster true', 'c kettle true', 'd kettle true']);
		expect(links).toEqual([0, 1, 2, 3].map((item) => ({ item })));
		expect(valuesOfJobs()).toEqual([['kettle', 'toaster']]);
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
		expect(running).toEqual([]);
	});

	it('keeps input order over several jobs and several values of an item, whatever order results come in', async () => {
		sandbox.setOptions({ resultsOrder: 'reversed' });
		const asked = ['pan\nlid', ['kettle', 'pan'], 'lid\n\nlid', 'mug'];
		const { rows } = await collect(asked, {}, {}, valuesPerJob(2));
		expect(valuesOfJobs()).toEqual([
			['pan', 'lid'],
			['kettle', 'mug'],
		]);
		const given = ['a pan', 'a lid', 'b kettle', 'b pan', 'c lid', 'd mug'];
		expect(rows).toEqual(given.map((row) => `${row} true`));
	});

	it('tells what was not found, failed and stayed unanswered from what was found', async () => {
		sandbox.setOptions({ timeoutMinuteMs: 1_000 });
		const asked = ['kettle', 'notfound-x', 'fail-no-access', 'slow-y'];
		const { done, hints } = await collect(asked, { options: { timeout: 60 } });
		expect(done).toMatchObject([
			{ linked: 'a', success: true, found: true, reason: null },
			{ linked: 'b', success: true, found: false, reason: 'not found' },
			{ linked: 'c', success: false, found: false, reason: 'no access' },
			{ linked: 'd', success: false, found: false, reason: expect.stringContaining('not answered') },
		]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^1 job, 4 values: 1 found, 1 not found, 1 failed, 1 unanswered\. Credits used: 0 paid, 2 free\. Estimate: 4 credits\.$/,
			),
		]);
	});

	it.each([
		['product_and_offers', 1],
		['search', 10],
	])('makes rows by topic if Output is Automatic: %s', async (topic, count) => {
		const { done } = await collect(['many-10'], { topic, output: '' });
		expect(done.map(({ linked, value }) => [linked, value])).toEqual(Array(count).fill(['a', 'many-10']));
	});

	it.each(['job', 'file', 'status'])(
		'makes one item per job of %s, linked to all that asked',
		async (output) => {
			const { run, links } = await collect(['kettle', 'mug', 'kettle'], { output }, {}, EACH);
			expect(links).toEqual([[{ item: 0 }, { item: 2 }], { item: 1 }]);
			const given = outputItems(run, 'Prices');
			expect(given.map(({ json }) => [json.job_id, json.results !== undefined])).toEqual(
				[idOf(0), idOf(1)].map((id) => [id, output === 'job']),
			);
			if (output === 'file') {
				const body = await binaryContent(given[1] ?? { json: {} });
				expect(JSON.parse(body.toString())).toMatchObject({ results: [{ query: { value: 'mug' } }] });
			}
			expect(callsOf(sandbox).download).toBe(output === 'status' ? undefined : 2);
		},
	);
});

describe('collect: failures', () => {
	const FAILED = 'The service could not look up "fail-x": x';
	const rowOf = (linked: string): IDataObject => ({ linked, success: true, found: true });
	const [a, c] = [rowOf('a'), rowOf('c')];
	const b: IDataObject = { linked: 'b', error: expect.stringContaining(FAILED) };

	it.each<[INode['onError'], IDataObject[], IDataObject[]]>([
		['stopWorkflow', [], []],
		['continueRegularOutput', [a, b, c], []],
		['continueErrorOutput', [a, c], [{ ...b, id: 'b', term: 'fail-x' }]],
	])('fails the node or only the item concerned with %s', async (onError, rows, errors) => {
		const options = { onFailedResult: 'error' };
		const { done, failed, error } = await collect(
			['kettle', 'fail-x', 'mug'],
			{ options },
			{ onError },
			EACH,
		);
		expect([done, failed]).toMatchObject([rows, errors]);
		const said =
			onError === 'stopWorkflow'
				? [FAILED, idOf(1), `Jobs of this run: ${idsOfJobs().join(', ')}. Nothing is lost`]
				: [];
		for (const text of said) expect(error).toContain(text);
	});

	it.each(['collect', 'download'])(
		'says of each item why its settings do not fit: %s',
		async (operation) => {
			const format = `={{ $json.term === 'kettle' ? 'csv' : 'xlsx' }}`;
			const parameters = { operation, jobId: locator('id', 'abc'), options: { format } };
			const { done } = await collect(['kettle', 'mug'], parameters, {
				onError: 'continueRegularOutput',
			});
			expect(done.map(({ error }) => error)).toEqual([
				expect.stringContaining('CSV is only available as a file'),
				expect.stringContaining('XLSX is only available as a file'),
			]);
			expect(sandbox.requests).toEqual([]);
		},
	);

	it('gives an error item to every item of a job that cannot be downloaded', async () => {
		fail('download', { type: 'refusal', reason: 'job forbidden', status: 403 }, 'always');
		const { done } = await collect(['kettle', 'mug'], {}, { onError: 'continueRegularOutput' });
		const message = expect.stringContaining(idOf());
		expect(done).toMatchObject(['a', 'b'].map((linked) => ({ linked, message })));
	});
});

describe('collect: deadline', () => {
	const ending = (maxWait: number, onDeadline = 'stillRunning') => ({
		waitOptions: { maxWait, onDeadline },
	});
	beforeEach(() => sandbox.setOptions({ jobDurationMs: HOUR_MS }));

	it('gives out what still runs by the second output, and never as a result', async () => {
		const start = now();
		const { done, running, run, hints } = await collect(['kettle', 'mug'], ending(10));
		const [ticket] = running;
		expect(done).toEqual([]);
		const given = { version: 1, timedOutNodes: ['Prices'] };
		expect(ticket).toMatchObject({
			job_id: idOf(),
			status: 'working',
			still_running: true,
			ticket: given,
		});
		expect(ticket?.results).toBeUndefined();
		const deadline = Date.parse(String(ticket?.deadline));
		expect(Math.abs(deadline - start - 600_000)).toBeLessThan(5_000);
		expect(Date.parse(String(ticket?.checked_at))).toBeGreaterThanOrEqual(deadline - 1);
		expect(outputItems(run, 'Prices', 1)[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		expect(hints).toEqual([
			expect.stringMatching(/^This node held a worker for \d+ minutes/),
			'On the output Still Running: 1 job. A Price Collection node set to Wait, connected there, gets the results.',
		]);
	});

	it('cancels at the service, and reports that', async () => {
		const { done, running } = await collect(['kettle'], ending(1, 'cancel'));
		expect(sandbox.jobs[0]?.status).toBe('cancelled');
		const row = { linked: 'a', value: 'kettle', found: false, success: false };
		expect(done).toMatchObject([{ ...row, reason: 'the job was cancelled' }]);
		expect(running).toEqual([]);
	});

	it('gives out the results of a job that finishes while it is to be cancelled', async () => {
		fail('cancel', { type: 'delay', ms: 200 });
		const outcome = collect(['kettle'], ending(0, 'cancel'));
		await until(() => callsOf(sandbox).cancel === 1);
		finish(0);
		expect((await outcome).rows).toEqual(['a kettle true']);
		expect(callsOf(sandbox)).toMatchObject({ cancel: 1, download: 1 });
	});
});

describe('collect: stop', () => {
	/** What the browser's console shows after n8n stops a polling run. */
	async function stopWhileItPolls(onStop: string, atStop = () => {}): Promise<string[]> {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		const messages: string[] = [];
		const parameters = { waitOptions: { onStop, onDeadline: 'cancel' } };
		const scene = collecting(sandbox, itemsOf('kettle', 'mug', 'lid'), parameters, {}, EACH);
		const { run, cancel } = await startWorkflow({ ...scene, messages });
		let looks = 0;
		const stop = () => {
			if (++looks !== 4) return;
			atStop();
			cancel();
		};
		time.listeners.add(stop);
		await run;
		time.listeners.delete(stop);
		return messages;
	}

	it('cancels the jobs at the service, and says nothing of one that is over already', async () => {
		const messages = await stopWhileItPolls('cancel', () => finish(0));
		await until(() => sandbox.jobs[2]?.status === 'cancelled' && messages.length >= 2);
		expect(messages).toHaveLength(2);
		expect(sandbox.jobs.map(({ status }) => status)).toEqual(['finished', 'cancelled', 'cancelled']);
		expect(callsOf(sandbox).cancel).toBe(3);
		for (const index of [1, 2]) {
			const text = `Price Collection: the execution was stopped, job ${idOf(index)} was cancelled`;
			expect(messages.join()).toContain(text);
		}
	});

	it('leaves them running, and asks the service for nothing more', async () => {
		const messages = await stopWhileItPolls('leave');
		const asked = sandbox.requests.length;
		for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
		expect(sandbox.requests).toHaveLength(asked);
		expect(sandbox.jobs.map(({ endedAt }) => endedAt)).toEqual([null, null, null]);
		expect(messages.at(-1)).toContain(
			`Its jobs that have not ended keep running at the service: ${idsOfJobs().join(', ')}. Wait and Download get their results, Cancel ends them.`,
		);
	});

	it('cancels the jobs that exist while others are still being created', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		fail('create', { type: 'delay', ms: 300 }, { nth: 2 });
		const parameters = { waitOptions: { onStop: 'cancel' } };
		const scene = collecting(sandbox, itemsOf('kettle', 'mug', 'lid'), parameters, {}, EACH);
		const { run, cancel } = await startWorkflow(scene);
		await until(() => callsOf(sandbox).create === 2);
		cancel();
		await run;
		await until(() => sandbox.jobs[0]?.status === 'cancelled');
		expect(sandbox.jobs.filter(({ status }) => status !== 'cancelled').length).toBeLessThan(2);
	});
});
