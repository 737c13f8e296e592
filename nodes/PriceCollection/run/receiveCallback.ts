import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { verifyCallback } from '../callback/verify';
import { hint } from './hints';
import type { CollectRun } from './stored/run';
import { runningItems } from './deliver';
import { isLoopback } from '../service/address';
import { now } from '../n8n/clock';
import type { ServiceClient } from '../service/client';
import { serviceClient } from '../service/client';
import type { CredentialFields } from '../service/dialect';
import { endOf } from '../service/status';
import { resumeItem, runInWebhook } from './stored/suspendedRun';
import type { SavedRun } from './stored/suspendedRun';

/** The address that resumes this execution at this node: n8n's signed one, with the node as last part of the path. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

/** Says so when a service that runs elsewhere cannot reach the callback URL. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const { host, hostname } = new URL(url);
	if (!isLoopback(hostname) || isLoopback(new URL(client.dialect.origin).hostname)) return;
	hint(
		context,
		`The service is to call back at ${host}, which only this machine can reach. Set WEBHOOK_URL in n8n to its public address, or choose another Wait Mode.`,
		'warning',
	);
}

/** The items of a run whose `execute()` cannot run again: as at the deadline. */
function parkedItems(
	context: IWebhookFunctions,
	{ run }: SavedRun,
	client: ServiceClient,
): INodeExecutionData[][] {
	const entries = run.jobs.map((entry) => ({ entry }));
	const errors = run.errors.map(({ item, json }) => ({ json, pairedItem: { item } }));
	return [errors, runningItems(run, entries, client.dialect.webhookUrlParameter, context.getNode().name)];
}

/**
 * Lets `execute()` run again after a callback, where the download belongs: it may take long and may fail. The
 * member is not public, so an n8n without it gets the items of the deadline instead.
 */
function runAgain(context: IWebhookFunctions, saved: SavedRun, client: ServiceClient): IWebhookResponseData {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const entry = runExecutionData?.executionData?.nodeExecutionStack[0];
	if (entry === undefined)
		return { noWebhookResponse: true, workflowData: parkedItems(context, saved, client) };
	entry.node.disabled = false;
	if (saved.run.source !== undefined) entry.source = { main: [saved.run.source] };
	return { noWebhookResponse: true, workflowData: [[{ json: resumeItem(saved) }]] };
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
			? endOf(seen.value.status) !== undefined
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
	const saved = runInWebhook(context);
	if (saved === undefined) return answer(context, 404, 'No job is waited for here');
	if (!(await isGenuine(context))) {
		return answer(context, 401, 'The signature of this callback URL is missing, wrong or expired');
	}
	const jobId = readNotification({
		body: context.getBodyData(),
		query: context.getQueryData() as IDataObject,
		contentType: context.getHeaderData()['content-type'],
	})?.jobId;
	const isOurs = jobId === undefined || saved.run.jobs.some(({ job }) => job.job_id === jobId);
	if (!isOurs) return answer(context, 404, 'This job is not waited for here');
	const client = await serviceClient.call(context);
	answer(context, 200, 'Thank you');
	return (await canGoOn(client, saved.run, jobId)) ? runAgain(context, saved, client) : KEEP_WAITING;
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
