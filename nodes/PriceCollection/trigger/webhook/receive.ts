import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isWithinBounds } from '../../callback/bounds';
import { callbackNonces } from '../../callback/nonces';
import { readNotification, type Notification } from '../../callback/payload';
import { verifyCallback } from '../../callback/verify';
import { serviceClient } from '../../n8n/client';
import * as clock from '../../n8n/clock';
import { apiError, explain } from '../../n8n/errors';
import { DOWNLOAD_WAITS_MS } from '../../output/fetch';
import { parseUrl } from '../../service/address';
import type { ServiceClient } from '../../service/client';
import type { CredentialFields } from '../../service/dialect';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';
import { cleanCopy, cleanJob } from '../clean';
import { itemsOfJob, itemWithReason, reasonOf } from '../jobItems';
import { triggerMemories } from '../memories';
import { accountSample, notificationItem } from '../sample';
import { readSettings, type TriggerSettings } from '../settings';
import { ANSWERS, send, type Answer } from './answers';
import { settled, type CallbackMemory, type Claim, type Verdict } from './callbackMemory';
import type { Confirmations } from './confirm';
import { answered, handOver } from './handOver';
import { bodyOf, isTooLong, payloadOf } from './request';

/** What one n8n process knows between calls. */
export interface Known {
	memory: CallbackMemory;
	confirmations: Confirmations;
}

/** One call of the trigger, and all that is needed to deal with it. */
interface Call {
	context: IWebhookFunctions;
	client: ServiceClient;
	settings: TriggerSettings;
	query: IDataObject;
	body: unknown;
	/** ISO 8601. */
	receivedAt: string;
	/** Whether somebody is trying out the test URL in the editor. */
	isTest: boolean;
	/** That of its signed URL, where the credential has a secret. */
	nonce?: string;
}

/** The nonce of a call's signature, if there has to be one; or why the call is not let in. */
async function checkSignature(
	context: IWebhookFunctions,
	client: ServiceClient,
): Promise<{ nonce?: string } | { fault: Answer }> {
	const secret = client.dialect.webhookSecret;
	if (secret === '') return {};
	const fields = await context.getCredentials<CredentialFields & { previousWebhookSecret?: string }>(
		'priceCollectionApi',
	);
	// The node's own address, not the one that was called: a proxy may have changed that.
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const secrets = [secret, fields.previousWebhookSecret ?? ''];
	const query = context.getQueryData() as IDataObject;
	const verified = verifyCallback({ path, query, secrets, now: clock.now() });
	if (verified.ok) return { nonce: verified.nonce };
	return { fault: verified.reason === 'missing' ? ANSWERS.unsigned : ANSWERS.badSignature };
}

/** The verdict on a call that is believed, because the user switched the verification off. */
function believe({ settings, client }: Call, { jobId, status = 'finished', job }: Notification): Verdict {
	const end = terminalStatus(status);
	if (end === undefined || !settings.wants(end)) return { answer: ANSWERS.notWanted };
	const claimed: Job = { ...cleanCopy(job, client.dialect.secrets), job_id: jobId, status };
	return { answer: ANSWERS.accepted, job: claimed };
}

/** The verdict of the service itself. */
async function verify(
	{ context, client, settings, isTest }: Call,
	jobId: string,
	confirmations: Confirmations,
): Promise<Verdict> {
	const confirmed = await confirmations.confirm(client, jobId, settings.timeoutMs);
	switch (confirmed.kind) {
		case 'unknown':
			return { answer: confirmed.final ? ANSWERS.unknownJob : ANSWERS.unheardJob };
		case 'running':
			return { answer: ANSWERS.running };
		case 'unavailable': {
			if (isTest) throw apiError(context.getNode(), confirmed.problem);
			const { message, description } = explain(confirmed.problem);
			context.logger.warn(
				`A callback for job ${jobId} could not be confirmed: ${message}. ${description}`,
			);
			return { answer: ANSWERS.unconfirmed };
		}
		case 'ended': {
			if (!settings.wants(confirmed.end)) return { answer: ANSWERS.notWanted };
			return { answer: ANSWERS.accepted, job: cleanJob(confirmed.job, client.dialect.secrets) };
		}
	}
}

/** What tells the triggers of one n8n apart. */
function triggerOf(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}\n${context.getNode().id}`;
}

/** Whether the signed URL of a call was made for another job, or has done its work. */
function nonceFault({ nonce, isTest }: Call, jobId: string): Answer | undefined {
	if (nonce === undefined || isTest) return undefined;
	switch (callbackNonces.check(nonce, jobId)) {
		case 'free':
			return undefined;
		case 'used':
			return ANSWERS.duplicate;
		case 'otherJob':
			return ANSWERS.otherJob;
	}
}

/** What to do about a call that names a job. */
async function judgeCall(
	call: Call,
	notification: Notification,
	{ memory, confirmations }: Known,
): Promise<Claim> {
	const { context, settings, isTest, nonce } = call;
	const { jobId } = notification;
	const fault = nonceFault(call, jobId);
	if (fault !== undefined) return settled(fault);
	const look = async () =>
		settings.options.verifyJob === false
			? believe(call, notification)
			: await verify(call, jobId, confirmations);
	const bind = (stored: boolean) => {
		if (stored && nonce !== undefined && !isTest) callbackNonces.use(nonce, jobId);
	};
	// In the editor the same job may be tried out again and again; static data is not saved there either.
	if (settings.options.ignoreDuplicates === false || isTest) return { ...(await look()), settle: bind };
	const trigger = triggerOf(context);
	const kept = () => ({ handled: memory.kept(trigger) });
	triggerMemories.note(context.getWorkflow().id ?? '', context.getNode().name, kept);
	const claim = await memory.once(trigger, jobId, context.getWorkflowStaticData('node').handled, look);
	return {
		...claim,
		settle: (stored) => {
			claim.settle(stored);
			bind(stored);
		},
	};
}

/** The items for a job's end. Nobody would hear of a failure here, so it becomes an item. */
async function itemsFor(call: Call, job: Job): Promise<IDataObject[]> {
	const { client, settings, receivedAt } = call;
	if (settings.output === 'notification') {
		const payload = payloadOf(call.body, call.query, client.dialect.secrets);
		return [notificationItem(job, receivedAt, payload)];
	}
	const items = await itemsOfJob(client, job, settings, DOWNLOAD_WAITS_MS).catch((error: unknown) =>
		String(error),
	);
	if (typeof items === 'string') return [itemWithReason(job, items)];
	return items.ok ? items.value : [itemWithReason(job, reasonOf(items.problem))];
}

/** Nobody comes again for a call that names no job. */
const UNCLAIMED: Pick<Claim, 'settle'> = { settle: () => undefined };

/** A call that names no job. */
async function unrecognised(call: Call): Promise<IWebhookResponseData> {
	const { context, client, settings, receivedAt } = call;
	if (settings.options.onUnrecognized === 'passThrough') {
		const payload = payloadOf(call.body, call.query, client.dialect.secrets);
		const item: IDataObject = { job_id: null, status: null, received_at: receivedAt, payload };
		return handOver(context, [item], UNCLAIMED);
	}
	if (!call.isTest) return refuse(context, ANSWERS.unrecognised);
	return handOver(context, await accountSample(context, client, settings, receivedAt), UNCLAIMED);
}

/** Answers the caller; nothing starts. */
function refuse(context: IWebhookFunctions, answer: Answer): IWebhookResponseData {
	send(context, answer);
	return answered();
}

/** What a call needs that is let in, or its answer. */
async function admit(context: IWebhookFunctions, client: ServiceClient): Promise<Call | { fault: Answer }> {
	const signature = await checkSignature(context, client);
	if ('fault' in signature) return signature;
	// Before anything else is done with what anybody may have sent.
	if (isTooLong(context)) return { fault: ANSWERS.tooLarge };
	const body = bodyOf(context);
	const query = context.getQueryData() as IDataObject;
	if (!isWithinBounds(body) || !isWithinBounds(query)) return { fault: ANSWERS.tooLarge };
	return {
		...signature,
		context,
		client,
		settings: readSettings(context),
		query,
		body,
		receivedAt: new Date(clock.now()).toISOString(),
		isTest: context.getMode() === 'manual',
	};
}

/** The items of an end that is claimed, handed over; a claim is settled whatever happens. */
async function handOverEnd(call: Call, job: Job, claim: Claim): Promise<IWebhookResponseData> {
	let items: IDataObject[] | undefined;
	try {
		items = await itemsFor(call, job);
	} finally {
		if (items === undefined) claim.settle(false);
	}
	return handOver(call.context, items, claim);
}

async function dealWith(context: IWebhookFunctions, known: Known): Promise<IWebhookResponseData> {
	const client = await serviceClient.call(context);
	const call = await admit(context, client);
	if ('fault' in call) return refuse(context, call.fault);
	const contentType = context.getHeaderData()['content-type'];
	const notification = readNotification({ body: call.body, query: call.query, contentType });
	if (notification === undefined) return await unrecognised(call);
	const claim = await judgeCall(call, notification, known);
	return claim.job === undefined
		? refuse(context, claim.answer)
		: await handOverEnd(call, claim.job, claim);
}

/**
 * Deals with one call of the webhook trigger: signature, job, confirmation, then the items. Whoever calls has its answer
 * when n8n has stored the execution; a call that cannot be dealt with now is told to come again. Never throws but in the
 * editor, which shows the error at the node: an active workflow would be started by it.
 */
export async function receive(context: IWebhookFunctions, known: Known): Promise<IWebhookResponseData> {
	return await dealWith(context, known).catch((error: unknown) => {
		if (context.getMode() === 'manual') throw error;
		context.logger.error(`A callback could not be dealt with: ${String(error)}`);
		return refuse(context, ANSWERS.unconfirmed);
	});
}
