import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { type CallToRead, isWithinBounds, LARGEST_CALL, readNotification } from '../../callback/payload';
import { hashOfSignature, isSignatureParameter, verifyCallback } from '../../callback/signature';
import { WEBHOOK_OUTPUTS } from '../../descriptions/results';
import { sharingCredentials, serviceClient } from '../../n8n/client';
import * as clock from '../../n8n/clock';
import { apiError } from '../../n8n/errors';
import { RUN } from '../../n8n/nodeFields';
import type { ServiceClient } from '../../service/api/client';
import { parseUrl } from '../../service/address';
import { success } from '../../service/problems';
import { redactValue } from '../../service/secrets';
import { jobsBySignature, RecentMap } from '../../n8n/memory';
import { readSettings, triggerOf, warnOfUnknownStatus } from '../settings';
import { CALLER_REPLIES, replyTo } from './callerReplies';
import { Confirmations } from './confirm';
import { StartedJobs } from './processedJobs';
import { firstStep, start } from './start';

/** The maximum number of calls at once, including waiting ones: forged calls must not fill the memory. */
const MOST_AT_ONCE = 1_000;
const MOST_ACCOUNTS = 100;

/** Returns a call's unverified data; undefined if it is too large for a notification. */
function readCall(context: IWebhookFunctions): CallToRead | undefined {
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	const raw = Buffer.isBuffer(rawBody) ? rawBody : Buffer.alloc(0);
	if (raw.length > LARGEST_CALL.bytes) return undefined;
	const parsed: unknown = context.getBodyData();
	const query = context.getQueryData() as IDataObject;
	if (!isWithinBounds(parsed) || !isWithinBounds(query)) return undefined;
	// For an unknown content type, n8n passes an empty object.
	const isUnread = typeof parsed === 'object' && Object.keys(parsed ?? {}).length === 0;
	const body = isUnread ? raw.toString('utf8') : parsed;
	return { body, query, contentType: context.getHeaderData()['content-type'] };
}

/** Returns a copy of a caller's data without secrets, for an item. */
async function redactedCopy({ connection }: ServiceClient, data: object): Promise<IDataObject> {
	const copy: unknown = JSON.parse(JSON.stringify(data));
	return (await redactValue(copy, connection.secrets, clock)) as IDataObject;
}

/** Returns the received data for an item: the body, or if it is empty, the query without the signature. */
async function payloadOf(client: ServiceClient, { body, query }: CallToRead): Promise<IDataObject> {
	const unsigned = Object.entries(query).filter(([name]) => !isSignatureParameter(name));
	const received = typeof body === 'object' && body !== null ? body : { text: body };
	return await redactedCopy(client, body ? received : Object.fromEntries(unsigned));
}

/** Handles a call in the steps of `docs/triggers.md`: bound, verify, parse, confirm, start and answer. */
async function receive(
	context: IWebhookFunctions,
	startedJobs: StartedJobs,
	accounts: Map<string, Confirmations>,
): Promise<IWebhookResponseData> {
	const received_at = new Date(clock.now()).toISOString();
	const isTest = context.getMode() === 'manual';

	// Bound, before anything in the call is examined, because anyone can call.
	const call = readCall(context);
	if (call === undefined) return replyTo(context, CALLER_REPLIES.tooLarge);

	// Verify. Uses the node's configured address, because a proxy may have changed the called one.
	const client = await serviceClient.call(context);
	const secrets = client.connection.webhookSecrets;
	const path = parseUrl(context.getNodeWebhookUrl('default') ?? '')?.pathname ?? '';
	const verified = verifyCallback({ path, query: call.query, secrets, now: clock.now() });
	if (secrets.length > 0 && verified !== 'genuine')
		return replyTo(
			context,
			verified === 'missing' ? CALLER_REPLIES.unsigned : CALLER_REPLIES.badSignature,
		);

	// Parse. Repeating a call that names no job is pointless.
	const settings = readSettings(context, WEBHOOK_OUTPUTS);
	const { fields } = settings;
	const notification = readNotification(call);
	if (notification === undefined)
		return isTest ? start({ sample: true }) : replyTo(context, CALLER_REPLIES.unrecognised);

	// In the editor, users may test the same job repeatedly.
	const { jobId, status = 'finished' } = notification;
	const isOnce = !isTest && fields.flag('options.ignoreDuplicates', RUN, true);
	if (isOnce && startedJobs.has(triggerOf(context), jobId))
		return replyTo(context, CALLER_REPLIES.duplicate);

	// Confirm.
	const { account } = client.connection;
	const confirmations = accounts.get(account) ?? new Confirmations();
	accounts.set(account, confirmations);
	const isVerified = fields.flag('options.verifyJob', RUN, true);
	// A leaked callback URL must not be usable for another job than its own.
	const signedJobId = jobsBySignature.get(hashOfSignature(call.query) ?? '') ?? jobId;
	if (!isVerified && signedJobId !== jobId) return replyTo(context, CALLER_REPLIES.badSignature);
	const confirmed = isVerified
		? await confirmations.confirm(client, jobId, settings.timeoutMs)
		: success({ ...(await redactedCopy(client, notification.job)), job_id: jobId, status });
	if (!confirmed.ok) throw apiError(context.getNode(), confirmed.problem);
	const job = confirmed.value;
	if (job === undefined) return replyTo(context, CALLER_REPLIES.notEnded);
	warnOfUnknownStatus(context, client, [job]);
	const end = client.endOf(job.status);
	// The service may call before its own status changes.
	if (end === undefined && (isVerified || !client.knowsStatus(job.status)))
		return replyTo(context, CALLER_REPLIES.notEnded);
	if (!settings.wants(end)) return replyTo(context, CALLER_REPLIES.notWanted);

	// Start and answer. The execution makes the items.
	const payload = settings.output === 'notification' ? await payloadOf(client, call) : {};
	return start({ job, received_at, payload });
}

/**
 * Returns the trigger's webhook and the first step of its executions, which share one n8n process's memory. The webhook
 * only throws in the editor, which shows the error. In production an error would start the workflow.
 */
export function webhookTrigger() {
	const startedJobs = new StartedJobs();
	const accounts = new RecentMap<string, Confirmations>(MOST_ACCOUNTS);
	const withCredential = sharingCredentials();
	let calls = 0;
	return {
		async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
			if (calls >= MOST_AT_ONCE) return replyTo(this, CALLER_REPLIES.busy);
			calls++;
			const outcome = receive(withCredential(this), startedJobs, accounts).finally(() => calls--);
			return await outcome.catch((error: Error & { description?: string }) => {
				if (this.getMode() === 'manual') throw error;
				const { message, description = '' } = error;
				this.logger.warn(`A callback could not be handled: ${message}. ${description}`);
				return replyTo(this, CALLER_REPLIES.unconfirmed);
			});
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			return await firstStep.call(this, startedJobs);
		},
	};
}

/**
 * Runs before the trigger starts to listen. In the editor it tests the key, because with a wrong one the user would wait
 * for a test event in vain.
 *
 * @throws NodeApiError or NodeOperationError if the key cannot be used
 */
export async function testKeyInEditor(this: IHookFunctions): Promise<boolean> {
	if (this.getMode() !== 'manual') return true;
	const client = await serviceClient.call(this);
	const usage = await client.getUsage('today', { repeat: false });
	if (!usage.ok) throw apiError(this.getNode(), usage.problem);
	return true;
}
