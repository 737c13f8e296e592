import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode, INodeExecutionData, JsonObject } from 'n8n-workflow';

import { explain, traitsOf, type Problem } from '../service/problems';
import { oneLine } from '../service/text';

export type NodeError = NodeApiError | NodeOperationError;

/** Returns the cause that n8n's back-off needs; empty if the problem has none. */
function causeOf(problem: Problem): ConstructorParameters<typeof NodeApiError>[2] {
	const { cause } = traitsOf(problem);
	if (cause === undefined) return {};
	const isTemporary = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return { failure: isTemporary ? { cause, retryAfterMs: problem.retryAfterMs } : { cause } };
}

/** Avoids "canceled": n8n ends a run as cancelled instead of failed if an error message has the American spelling. */
function inBritishSpelling(message: string): string {
	return message.replace(/cancel(?=ed|ing)/gi, (word) => `${word}l`);
}

/**
 * Restores the exact message: n8n replaces any message that happens to contain a code such as EEXIST ("preexisting").
 * The message does not name the item: with several items n8n appends its own " [item 1]", counted from 0, and on the
 * error output the item itself carries the error.
 */
function withMessage<T extends NodeError>(error: T, message: string): T {
	error.message = message;
	error.messages = [];
	return error;
}

/** Returns the failed input item; undefined if several items share the failure, because none of them caused it. */
function singleItem(items: number | readonly number[] | undefined): number | undefined {
	if (items === undefined || typeof items === 'number') return items;
	return items.length === 1 ? items[0] : undefined;
}

/**
 * Returns the error that n8n shows for a problem with the service.
 *
 * @param items the request's input items; ignored for account-wide problems such as a wrong key
 * @param details facts to put before the advice in the description, such as the IDs of existing jobs
 */
export function apiError(
	node: INode,
	problem: Problem,
	items?: number | readonly number[],
	details?: string,
): NodeApiError {
	const itemIndex = traitsOf(problem).accountWide ? undefined : singleItem(items);
	const { message: headline, description: advice } = explain(problem);
	const message = problem.kind === 'stopped' ? headline : inBritishSpelling(headline);
	const description = details === undefined ? advice : `${oneLine(details)} ${advice}`;
	// Leaves out the request and the raw reply, which may contain the key.
	const { endpoint, status = null, reason = null, parameter = null, comment = null } = problem;
	const response: JsonObject = { endpoint: endpoint.text, status, reason, parameter, comment };
	const httpCode = problem.status?.toString();
	const error = new NodeApiError(node, response, {
		...causeOf(problem),
		message,
		description,
		httpCode,
		itemIndex,
	});
	return withMessage(error, message);
}

/**
 * Returns the error that n8n shows for a problem other than a failed request, such as invalid input or a job that is not
 * over in time.
 *
 * @param items the affected input items; absent for a problem of the whole node
 */
export function operationError(
	node: INode,
	message: string,
	description: string,
	items?: number | readonly number[],
): NodeOperationError {
	const text = inBritishSpelling(oneLine(message));
	const options = { description: oneLine(description), itemIndex: singleItem(items) };
	const error = new NodeOperationError(node, text, options);
	return withMessage(error, text);
}

/** Returns the error for a failed lookup, for users who want it to stop the node. */
export function failedResultError(
	node: INode,
	failed: { value: string | null; reason: string },
	jobId: string,
	itemIndex: number,
): NodeOperationError {
	return operationError(
		node,
		`The service could not look up "${failed.value ?? 'a value'}": ${failed.reason}`,
		`The service decides whether this lookup is charged. All results of job ${jobId} can still be downloaded. Set If a Lookup Fails to Include or Skip to continue without it.`,
		itemIndex,
	);
}

/** Converts anything an operation threw into an error that n8n can show. n8n's own errors stay unchanged. */
export function asNodeError(context: IExecuteFunctions, thrown: unknown, itemIndex?: number): NodeError {
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) return thrown;
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	// If there are two copies of n8n-workflow, instanceof fails, but the names still identify n8n's errors.
	if (error.name === 'NodeApiError' || error.name === 'NodeOperationError') return error as NodeError;
	return new NodeOperationError(context.getNode(), error, { itemIndex });
}

/** The longest text for an agent, in characters: the service's messages can be long. */
const MAX_AGENT_TEXT = 2_000;

/**
 * Joins what happened and what to do into one text, because agents only see an error's message. Removes n8n's item
 * number, which means nothing to an agent.
 */
function textForAgent(message: string, description: unknown): string {
	const advice = typeof description === 'string' && !message.includes(description) ? description : '';
	const end = advice === '' || /[.!?…]$/.test(message) ? '' : '.';
	const text = `${message}${end} ${advice}`.replace(/ \[item \d+\]/g, '');
	return text.trim().slice(0, MAX_AGENT_TEXT);
}

/** Returns an error item as an agent should see it. */
export function errorForAgent(item: INodeExecutionData): INodeExecutionData {
	const { error, message, ...rest } = item.json;
	if (typeof error !== 'string') return item;
	return { ...item, json: { error: textForAgent(error, message), ...rest } };
}

/**
 * Converts an error in a tool's operation for the agent. An agent that runs its tools itself does not see errors, so it
 * gets the text as the tool's answer. n8n's engine shows the error's message.
 *
 * @throws the error if n8n must see it: to retry, to stop, or to show it in the execution
 */
export function failureOfTool(context: IExecuteFunctions, thrown: unknown): INodeExecutionData[] {
	const error = asNodeError(context, thrown);
	error.message = textForAgent(error.message, error.description);
	const { retryOnFail, onError } = context.getNode();
	const mustThrow =
		context.isToolExecution?.() !== true || retryOnFail === true || onError === 'stopWorkflow';
	if (mustThrow) throw error;
	return [{ json: { error: error.message }, pairedItem: { item: 0 } }];
}
