import { PollContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWebhookResponseData,
	Workflow,
} from 'n8n-workflow';
import { build, useBinaryStore, type Scenario } from './harness';
import { incoming, recordResponse, webhookOf } from './requests';
import type { IncomingRequest, WrittenResponse } from './requests';

function find(workflow: Workflow, name: string): { node: INode; type: INodeType } {
	const node = workflow.getNode(name);
	if (!node) throw new Error(`The workflow has no node ${name}`);
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion) as INodeType;
	return { node, type };
}

/**
 * Static data as n8n saves it after a run: JSON only. What `scenario.staticData` holds is replaced in
 * place, so that the next call of the same scenario sees what the database would give it.
 */
function saveStaticData(scenario: Scenario, workflow: Workflow): void {
	scenario.staticData = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
}

/** Somebody calls the production address of a webhook trigger. */
export async function callTrigger(
	scenario: Scenario,
	name: string,
	request: IncomingRequest,
): Promise<{ reply: IWebhookResponseData; response: WrittenResponse }> {
	await useBinaryStore(scenario.binaryData);
	const { written, response } = recordResponse();
	const { workflow, additionalData } = build(scenario, incoming(request, response));
	const { node, type } = find(workflow, name);
	const webhook = webhookOf(workflow, node, additionalData, false);
	const context = new WebhookContext(
		workflow,
		node,
		additionalData,
		scenario.mode ?? 'webhook',
		webhook,
		[],
		null,
	);
	const reply = await type.webhook?.call(context);
	if (!reply) throw new Error(`${node.type} has no webhook()`);
	saveStaticData(scenario, workflow);
	return { reply, response: written };
}

/** One round of a polling trigger; `mode: 'manual'` in the scenario is a click on its test button. */
export async function pollTrigger(scenario: Scenario, name: string): Promise<INodeExecutionData[][] | null> {
	await useBinaryStore(scenario.binaryData);
	const mode = scenario.mode ?? 'trigger';
	const { workflow, additionalData } = build({ ...scenario, mode });
	const { node, type } = find(workflow, name);
	const activation = mode === 'manual' ? 'manual' : 'activate';
	const context = new PollContext(workflow, node, additionalData, mode, activation);
	if (!type.poll) throw new Error(`${node.type} has no poll()`);
	const found = await type.poll.call(context);
	saveStaticData(scenario, workflow);
	return found;
}
