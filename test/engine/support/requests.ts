import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeType,
	IRunExecutionData,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import { build, type Scenario } from './harness';

/** A request as it arrives at n8n's webhook routes. */
export interface IncomingRequest {
	method?: string;
	body?: IDataObject | string;
	query?: IDataObject;
	headers?: IDataObject;
	rawBody?: Buffer;
}

/** What a node wrote to the response itself (`getResponseObject()`). */
export interface WrittenResponse {
	status?: number;
	headers: Record<string, string>;
	body?: unknown;
}

/** A stand-in for express's response that records what is written to it. */
function recordResponse() {
	const written: WrittenResponse = { headers: {} };
	let headersSent = false;
	const finish = (body?: unknown) => {
		if (headersSent) throw new Error('The response was sent twice');
		headersSent = true;
		Object.assign(written, { status: written.status ?? 200, ...(body !== undefined && { body }) });
		return response;
	};
	const response = {
		status(status: number) {
			written.status = status;
			return response;
		},
		setHeader: (name: string, value: string) => void (written.headers[name.toLowerCase()] = value),
		json: finish,
		end: finish,
		get headersSent() {
			return headersSent;
		},
	};
	return { written, response };
}

/** The parts of n8n's additional data that belong to one incoming request. */
function incoming(request: IncomingRequest, response: object) {
	const { method = 'POST', body = {}, query = {}, headers = {} } = request;
	const rawBody = request.rawBody ?? Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	return {
		httpRequest: { method, body, query, headers, rawBody, params: {} },
		httpResponse: response,
	} as unknown as Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>;
}

/**
 * The webhook of a node description with its path and method resolved, as n8n finds it. If a node resumes by several
 * methods, the call's method counts.
 */
export function webhookOf(
	workflow: Workflow,
	node: INode,
	additionalData: IWorkflowExecuteAdditionalData,
	restart: boolean,
	method?: string,
): IWebhookData {
	const { description } = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion) as INodeType;
	const possible = description.webhooks?.filter((entry) => (entry.restartWebhook ?? false) === restart);
	const found = possible?.find(({ httpMethod }) => httpMethod === method) ?? possible?.[0];
	if (!found) throw new Error(`${node.type} has no ${restart ? 'resuming ' : ''}webhook`);
	const resolve = (value: string) =>
		String(
			workflow.expression.getSimpleParameterValue(node, value, 'internal', {
				$nodeId: node.id,
			}) ?? '',
		);
	return {
		httpMethod: resolve(found.httpMethod) as IWebhookData['httpMethod'],
		node: node.name,
		path: resolve(found.path),
		webhookDescription: found,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: additionalData,
	};
}

/** Makes a node answer a request as n8n's routes do. With `restart`, the node resumes the parked run of this data. */
export async function runWebhook(
	scenario: Scenario,
	name: string,
	request: IncomingRequest,
	restart?: IRunExecutionData,
) {
	const { written, response } = recordResponse();
	const { workflow, additionalData } = build(scenario, incoming(request, response));
	const node = workflow.getNode(name);
	if (!node) throw new Error(`The workflow has no node ${name}`);
	const webhook = webhookOf(workflow, node, additionalData, restart !== undefined, request.method);
	const mode = scenario.mode ?? 'webhook';
	const context = new WebhookContext(workflow, node, additionalData, mode, webhook, [], restart ?? null);
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion) as INodeType;
	const reply = await type.webhook?.call(context);
	if (!reply) throw new Error(`${node.type} has no webhook()`);
	return { reply, written, response, workflow };
}
