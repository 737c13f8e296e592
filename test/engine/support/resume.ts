import { parse, stringify } from 'flatted';
import { createRunExecutionData } from 'n8n-workflow';
import type { IDataObject, IRun, IRunExecutionData, ITaskData, IWebhookResponseData } from 'n8n-workflow';
import { EXECUTION_ID, build, runWorkflow, type Scenario } from './harness';
import { runWebhook, webhookOf } from './requests';
import type { IncomingRequest, WrittenResponse } from './requests';
import { now, time } from './virtualClock';

/** What n8n writes to its database: every object and every text once, however often it occurs. */
export function saved(run: IRun): string {
	return stringify(run.data);
}

/** What n8n's database returns: class instances and Dates do not survive. */
function persisted(run: IRun): IRunExecutionData {
	const data = parse(saved(run)) as IRunExecutionData;
	return { ...data, waitTill: run.data.waitTill && new Date(run.data.waitTill) };
}

/** Resumes a parked run by its timer: the parked items flow on. */
export async function resumeByTimer(scenario: Scenario, run: IRun): Promise<IRun> {
	return await runWorkflow(scenario, persisted(run));
}

/** Milliseconds until n8n resumes a parked run by itself. */
export function asleepFor(run: IRun): number {
	return new Date(run.data.waitTill ?? 0).getTime() - now();
}

/** Lets timers pass until the run ends, at most this many. */
export async function throughTimers(scenario: Scenario, parked: IRun, most = 200): Promise<IRun> {
	let run = parked;
	for (let timers = 0; run.data.waitTill !== undefined && timers < most; timers++) {
		time.skip(Math.max(0, asleepFor(run)));
		run = await resumeByTimer(scenario, run);
	}
	return run;
}

/**
 * Retries a failed run by hand, as n8n's ExecutionService.retry() does with the stored execution. Everything but the
 * last node's failed round is kept, and a new execution continues from there.
 *
 * @returns the retry, and the scenario for that execution
 */
export async function retryByHand(
	scenario: Scenario,
	run: IRun,
	executionId: string,
): Promise<{ run: IRun; scenario: Scenario }> {
	if (run.finished === true) throw new Error('n8n retries failed executions only');
	const data = persisted(run);
	const { resultData } = data;
	delete resultData.error;
	const last = resultData.runData[resultData.lastNodeExecuted ?? ''];
	if (last?.at(-1)?.error !== undefined) last.pop();
	const again: Scenario = { ...scenario, executionId, mode: 'retry' };
	return { run: await runWorkflow(again, data), scenario: again };
}

/** Whether n8n's event log records the run that was killed. */
export type EventLog = 'with its event log' | 'without its event log';

/**
 * Retries a run by hand after n8n was killed in the middle of it. The retry starts from what n8n stored at the start,
 * and no node context is left. If n8n's event log records the run, its ExecutionRecoveryService has replaced the nodes'
 * output with its own items, with times in seconds.
 *
 * @param startedAt when the killed run began, in milliseconds; absent in an n8n that does not store it
 */
export async function retryAfterKill(
	scenario: Scenario,
	executionId: string,
	startedAt: number | undefined,
	eventLog: EventLog,
): Promise<IRun> {
	const [start] = scenario.nodes;
	if (start === undefined) throw new Error('The scenario has no nodes');
	const input = (scenario.input ?? [{}]) as IDataObject[];
	const recovered: ITaskData = {
		startTime: Math.floor((startedAt ?? now()) / 1000),
		executionIndex: 0,
		executionTime: 1,
		executionStatus: 'success',
		source: [null],
		data: { main: [[{ json: { isArtificialRecoveredEventItem: true }, pairedItem: undefined }]] },
	};
	const data = createRunExecutionData({
		resultData:
			eventLog === 'with its event log'
				? { runData: { [start.name]: [recovered], Prices: [] }, lastNodeExecuted: 'Prices' }
				: { runData: {} },
		executionData: {
			nodeExecutionStack: [
				{ node: start, data: { main: [input.map((json) => ({ json }))] }, source: null },
			],
			...(startedAt !== undefined && {
				runtimeData: { version: 1, establishedAt: startedAt, source: 'trigger' },
			}),
		},
	});
	return await runWorkflow({ ...scenario, executionId, mode: 'retry' }, data);
}

/**
 * The service calls a parked run back: does what n8n's waiting route does after its checks. `reply` is what webhook()
 * returned, `response` what it wrote itself; `run` is absent while the workflow keeps waiting. A throw inside webhook()
 * is not caught, because it must not happen in n8n.
 */
export async function resumeByWebhook(
	scenario: Scenario,
	run: IRun,
	request: IncomingRequest,
): Promise<{ reply: IWebhookResponseData; response: WrittenResponse; run?: IRun }> {
	const data = persisted(run);
	const last = data.resultData.lastNodeExecuted ?? '';
	const entry = data.executionData?.nodeExecutionStack[0];
	if (!entry) throw new Error('The run is not parked');
	entry.node.disabled = true;
	data.waitTill = undefined;
	data.resultData.runData[last]?.pop(); // webhook() cannot reach the parked node's output
	const { reply, written } = await runWebhook(scenario, last, request, data);
	if (!reply.workflowData) return { reply, response: written };
	entry.data.main = reply.workflowData;
	entry.metadata = { ...entry.metadata, forwardAllOutputs: true };
	const resumed = await runWorkflow(scenario, JSON.parse(JSON.stringify(data)) as IRunExecutionData);
	return { reply, response: written, run: resumed };
}

/**
 * The same through the URL that the service got. It first checks what n8n's route checks, so that a wrong URL fails
 * here as in n8n, with a `status` of 401 or 404.
 */
export async function resumeByUrl(
	scenario: Scenario,
	run: IRun,
	address: string,
	request: IncomingRequest = {},
): Promise<{ status: 401 | 404 } | ({ status: 200 } & Awaited<ReturnType<typeof resumeByWebhook>>)> {
	const url = new URL(address);
	const [, route, execution, suffix = ''] = url.pathname.split('/');
	if (route !== 'webhook-waiting' || execution !== (scenario.executionId ?? EXECUTION_ID))
		return { status: 404 };
	if (url.searchParams.get('signature') !== run.data.resumeToken) return { status: 401 };
	const { workflow, additionalData } = build(scenario);
	const node = workflow.getNode(run.data.resultData.lastNodeExecuted ?? '');
	if (!node) return { status: 404 };
	const method = request.method ?? 'POST';
	const webhook = webhookOf(workflow, node, additionalData, true, method);
	if (webhook.path !== suffix || webhook.httpMethod !== method) return { status: 404 };
	const query = { ...Object.fromEntries(url.searchParams), ...request.query };
	return { status: 200, ...(await resumeByWebhook(scenario, run, { ...request, method, query })) };
}
