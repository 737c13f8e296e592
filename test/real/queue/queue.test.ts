import { connect, node } from '../../engine/support/workflow';
import { createMcp, priceTool } from '../e2e/harness/agents';
import { locator } from '../e2e/harness/collecting';
import { NODE_TYPE, Outcome } from '../e2e/harness/e2e';
import { PAID_ONCE, startLab, until, type Lab, type Run } from './lab';
import { activateCalled } from './triggers';

const JOBS = 12;

/** Longer or random kills, and restarts, are in `chaos`, whose queue mode has the same parts. */
let lab: Lab;
let called: Awaited<ReturnType<typeof activateCalled>>;
/** Runs that an earlier test starts for a later one, because they mostly wait for n8n. */
let onTimer: Run;
let givenUp: Run;
let unsaved: [onTimer: Run, onCallback: Run];
let queuedTwice: [onTimer: Run, onCallback: Run];
const endsOfTwice: Array<ReturnType<Lab['endOfTwice']>> = [];

beforeAll(async () => {
	lab = await startLab();
	called = await activateCalled(lab);
});
afterAll(async () => {
	called?.end();
	await lab?.end();
});

async function expectAllRowsPaidOnce(run: Run): Promise<void> {
	expect(await lab.endOf(run)).toEqual({ status: 'success', error: undefined, rows: run.rows });
	expect(lab.bill(run)).toEqual(PAID_ONCE);
}

/** Those that an earlier test started must not be at work when another test kills their worker. */
const startedEarlierRest = async () => await lab.asleepOrOver([onTimer, ...unsaved, ...queuedTwice]);

/** Lets the jobs of such a run end from now on. */
function endJobsOf(run: Run): void {
	const end = lab.endOfTwice(run);
	end.catch(() => 'the test that reads it fails');
	endsOfTwice.push(end);
}

/** Every end starts the workflow, and passes the unique key once. */
async function expectNothingLost(ids: string[]): Promise<void> {
	await called.settled(ids);
	const started = called.startedFor(ids);
	console.log(`${ids.length} ends started the workflow ${started.length} times`);
	expect(new Set(started)).toEqual(new Set(ids));
	expect(called.handledFor(ids).sort()).toEqual([...ids].sort());
}

// n8n runs the tool after it has saved the execution, so the tool's memory stays in the worker's process.
it('a tool behind the MCP Server Trigger answers, and one worker pays once for the same question', async () => {
	const { sandbox, client, credential } = lab;
	sandbox.setOptions({ autoFinish: true });
	const asker = await createMcp({ tool: priceTool(), credential }, client);
	const [first, second] = await asker.ask([{ values: 'kettle' }, { values: 'kettle' }]);
	await asker.close();
	sandbox.setOptions({ autoFinish: false });
	expect(JSON.parse(String(first))).toMatchObject([{ value: 'kettle', found: true }]);
	expect(second).toBe(first);
	expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle']]);
});

describe('a worker is killed', () => {
	it('while runs sleep until their callback: another one goes on, and files are in the database', async () => {
		const settings = { saveDataSuccessExecution: 'none' };
		const [callback, file, ...started] = await Promise.all([
			lab.collect('webhook'),
			lab.collect('webhook', { output: 'file' }),
			lab.collect('durable'),
			Promise.all([lab.collect('durable', {}, settings), lab.collect('webhook', {}, settings)]),
			Promise.all([lab.collectTwice('durable'), lab.collectTwice('webhook')]),
		]);
		[onTimer, unsaved, queuedTwice] = started;
		const [first, second] = lab.cluster.workers;
		await second?.boot();
		await first?.kill9();
		for (const run of [callback, file, onTimer, ...unsaved]) lab.finish(run);
		// It sleeps on timers, so a test that kills a worker can see when it will wake.
		endJobsOf(queuedTwice[0]);

		await until('it has its results', () => lab.bill(unsaved[1]).downloads === 1);
		await expectAllRowsPaidOnce(callback);
		expect(lab.cluster.workersOf(callback.outcome.id)).toEqual([0, 1]);

		expect((await lab.endOf(file)).status).toBe('success');
		expect(lab.cluster.workersOf(file.outcome.id)).toEqual([0, 1]);
		const { workflowId, id } = file.outcome;
		const ended = new Outcome(workflowId, await lab.client.execution(id));
		const fileId = ended.outputItems('Collect')[0]?.binary?.data?.id ?? '';
		expect(fileId).toMatch(/^database:/);
		// The main process reads what the worker has written.
		const content = JSON.parse((await lab.client.binary(fileId)).toString()) as { job_id: string };
		expect(content.job_id).toBe(lab.jobIdOf(file));
		expect(lab.bill(file)).toEqual(PAID_ONCE);
	});

	it('right after it was woken by a callback, and the process that took the call as well', async () => {
		const [woken] = await Promise.all([lab.collect('webhook'), lab.cluster.workers[0]?.boot()]);
		const download = `/${lab.jobIdOf(woken)}/download`;
		lab.sandbox.faults.add({ match: { pathPattern: download }, fault: { type: 'noAnswer' } });
		lab.finish(woken);
		await until('it downloads', () => lab.sandbox.requests.some(({ path }) => path.endsWith(download)));
		await startedEarlierRest();
		const worker = lab.cluster.workerWith(woken.outcome.id);
		const { webhooks } = lab.cluster;
		await Promise.all([worker?.kill9(), webhooks.kill9()]);
		await Promise.all([worker?.boot(), webhooks.boot()]);
		expect(worker).toBeDefined();

		expect((await lab.endOf(woken)).status).toBe('crashed');
		await expectAllRowsPaidOnce(await lab.retryByHand(woken));
	});
});

describe('all workers are killed', () => {
	it('while they poll: a retry by hand of what n8n calls crashed takes up the job', async () => {
		const held = await lab.collect('poll');
		const { workers } = lab.cluster;
		givenUp = await lab.collect('poll');
		await startedEarlierRest();
		await Promise.all(workers.map(async (worker) => await worker.kill9()));
		for (const run of [held, givenUp]) lab.finish(run);
		await Promise.all(workers.map(async (worker) => await worker.boot()));
		// No other worker is killed, so calls may wake this one.
		endJobsOf(queuedTwice[1]);
		expect((await lab.endOf(held)).status).toBe('crashed');
		await expectAllRowsPaidOnce(await lab.retryByHand(held));
	});
});

it('the webhook trigger loses no end that two processes are told of at once', async () => {
	const ids = await called.createJobs(JOBS);
	for (const jobId of ids) {
		lab.sandbox.finishJob(jobId);
		// In addition to the service's own call, which goes through the gateway.
		const body = JSON.stringify({ job_id: jobId });
		const headers = { 'content-type': 'application/json' };
		for (const { url } of [lab.cluster.main, lab.cluster.webhooks]) {
			void fetch(url + called.path, { method: 'POST', headers, body }).catch(() => undefined);
		}
	}
	await expectNothingLost(ids);
});

// If an execution's worker is gone, the process that queued it, here the webhook processor, finally replaces its
// data with an error, and there is nothing left to retry. So that process must not be killed before.
it('n8n has given up a run whose worker was killed: a retry by hand pays nothing, and Wait takes its job up', async () => {
	const run = givenUp;
	await until('n8n gives the run up', async () => (await lab.endOf(run)).status === 'error');
	const { error } = await lab.endOf(run);
	// Which of the two depends on whether that process is notified or finds out itself.
	expect(error).toMatch(/failed to be processed too many times|job stalled more than/);
	const retry = `/rest/executions/${run.outcome.id}/retry`;
	const retried = (await lab.client.call('POST', retry, { loadWorkflow: false })) as {
		status: string;
	};
	expect(retried.status).toBe('error');
	const jobs = node('Jobs', NODE_TYPE, { resource: 'job', operation: 'getAll', returnAll: true });
	const listed = await lab.run([jobs], connect({ Start: ['Jobs'] }));
	const jobId = lab.jobIdOf(run);
	expect(listed.items('Jobs').map(({ job_id }) => job_id)).toContain(jobId);
	const wait = node('Wait', NODE_TYPE, {
		resource: 'job',
		operation: 'wait',
		jobId: locator('id', jobId),
	});
	const taken = await lab.run([wait], connect({ Start: ['Wait'] }));
	expect(taken.items('Wait').map((row) => `${row.result_value} ${row.result_found}`)).toEqual([
		`${run.term} true`,
		`${run.term} red true`,
	]);
	expect(lab.bill(run)).toEqual(PAID_ONCE);
});

it('the webhook trigger loses no end while the webhook processor that takes the calls is killed', async () => {
	const ids = await called.createJobs(JOBS);
	const half = JOBS / 2;
	for (const jobId of ids.slice(0, half)) lab.sandbox.finishJob(jobId);
	await until('the first call is answered', () => called.callsFor(ids).includes(200));
	await lab.cluster.webhooks.kill9();
	for (const jobId of ids.slice(half)) lab.sandbox.finishJob(jobId);
	await until('a call finds nobody', () => called.callsFor(ids).includes(503));
	await lab.cluster.webhooks.boot();
	await expectNothingLost(ids);
});

describe('what had to wait for n8n', () => {
	it('goes on with a run on a timer whose worker was killed', async () => {
		await expectAllRowsPaidOnce(onTimer);
		const workers = lab.cluster.workersOf(onTimer.outcome.id);
		expect(workers[0]).toBe(0);
		expect(workers.length).toBeGreaterThan(1);
	});

	it('goes on with nodes that n8n has queued twice: every item has its row, paid for once', async () => {
		expect(await Promise.all(endsOfTwice)).toEqual(
			queuedTwice.map(({ rows, term }) => ({
				...{ status: 'success', rows },
				bought: rows
					.map((row) => row.slice(2, -' true'.length))
					.filter((value) => value.startsWith(term)),
			})),
		);
		for (const { outcome } of queuedTwice)
			expect(lab.cluster.workersOf(outcome.id).length).toBeGreaterThan(1);
	});

	it('goes on with runs of a workflow whose successful executions are not saved', async () => {
		for (const run of unsaved) {
			await until('it has its results', () => lab.bill(run).downloads === 1);
			const { workflowId } = run.outcome;
			const isDeleted = async () => (await lab.client.executionsOf(workflowId)).length === 0;
			await until('n8n has deleted it', isDeleted);
			expect(lab.bill(run)).toEqual(PAID_ONCE);
		}
	});
});
