import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** The answer to a caller: only what it needs to know, because anyone can call. */
export interface CallerReply {
	status: number;
	message: string;
	/** Seconds after which to repeat the call. */
	retryAfter?: number;
}

/** All answers of the trigger, as in `docs/triggers.md`. Only those with 503 ask for a repeat. */
export const ANSWERS = {
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
	// The same for a running job and one of another account: the answer must not reveal which jobs exist.
	notEnded: { status: 503, message: 'This job is not known to have ended yet', retryAfter: 30 },
	unconfirmed: { status: 503, message: 'The job could not be confirmed now', retryAfter: 60 },
	busy: { status: 503, message: 'Too many calls at once', retryAfter: 10 },
} as const satisfies Record<string, CallerReply>;

export function bodyOf({ status, message }: CallerReply) {
	return { success: status === 200, message };
}

/** Answers the caller immediately, without starting an execution. */
export function replyTo(context: IWebhookFunctions, answer: CallerReply): IWebhookResponseData {
	const response = context.getResponseObject();
	if (answer.retryAfter !== undefined) response.setHeader('Retry-After', String(answer.retryAfter));
	response.status(answer.status).json(bodyOf(answer));
	return { noWebhookResponse: true };
}
