import type { Problem, ProblemKind } from './problem';

/** What happened, for the headline, and what to do about it. */
interface Explanation {
	message: string;
	advice: string;
	/** Whether the advice is to try again, which is wrong while a lost request may have taken effect. */
	passes?: true;
}

const CHECK_ADDRESS = 'Check the Base URL of the credential.';
const TRY_LATER = { advice: 'Try again later.', passes: true } as const;

/**
 * The one place that holds the texts of problems. Only that of a stopped execution may contain the American spelling
 * of "cancelled": n8n then ends the run as cancelled instead of failed.
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
	connectionLost: { message: 'The connection to the service broke off', ...TRY_LATER },
	timedOut: {
		message: 'The service did not answer in time',
		advice: 'Try again later, or raise Request Timeout in the options where there is one.',
		passes: true,
	},
	certificate: {
		message: 'No secure connection to the service could be made',
		advice: `${CHECK_ADDRESS} The service's certificate must be valid for that host and known to n8n.`,
	},
	notSent: {
		message: 'n8n did not send the request',
		advice: 'A rule of this n8n or of the credential forbids the address.',
	},
	stopped: {
		message: 'The execution was canceled',
		advice: 'Nothing was sent after that.',
	},
	redirectLoop: {
		message: 'The service redirects in circles',
		advice: CHECK_ADDRESS,
	},
	redirectedAway: {
		message: 'The service redirects to another address',
		advice: 'If the service has moved, enter the new address as Base URL in the credential. The key was not sent there.',
	},
	emptyBody: { message: 'The service answered without content', ...TRY_LATER },
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
	truncatedBody: { message: 'The answer of the service broke off in the middle', ...TRY_LATER },
	tooLarge: {
		message: 'The answer is too large to be turned into items',
		advice: 'Set Output to File, which streams the download, or collect fewer values per job.',
	},
	notStored: {
		message: 'n8n could not store the file',
		advice: "Look at the room and the settings of n8n's binary data. The results can still be downloaded.",
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
		advice: 'Correct the value and run again. Nothing was created by this request.',
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
		advice: 'Ask for fewer values, or add credits to the account. This job was not created.',
	},
	quotaExceeded: {
		message: 'The daily quota of the account is used up',
		advice: 'Run again tomorrow, or raise the quota in the account. This job was not created.',
	},
	tooManyValues: {
		message: 'The job asks for too many values',
		advice: 'Lower Max Values per Job in the options. This job was not created.',
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
	cancelled: {
		message: 'The job was cancelled, so it has no results',
		advice: 'Create the job again if you need them. Cancelled jobs usually cost nothing.',
	},
	jobOver: {
		message: 'The job is already over',
		advice: 'Switch on Ignore Ended Jobs if that is all right with you.',
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
	unavailable: { message: 'The service is temporarily unavailable', ...TRY_LATER },
	refused: {
		message: 'The service refused the request',
		advice: 'Correct what its answer names and run again.',
	},
};

/** Problems whose headline names the parameter. */
const ABOUT_PARAMETERS: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
	'missingParameter',
	'invalidValue',
	'unsupported',
	'disabled',
	'refused',
]);

/** About a request that may have taken effect although no proper answer came, by what it was to do. */
function uncertainty(problem: Problem): string {
	return problem.endpoint.endsWith('/cancel')
		? 'It is not known whether the job was cancelled: read its status (Get) before you go on.'
		: 'It is not known whether the request took effect: the job may exist. Look into the job list (Get Many) before you run again, or it may be paid for twice.';
}

/** A text as a sentence among others. */
function sentence(text: string): string {
	return /[.!?…]["')\]]?$/.test(text) ? text : `${text}.`;
}

/** The service's own words, put together: `"missing parameter" (parameter key): Provide the …`. */
function wordsOf(problem: Problem): string | undefined {
	if (problem.reason === undefined && problem.comment === undefined) return undefined;
	const parameter = problem.parameter === undefined ? '' : ` (parameter ${problem.parameter})`;
	const reason = problem.reason === undefined ? '' : `"${problem.reason}"`;
	const comment = problem.comment === undefined ? '' : `${reason === '' ? '' : ': '}${problem.comment}`;
	return sentence(`The service says: ${reason}${parameter}${comment}`);
}

/**
 * The texts for a problem.
 *
 * @returns `message`, one short sentence; `description`, what to do, the service's own words and the endpoint
 */
export function explain(problem: Problem): { message: string; description: string } {
	const { message, advice, passes } = EXPLANATIONS[problem.kind];
	const unknown = problem.effect === 'unknown';
	const status = problem.status === undefined ? '' : `, HTTP ${problem.status}`;
	const sentences = [
		unknown ? uncertainty(problem) : undefined,
		unknown && passes ? undefined : advice,
		wordsOf(problem),
		problem.detail === undefined ? undefined : sentence(problem.detail),
		problem.retryAfterMs === undefined
			? undefined
			: `The service asks to wait ${Math.ceil(problem.retryAfterMs / 1000)} seconds.`,
		`Endpoint: ${problem.endpoint}${status}.`,
	];
	const names = problem.parameter !== undefined && ABOUT_PARAMETERS.has(problem.kind);
	const parameter = names ? `: ${problem.parameter}` : '';
	return {
		message: `${message}${parameter}`,
		description: sentences.filter((one) => one !== undefined).join(' '),
	};
}
