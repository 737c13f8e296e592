import type {
	IDataObject,
	IExecuteFunctions,
	IRunExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { hint } from '../collection/hints';
import type { CollectRun } from '../collection/run';
import type { ResultChoice } from '../output/fetch';
import { readNotification } from '../callback/payload';
import { newNonce } from '../callback/sign';
import { verifyCallback } from '../callback/verify';
import { isLoopback } from '../service/address';
import { now } from '../service/clock';
import type { CredentialFields } from '../service/dialect';
import { serviceClient } from '../service/client';
import { endOf } from '../service/status';
import { isObject } from '../service/types';

/** What a run that waits for its callback keeps in the execution. */
interface SavedRun {
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: string;
	run: CollectRun;
	choice: ResultChoice;
}

const CONTEXT_KEY = 'priceCollectionRun';
const MARKER_FIELD = 'price_collection_resume';

/** The address that resumes this execution at this node: n8n's signed one, with the node as last part of the path. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

/** Says so when the service, which runs elsewhere, cannot reach the callback URL. */
export function warnAboutLoopback(context: IExecuteFunctions, url: string): void {
	const { host, hostname } = new URL(url);
	if (!isLoopback(hostname)) return;
	hint(
		context,
		`The service is to call back at ${host}, which only this machine can reach. Set WEBHOOK_URL in n8n to its public address, or choose another Wait Mode.`,
		'warning',
	);
}

/** Keeps a run until its callback; survives restarts with the execution. */
export function saveRun(context: IExecuteFunctions, run: CollectRun, choice: ResultChoice): void {
	const saved: SavedRun = { marker: newNonce(), run, choice };
	context.getContext('node')[CONTEXT_KEY] = saved as unknown as IDataObject;
}

function asSavedRun(value: unknown): SavedRun | undefined {
	return isObject(value) && typeof value.marker === 'string' && isObject(value.run)
		? (value as unknown as SavedRun)
		: undefined;
}

/** The run that a callback has woken; undefined for a run that begins. */
export function savedRun(context: IExecuteFunctions): SavedRun | undefined {
	const saved = asSavedRun(context.getContext('node')[CONTEXT_KEY]);
	const marker = context.getInputData()[0]?.json[MARKER_FIELD];
	return saved !== undefined && marker === saved.marker ? saved : undefined;
}

/** The run that the suspended node waits with, seen from `webhook()`, which has no access to the node's context. */
function runInWebhook(context: IWebhookFunctions): SavedRun | undefined {
	const name = JSON.stringify(context.getNode().name);
	const kept: unknown = context.evaluateExpression(`{{ $(${name}).context }}`, 0);
	return isObject(kept) ? asSavedRun(kept[CONTEXT_KEY]) : undefined;
}

/**
 * Lets `execute()` run again after a callback, where the download belongs: it may take long and may fail. The
 * member is not public, so an n8n without it gets the items of the deadline instead.
 */
function runAgain(context: IWebhookFunctions, marker: string): IWebhookResponseData {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const entry = runExecutionData?.executionData?.nodeExecutionStack[0];
	if (entry === undefined) {
		const parked = context.evaluateExpression('{{ $input.all().map((item) => item.json) }}', 0);
		const list: unknown[] = Array.isArray(parked) ? parked : [];
		const items = list.filter(isObject).map((json) => ({ json }));
		return { noWebhookResponse: true, workflowData: [[], items] };
	}
	entry.node.disabled = false;
	return { noWebhookResponse: true, workflowData: [[{ json: { [MARKER_FIELD]: marker } }]] };
}

function answer(context: IWebhookFunctions, status: number, body: IDataObject): void {
	context.getResponseObject().status(status).json(body);
}

/** Whether every job of the run is over, by the service's own word. A job that cannot be asked for is not. */
async function allOver(context: IWebhookFunctions, run: CollectRun): Promise<boolean> {
	const client = await serviceClient.call(context);
	for (const { job } of run.jobs) {
		const seen = await client.getJob(job.job_id, { repeat: true });
		if (!seen.ok || endOf(seen.value.status) === undefined) return false;
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

/**
 * A callback for a suspended `collect`. It is only a hint: the caller is answered at once, then the service is
 * asked. The run goes on when all its jobs are over; otherwise it keeps waiting. Never throws: n8n would go on
 * with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const keepWaiting: IWebhookResponseData = { noWebhookResponse: true };
	const saved = runInWebhook(this);
	if (saved === undefined) {
		answer(this, 404, { message: 'No job is waited for here' });
		return keepWaiting;
	}
	if (!(await isGenuine(this))) {
		answer(this, 401, { message: 'The signature of this callback URL is missing, wrong or expired' });
		return keepWaiting;
	}
	const jobId = readNotification({
		body: this.getBodyData(),
		query: this.getQueryData() as IDataObject,
		contentType: this.getHeaderData()['content-type'],
	})?.jobId;
	const isOurs = jobId === undefined || saved.run.jobs.some(({ job }) => job.job_id === jobId);
	answer(this, isOurs ? 200 : 404, { message: isOurs ? 'Thank you' : 'This job is not waited for here' });
	if (!isOurs) return keepWaiting;
	const over = await allOver(this, saved.run).catch(() => false);
	return over ? runAgain(this, saved.marker) : keepWaiting;
}
