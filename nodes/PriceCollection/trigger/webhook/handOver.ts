import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { pause } from '../../n8n/clock';
import { saveStaticData } from '../../n8n/internals';
import { ANSWERS, bodyOfAnswer, send } from './answers';

/** A caller is not kept waiting longer for what the items need, in milliseconds. */
const ANSWER_WITHIN_MS = 1_000;

/** The caller has its answer, whatever becomes of the workflow. */
export function answered(items: IDataObject[] = []): IWebhookResponseData {
	return items.length === 0
		? { noWebhookResponse: true }
		: { noWebhookResponse: true, workflowData: [items.map((json) => ({ json }))] };
}

/**
 * Hands items over, and leaves the answer to n8n, which gives it once the execution is stored: so a 200 means that
 * the end is safe, and callers are slowed down by an n8n that has enough to do. Answering at once would pile up
 * executions until the database refuses them, with nobody left to repeat the call.
 */
function handedOver(context: IWebhookFunctions, items: IDataObject[]): IWebhookResponseData {
	saveStaticData(context);
	return {
		webhookResponse: bodyOfAnswer(ANSWERS.accepted),
		workflowData: [items.map((json) => ({ json }))],
	};
}

/** Hands items over when they are there; a caller for whom that takes too long is answered before. */
export async function handOver(
	context: IWebhookFunctions,
	items: Promise<IDataObject[]>,
): Promise<IWebhookResponseData> {
	const ready = new AbortController();
	const inTime = items.then((found) => found);
	const first = await Promise.race([inTime, pause(ANSWER_WITHIN_MS, ready.signal)]);
	ready.abort();
	if (first !== undefined && first.length > 0) return handedOver(context, first);
	send(context, ANSWERS.accepted);
	return answered(await items);
}

/** Does something when n8n could not store the execution and answers with an error. */
export function onFailedHandOver(context: IWebhookFunctions, undo: () => void): void {
	const response = context.getResponseObject();
	// Not every stand-in for express has events.
	response.once?.('finish', () => {
		if (response.statusCode >= 400) undo();
	});
}
