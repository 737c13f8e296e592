import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { callbackNonces } from '../../callback/nonces';
import { readNotification, type Notification } from '../../callback/payload';
import { verifyCallback } from '../../callback/verify';
import { serviceClient } from '../../n8n/client';
import * as clock from '../../n8n/clock';
import { apiError, explain } from '../../n8n/errors';
import { DOWNLOAD_WAITS_MS } from '../../output/fetch';
import { parseUrl } from '../../service/address';
import type { ServiceClient } from '../../service/client';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithReason, reasonOf } from '../jobItems';
import { accountSample } from '../sample';
import { readSettings, triggerOf, type TriggerSettings } from '../settings';
import { ANSWERS, handOver, send, type Answer } from './answers';
import { CallbackMemory, settled, type Claim, type Verdict } from './callbackMemory';
import { Confirmations } from './confirm';
import { CredentialCache } from './credentialCache';
import { handledEnds } from './handledEnds';
import { payloadOf, receivedBy, type Received } from './request';

/** What one n8n process knows between calls. */
interface Known {
	memory: CallbackMemory;
	confirmations: Confirmations;
}

/** One call of the trigger that is let in, and all that is needed to deal with it. */
interface Call extends Received {
	context: IWebhookFunctions;
	client: ServiceClient;
	settings: TriggerSettings;
	/** When it came, in ISO 8601. */
	at: string;
	/** Whether somebody is trying out the test URL in the editor. */
	isTest: boolean;
	/** That of its signed URL, where the credential has a secret. */
	nonce?: string;
}

/** The nonce of a call's signature, if there has to be one; or why the call is not let in. */
function checkSignature(
	context: IWebhookFunctions,
	{ dialect }: ServiceClient,
): { nonce?: string } | { fault: Answer } {
	const secrets = dialect.webhookSecrets;
	if (secrets.length === 0) return {};
	// The node's own address, not the one that was called: a proxy may have changed that.
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const query = context.getQueryData() as IDataObject;
	const verified = verifyCallback({ path, query, secrets, now: clock.now() });
	if (verified.ok) return { nonce: verified.nonce };
	return { fault: verified.reason === 'missing' ? ANSWERS.unsigned : ANSWERS.badSignature };
}

/** What a call needs that is let in, or its answer. */
function admit(context: IWebhookFunctions, client: ServiceClient): Call | { fault: Answer } {
	const signature = checkSignature(context, client);
	if ('fault' in signature) return signature;
	const received = receivedBy(context);
	if (received === undefined) return { fault: ANSWERS.tooLarge };
	return {
		...signature,
		...received,
		context,
		client,
		settings: readSettings(context),
		at: new Date(clock.now()).toISOString(),
		isTest: context.getMode() === 'manual',
	};
}

/** The verdict on a call that is believed, because the user switched the verification off. */
function believe({ settings }: Call, { jobId, status = 'finished', job }: Notification): Verdict {
	return settings.wants(status)
		? { answer: ANSWERS.accepted, job: { ...job, job_id: jobId, status } }
		: { answer: ANSWERS.notWanted };
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
		case 'ended':
			return settings.wants(confirmed.job.status)
				? { answer: ANSWERS.accepted, job: confirmed.job }
				: { answer: ANSWERS.notWanted };
	}
}

/** What to do about a call that names a job. */
async function judgeCall(call: Call, notification: Notification, known: Known): Promise<Claim> {
	const { context, settings, isTest } = call;
	const { jobId } = notification;
	// In the editor the same job may be tried out again and again.
	const nonce = isTest ? undefined : call.nonce;
	// A signed URL that was made for another job, or has done its work.
	const use = nonce === undefined ? 'free' : callbackNonces.check(nonce, jobId);
	if (use !== 'free') return settled(use === 'used' ? ANSWERS.duplicate : ANSWERS.otherJob);
	const look = async () =>
		settings.options.verifyJob === false
			? believe(call, notification)
			: await verify(call, jobId, known.confirmations);
	const isUnguarded = settings.options.ignoreDuplicates === false || isTest;
	const claim = isUnguarded
		? { ...(await look()), settle: () => undefined }
		: await known.memory.once(`${triggerOf(context)}\n${jobId}`, look);
	return {
		...claim,
		settle: (stored) => {
			claim.settle(stored);
			if (stored && nonce !== undefined) callbackNonces.use(nonce, jobId);
		},
		begun: isUnguarded ? undefined : async () => await handledEnds.noted(triggerOf(context), jobId),
	};
}

/** The items for a job's end. Nobody would hear of a failure here, so it becomes an item. */
async function itemsFor(call: Call, job: Job): Promise<IDataObject[]> {
	const { client, settings, at } = call;
	const notified = { at, payload: () => payloadOf(call, client.dialect.secrets) };
	const items = await itemsOfJob(client, job, settings, notified, DOWNLOAD_WAITS_MS).catch(String);
	if (typeof items === 'string') return [itemWithReason(job, items)];
	return items.ok ? items.value : [itemWithReason(job, reasonOf(items.problem))];
}

/** A call that names no job. Nobody comes again for it. */
async function unrecognised(call: Call): Promise<IWebhookResponseData> {
	const { context, client, settings, at, isTest } = call;
	const unclaimed = { settle: () => undefined };
	if (settings.options.onUnrecognized === 'passThrough') {
		const payload = payloadOf(call, client.dialect.secrets);
		return handOver(context, [{ job_id: null, status: null, received_at: at, payload }], unclaimed);
	}
	if (!isTest) return send(context, ANSWERS.unrecognised);
	return handOver(context, await accountSample(context, client, settings), unclaimed);
}

async function dealWith(context: IWebhookFunctions, known: Known): Promise<IWebhookResponseData> {
	const client = await serviceClient.call(context);
	const call = admit(context, client);
	if ('fault' in call) return send(context, call.fault);
	const contentType = context.getHeaderData()['content-type'];
	const notification = readNotification({ body: call.body, query: call.query, contentType });
	if (notification === undefined) return await unrecognised(call);
	const { answer, job, ...handed } = await judgeCall(call, notification, known);
	if (job === undefined) return send(context, answer);
	return handOver(context, await itemsFor(call, job), handed);
}

/**
 * The webhook of the trigger, with what one n8n process has to remember between calls: signature, job, confirmation, then
 * the items. Whoever calls has its answer when n8n has stored the execution; a call that cannot be dealt with now is told
 * to come again. Never throws but in the
 * editor, which shows the error at the node: an active workflow would be started by it.
 */
export function webhookOfProcess() {
	const known: Known = { memory: new CallbackMemory(clock), confirmations: new Confirmations() };
	const credentials = new CredentialCache(clock);
	return async function (this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await dealWith(credentials.contextFor(this), known).catch((error: unknown) => {
			if (this.getMode() === 'manual') throw error;
			this.logger.error(`A callback could not be dealt with: ${String(error)}`);
			return send(this, ANSWERS.unconfirmed);
		});
	};
}
