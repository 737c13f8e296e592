import { HookContext, PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWebhookResponseData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { build, items, runWorkflow, useBinaryStore, type Scenario } from './harness';
import { runWebhook, webhookOf } from './requests';
import type { IncomingRequest, WrittenResponse } from './requests';

function find(workflow: Workflow, name: string): { node: INode; type: INodeType } {
	const node = workflow.getNode(name);
	if (!node) throw new Error(`The workflow has no node ${name}`);
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion) as INodeType;
	return { node, type };
}

/** A scenario whose n8n may be slow to store an execution, or fail to. */
export interface TriggerScenario extends Scenario {
	/** Whether the execution could be stored. */
	storing?: () => Promise<boolean>;
}

/**
 * Saves static data as n8n does after a run: as JSON only. It replaces `scenario.staticData`, so that the next call of
 * the same scenario sees what the database would return.
 */
function saveStaticData(scenario: Scenario, workflow: Workflow): void {
	scenario.staticData = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
}

/** Calls the production address of a webhook trigger. */
export async function callTrigger(
	scenario: Scenario,
	name: string,
	request: IncomingRequest,
): Promise<{ reply: IWebhookResponseData; response: WrittenResponse; isStored: boolean }> {
	await useBinaryStore();
	const { reply, written, response, workflow } = await runWebhook(scenario, name, request);
	const { storing = async () => true } = scenario as TriggerScenario;
	const isStored = reply.workflowData === undefined || (await storing());
	// n8n stores the execution, then saves the static data if it changed, then answers.
	if (isStored) saveStaticData(scenario, workflow);
	if (reply.workflowData !== undefined && reply.noWebhookResponse !== true) {
		const real = Object.assign(response, { statusCode: isStored ? 200 : 500 });
		real.status(real.statusCode).end(isStored ? reply.webhookResponse : undefined);
	}
	return { reply, response: written, isStored };
}

/** Runs the execution that a call starts, and returns what reaches the nodes behind the trigger. */
export async function runCalled(
	scenario: Scenario,
	name: string,
	{ workflowData }: IWebhookResponseData,
): Promise<IDataObject[]> {
	if (workflowData === undefined) return [];
	return items(await runWorkflow({ mode: 'webhook', ...scenario, input: workflowData[0] }), name);
}

/** A polling trigger with a new context. */
function polling(
	scenario: Scenario,
	name: string,
	activationMode: WorkflowActivateMode,
	emit?: ConstructorParameters<typeof PollContext>[5],
) {
	const mode = scenario.mode ?? 'trigger';
	const { workflow, additionalData } = build({ ...scenario, mode });
	const { node, type } = find(workflow, name);
	const activation = mode === 'manual' ? 'manual' : activationMode;
	const context = new PollContext(workflow, node, additionalData, mode, activation, emit);
	return { workflow, context, poll: async () => (await type.poll?.call(context)) ?? null };
}

/** One round of a polling trigger; `mode: 'manual'` in the scenario is a click on its test button. */
export async function pollTrigger(
	scenario: Scenario,
	name: string,
	activationMode: WorkflowActivateMode = 'update',
): Promise<INodeExecutionData[][] | null> {
	await useBinaryStore();
	const { workflow, poll } = polling(scenario, name, activationMode);
	const found = await poll();
	saveStaticData(scenario, workflow);
	return found;
}

/**
 * A polling trigger as n8n keeps it while the workflow is active: one context for all its polls. With durable cursors
 * its static data is a plain copy, which n8n saves in one transaction with the execution.
 */
export function pollContext(
	scenario: Scenario,
	name: string,
	emit: (data: INodeExecutionData[][], response: unknown, done: { reject: (error: Error) => void }) => void,
	{ isDurable = false } = {},
) {
	const { workflow, context, poll } = polling(scenario, name, 'activate', emit as never);
	if (isDurable) {
		const cursor = JSON.parse(JSON.stringify(context.getWorkflowStaticData('node'))) as IDataObject;
		const ofWorkflow = context.getWorkflowStaticData('global');
		context.getWorkflowStaticData = (kind) => (kind === 'node' ? cursor : ofWorkflow);
	} else if (!('__dataChanged' in context.getWorkflowStaticData('node')))
		throw new Error(`n8n does not watch the static data of ${workflow.name}`);
	return async (): Promise<INodeExecutionData[]> => {
		const found = await poll();
		if (found !== null) (context.__emit as (data: INodeExecutionData[][]) => void)(found);
		return found?.[0] ?? [];
	};
}

/** A click on "Listen for test event" of a webhook trigger; with `mode: 'trigger'` the activation of its workflow. */
export async function listenForTestEvent(scenario: Scenario, name: string): Promise<boolean> {
	const mode = scenario.mode ?? 'manual';
	const { workflow, additionalData } = build({ ...scenario, mode });
	const { node, type } = find(workflow, name);
	const webhook = webhookOf(workflow, node, additionalData, false);
	const activation = mode === 'manual' ? 'manual' : 'activate';
	const context = new HookContext(workflow, node, additionalData, mode, activation, webhook);
	return (await type.webhookMethods?.default?.checkExists?.call(context)) === true;
}
