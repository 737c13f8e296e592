import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import { callsOf, collecting, collectingInLoop, itemsOf, useSandboxInTime, THROWING } from './collecting';
import { errorOf, hints, items, runWorkflow } from './harness';
import type { Scenario } from './harness';
import type { IncomingRequest } from './requests';
import { resumeByTimer, resumeByUrl } from './resume';
import { time } from './virtualClock';

const ITEMS = itemsOf('kettle', 'mug\nkettle', 'notfound-x');
const ROWS = ['a kettle true', 'b mug true', 'b kettle true', 'c notfound-x false'];
const NO_NODE = "Referenced node doesn't exist";
const SECRET = 'only-for-tests-of-callbacks';

// Callbacks are played by the tests.
const sandbox = useSandboxInTime({ jobDurationMs: 3_600_000, webhookDelayMs: 2 ** 30 });

function scene(
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
	credential: IDataObject = {},
	input = ITEMS,
): Scenario {
	return collecting(sandbox, input, { waitMode: 'webhook', ...parameters }, more, credential);
}

const urlOf = (index = 0) => String(sandbox.jobs[index]?.webhookUrl);
const idOf = (index = 0) => String(sandbox.jobs[index]?.job_id);
const doneRows = (run?: IRun) =>
	run === undefined
		? []
		: items(run, 'Done').map(({ linked, value, found }) => `${linked} ${value} ${found}`);

/** The call that the service makes at a job's end. */
async function call(scenario: Scenario, run: IRun, request: IncomingRequest = {}, index = 0) {
	return await resumeByUrl(scenario, run, urlOf(index), { body: { job_id: idOf(index) }, ...request });
}

/** What came of a call: the status that the caller saw, and the run where it went on. */
async function outcome(scenario: Scenario, run: IRun, request: IncomingRequest = {}, index = 0) {
	const reply = await call(scenario, run, request, index);
	if (reply.status !== 200) return { status: reply.status, run: undefined };
	return { status: reply.response.status, run: reply.run };
}

describe('collect suspended until the webhook', () => {
	it('suspends with the jobs on the second output until the deadline', async () => {
		const run = await runWorkflow(scene());
		const waitTill = Number(run.data.waitTill?.getTime());
		expect(Math.round((waitTill - Date.now() - time.skipped) / 60_000)).toBe(1440);
		expect(items(run, 'Prices', 0)).toEqual([]);
		expect(items(run, 'Prices', 1)).toMatchObject([
			{
				job_id: idOf(),
				still_running: true,
				note: expect.stringContaining('was still running at the last check'),
			},
		]);
		expect(JSON.stringify(items(run, 'Prices', 1))).not.toContain('webhook-waiting');
	});

	it('goes on at the callback, every row linked to its item', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const { status, run: resumed } = await outcome(scenario, run);
		expect(status).toBe(200);
		expect(doneRows(resumed)).toEqual(ROWS);
		expect(resumed?.data.waitTill).toBeUndefined();
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 1 });
	});

	it('says that a Webhook URL of the user is not called', async () => {
		const run = await runWorkflow(scene({ options: { webhookUrl: 'https://example.test/hook' } }));
		expect(urlOf()).toContain('/webhook-waiting/');
		expect(hints(run, 'Prices').map(({ message }) => message)).toEqual([
			expect.stringContaining('The option Webhook URL was ignored'),
			expect.stringContaining('Only callbacks can wake this execution'),
		]);
	});

	it('does not suspend for jobs that end at once', async () => {
		sandbox.setOptions({ jobDurationMs: 500 });
		const run = await runWorkflow(scene());
		expect(run.data.waitTill).toBeUndefined();
		expect(doneRows(run)).toEqual(ROWS);
	});

	it('looks at a few of many running jobs before it suspends, and at all that are over', async () => {
		const input = itemsOf(...Array.from({ length: 40 }, (_, index) => `term ${index}`));
		const scenario = scene({ options: { maxValuesPerJob: 1 } }, {}, {}, input);
		expect((await runWorkflow(scenario)).data.waitTill).toBeDefined();
		expect(callsOf(sandbox)).toMatchObject({ create: 40 });
		expect(callsOf(sandbox).status).toBeLessThanOrEqual(20);
		sandbox.reset();
		sandbox.setOptions({ jobDurationMs: 0, webhookDelayMs: 2 ** 30 });
		const run = await runWorkflow(scenario);
		expect(run.data.waitTill).toBeUndefined();
		expect(items(run, 'Done')).toHaveLength(40);
		expect(callsOf(sandbox)).toEqual({ create: 40, download: 40 });
	});

	it.each<[string, IncomingRequest]>([
		['GET with a query', { method: 'GET', body: {}, query: { job_id: 'ID' } }],
		['PUT with JSON', { method: 'PUT', body: { payload: { job_id: 'ID' } } }],
		[
			'POST with a form',
			{
				headers: { 'content-type': 'application/x-www-form-urlencoded' },
				body: { 'job[job_id]': 'ID', 'job[status]': 'finished' },
			},
		],
		[
			'POST with XML',
			{
				headers: { 'content-type': 'application/xml' },
				body: { hash: { 'job-id': 'ID', 'download-url': 'https://example.test/x' } },
			},
		],
		['no body at all', { body: {} }],
		['a body that names no job', { body: { hello: 'world', list: [1, 2] } }],
	])('understands %s', async (_name, request) => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const filled = JSON.parse(
			JSON.stringify(request).replaceAll('"ID"', `"${idOf()}"`),
		) as IncomingRequest;
		const { status, run: resumed } = await outcome(scenario, run, filled);
		expect(status).toBe(200);
		expect(doneRows(resumed)).toEqual(ROWS);
	});

	it('goes back to sleep where the service says that the job is not over, and hears the next callback', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		const early = await outcome(scenario, run, { body: { job_id: idOf(), status: 'finished' } });
		expect(early.status).toBe(200);
		expect(early.run?.data.waitTill).toEqual(run.data.waitTill);
		expect(items(early.run as IRun, 'Done') ?? []).toEqual([]);
		sandbox.finishJob(idOf());
		const { run: resumed } = await outcome(scenario, early.run as IRun);
		expect(doneRows(resumed)).toEqual(ROWS);
		expect(resumed?.data.waitTill).toBeUndefined();
	});

	it('waits a minute for a status that lags behind its callback', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.setOptions({ jobDurationMs: 1 });
		let skipped = 0;
		const listener = (milliseconds: number) => {
			skipped += milliseconds;
			if (skipped > 30_000) sandbox.finishJob(idOf());
		};
		time.listeners.add(listener);
		const { run: resumed } = await outcome(scenario, run);
		time.listeners.delete(listener);
		expect(doneRows(resumed)).toEqual(ROWS);
	});

	it('keeps waiting when the call is about another job', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const { status, run: resumed } = await outcome(scenario, run, { body: { job_id: 'someone-elses' } });
		expect([status, resumed]).toEqual([404, undefined]);
	});

	it('goes on when the last of several jobs is over, and looks at none again that was seen to be', async () => {
		const scenario = scene({ options: { maxValuesPerJob: 1 } });
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf(1));
		const first = await outcome(scenario, run, {}, 1);
		expect(first.run?.data.waitTill).toBeDefined();
		sandbox.finishJob(idOf(0));
		sandbox.clearRequests();
		const second = await outcome(scenario, first.run as IRun, {}, 0);
		expect(second.run?.data.waitTill).toBeDefined();
		const seen = sandbox.requests.map(({ path }) => path);
		expect(seen).not.toContain(`/v2/jobs/${idOf(1)}`);
		expect(seen).toContain(`/v2/jobs/${idOf(0)}`);
		expect((await outcome(scenario, second.run as IRun, {}, 0)).run).toBeUndefined();
		sandbox.finishJob(idOf(2));
		const { run: resumed } = await outcome(scenario, second.run as IRun, {}, 2);
		expect(doneRows(resumed)).toEqual(ROWS);
	});

	it('sleeps 15 minutes at the most where Still Running leads to a node that takes the jobs up', async () => {
		const scenario = collectingInLoop(sandbox, ITEMS, { waitMode: 'webhook' });
		const run = await runWorkflow(scenario);
		const asleep = Number(run.data.waitTill?.getTime()) - Date.now() - time.skipped;
		expect(Math.round(asleep / 1000)).toBe(900);
		expect(hints(run, 'Prices')).toEqual([]);
		sandbox.finishJob(idOf());
		time.skip(900_000);
		const late = await resumeByTimer(scenario, run);
		expect(doneRows(late)).toEqual(ROWS);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('never throws, and goes on, when the service cannot be asked about the job that it called for', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		sandbox.faults.add({
			match: { pathPattern: '/jobs/[^/]+$' },
			times: 6,
			fault: { type: 'htmlUnavailable' },
		});
		const { status, run: resumed } = await outcome(scenario, run);
		expect(status).toBe(200);
		expect(doneRows(resumed)).toEqual(ROWS);
	});

	it('goes back to sleep when the service stays beyond reach after the callback', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.faults.add({
			match: { pathPattern: '/jobs/[^/]+$' },
			times: 'always',
			fault: { type: 'serverError' },
		});
		const { run: resumed } = await outcome(scenario, run);
		expect(resumed && errorOf(resumed)).toBeUndefined();
		expect(resumed?.data.waitTill).toEqual(run.data.waitTill);
	});

	it('creates nothing anew when n8n runs the node again after an error of the resumed run', async () => {
		const scenario = scene({ values: 'kettle' }, { retryOnFail: true, waitBetweenTries: 0, maxTries: 2 });
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		sandbox.faults.add({ match: { pathPattern: '/download' }, times: 4, fault: { type: 'serverError' } });
		const { run: resumed } = await outcome(scenario, run);
		expect(doneRows(resumed)).toEqual(['a kettle true', 'b kettle true', 'c kettle true']);
		expect(sandbox.jobs).toHaveLength(1);
	});

	it('asks for a repeat when the credential cannot be read', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		const { status, run: resumed } = await outcome({ ...scenario, credentials: {} }, run);
		expect([status, resumed]).toEqual([503, undefined]);
	});

	it('refuses wrong addresses before anything else', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		const url = new URL(urlOf());
		url.searchParams.set('signature', 'wrong');
		expect((await resumeByUrl(scenario, run, url.href)).status).toBe(401);
		expect((await resumeByUrl(scenario, run, urlOf().replace('id-prices', 'id-other'))).status).toBe(404);
	});

	it('works for a node whose name would end an expression', async () => {
		const base = scene();
		const name = `Pri"ces' }} {{ $json`;
		const scenario: Scenario = {
			...base,
			nodes: base.nodes.map((node) => (node.name === 'Prices' ? { ...node, name } : node)),
			connections: {
				Items: { main: [[{ node: name, type: 'main', index: 0 }]] },
				[name]: base.connections.Prices ?? {},
			},
		};
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		expect(doneRows((await outcome(scenario, run)).run)).toEqual(ROWS);
	});
});

describe('with a webhook secret in the credential', () => {
	const signed = () => scene({}, {}, { webhookSecret: SECRET });

	it('accepts the URL that was given out, again and again', async () => {
		const scenario = signed();
		const run = await runWorkflow(scenario);
		expect([...new URL(urlOf()).searchParams.keys()]).toEqual([
			'signature',
			'pc_expires',
			'pc_nonce',
			'pc_signature',
		]);
		const early = await outcome(scenario, run);
		expect(early.run?.data.waitTill).toBeDefined();
		sandbox.finishJob(idOf());
		expect(doneRows((await outcome(scenario, early.run as IRun)).run)).toEqual(ROWS);
	});

	it('knows its own URL although the secret was changed meanwhile', async () => {
		const run = await runWorkflow(signed());
		sandbox.finishJob(idOf());
		const changed = scene({}, {}, { webhookSecret: 'another secret, chosen while the job ran' });
		expect(doneRows((await outcome(changed, run)).run)).toEqual(ROWS);
	});

	it.each([
		['missing', (url: URL) => url.searchParams.delete('pc_signature')],
		['wrong', (url: URL) => url.searchParams.set('pc_signature', 'a'.repeat(64))],
		['about another time', (url: URL) => url.searchParams.set('pc_expires', '9999999999')],
	])('answers 401 to a signature that is %s, and keeps waiting', async (_name, spoil) => {
		const scenario = signed();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const url = new URL(urlOf());
		spoil(url);
		const reply = await resumeByUrl(scenario, run, url.href, { body: { job_id: idOf() } });
		expect(reply).toMatchObject({ status: 200, response: { status: 401 } });
		expect(reply).not.toHaveProperty('run');
	});
});

describe('when no callback comes', () => {
	it('gives out the jobs as still running at the deadline, saying why', async () => {
		const scenario = scene({ waitOptions: { maxWait: 30 } });
		const run = await runWorkflow(scenario);
		time.skip(31 * 60_000);
		const late = await resumeByTimer(scenario, run);
		expect(items(late, 'Done')).toEqual([]);
		expect(items(late, 'Running')).toMatchObject([
			{
				job_id: idOf(),
				ticket: { givenUpBy: ['Prices'] },
				note: expect.stringContaining('Callbacks can arrive too early or get lost'),
			},
		]);
	});

	it('lets errors of before reach the error output, unlinked but with the item concerned', async () => {
		const scenario = scene(
			{ ...THROWING, waitOptions: { maxWait: 30 } },
			{ onError: 'continueErrorOutput' },
			{},
			itemsOf('kettle', 'throws'),
		);
		const late = await resumeByTimer(scenario, await runWorkflow(scenario));
		expect(items(late, 'Failed')).toMatchObject([
			{ error: expect.stringContaining(NO_NODE), details: { id: 'b' } },
		]);
		expect(items(late, 'Running')).toHaveLength(1);
	});

	it('links errors of before when the callback does come', async () => {
		const input = itemsOf('throws', 'kettle', 'fail-x');
		const scenario = scene(THROWING, { onError: 'continueErrorOutput' }, {}, input);
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const { run: resumed } = await outcome(scenario, run);
		expect(doneRows(resumed)).toEqual(['b kettle true', 'c fail-x false']);
		expect(resumed && items(resumed, 'Failed')).toMatchObject([
			{ linked: 'a', id: 'a', error: expect.stringContaining(NO_NODE) },
		]);
	});
});

describe('on an n8n that does not let the node run again', () => {
	it('asks for a repeat, and keeps waiting', async () => {
		const scenario = scene();
		const run = await runWorkflow(scenario);
		sandbox.finishJob(idOf());
		const type = scenario.nodeTypes['n8n-nodes-price-collection.priceCollection'];
		const original = type?.webhook;
		if (type === undefined || original === undefined) throw new Error('The node has no webhook()');
		// The member that is not public is taken away.
		type.webhook = async function () {
			const context = new Proxy(this, {
				get: (target, name) => {
					if (name === 'runExecutionData') return undefined;
					const value: unknown = Reflect.get(target, name);
					return typeof value === 'function' ? value.bind(target) : value;
				},
			});
			return await original.call(context);
		};
		const { status, run: resumed } = await outcome(scenario, run);
		expect([status, resumed]).toEqual([503, undefined]);
	});
});
