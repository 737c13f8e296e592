import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { saveStaticData } from '../../n8n/internals';
import { triggerMemories } from '../memories';
import { ANSWERS, bodyOfAnswer, send } from './answers';
import type { Claim } from './callbackMemory';

/** The caller has its answer, and nothing starts. */
export function answered(): IWebhookResponseData {
	return { noWebhookResponse: true };
}

/** Has the memory of the workflow's triggers saved with the answer. */
function keepMemory(context: IWebhookFunctions, claim: Pick<Claim, 'settle'>): void {
	const workflowId = context.getWorkflow().id ?? '';
	saveStaticData(context, () => {
		// n8n saves after it has stored the execution.
		claim.settle(true);
		return triggerMemories.of(workflowId);
	});
}

/**
 * Learns from n8n's answer whether it could store the execution. A caller who hangs up ends nothing: n8n goes on, and
 * answers into the void. So the answer is watched, not the connection.
 */
function settleWithAnswer(context: IWebhookFunctions, { settle }: Pick<Claim, 'settle'>): void {
	const response = context.getResponseObject();
	const { end } = response;
	// Not every stand-in for express has it.
	if (typeof end !== 'function') return;
	response.end = ((...given: Parameters<typeof end>) => {
		settle(!(response.statusCode >= 400));
		return Reflect.apply(end, response, given) as unknown;
	}) as typeof end;
}

/**
 * Hands items over, and leaves the answer to n8n, which gives it once the execution is stored: so a 200 means that
 * the end is safe, and callers are slowed down by an n8n that has enough to do. Answering at once would pile up
 * executions until the database refuses them, with nobody left to repeat the call. Where there is nothing to start the
 * workflow with, the end is handled all the same.
 */
export function handOver(
	context: IWebhookFunctions,
	items: readonly IDataObject[],
	claim: Pick<Claim, 'settle'>,
): IWebhookResponseData {
	if (items.length === 0) {
		keepMemory(context, claim);
		claim.settle(true);
		send(context, ANSWERS.nothingLeft);
		return answered();
	}
	settleWithAnswer(context, claim);
	keepMemory(context, claim);
	return {
		webhookResponse: bodyOfAnswer(ANSWERS.accepted),
		workflowData: [items.map((json) => ({ json }))],
	};
}
