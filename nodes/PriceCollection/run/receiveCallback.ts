import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { verifyCallback } from '../callback/verify';
import { hint } from '../n8n/hints';
import { runAgain } from '../n8n/internals';
import { now } from '../n8n/clock';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/loopback';
import { serviceClient } from '../n8n/client';
import type { CredentialFields } from '../service/dialect';
import { terminalStatus } from '../service/status';
import type { CollectRun, SuspendedRun } from './stored/suspendedRun';
import { outputsAtDeadline, runInWebhook, wakingItem } from './waitOrSuspend';

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
 * Lets `execute()` run again after a callback, where the download belongs: it may take long and may fail. An n8n where
 * that is impossible gets the items of the deadline instead.
 */
function wake(
	context: IWebhookFunctions,
	client: ServiceClient,
	suspended: SuspendedRun,
): IWebhookResponseData {
	const input = runAgain(context, wakingItem(suspended), suspended.run.source);
	return { noWebhookResponse: true, workflowData: input ?? outputsAtDeadline(context, client, suspended) };
}

/** Status calls are limited, and there is a callback for every job: this many are looked at for each. */
const LOOKS_PER_CALL = 20;

/**
 * Whether the run can go on. The job that the call names may be beyond reach just now: the service says itself that
 * it is over, and may not say so twice. Every other job has to be over by the service's word. Those created last are
 * looked at first, because they end last.
 */
async function canGoOn(client: ServiceClient, run: CollectRun, named: string | undefined): Promise<boolean> {
	const others = run.jobs.map(({ job }) => job.job_id).filter((jobId) => jobId !== named);
	const order = [...(named === undefined ? [] : [named]), ...others.reverse()];
	for (const jobId of order.slice(0, LOOKS_PER_CALL)) {
		const seen = await client.getJob(jobId);
		const over = seen.ok
			? terminalStatus(seen.value.status) !== undefined
			: jobId === named || run.jobs.length === 1;
		if (!over) return false;
	}
	return true;
}

/** Whether the call came by the URL that this execution gave out, where the credential has a secret to tell. */
async function isGenuine(context: IWebhookFunctions): Promise<boolean> {
	const { webhookSecret: secret } = await context.getCredentials<CredentialFields>('priceCollectionApi');
	if (secret === undefined || secret === '') return true;
	const path = `${context.getExecutionId()}/${context.getNode().id}`;
	return verifyCallback({ path, query: context.getQueryData() as IDataObject, secret, now: now() }).ok;
}

const KEEP_WAITING: IWebhookResponseData = { noWebhookResponse: true };

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return KEEP_WAITING;
}

async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const read = runInWebhook(context);
	if (read.kind !== 'read') {
		if (read.kind === 'unreadable') context.logger.warn(`Price Collection: ${read.reason}`);
		return answer(context, 404, 'No job is waited for here');
	}
	const suspended = read.value;
	if (!(await isGenuine(context))) {
		return answer(context, 401, 'The signature of this callback URL is missing, wrong or expired');
	}
	const jobId = readNotification({
		body: context.getBodyData(),
		query: context.getQueryData() as IDataObject,
		contentType: context.getHeaderData()['content-type'],
	})?.jobId;
	const isOurs = jobId === undefined || suspended.run.jobs.some(({ job }) => job.job_id === jobId);
	if (!isOurs) return answer(context, 404, 'This job is not waited for here');
	const client = await serviceClient.call(context);
	answer(context, 200, 'Thank you');
	return (await canGoOn(client, suspended.run, jobId)) ? wake(context, client, suspended) : KEEP_WAITING;
}

/**
 * A callback for a suspended `collect`. It is only a hint: the caller is answered at once, then the service is
 * asked. The run goes on when all its jobs are over; otherwise it keeps waiting. Never throws: n8n would go on
 * with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	return await handleCallback(this).catch((error: Error) => {
		this.logger.warn(`Price Collection: a callback could not be handled: ${error.message}`);
		// A service that repeats what was not received gets another chance.
		return this.getResponseObject().headersSent
			? KEEP_WAITING
			: answer(this, 503, 'The callback cannot be handled now');
	});
}
