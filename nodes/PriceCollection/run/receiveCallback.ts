import { OperationalError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature } from '../callback/sign';
import { verifyCallback } from '../callback/verify';
import { serviceClient } from '../n8n/client';
import { now } from '../n8n/clock';
import { credentialOf } from '../n8n/credential';
import { hint } from '../n8n/hints';
import { runAgain } from '../n8n/internals';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/loopback';
import type { SuspendedRun } from './stored/suspendedRun';
import { isSettled } from './waiting/poll';
import { outputsAtDeadline, runInWebhook, wakingItem } from './waitOrSuspend';

/**
 * Where the service's callback finds an execution that `collect` has suspended, by POST unless the job says otherwise: n8n
 * appends the node's ID to the resume URL of the execution. Nothing is registered anywhere, so there is no life cycle to
 * handle.
 */
export const RESUME_WEBHOOKS = (['POST', 'PUT', 'GET'] as const).map((httpMethod): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	path: '={{ $nodeId }}',
	isFullPath: true,
	restartWebhook: true,
	ndvHideUrl: true,
	ndvHideMethod: true,
}));

/** The address that resumes this execution at this node: n8n's signed one, with the node as last part of the path. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

/** Says so when a service that runs elsewhere cannot reach the callback URL. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.dialect.origin, 'choose another Wait Mode');
	if (warning !== undefined) hint(context, warning, 'warning');
}

/**
 * Whether the call came by the URL that this execution gave out, where the credential has a secret to tell. The run
 * knows the signatures that it gave out, and whether it gave out any, so that a secret can be changed, or entered for
 * the first time, while it sleeps.
 */
async function isGenuine(context: IWebhookFunctions, { run }: SuspendedRun): Promise<boolean> {
	const fields = await credentialOf(context);
	const { webhookSecret: secret = '', previousWebhookSecret = '' } = fields;
	if (secret === '') return true;
	const query = context.getQueryData() as IDataObject;
	const signature = hashOfSignature(query);
	if (run.jobs.some(({ signatureHash }) => signatureHash === signature)) return true;
	const path = `${context.getExecutionId()}/${context.getNode().id}`;
	return verifyCallback({ path, query, secrets: [secret, previousWebhookSecret], now: now() }).ok;
}

const KEEP_WAITING: IWebhookResponseData = { noWebhookResponse: true };

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return KEEP_WAITING;
}

async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const read = runInWebhook(context);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return answer(context, 404, 'No job is waited for here');
	const suspended = read.value;
	if (!(await isGenuine(context, suspended))) {
		return answer(context, 401, 'The signature of this callback URL is missing, wrong or expired');
	}
	const jobId = readNotification({
		body: context.getBodyData(),
		query: context.getQueryData() as IDataObject,
		contentType: context.getHeaderData()['content-type'],
	})?.jobId;
	const entry = suspended.run.jobs.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && entry === undefined)
		return answer(context, 404, 'This job is not waited for here');
	// Seen before, and by the service itself: it is another job that the run sleeps for.
	if (entry !== undefined && isSettled(entry)) return answer(context, 200, 'This job was handled before');
	const client = await serviceClient.call(context);
	answer(context, 200, 'Thank you');
	// `execute()` runs again: the download belongs there, as it may take long and may fail.
	const input = runAgain(context, wakingItem(suspended, jobId), suspended.run.source);
	// An n8n where that is impossible gets the items of the deadline instead.
	return { ...KEEP_WAITING, workflowData: input ?? outputsAtDeadline(context, client, suspended) };
}

/**
 * A callback for a suspended `collect`. It is only a hint: it wakes the run, which asks the service itself and goes back
 * to sleep where that says something else. Never throws: n8n would go on with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	return await handleCallback(this).catch((error: Error) => {
		this.logger.warn(`Price Collection: a callback could not be handled: ${error.message}`);
		const response = this.getResponseObject();
		if (response.headersSent) return KEEP_WAITING;
		// A service that repeats what was not received gets another chance.
		response.setHeader('Retry-After', '60');
		return answer(this, 503, 'The callback cannot be handled now');
	});
}
