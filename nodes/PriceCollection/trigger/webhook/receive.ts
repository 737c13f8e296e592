import type { IDataObject, IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isWithinBounds, LARGEST_CALL, readNotification, type CallToRead } from '../../callback/payload';
import { WEBHOOK_OUTPUTS } from '../../descriptions/triggerFields';
import { isSignatureParameter, verifyCallback } from '../../callback/signature';
import { credentialOf, readingCredentialsOnce, serviceClient } from '../../n8n/client';
import * as clock from '../../n8n/clock';
import { apiError } from '../../n8n/errors';
import { RUN } from '../../n8n/parameters';
import { DOWNLOAD_WAITS_MS } from '../../output/fetch';
import { parseUrl } from '../../service/address';
import type { ServiceClient } from '../../service/client';
import { loopbackWarning } from '../../service/address';
import { RecentMap } from '../../service/recentMap';
import { redactValue } from '../../service/redact';
import { ignoresDuplicates, itemsOfJob, itemWithProblem, readSettings, triggerOf } from '../items';
import { accountSample } from '../sample';
import { ANSWERS, bodyOf, send, type Answer } from './answers';
import { Confirmations, type Confirmation } from './confirm';
import { EndsInProgress } from './endsInProgress';
import { ProcessedJobs, startOnce } from './processedJobs';

/** Calls dealt with at once, those that wait for another one included: forged ones must not fill the memory. */
const MOST_AT_ONCE = 1_000;
const MOST_ACCOUNTS = 100;

/** What came with a call, before anything in it is believed; undefined where it is larger than a notification. */
function readCall(context: IWebhookFunctions): CallToRead | undefined {
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	const raw = Buffer.isBuffer(rawBody) ? rawBody : Buffer.alloc(0);
	if (raw.length > LARGEST_CALL.bytes) return undefined;
	const parsed: unknown = context.getBodyData();
	const query = context.getQueryData() as IDataObject;
	if (!isWithinBounds(parsed) || !isWithinBounds(query)) return undefined;
	// n8n gives an empty object for a content type that it does not know.
	const body = isEmpty(parsed) ? raw.toString('utf8') : parsed;
	return { body, query, contentType: context.getHeaderData()['content-type'] };
}

function isEmpty(body: unknown): boolean {
	return typeof body === 'object' && body !== null ? Object.keys(body).length === 0 : !body;
}

/** Why a call is not let in; undefined for a genuine one, and where the credential has no secret. */
function signatureFault(
	context: IWebhookFunctions,
	{ dialect }: ServiceClient,
	{ query }: CallToRead,
): Answer | undefined {
	const secrets = dialect.webhookSecrets;
	if (secrets.length === 0) return undefined;
	// The node's own address, not the one that was called: a proxy may have changed that.
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const verified = verifyCallback({ path, query, secrets, now: clock.now() });
	return { genuine: undefined, missing: ANSWERS.unsigned, wrong: ANSWERS.badSignature }[verified];
}

/** Data of a caller as an item may hold it: a copy, without secrets. */
async function cleaned({ dialect }: ServiceClient, data: object): Promise<IDataObject> {
	const copy: unknown = JSON.parse(JSON.stringify(data));
	return (await redactValue(copy, dialect.secrets, clock)) as IDataObject;
}

/** What was received, for an item: the body, or the query without the signature where there is none. */
async function payloadOf(client: ServiceClient, { body, query }: CallToRead): Promise<IDataObject> {
	const unsigned = Object.entries(query).filter(([name]) => !isSignatureParameter(name));
	const sent = typeof body === 'object' ? (body ?? {}) : { text: body };
	return await cleaned(client, isEmpty(body) ? Object.fromEntries(unsigned) : sent);
}

/** Hands items over to n8n, which then answers by itself: 200 when it has stored the execution. */
function start(items: readonly IDataObject[]): IWebhookResponseData {
	return {
		webhookResponse: bodyOf(ANSWERS.accepted),
		workflowData: [items.map((json) => ({ json }))],
	};
}

/** Deals with a call: bound, verify, parse, confirm, start, answer. */
async function receive(
	context: IWebhookFunctions,
	ends: EndsInProgress,
	accounts: Map<string, Confirmations>,
): Promise<IWebhookResponseData> {
	const at = new Date(clock.now()).toISOString();
	const isTest = context.getMode() === 'manual';

	// Bound: before anything in the call is looked at, because anybody can call.
	const call = readCall(context);
	if (call === undefined) return send(context, ANSWERS.tooLarge);

	// Verify.
	const client = await serviceClient.call(context);
	const fault = signatureFault(context, client, call);
	if (fault !== undefined) return send(context, fault);

	// Parse. A call that names no job never comes again.
	const settings = readSettings(context, WEBHOOK_OUTPUTS);
	const { fields } = settings;
	const onUnrecognized = fields.choice('options.onUnrecognized', RUN, ['passThrough', 'reject'], 'reject');
	const notification = readNotification(call);
	if (notification === undefined) {
		if (onUnrecognized === 'passThrough') {
			const payload = await payloadOf(client, call);
			return start([{ job_id: null, status: null, received_at: at, payload }]);
		}
		return isTest
			? start(await accountSample(context, client, settings))
			: send(context, ANSWERS.unrecognised);
	}

	// One call at a time for each end. In the editor the same job may be tried out again and again.
	const { jobId, status = 'finished' } = notification;
	const isOnce = !isTest && ignoresDuplicates(fields);
	const before = isOnce ? ends.find(triggerOf(context), jobId) : undefined;
	if (before !== undefined) return send(context, await ends.outcomeOf(before));
	const end = isOnce ? ends.begin(triggerOf(context), jobId) : undefined;
	const refuse = (answer: Answer) => {
		end?.settle(answer);
		return send(context, answer);
	};
	let isStarted = false;
	try {
		// Confirm.
		const { account } = client.dialect;
		const confirmations = accounts.get(account) ?? new Confirmations();
		accounts.set(account, confirmations);
		const confirmed: Confirmation = fields.flag('options.verifyJob', RUN, true)
			? await confirmations.confirm(client, jobId, settings.timeoutMs)
			: {
					job: { ...(await cleaned(client, notification.job)), job_id: jobId, status },
					answer: ANSWERS.accepted,
				};
		const { job, answer, problem } = confirmed;
		if (problem !== undefined) throw apiError(context.getNode(), problem);
		if (job === undefined) return refuse(answer);
		if (!settings.wants(job.status)) return refuse(ANSWERS.notWanted);

		// Start. There is no other occasion for the results, so that they cannot be had becomes an item.
		const payload = settings.output === 'notification' ? await payloadOf(client, call) : {};
		const received = { received_at: at, payload };
		const made = await itemsOfJob(client, job, settings, received, DOWNLOAD_WAITS_MS);
		const items = made.ok ? made.value : [itemWithProblem(job, made.problem)];
		if (items.length === 0) return refuse(ANSWERS.nothingLeft);
		isStarted = true;

		// Answer.
		if (end !== undefined) ends.holdAnswer(context.getResponseObject(), end);
		return start(items);
	} finally {
		if (!isStarted) end?.settle(ANSWERS.unconfirmed);
	}
}

/**
 * The webhook of the trigger and what runs at the start of the executions that it begins, with what one n8n process has
 * to remember for both. Throws in the editor only, which shows the error at the node: an active workflow would be started
 * by it.
 */
export function webhookTrigger() {
	const ends = new EndsInProgress(clock);
	const accounts = new RecentMap<string, Confirmations>(MOST_ACCOUNTS);
	const withCredential = readingCredentialsOnce();
	let calls = 0;
	return {
		async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
			if (calls >= MOST_AT_ONCE) return send(this, ANSWERS.busy);
			calls++;
			const handled = receive(withCredential(this), ends, accounts).finally(() => calls--);
			return await handled.catch((error: Error & { description?: string }) => {
				if (this.getMode() === 'manual') throw error;
				const { message, description = '' } = error;
				this.logger.warn(`A callback could not be handled: ${message}. ${description}`);
				return send(this, ANSWERS.unconfirmed);
			});
		},
		execute: startOnce(new ProcessedJobs(), ends),
	};
}

/**
 * What a trigger does before it listens: says so in n8n's log when the service cannot reach it, and asks the service
 * whether it takes the key before somebody waits for a test event, which would never come.
 *
 * @throws NodeApiError or NodeOperationError when the service cannot be asked
 */
export async function beforeListening(context: IHookFunctions): Promise<void> {
	const { baseUrl = '' } = await credentialOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const warning = loopbackWarning(url, baseUrl, 'use the Price Collection Polling Trigger');
	if (warning !== undefined) context.logger.warn(`${context.getNode().name}: ${warning}`);
	if (context.getMode() !== 'manual') return;
	const client = await serviceClient.call(context);
	const usage = await client.getUsage('today', { repeat: false });
	if (!usage.ok) throw apiError(context.getNode(), usage.problem);
}
