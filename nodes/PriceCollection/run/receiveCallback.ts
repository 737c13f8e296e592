import { OperationalError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature, verifyCallback } from '../callback/signature';
import { now } from '../n8n/clock';
import { credentialOf } from '../n8n/client';
import { hint } from '../n8n/hints';
import { runAgain, storedByNode } from '../n8n/internals';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/address';
import { isObject } from '../service/types';
import { isSettled } from './lookup/record';
import { suspendedRunFormat, type SuspendedRun } from './stored/formats';
import { MARKER_FIELD, NAMED_FIELD, SUSPENDED_KEY } from './wait';

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
async function isGenuine(context: IWebhookFunctions, { records }: SuspendedRun): Promise<boolean> {
	const fields = await credentialOf(context);
	const { webhookSecret: secret = '', previousWebhookSecret = '' } = fields;
	if (secret === '') return true;
	const query = context.getQueryData() as IDataObject;
	const signature = hashOfSignature(query);
	if (records.some(({ creation }) => creation?.signatureHash === signature)) return true;
	const path = `${context.getExecutionId()}/${context.getNode().id}`;
	const verified = verifyCallback({ path, query, secrets: [secret, previousWebhookSecret], now: now() });
	return verified === 'genuine';
}

/** A callback for a suspended run: an answer in words, or what wakes the run. */
async function handleCallback(
	context: IWebhookFunctions,
): Promise<{ status: number; message: string; workflowData?: INodeExecutionData[][] }> {
	const kept = storedByNode(context);
	const read = suspendedRunFormat.read(isObject(kept) ? kept[SUSPENDED_KEY] : undefined);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return { status: 404, message: 'No job is waited for here' };
	const suspended = read.value;
	const forged = 'The signature of this callback URL is missing, wrong or expired';
	if (!(await isGenuine(context, suspended))) return { status: 401, message: forged };
	const jobId = readNotification({
		body: context.getBodyData(),
		query: context.getQueryData() as IDataObject,
		contentType: context.getHeaderData()['content-type'],
	})?.jobId;
	const record = suspended.records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined)
		return { status: 404, message: 'This execution does not wait for this job' };
	// Seen before, and by the service itself: it is another job that the run sleeps for.
	if (record !== undefined && isSettled(record))
		return { status: 200, message: 'This job has already been handled' };
	// `execute()` runs again: the download belongs there, as it may take long and may fail.
	const waking = { [MARKER_FIELD]: suspended.marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, waking, suspended.source);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * A callback for a suspended `collect`. It is only a hint: it wakes the run, which asks the service itself and goes back
 * to sleep where that says something else. Never throws: n8n would go on with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	const handled = await handleCallback(this).catch((error: Error) => {
		this.logger.warn(`Price Collection: a callback could not be handled: ${error.message}`);
		// A service that repeats what was not received gets another chance.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
		return { status: 503, message: 'The callback cannot be handled now', workflowData: undefined };
	});
	const { status, message, workflowData } = handled;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
