import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode, JsonObject } from 'n8n-workflow';

import type { Problem, ProblemKind } from './problem';

/** What happened, for the headline, and what to do about it. */
interface Explanation {
	message: string;
	advice: string;
}

const TRY_LATER = 'Try again later.';
const CHECK_ADDRESS = 'Check the Base URL of the credential.';

/**
 * The one place that holds error texts. None of them may contain the American spelling of "cancelled": n8n
 * would end the run as cancelled instead of failed.
 */
const EXPLANATIONS: Readonly<Record<ProblemKind, Explanation>> = {
	connectionRefused: {
		message: 'The service does not accept connections',
		advice: `${CHECK_ADDRESS} If it is right, the service is down: try again later.`,
	},
	hostNotFound: {
		message: "The service's host name was not found",
		advice: `${CHECK_ADDRESS} If it is right, the network of n8n cannot resolve names now.`,
	},
	connectionLost: {
		message: 'The connection to the service broke off',
		advice: TRY_LATER,
	},
	timedOut: {
		message: 'The service did not answer in time',
		advice: 'Try again later, or raise Request Timeout in the options.',
	},
	certificate: {
		message: "The service's certificate was not accepted",
		advice: `${CHECK_ADDRESS} The certificate must be valid for that host and known to n8n.`,
	},
	stopped: {
		message: 'The execution was stopped',
		advice: 'Nothing was sent after that.',
	},
	redirectLoop: {
		message: 'The service redirects in circles',
		advice: CHECK_ADDRESS,
	},
	redirectedAway: {
		message: 'The service redirects to another address',
		advice: 'Enter the new address as Base URL in the credential. The key was not sent there.',
	},
	emptyBody: {
		message: 'The service answered without content',
		advice: TRY_LATER,
	},
	htmlBody: {
		message: 'A web page came instead of data',
		advice: `${CHECK_ADDRESS} If it is right, a proxy or login page stands in between.`,
	},
	unreadableBody: {
		message: 'The answer of the service is neither JSON nor XML',
		advice: `${CHECK_ADDRESS} If it is right, try the other format.`,
	},
	unexpectedBody: {
		message: 'The answer of the service is not what this endpoint gives',
		advice: `${CHECK_ADDRESS} It must be that of version 2 of the service.`,
	},
	truncatedBody: {
		message: 'The answer of the service broke off in the middle',
		advice: TRY_LATER,
	},
	tooLarge: {
		message: 'The answer is too large to be turned into items',
		advice: 'Set Output to File, which streams the download, or collect fewer values per job.',
	},
	unauthorized: {
		message: 'The service did not accept the key',
		advice: 'Check the key, and how it is sent (Authentication), in the credential.',
	},
	forbidden: {
		message: 'The key has no access to this',
		advice: 'The job may belong to another account, or the plan may not include it.',
	},
	missingParameter: {
		message: 'The service misses a parameter',
		advice: 'Fill in the field, or send the parameter through Additional Parameters.',
	},
	invalidValue: {
		message: 'The service did not accept a value',
		advice: 'Correct the value and run again. No job was created.',
	},
	unknownSource: {
		message: 'The service does not know this source',
		advice: 'Check the spelling: sources are written like google_shopping, with underscores.',
	},
	unsupported: {
		message: 'The service does not support this combination',
		advice: 'Check source, country (ISO code, gb instead of uk), key and topic against your plan.',
	},
	disabled: {
		message: 'The service has switched this off for now',
		advice: 'This is temporary: try again later.',
	},
	noCredits: {
		message: 'There are not enough credits for this job',
		advice: 'Ask for fewer values, or add credits to the account. No job was created.',
	},
	quotaExceeded: {
		message: 'The daily quota of the account is used up',
		advice: 'Run again tomorrow, or raise the quota in the account. No job was created.',
	},
	tooManyValues: {
		message: 'The job asks for too many values',
		advice: 'Lower Max Values per Job in the options. No job was created.',
	},
	planLimit: {
		message: 'The plan of the account does not include this',
		advice: 'Choose other options, or ask the service about the plan.',
	},
	jobNotFound: {
		message: 'The service does not know this job',
		advice: 'Check the job ID and that the credential is of the account that created it. Services of this kind delete jobs after some time, often 72 hours.',
	},
	notFinished: {
		message: 'The job is not finished, so there is nothing to download yet',
		advice: 'Use the Wait operation, or Collect, which wait for the end by themselves.',
	},
	jobOver: {
		message: 'The job is already over',
		advice: 'Switch on Ignore Ended Jobs if that is no failure for you.',
	},
	rateLimited: {
		message: 'The service received too many requests',
		advice: 'Wait a minute. Status calls are usually limited to 60 a minute for all workflows together.',
	},
	retired: {
		message: 'This address is retired',
		advice: 'Version 1 and its address are gone. Enter the address of version 2 as Base URL in the credential; the Migration resource converts old workflows.',
	},
	wrongAddress: {
		message: 'There is no Price Collection service at this address',
		advice: `${CHECK_ADDRESS} It is the part before /v2/jobs. Version 1 and its address are retired.`,
	},
	formatRefused: {
		message: 'The service does not give this format here',
		advice: 'Choose JSON, or change how the format is selected under Customize Service in the credential.',
	},
	unavailable: {
		message: 'The service is temporarily unavailable',
		advice: TRY_LATER,
	},
	refused: {
		message: 'The service refused the request',
		advice: 'Correct what its answer names and run again.',
	},
};

/** The sentence about a request that may have taken effect although no proper answer came. */
const EFFECT_UNKNOWN =
	'It is not known whether the request took effect: the job may exist. Look into the job list (Get Many) before you run again, or it may be paid for twice.';

/** The service's own words, put together: `"missing parameter" (key): Provide the …`. */
function wordsOf(problem: Problem): string | undefined {
	if (problem.reason === undefined && problem.comment === undefined) return undefined;
	const parameter = problem.parameter === undefined ? '' : ` (parameter ${problem.parameter})`;
	const reason = problem.reason === undefined ? '' : `"${problem.reason}"`;
	const comment = problem.comment === undefined ? '' : `${reason === '' ? '' : ': '}${problem.comment}`;
	return `The service says: ${reason}${parameter}${comment}`;
}

/**
 * The texts for a problem.
 *
 * @returns `message`, one short sentence; `description`, what to do, the service's own words and the endpoint
 */
export function explain(problem: Problem): { message: string; description: string } {
	const { message, advice } = EXPLANATIONS[problem.kind];
	const status = problem.status === undefined ? '' : `, HTTP ${problem.status}`;
	const sentences = [
		problem.effect === 'unknown' ? EFFECT_UNKNOWN : advice,
		wordsOf(problem),
		problem.detail,
		problem.retryAfterMs === undefined
			? undefined
			: `The service asks to wait ${Math.ceil(problem.retryAfterMs / 1000)} seconds.`,
		`Endpoint: ${problem.endpoint}${status}.`,
	];
	const parameter = problem.parameter === undefined ? '' : `: ${problem.parameter}`;
	return {
		message: `${message}${parameter}`,
		description: sentences.filter((sentence) => sentence !== undefined).join(' '),
	};
}

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

/** "[item 3]", counted from 1 as people do. */
function itemSuffix(itemIndex: number | undefined): string {
	return itemIndex === undefined ? '' : ` [item ${itemIndex + 1}]`;
}

/**
 * The error n8n shows for a problem with the service.
 *
 * @param more further facts for the description, such as the ids of jobs that do exist
 */
export function apiError(node: INode, problem: Problem, itemIndex?: number, more?: string): NodeApiError {
	const { message, description } = explain(problem);
	// Never the request or the reply itself: they may hold the key.
	const { endpoint, status = null, reason = null, parameter = null, comment = null } = problem;
	const response: JsonObject = { endpoint, status, reason, parameter, comment };
	return new NodeApiError(node, response, {
		...causeOf(problem),
		message: inBritishSpelling(`${message}${itemSuffix(itemIndex)}`),
		description: more === undefined ? description : `${more} ${description}`,
		httpCode: problem.status?.toString(),
		itemIndex,
	});
}

/** The error n8n shows for something the user entered; nothing was sent. */
export function inputError(
	node: INode,
	message: string,
	description: string,
	itemIndex?: number,
): NodeOperationError {
	return new NodeOperationError(node, inBritishSpelling(`${message}${itemSuffix(itemIndex)}`), {
		description,
		itemIndex,
	});
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
