import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode, JsonObject } from 'n8n-workflow';

import { traitsOf, type Problem } from '../service/problems';
import { explain } from '../service/explain';

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
 * The error with exactly this message, and the item counted from 1 as people do. It is set once more because n8n
 * replaces the whole message when any word of it happens to contain a code such as EEXIST ("preexisting").
 */
function withMessage<T extends NodeError>(error: T, message: string, itemIndex?: number): T {
	error.message = itemIndex === undefined ? message : `${message} [item ${itemIndex + 1}]`;
	error.messages = [];
	return error;
}

/**
 * The error n8n shows for a problem with the service.
 *
 * @param more further facts for the description, such as the ids of jobs that do exist
 */
export function apiError(node: INode, problem: Problem, itemIndex?: number, more?: string): NodeApiError {
	const { message: said, description: advice } = explain(problem);
	const message = problem.kind === 'stopped' ? said : inBritishSpelling(said);
	const description = more === undefined ? advice : `${more} ${advice}`;
	// Never the request or the reply itself: they may hold the key.
	const { endpoint, status = null, reason = null, parameter = null, comment = null } = problem;
	const response: JsonObject = { endpoint, status, reason, parameter, comment };
	const httpCode = problem.status?.toString();
	const error = new NodeApiError(node, response, {
		...causeOf(problem),
		...{ message, description, httpCode, itemIndex },
	});
	return withMessage(error, message, itemIndex);
}

/** The error n8n shows for something the user entered; nothing was sent. */
export function inputError(
	node: INode,
	message: string,
	description: string,
	itemIndex?: number,
): NodeOperationError {
	const text = inBritishSpelling(message);
	return withMessage(new NodeOperationError(node, text, { description, itemIndex }), text, itemIndex);
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
		`It is paid for as the service says. All results of job ${jobId} can still be downloaded. Set On Failed Result to Include or Skip to go on without it.`,
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
