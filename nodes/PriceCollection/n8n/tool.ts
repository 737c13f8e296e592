import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError } from './errors';

/** Agents and MCP clients give up on a tool after 60 seconds, including the transfer. */
export const TOOL_ANSWERS_WITHIN_MS = 58_000;
/** How long a tool waits for jobs by default; the rest of the time is for fetching their results. */
export const TOOL_MAX_WAIT_MS = 50_000;
/** Limits texts for an agent, because the service's words can be long. */
const LONGEST_SENTENCE = 2_000;

/** Whether this is a tool of an AI agent, which cannot be suspended and only reads the first output. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');
}

/** A text without n8n's item number, which means nothing to an agent. */
function withoutItem(text: string): string {
	return text.replace(/ \[item \d+\]/g, '');
}

/** What happened and what to do in one text, because agents only see the message of an error. */
function sentenceFor(message: string, description: unknown): string {
	const advice = typeof description === 'string' && !message.includes(description) ? description : '';
	const end = advice === '' || /[.!?…]$/.test(message) ? '' : '.';
	return withoutItem(`${message}${end} ${advice}`.trim()).slice(0, LONGEST_SENTENCE);
}

/** An error item in the form for an agent. */
export function errorForAgent(item: INodeExecutionData): INodeExecutionData {
	const { error, message, ...rest } = item.json;
	if (typeof error !== 'string') return item;
	return { ...item, json: { error: sentenceFor(error, message), ...rest } };
}

/**
 * Converts an error of a tool's operation for the agent. An agent that runs its tools itself is not shown
 * errors, so it gets the text as an answer; n8n's engine shows the message.
 *
 * @throws the error if n8n must see it: to retry, to stop, or to show it in the execution
 */
export function failureOfTool(context: IExecuteFunctions, thrown: unknown): INodeExecutionData[] {
	const error = asNodeError(context, thrown);
	error.message = sentenceFor(error.message, error.description);
	const { retryOnFail, onError } = context.getNode();
	const isSeen = context.isToolExecution?.() !== true || retryOnFail === true || onError === 'stopWorkflow';
	if (isSeen) throw error;
	return [{ json: { error: error.message }, pairedItem: { item: 0 } }];
}
