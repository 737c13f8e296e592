import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { DOWNLOAD_WAITS_MS } from '../../output/fetch';
import { readNotification, type Notification } from '../../callback/payload';
import { verifyCallback } from '../../callback/verify';
import { parseUrl } from '../../service/address';
import * as clock from '../../n8n/clock';
import type { ServiceClient } from '../../service/client';
import { serviceClient } from '../../n8n/client';
import { explain } from '../../n8n/errors';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';
import { ANSWERS, send, type Answer } from './answers';
import type { CallbackMemory, Verdict } from './callbackMemory';
import { cleanCopy, cleanJob } from '../clean';
import { confirmEnd } from './confirm';
import { answered, handOver, onFailedHandOver } from './handOver';
import { itemsOfJob, itemWithReason, reasonOf } from '../jobItems';
import { bodyOf, payloadOf } from './request';
import { accountSample, notificationItem } from '../sample';
import { readSettings, type TriggerSettings } from '../settings';

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
}

/** Why the signature of a call does not let it in; undefined when it does or the credential has no secret. */
function signatureFault({ context, client, query }: Call): Answer | undefined {
	const secret = client.dialect.webhookSecret;
	if (secret === '') return undefined;
	// The node's own address, not the one that was called: a proxy may have changed that.
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const verified = verifyCallback({ path, query, secret, now: clock.now() });
	if (verified.ok) return undefined;
	return verified.reason === 'missing' ? ANSWERS.unsigned : ANSWERS.badSignature;
}

/** The verdict on a call that is believed, because the user switched the verification off. */
function believe({ settings, client }: Call, { jobId, status = 'finished', job }: Notification): Verdict {
	const end = terminalStatus(status);
	if (end === undefined || !settings.wants(end)) return { answer: ANSWERS.notWanted };
	const claimed: Job = { ...cleanCopy(job, client.dialect.secrets), job_id: jobId, status };
	return { answer: ANSWERS.accepted, job: claimed };
}

/** The verdict of the service itself. */
async function verify({ context, client, settings }: Call, jobId: string): Promise<Verdict> {
	const confirmed = await confirmEnd(client, jobId, clock, settings.timeoutMs);
	switch (confirmed.kind) {
		case 'unknown':
			return { answer: ANSWERS.unknownJob };
		case 'running':
			return { answer: ANSWERS.running };
		case 'unavailable': {
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

/** What to do about a call that names a job. */
async function judgeCall(call: Call, notification: Notification, memory: CallbackMemory): Promise<Verdict> {
	const { context, settings, isTest } = call;
	const look = async () =>
		settings.options.verifyJob === false
			? believe(call, notification)
			: await verify(call, notification.jobId);
	// In the editor the same job may be tried out again and again; static data is not saved there either.
	if (settings.options.ignoreDuplicates === false || isTest) return await look();
	const staticData = context.getWorkflowStaticData('node');
	return await memory.once(triggerOf(context), notification.jobId, staticData, look);
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

/** A call that names no job. */
async function unrecognised(call: Call): Promise<IWebhookResponseData> {
	const { context, client, settings, receivedAt } = call;
	if (settings.options.onUnrecognized === 'passThrough') {
		const payload = payloadOf(call.body, call.query, client.dialect.secrets);
		const item: IDataObject = { job_id: null, status: null, received_at: receivedAt, payload };
		return await handOver(context, Promise.resolve([item]));
	}
	if (call.isTest) return await handOver(context, accountSample(client, settings, receivedAt));
	send(context, ANSWERS.unrecognised);
	return answered();
}

/**
 * Deals with one call of the webhook trigger: signature, job, confirmation, then the items, which do not keep the
 * caller waiting. A call that cannot be dealt with now is told to come again.
 */
export async function receive(
	context: IWebhookFunctions,
	memory: CallbackMemory,
): Promise<IWebhookResponseData> {
	const client = await serviceClient.call(context).catch((error: unknown) => String(error));
	if (typeof client === 'string') {
		// Thrown on, n8n would start the workflow with an empty item.
		context.logger.error(`A callback could not be dealt with: ${client}`);
		send(context, ANSWERS.unconfirmed);
		return answered();
	}
	const call: Call = {
		context,
		client,
		settings: readSettings(context),
		query: context.getQueryData() as IDataObject,
		body: bodyOf(context),
		receivedAt: new Date(clock.now()).toISOString(),
		isTest: context.getMode() === 'manual',
	};
	const fault = signatureFault(call);
	if (fault !== undefined) {
		send(context, fault);
		return answered();
	}
	const contentType = context.getHeaderData()['content-type'];
	const notification = readNotification({ body: call.body, query: call.query, contentType });
	if (notification === undefined) return await unrecognised(call);
	const { answer, job } = await judgeCall(call, notification, memory);
	if (job === undefined) {
		send(context, answer);
		return answered();
	}
	onFailedHandOver(context, () => memory.forget(triggerOf(context), job.job_id));
	return await handOver(context, itemsFor(call, job));
}
