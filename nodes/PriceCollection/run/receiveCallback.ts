import { OperationalError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature } from '../callback/signature';
import { hint } from '../n8n/hints';
import { runAgain, storedByNode } from '../n8n/internals';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/address';
import { isObject } from '../service/types';
import { isSettled } from './lookup/record';
import { suspendedRunFormat } from './stored';
import { MARKER_FIELD, NAMED_FIELD, SUSPENDED_KEY } from './wait';

/** Warns when the callback URL cannot be reached by a service on another machine. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.connection.origin, 'choose another Wait Mode');
	if (warning !== undefined) hint(context, warning, 'warning');
}

/** The answer to a callback, and the data that resumes the run, if any. */
interface Answer {
	status: number;
	message: string;
	workflowData?: INodeExecutionData[][];
}

/** Handles a callback for a suspended run: returns an answer, or also the data that resumes the run. */
function handleCallback(context: IWebhookFunctions): Answer {
	const kept = storedByNode(context);
	const read = suspendedRunFormat.read(isObject(kept) ? kept[SUSPENDED_KEY] : undefined);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return { status: 404, message: 'No job is waited for here' };
	const { records, marker, source } = read.value;
	const query = context.getQueryData() as IDataObject;
	// The run knows its own signatures and whether it signed at all, so the secret can change during the wait.
	const signature = hashOfSignature(query);
	if (!records.some(({ creation }) => creation?.signatureHash === signature))
		return { status: 401, message: 'The signature of this callback URL is missing or wrong' };
	const contentType = context.getHeaderData()['content-type'];
	const jobId = readNotification({ body: context.getBodyData(), query, contentType })?.jobId;
	const record = records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined)
		return { status: 404, message: 'This execution does not wait for this job' };
	// The service itself reported the end of this job earlier; the run waits for other jobs.
	if (record !== undefined && isSettled(record))
		return { status: 200, message: 'This job has already been handled' };
	// `execute()` runs again and downloads there, because a download may be slow and may fail.
	const waking = { [MARKER_FIELD]: marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, waking, source);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * Handles a callback for a suspended `collect`. It is only a hint: the resumed run asks the service and
 * suspends again if the job still runs. Never throws, because n8n would continue with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	let answer: Answer = { status: 503, message: 'The callback cannot be handled now' };
	try {
		answer = handleCallback(this);
	} catch (error) {
		this.logger.warn(`Price Collection: a callback could not be handled: ${(error as Error).message}`);
		// A service that repeats failed callbacks gets another chance.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
	}
	const { status, message, workflowData } = answer;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
