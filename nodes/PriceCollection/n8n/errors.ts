import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode, JsonObject } from 'n8n-workflow';

import { explain, traitsOf, type Problem } from '../service/problems';
import { oneLine } from '../service/text';

export { explain };

export type NodeError = NodeApiError | NodeOperationError;

/** The cause that n8n's own back-off understands, where there is one. */
function causeOf(problem: Problem): ConstructorParameters<typeof NodeApiError>[2] {
	const { cause } = traitsOf(problem);
	if (cause === undefined) return {};
	const waits = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return { failure: waits ? { cause, retryAfterMs: problem.retryAfterMs } : { cause } };
}

/** n8n ends a run as cancelled, not as failed, when the message of an error holds the American spelling. */
function inBritishSpelling(message: string): string {
	return message.replace(/cancel(?=ed|ing)/gi, (word) => `${word}l`);
}

/**
 * The error with exactly this message. It is set once more because n8n replaces the whole message when any word of it
 * happens to contain a code such as EEXIST ("preexisting"). The item is not in it: where a node has several, n8n puts
 * its own " [item 1]" behind, counted from 0, and on the error output the item carries it.
 */
function withMessage<T extends NodeError>(error: T, message: string): T {
	error.message = message;
	error.messages = [];
	return error;
}

/** The one input item that a failure is about; undefined where several share it: none of them is its cause. */
function onlyOf(items: number | readonly number[] | undefined): number | undefined {
	if (items === undefined || typeof items === 'number') return items;
	return items.length === 1 ? items[0] : undefined;
}

/**
 * The error n8n shows for a problem with the service.
 *
 * @param items the input items that the request was for; none is named for what any item would meet, such as a wrong key
 * @param more further facts for the description, such as the ids of jobs that do exist
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
	// Never the request or the reply itself: they may hold the key.
	const { endpoint, status = null, reason = null, parameter = null, comment = null } = problem;
	const response: JsonObject = { endpoint: endpoint.text, status, reason, parameter, comment };
	const httpCode = problem.status?.toString();
	const error = new NodeApiError(node, response, {
		...causeOf(problem),
		...{ message, description, httpCode, itemIndex },
	});
	return withMessage(error, message);
}

/**
 * The error n8n shows for something the user entered; nothing was sent.
 *
 * @param items the input items that it is about; absent for a setting of the whole node
 */
export function inputError(
	node: INode,
	message: string,
	description: string,
	items?: number | readonly number[],
): NodeOperationError {
	const text = inBritishSpelling(oneLine(message));
	const error = new NodeOperationError(node, text, {
		...{ description: oneLine(description), itemIndex: onlyOf(items) },
	});
	return withMessage(error, text);
}

/** The error for a value that the service could not look up, where the user wants it to stop. */
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

/** The error to show for whatever an operation threw. n8n's own errors stay as they are. */
export function asNodeError(context: IExecuteFunctions, thrown: unknown, itemIndex?: number): NodeError {
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) return thrown;
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	// A second copy of n8n-workflow makes instanceof lie; by their names they are errors of n8n all the same.
	if (error.name === 'NodeApiError' || error.name === 'NodeOperationError') return error as NodeError;
	return new NodeOperationError(context.getNode(), error, { itemIndex });
}
