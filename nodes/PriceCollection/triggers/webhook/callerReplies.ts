import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** A reply to a caller. It says only what the caller needs, because anyone can call. */
export interface CallerReply {
	status: number;
	message: string;
	/** When to repeat the call, in seconds. */
	retryAfter?: number;
}

/** The trigger's replies; see `docs/triggers.md`. Only the 503 replies ask the caller to repeat the call. */
export const CALLER_REPLIES = {
	accepted: { status: 200, message: 'Accepted' },
	duplicate: { status: 200, message: 'This job has already been handled' },
	notWanted: { status: 200, message: 'The trigger does not listen for this event' },
	unsigned: {
		status: 401,
		message:
			'The signature of this callback URL is missing. Create the job with a credential that has the Webhook Secret of the trigger.',
	},
	badSignature: { status: 401, message: 'The signature of this callback URL is wrong or has expired' },
	unrecognised: { status: 400, message: 'The call names no job' },
	tooLarge: { status: 413, message: 'The call is too large' },
	// The same reply for running, unknown and other accounts' jobs, so that it does not reveal which jobs exist.
	notEnded: { status: 503, message: 'This job is not known to have ended yet', retryAfter: 30 },
	unconfirmed: { status: 503, message: 'The job could not be confirmed now', retryAfter: 60 },
	busy: { status: 503, message: 'Too many calls at once', retryAfter: 10 },
} as const satisfies Record<string, CallerReply>;

export function bodyOf({ status, message }: CallerReply) {
	return { success: status === 200, message };
}

/** Replies to the caller at once, without starting an execution. */
export function replyTo(context: IWebhookFunctions, reply: CallerReply): IWebhookResponseData {
	const response = context.getResponseObject();
	if (reply.retryAfter !== undefined) response.setHeader('Retry-After', String(reply.retryAfter));
	response.status(reply.status).json(bodyOf(reply));
	return { noWebhookResponse: true };
}
