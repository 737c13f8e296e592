import { OperationalError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature } from '../callback/signature';
import { operationError } from '../n8n/errors';
import { runAgain, storedByNode } from '../n8n/suspension';
import { hint } from '../n8n/hints';
import { suspendedRunFormat, type SuspendedRun } from '../run/formats';
import type { ServiceClient } from '../service/api/client';
import { loopbackWarning } from '../service/address';
import { isOver } from '../service/meaning/jobState';
import { isObject } from '../service/types';
import { MARKER_FIELD, SUSPENDED_KEY, TIMER_FIELD } from './suspend';

/* How a sleeping run is called by the service, and goes on once it is woken. */

/** Field of the resume item: the job that the callback named. */
const NAMED_FIELD = 'job_id';

/** A run that a timer resumed, or a callback, which may have named a job. */
export interface WokenRun {
	run: SuspendedRun;
	named?: string;
	isByTimer: boolean;
}

/**
 * The run that a callback or a timer resumed; undefined for a new run. The stored run stays, because n8n may run the node
 * again after an error.
 *
 * @throws NodeOperationError if the run is missing or unreadable, because starting over could cost credits twice
 */
export function wokenRun(context: IExecuteFunctions): WokenRun | undefined {
	const {
		[MARKER_FIELD]: marker,
		[NAMED_FIELD]: named,
		[TIMER_FIELD]: timer,
	} = context.getInputData()[0]?.json ?? {};
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[SUSPENDED_KEY]);
	if (read.kind === 'read' && marker === read.value.marker)
		return {
			run: read.value,
			named: typeof named === 'string' ? named : undefined,
			isByTimer: timer === true,
		};
	throw operationError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run to resume is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait gets their results.',
	);
}

/** Warns if a service on another machine cannot reach the callback URL. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.connection.origin);
	if (warning !== undefined) hint(context, warning, 'warning');
}

/** The reply to a callback, and the data that resumes the run, if any. */
type CallbackReply = Pick<IWebhookResponseData, 'workflowData'> & { status: number; message: string };

function handleCallback(context: IWebhookFunctions): CallbackReply {
	const nodeContext = storedByNode(context);
	const read = suspendedRunFormat.read(isObject(nodeContext) ? nodeContext[SUSPENDED_KEY] : undefined);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return { status: 404, message: 'This execution is not waiting for a job' };
	const { records, marker, source } = read.value;
	const query = context.getQueryData() as IDataObject;
	// The run stores hashes of its signatures, none if it did not sign, so the secret may change during the wait.
	const signature = hashOfSignature(query);
	if (!records.some(({ creation }) => creation?.signatureHash === signature))
		return { status: 401, message: 'The signature of this callback URL is missing or wrong' };
	const contentType = context.getHeaderData()['content-type'];
	const jobId = readNotification({ body: context.getBodyData(), query, contentType })?.jobId;
	const record = records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined)
		return { status: 404, message: 'This execution is not waiting for this job' };
	// An earlier reply reported the end of this job, and the run waits for other jobs. If all have ended, it waits for
	// results, which may be ready now.
	if (record !== undefined && isOver(record) && !records.every(isOver))
		return { status: 200, message: 'This job has already been handled' };
	// The download happens in `execute()`, which runs again, because it may be slow and may fail.
	const resumeItem = { [MARKER_FIELD]: marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, resumeItem, source, (later) => later?.[MARKER_FIELD] === marker);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * Handles a callback for a suspended `collect`. The callback is only a hint: the resumed run asks the service, and
 * suspends again if the job is still running. Never throws, because n8n would continue with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	let reply: CallbackReply = { status: 503, message: 'The callback cannot be handled now' };
	try {
		reply = handleCallback(this);
	} catch (error) {
		this.logger.warn(`Price Collection: a callback could not be handled: ${(error as Error).message}`);
		// A service that repeats failed callbacks may try again.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
	}
	const { status, message, workflowData } = reply;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
