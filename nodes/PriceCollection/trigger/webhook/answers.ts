import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { pause } from '../../n8n/clock';

/** An answer is held for so long at the most, in milliseconds. */
const LONGEST_HOLD_MS = 10_000;

/** Who hears what becomes of an end that is handed over. */
export interface Handed {
	/** Says whether n8n has stored the end. The first word counts. */
	settle(stored: boolean): void;
	/** Resolves when the execution of the end has begun; absent where nobody sees that. */
	begun?(): Promise<void>;
}

/** What a caller is told. Never more than it needs: whoever calls may be anybody. */
export interface Answer {
	status: number;
	message: string;
	/** After how many seconds the same call makes sense again. */
	retryAfter?: number;
}

/** All answers of the trigger. Only those with 503 ask for a repeat; `docs/triggers.md` has the same table. */
export const ANSWERS = {
	accepted: { status: 200, message: 'Accepted' },
	duplicate: { status: 200, message: 'This job was handled before' },
	notWanted: { status: 200, message: 'The trigger does not listen for this end of a job' },
	nothingLeft: { status: 200, message: 'The settings leave out all results of this job' },
	unsigned: {
		status: 401,
		message:
			'The signature of this callback URL is missing. Create the job with a credential that has the Webhook Secret of the trigger.',
	},
	badSignature: { status: 401, message: 'The signature of this callback URL is wrong or has expired' },
	otherJob: { status: 401, message: 'This callback URL was signed for another job' },
	unrecognised: { status: 400, message: 'The call names no job' },
	tooLarge: { status: 413, message: 'The call is larger than a notification can be' },
	// The same for a job of another account: the answer is not to tell which jobs exist.
	unknownJob: { status: 404, message: 'This job is not known to the account' },
	unheardJob: { status: 503, message: 'This job is not known to the account yet', retryAfter: 30 },
	running: { status: 503, message: 'The job has not ended yet', retryAfter: 30 },
	unconfirmed: { status: 503, message: 'The job could not be confirmed now', retryAfter: 60 },
	underWay: { status: 503, message: 'The same job is being handled', retryAfter: 10 },
	unstored: { status: 503, message: 'n8n could not store the end of the job', retryAfter: 10 },
	busy: { status: 503, message: 'Too many calls at once', retryAfter: 10 },
} as const satisfies Record<string, Answer>;

function bodyOf({ status, message }: Answer): IDataObject {
	return { success: status === 200, message };
}

/** Answers the caller now; nothing starts. */
export function send(context: IWebhookFunctions, answer: Answer): IWebhookResponseData {
	const response = context.getResponseObject();
	if (answer.retryAfter !== undefined) response.setHeader('Retry-After', String(answer.retryAfter));
	response.status(answer.status).json(bodyOf(answer));
	return { noWebhookResponse: true };
}

/**
 * Hands items over, and leaves the answer to n8n, which gives it once the execution is stored: so callers are slowed down
 * by an n8n that has enough to do. Answering at once would pile up executions until the database refuses them, with
 * nobody left to repeat the call. The answer is held until the execution has begun, because an n8n that is being stopped
 * answers calls for a moment whose executions it cuts off. Where there is nothing to start the workflow with, the end is
 * handled all the same.
 *
 * A caller who hangs up ends nothing: n8n goes on, and answers into the void. So the answer is watched, not the connection.
 */
export function handOver(
	context: IWebhookFunctions,
	items: readonly IDataObject[],
	{ settle, begun }: Handed,
): IWebhookResponseData {
	if (items.length === 0) {
		settle(true);
		return send(context, ANSWERS.nothingLeft);
	}
	const response = context.getResponseObject();
	const { end } = response;
	const hasBegun = begun?.();
	response.end = ((...given: Parameters<typeof end>) => {
		const isStored = response.statusCode < 400;
		const answer = () => {
			settle(isStored);
			return Reflect.apply(end, response, given) as unknown;
		};
		if (!isStored || hasBegun === undefined) return answer();
		const held = new AbortController();
		void Promise.race([hasBegun, pause(LONGEST_HOLD_MS, held.signal)]).then(() => {
			held.abort();
			answer();
		});
		return response;
	}) as typeof end;
	return {
		webhookResponse: bodyOf(ANSWERS.accepted),
		workflowData: [items.map((json) => ({ json }))],
	};
}
