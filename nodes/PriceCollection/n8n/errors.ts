import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode, JsonObject } from 'n8n-workflow';

import type { Problem } from '../service/problem';
import { explain } from '../service/texts';

export { explain };

/** The cause that n8n's own back-off understands, where there is one. */
function causeOf(problem: Problem): ConstructorParameters<typeof NodeApiError>[2] {
	const { retryAfterMs } = problem;
	switch (problem.kind) {
		case 'rateLimited':
			return { failure: { cause: 'rate-limited', retryAfterMs } };
		case 'noCredits':
		case 'quotaExceeded':
			return { failure: { cause: 'quota-exhausted' } };
		case 'unavailable':
		case 'connectionRefused':
		case 'connectionLost':
		case 'timedOut':
			return { failure: { cause: 'temporarily-unavailable', retryAfterMs } };
		case 'unauthorized':
			return { failure: { cause: 'credential-invalid' } };
		case 'retired':
		case 'wrongAddress':
		case 'redirectedAway':
			return { failure: { cause: 'configuration-invalid' } };
		default:
			return {};
	}
}

/** n8n ends a run as cancelled, not as failed, when the message of an error holds the American spelling. */
function inBritishSpelling(message: string): string {
	return message.replace(/cancel(?=ed|ing)/gi, (word) => `${word}l`);
}

/**
 * The error with exactly this message, and the item counted from 1 as people do. It is set once more because n8n
 * replaces the whole message when any word of it happens to contain a code such as EEXIST ("preexisting").
 */
function withMessage<T extends NodeApiError | NodeOperationError>(
	error: T,
	message: string,
	itemIndex?: number,
): T {
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
	const explanation = explain(problem);
	const stopped = problem.kind === 'stopped';
	const message = stopped ? explanation.message : inBritishSpelling(explanation.message);
	const description = more === undefined ? explanation.description : `${more} ${explanation.description}`;
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
