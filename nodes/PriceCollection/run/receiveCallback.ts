import { OperationalError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature } from '../callback/sign';
import { verifyCallback } from '../callback/verify';
import { now } from '../n8n/clock';
import { credentialOf } from '../n8n/credential';
import { inputError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { runAgain } from '../n8n/internals';
import type { ServiceClient } from '../service/client';
import { loopbackWarning } from '../service/loopback';
import { isObject } from '../service/types';
import { isSettled } from './lookup/record';
import { suspendedRunFormat, type SuspendedRun } from './stored/suspendedRun';
import { SUSPENDED_KEY } from './wait';

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

/** The fields of the input that wakes a run: its marker, and the job that the callback named. */
const MARKER_FIELD = 'price_collection_resume';
const NAMED_FIELD = 'job_id';

/**
 * The run that a callback has woken, and the job that it named; undefined for a run that begins. It stays where it is, for
 * n8n may run the node again after an error.
 *
 * @throws NodeOperationError for a woken run that is not to be found: beginning anew would be paid for twice
 */
export function wokenRun(context: IExecuteFunctions): { run: SuspendedRun; named?: string } | undefined {
	const { [MARKER_FIELD]: marker, [NAMED_FIELD]: named } = context.getInputData()[0]?.json ?? {};
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[SUSPENDED_KEY]);
	if (read.kind === 'read' && marker === read.value.marker) {
		return { run: read.value, named: typeof named === 'string' ? named : undefined };
	}
	throw inputError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run that was to be resumed is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait takes them up.',
	);
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
	return verifyCallback({ path, query, secrets: [secret, previousWebhookSecret], now: now() }).ok;
}

const KEEP_WAITING: IWebhookResponseData = { noWebhookResponse: true };

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return KEEP_WAITING;
}

async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// n8n gives `webhook()` no access to the node's context. Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	const kept: unknown = context.evaluateExpression(`{{ $(${name}).context }}`, 0);
	const read = suspendedRunFormat.read(isObject(kept) ? kept[SUSPENDED_KEY] : undefined);
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
	const record = suspended.records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined) {
		return answer(context, 404, 'This job is not waited for here');
	}
	// Seen before, and by the service itself: it is another job that the run sleeps for.
	if (record !== undefined && isSettled(record)) return answer(context, 200, 'This job was handled before');
	// `execute()` runs again: the download belongs there, as it may take long and may fail.
	const waking = { [MARKER_FIELD]: suspended.marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, waking, suspended.source);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	answer(context, 200, 'Thank you');
	return { ...KEEP_WAITING, workflowData };
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
