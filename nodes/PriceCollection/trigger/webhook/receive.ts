import type { IDataObject, IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isWithinBounds, LARGEST_CALL, readNotification, type CallToRead } from '../../callback/payload';
import { WEBHOOK_OUTPUTS } from '../../descriptions/triggerFields';
import { isSignatureParameter, verifyCallback } from '../../callback/signature';
import { credentialOf, readingCredentialsOnce, serviceClient } from '../../n8n/client';
import * as clock from '../../n8n/clock';
import { apiError } from '../../n8n/errors';
import { RUN } from '../../n8n/parameters';
import { DOWNLOAD_WAITS_MS } from '../../output/fetch';
import { loopbackWarning, parseUrl } from '../../service/connection';
import type { ServiceClient } from '../../service/client';
import { RecentMap } from '../../service/types';
import { redactValue } from '../../service/text';
import { ignoresDuplicates, itemsOfJob, itemWithProblem, readSettings, triggerOf } from '../items';
import { accountSample } from '../sample';
import { ANSWERS, bodyOf, send, type Answer } from './answers';
import { Confirmations, type Confirmation } from './confirm';
import { EndsInProgress } from './endsInProgress';
import { ProcessedJobs, startOnce } from './processedJobs';

/** Maximum calls at once, including waiting ones: forged calls must not fill the memory. */
const MOST_AT_ONCE = 1_000;
const MOST_ACCOUNTS = 100;

/** The data of a call, unverified; undefined when it is larger than a notification. */
function readCall(context: IWebhookFunctions): CallToRead | undefined {
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	const raw = Buffer.isBuffer(rawBody) ? rawBody : Buffer.alloc(0);
	if (raw.length > LARGEST_CALL.bytes) return undefined;
	const parsed: unknown = context.getBodyData();
	const query = context.getQueryData() as IDataObject;
	if (!isWithinBounds(parsed) || !isWithinBounds(query)) return undefined;
	// n8n passes an empty object for an unknown content type.
	const body = isEmpty(parsed) ? raw.toString('utf8') : parsed;
	return { body, query, contentType: context.getHeaderData()['content-type'] };
}

function isEmpty(body: unknown): boolean {
	return typeof body === 'object' && body !== null ? Object.keys(body).length === 0 : !body;
}

/** Why a call is rejected; undefined for a genuine one, and for a credential without secret. */
function signatureFault(
	context: IWebhookFunctions,
	{ connection }: ServiceClient,
	{ query }: CallToRead,
): Answer | undefined {
	const secrets = connection.webhookSecrets;
	if (secrets.length === 0) return undefined;
	// Uses the node's own address, because a proxy may have changed the called one.
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const verified = verifyCallback({ path, query, secrets, now: clock.now() });
	return { genuine: undefined, missing: ANSWERS.unsigned, wrong: ANSWERS.badSignature }[verified];
}

/** A copy of a caller's data without secrets, for an item. */
async function cleaned({ connection }: ServiceClient, data: object): Promise<IDataObject> {
	const copy: unknown = JSON.parse(JSON.stringify(data));
	return (await redactValue(copy, connection.secrets, clock)) as IDataObject;
}

/** The received data for an item: the body, or else the query without the signature. */
async function payloadOf(client: ServiceClient, { body, query }: CallToRead): Promise<IDataObject> {
	const unsigned = Object.entries(query).filter(([name]) => !isSignatureParameter(name));
	const sent = typeof body === 'object' ? (body ?? {}) : { text: body };
	return await cleaned(client, isEmpty(body) ? Object.fromEntries(unsigned) : sent);
}

/** Passes items to n8n, which answers 200 itself after storing the execution. */
function start(items: readonly IDataObject[]): IWebhookResponseData {
	return {
		webhookResponse: bodyOf(ANSWERS.accepted),
		workflowData: [items.map((json) => ({ json }))],
	};
}

/** Handles a call: limit, verify, parse, confirm, start, answer. */
async function receive(
	context: IWebhookFunctions,
	ends: EndsInProgress,
	accounts: Map<string, Confirmations>,
): Promise<IWebhookResponseData> {
	const at = new Date(clock.now()).toISOString();
	const isTest = context.getMode() === 'manual';

	// Limit: before anything in the call is examined, because anyone can call.
	const call = readCall(context);
	if (call === undefined) return send(context, ANSWERS.tooLarge);

	// Verify.
	const client = await serviceClient.call(context);
	const fault = signatureFault(context, client, call);
	if (fault !== undefined) return send(context, fault);

	// Parse. It is useless to repeat a call without a job.
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

	// One call at a time per end. In the editor, the same job may be tried repeatedly.
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
		const { account } = client.connection;
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

		// Start. There is no later chance to fetch the results, so a failed download becomes an item.
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
 * Returns the trigger's webhook and the first step of its executions, with the memory of one n8n process for
 * both. The webhook only throws in the editor, which shows the error: in production an error would start the
 * workflow.
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
 * Runs before a trigger listens: warns in n8n's log if the service cannot reach it, and tests the key before
 * the user waits for a test event that would never come.
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
