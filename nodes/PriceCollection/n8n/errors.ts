import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode, INodeExecutionData, JsonObject } from 'n8n-workflow';

import { explain, traitsOf, type Problem } from '../service/problems';
import { oneLine } from '../service/text';

export type NodeError = NodeApiError | NodeOperationError;

/** The cause for n8n's own back-off, if there is one. */
function causeOf(problem: Problem): ConstructorParameters<typeof NodeApiError>[2] {
	const { cause } = traitsOf(problem);
	if (cause === undefined) return {};
	const waits = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return { failure: waits ? { cause, retryAfterMs: problem.retryAfterMs } : { cause } };
}

/** n8n ends a run as cancelled instead of failed when an error message has the American spelling. */
function inBritishSpelling(message: string): string {
	return message.replace(/cancel(?=ed|ing)/gi, (word) => `${word}l`);
}

/**
 * Sets the exact message again, because n8n replaces a whole message that happens to contain a code such as
 * EEXIST ("preexisting"). The item is not part of it: with several items, n8n appends its own " [item 1]",
 * counted from 0, and on the error output the item itself has the error.
 */
function withMessage<T extends NodeError>(error: T, message: string): T {
	error.message = message;
	error.messages = [];
	return error;
}

/** The only input item of a failure; undefined when several share it, as none of them is the cause. */
function onlyOf(items: number | readonly number[] | undefined): number | undefined {
	if (items === undefined || typeof items === 'number') return items;
	return items.length === 1 ? items[0] : undefined;
}

/**
 * The error that n8n shows for a problem with the service.
 *
 * @param items the input items of the request; ignored for account-wide problems such as a wrong key
 * @param more further facts for the description, such as the IDs of existing jobs
 */
export function apiError(
	node: INode,
	problem: Problem,
	items?: number | readonly number[],
	more?: string,
): NodeApiError {
	const itemIndex = traitsOf(problem).accountWide ? undefined : onlyOf(items);
	const { message: said, description: advice } = explain(problem);
	const message = problem.kind === 'stopped' ? said : inBritishSpelling(said);
	const description = more === undefined ? advice : `${oneLine(more)} ${advice}`;
	// Never includes the request or the reply, which may contain the key.
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
 * The error that n8n shows for invalid input; nothing was sent.
 *
 * @param items the input items concerned; absent for a setting of the whole node
 */
export function inputError(
	node: INode,
	message: string,
	description: string,
	items?: number | readonly number[],
): NodeOperationError {
	const text = inBritishSpelling(oneLine(message));
	const options = { description: oneLine(description), itemIndex: onlyOf(items) };
	const error = new NodeOperationError(node, text, options);
	return withMessage(error, text);
}

/** The error for a value that the service could not look up, if the user wants it to stop the node. */
export function failedResultError(
	node: INode,
	failed: { value: string | null; reason: string },
	jobId: string,
	itemIndex: number,
): NodeOperationError {
	return inputError(
		node,
		`The service could not look up "${failed.value ?? 'a value'}": ${failed.reason}`,
		`The service decides whether this lookup is charged. All results of job ${jobId} can still be downloaded. Set If a Lookup Fails to Include or Skip to go on without it.`,
		itemIndex,
	);
}

/** The error to show for anything that an operation threw. n8n's own errors stay unchanged. */
export function asNodeError(context: IExecuteFunctions, thrown: unknown, itemIndex?: number): NodeError {
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) return thrown;
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	// With a second copy of n8n-workflow, instanceof fails; the names still identify n8n's errors.
	if (error.name === 'NodeApiError' || error.name === 'NodeOperationError') return error as NodeError;
	return new NodeOperationError(context.getNode(), error, { itemIndex });
}

/** Limits texts for an agent, because the service's words can be long. */
const LONGEST_SENTENCE = 2_000;

/**
 * What happened and what to do in one text, because agents only see the message of an error. Without n8n's
 * item number, which means nothing to them.
 */
function sentenceFor(message: string, description: unknown): string {
	const advice = typeof description === 'string' && !message.includes(description) ? description : '';
	const end = advice === '' || /[.!?…]$/.test(message) ? '' : '.';
	const sentence = `${message}${end} ${advice}`.replace(/ \[item \d+\]/g, '');
	return sentence.trim().slice(0, LONGEST_SENTENCE);
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
