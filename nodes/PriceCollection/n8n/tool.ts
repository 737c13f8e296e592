import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError } from './errors';

/** Agents and clients of the Model Context Protocol give up on a tool after 60 seconds, counted with the way there and back. */
export const TOOL_ANSWERS_WITHIN_MS = 58_000;
/** How long a tool waits for jobs where the user says nothing: what is left of that time is for fetching their results. */
export const TOOL_MAX_WAIT_MS = 50_000;
/** A text for an agent ends somewhere: what a service says about a refusal can be long. */
const LONGEST_SENTENCE = 2_000;

/** Whether this runs as a tool of an AI agent, which cannot be suspended and whose first output alone is read. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');
}

/** A text without the number of the item, of which an agent knows nothing. */
function withoutItem(text: string): string {
	return text.replace(/ \[item \d+\]/g, '');
}

/** What happened and what to do, as one text: agents are shown the message of an error only. */
function sentenceFor(message: string, description: unknown): string {
	const advice = typeof description === 'string' && !message.includes(description) ? description : '';
	const end = advice === '' || /[.!?…]$/.test(message) ? '' : '.';
	return withoutItem(`${message}${end} ${advice}`.trim()).slice(0, LONGEST_SENTENCE);
}

/** An error item as an agent is to read it. */
export function errorForAgent(item: INodeExecutionData): INodeExecutionData {
	const { error, message, ...rest } = item.json;
	if (typeof error !== 'string') return item;
	return { ...item, json: { error: sentenceFor(error, message), ...rest } };
}

/**
 * What an operation of a tool threw, in words for the agent. An agent that runs its tools by itself is shown no error at
 * all, and gets it as an answer; n8n's engine shows its message.
 *
 * @throws the error, where n8n is to see it: to try again, to stop, or to show it in the execution
 */
export function failureOfTool(context: IExecuteFunctions, thrown: unknown): INodeExecutionData[] {
	const error = asNodeError(context, thrown);
	error.message = sentenceFor(error.message, error.description);
	const { retryOnFail, onError } = context.getNode();
	const isSeen = context.isToolExecution?.() !== true || retryOnFail === true || onError === 'stopWorkflow';
	if (isSeen) throw error;
	return [{ json: { error: error.message }, pairedItem: { item: 0 } }];
}
