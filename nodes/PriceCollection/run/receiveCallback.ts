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
import { runAgain, storedByNode } from '../n8n/execution';
import { hint } from '../n8n/hints';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/connection';
import { isObject } from '../service/types';
import { isSettled } from './lookup/record';
import { suspendedRunFormat, type SuspendedRun } from './stored/formats';
import { MARKER_FIELD, NAMED_FIELD, SUSPENDED_KEY } from './wait';

/** Warns when the callback URL cannot be reached by a service on another machine. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.connection.origin, 'choose another Wait Mode');
	if (warning !== undefined) hint(context, warning, 'warning');
}

/**
 * Whether a call used a URL of this execution, if the credential has a secret to check that. The run knows
 * its own signatures and whether it signed at all, so a secret can be added or changed during the wait.
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

/** Handles a callback for a suspended run: returns an answer, or also the data that resumes the run. */
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
	// The service itself reported the end of this job earlier; the run waits for other jobs.
	if (record !== undefined && isSettled(record))
		return { status: 200, message: 'This job has already been handled' };
	// `execute()` runs again and downloads there, because a download may be slow and may fail.
	const waking = { [MARKER_FIELD]: suspended.marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, waking, suspended.source);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * Handles a callback for a suspended `collect`. It is only a hint: the resumed run asks the service and
 * suspends again if the job still runs. Never throws, because n8n would continue with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	const handled = await handleCallback(this).catch((error: Error) => {
		this.logger.warn(`Price Collection: a callback could not be handled: ${error.message}`);
		// A service that repeats failed callbacks gets another chance.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
		return { status: 503, message: 'The callback cannot be handled now', workflowData: undefined };
	});
	const { status, message, workflowData } = handled;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
