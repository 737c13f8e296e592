import type { INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

/**
 * One output, and a second one for the operations that wait. n8n evaluates this text for the editor and for every
 * execution.
 */
export const OUTPUTS: INodeTypeDescription['outputs'] = `={{ $parameter["resource"] === "job" && ["collect", "wait"].includes($parameter["operation"]) ? [{ type: "main", displayName: "Finished" }, { type: "main", displayName: "Still Running" }] : [{ type: "main" }] }}`;

/**
 * Where the service's callback finds an execution that `collect` has suspended: n8n appends the node's ID to the
 * resume URL of the execution. Nothing is registered anywhere, so there is no life cycle to handle.
 */
function resumeBy(httpMethod: 'GET' | 'POST' | 'PUT'): IWebhookDescription {
	return {
		name: 'default',
		httpMethod,
		responseMode: 'onReceived',
		path: '={{ $nodeId }}',
		isFullPath: true,
		restartWebhook: true,
		ndvHideUrl: true,
		ndvHideMethod: true,
	};
}

/** The service calls back by POST unless the job says otherwise. */
export const RESUME_WEBHOOKS: IWebhookDescription[] = [resumeBy('POST'), resumeBy('PUT'), resumeBy('GET')];
