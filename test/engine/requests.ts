import type {
	IDataObject,
	INode,
	INodeType,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

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
	ended: boolean;
}

/** A stand-in for express's response that records what a node writes to it. */
export function recordResponse() {
	const written: WrittenResponse = { headers: {}, ended: false };
	const finish = (body?: unknown) => {
		if (written.ended) throw new Error('The response was sent twice');
		written.status ??= 200;
		if (body !== undefined) written.body = body;
		written.ended = true;
		return response;
	};
	const header = (name: string, value: string) => {
		written.headers[name.toLowerCase()] = value;
		return response;
	};
	const response = {
		status(code: number) {
			written.status = code;
			return response;
		},
		writeHead(code: number, headers: Record<string, string> = {}) {
			Object.entries(headers).forEach(([name, value]) => header(name, value));
			return response.status(code);
		},
		setHeader: header,
		set: header,
		json: finish,
		send: finish,
		end: finish,
		get headersSent() {
			return written.ended;
		},
	};
	return { written, response };
}

/** The parts of n8n's additional data that belong to one incoming request. */
export function incoming(request: IncomingRequest, response: object) {
	const { method = 'POST', body = {}, query = {}, headers = {} } = request;
	const rawBody = request.rawBody ?? Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	return {
		httpRequest: { method, body, query, headers, rawBody, params: {} },
		httpResponse: response,
	} as unknown as Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>;
}

/**
 * The webhook of a node description with its path and method resolved, as n8n finds it by. Where a node resumes by
 * several methods, the one of the call counts.
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
