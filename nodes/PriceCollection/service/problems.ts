/**
 * The one table of everything that can go wrong with a request: what happened, what to do about it, and what the rest
 * of the package makes of it. A new kind does not compile until every trait is said.
 */
interface ProblemTraits {
	/** What happened, for the headline. */
	message: string;
	/** What to do about it. */
	advice: string;
	/** Whether the advice is only to try again, which is wrong while a lost request may have taken effect. */
	adviceIsRepeat: boolean;
	/** Which requests may be sent again by themselves: reads, or creations as well, since certainly nothing was done. */
	retry: 'never' | 'reads' | 'all';
	/** For which requests about a job no later attempt can bring anything else. */
	final: 'none' | 'status' | 'download' | 'all';
	/** Whether every further request with this credential would meet it as well. */
	accountWide: boolean;
	/** What it says of a job that was asked for: deleted or not ours, perhaps no job at all, or nothing. */
	job: 'gone' | 'unrecognized' | 'unsaid';
	/** Whether a request that changes something can have taken effect, where the service says nothing about it. */
	effect: 'none' | 'unknown';
	/** Whether the headline names the parameter that it is about. */
	namesParameter: boolean;
	/** The cause that n8n's own back-off understands. */
	cause?:
		| 'rate-limited'
		| 'quota-exhausted'
		| 'temporarily-unavailable'
		| 'credential-invalid'
		| 'configuration-invalid';
}

type Traits = Omit<ProblemTraits, 'message' | 'advice'>;

/** The request as it is will never do; another one may. */
const REFUSED: Traits = {
	adviceIsRepeat: false,
	retry: 'never',
	final: 'none',
	accountWide: false,
	job: 'unsaid',
	effect: 'unknown',
	namesParameter: false,
};

/** It passes by itself: reading again makes sense. */
const PASSES: Traits = { ...REFUSED, adviceIsRepeat: true, retry: 'reads', cause: 'temporarily-unavailable' };

/** Nothing reached the service. */
const UNREACHED: Traits = {
	...REFUSED,
	retry: 'all',
	accountWide: true,
	effect: 'none',
	cause: 'temporarily-unavailable',
};

/** The credential leads elsewhere, until it is corrected. */
const MISDIRECTED: Traits = {
	...REFUSED,
	final: 'status',
	accountWide: true,
	cause: 'configuration-invalid',
};

const CHECK_ADDRESS = 'Check the Base URL of the credential.';
const TRY_LATER = 'Try again later.';

/** Only the text of a stopped execution may contain the American spelling of "cancelled": n8n ends such a run so. */
export const PROBLEMS = {
	connectionRefused: {
		...UNREACHED,
		message: 'The service does not accept connections',
		advice: `${CHECK_ADDRESS} If it is right, the service is down: try again later.`,
	},
	hostNotFound: {
		...UNREACHED,
		cause: undefined,
		message: "The service's host name was not found",
		advice: `${CHECK_ADDRESS} If it is right, the network of n8n cannot resolve names now.`,
	},
	connectionLost: { ...PASSES, message: 'The connection to the service broke off', advice: TRY_LATER },
	timedOut: {
		...PASSES,
		message: 'The service did not answer in time',
		advice: 'Try again later, or raise Request Timeout in the options where there is one.',
	},
	certificate: {
		...REFUSED,
		final: 'status',
		accountWide: true,
		message: 'No secure connection to the service could be made',
		advice: `${CHECK_ADDRESS} The service's certificate must be valid for that host and known to n8n.`,
	},
	invalidHeader: {
		...MISDIRECTED,
		effect: 'none',
		message: 'The key cannot be sent in this way',
		advice: 'The Header Name or the key in the credential holds a character that no header may hold. Nothing was sent.',
	},
	notSent: {
		...REFUSED,
		final: 'status',
		effect: 'none',
		message: 'n8n did not send the request',
		advice: 'A rule of this n8n or of the credential forbids the address.',
	},
	stopped: {
		...REFUSED,
		accountWide: true,
		message: 'The execution was canceled',
		advice: 'Nothing was sent after that.',
	},
	redirectLoop: {
		...REFUSED,
		final: 'status',
		message: 'The service redirects in circles',
		advice: CHECK_ADDRESS,
	},
	redirectedAway: {
		...MISDIRECTED,
		message: 'The service redirects to another address',
		advice: 'If the service has moved, enter the new address as Base URL in the credential. The key was not sent there.',
	},
	emptyBody: {
		...REFUSED,
		adviceIsRepeat: true,
		message: 'The service answered without content',
		advice: TRY_LATER,
	},
	htmlBody: {
		...REFUSED,
		message: 'A web page came instead of data',
		advice: `${CHECK_ADDRESS} If it is right, a proxy or login page stands in between.`,
	},
	unreadableBody: {
		...REFUSED,
		message: 'The answer of the service is neither JSON nor XML',
		advice: `${CHECK_ADDRESS} If it is right, try the other format.`,
	},
	unexpectedBody: {
		...REFUSED,
		final: 'status',
		message: 'The answer of the service is not what this endpoint gives',
		advice: `${CHECK_ADDRESS} It must be that of version 2 of the service.`,
	},
	truncatedBody: {
		...PASSES,
		cause: undefined,
		message: 'The answer of the service broke off in the middle',
		advice: TRY_LATER,
	},
	tooLarge: {
		...REFUSED,
		final: 'download',
		message: 'The answer is too large to be turned into items',
		advice: 'Set Output to File, which streams the download, or collect fewer values per job.',
	},
	notStored: {
		...REFUSED,
		message: 'n8n could not store the file',
		advice: "Look at the room and the settings of n8n's binary data. The results can still be downloaded.",
	},
	unauthorized: {
		...REFUSED,
		final: 'status',
		accountWide: true,
		cause: 'credential-invalid',
		message: 'The service did not accept the key',
		advice: 'Check the key, and how it is sent (Authentication), in the credential.',
	},
	forbidden: {
		...REFUSED,
		final: 'all',
		job: 'gone',
		message: 'The key has no access to this',
		advice: 'The job may belong to another account, or the plan may not include it.',
	},
	missingParameter: {
		...REFUSED,
		namesParameter: true,
		message: 'The service misses a parameter',
		advice: 'Fill in the field, or send the parameter through Additional Parameters.',
	},
	invalidValue: {
		...REFUSED,
		job: 'unrecognized',
		namesParameter: true,
		message: 'The service did not accept a value',
		advice: 'Correct the value and run again. Nothing was created by this request.',
	},
	unknownSource: {
		...REFUSED,
		message: 'The service does not know this source',
		advice: 'Check the spelling: sources are written like google_shopping, with underscores.',
	},
	unsupported: {
		...REFUSED,
		namesParameter: true,
		message: 'The service does not support this combination',
		advice: 'Check source, country (ISO code, gb instead of uk), key and topic against your plan.',
	},
	disabled: {
		...REFUSED,
		namesParameter: true,
		message: 'The service has switched this off for now',
		advice: 'This is temporary: try again later.',
	},
	noCredits: {
		...REFUSED,
		accountWide: true,
		cause: 'quota-exhausted',
		message: 'There are not enough credits for this job',
		advice: 'Ask for fewer values, or add credits to the account. This job was not created.',
	},
	quotaExceeded: {
		...REFUSED,
		accountWide: true,
		cause: 'quota-exhausted',
		message: 'The daily quota of the account is used up',
		advice: 'Run again tomorrow, or raise the quota in the account. This job was not created.',
	},
	tooManyValues: {
		...REFUSED,
		message: 'The job asks for too many values',
		advice: 'Lower Max Values per Job in the options. This job was not created.',
	},
	planLimit: {
		...REFUSED,
		final: 'status',
		message: 'The plan of the account does not include this',
		advice: 'Choose other options, or ask the service about the plan.',
	},
	jobNotFound: {
		...REFUSED,
		final: 'all',
		job: 'gone',
		message: 'The service does not know this job',
		advice: 'Check the job ID and that the credential is of the account that created it. Services of this kind delete jobs after some time, often 72 hours.',
	},
	notFinished: {
		...REFUSED,
		message: 'The job is not finished, so there is nothing to download yet',
		advice: 'Use the Wait operation, or Collect, which wait for the end by themselves.',
	},
	cancelled: {
		...REFUSED,
		message: 'The job was cancelled, so it has no results',
		advice: 'Create the job again if you need them. Cancelled jobs usually cost nothing.',
	},
	jobOver: {
		...REFUSED,
		message: 'The job is already over',
		advice: 'Switch on Ignore Ended Jobs if that is all right with you.',
	},
	rateLimited: {
		...REFUSED,
		retry: 'all',
		accountWide: true,
		cause: 'rate-limited',
		message: 'The service received too many requests',
		advice: 'Wait a minute. Status calls are usually limited to 60 a minute for all workflows together.',
	},
	retired: {
		...MISDIRECTED,
		final: 'all',
		message: 'This address is retired',
		advice: 'Version 1 and its address are gone. Enter the address of version 2 as Base URL in the credential; the Migration resource converts old workflows.',
	},
	wrongAddress: {
		...MISDIRECTED,
		message: 'There is no Price Collection service at this address',
		advice: `${CHECK_ADDRESS} It is the part before /v2/jobs. Version 1 and its address are retired.`,
	},
	formatRefused: {
		...REFUSED,
		message: 'The service does not give this format here',
		advice: 'Choose JSON, or change how the format is selected under Customize Service in the credential.',
	},
	unavailable: { ...PASSES, message: 'The service is temporarily unavailable', advice: TRY_LATER },
	refused: {
		...REFUSED,
		job: 'unrecognized',
		namesParameter: true,
		message: 'The service refused the request',
		advice: 'Correct what its answer names and run again.',
	},
} as const satisfies Readonly<Record<string, ProblemTraits>>;

/** Everything that can go wrong with a request, by what the user can do about it. */
export type ProblemKind = keyof typeof PROBLEMS;

/** One thing that went wrong with one request: plain data, free of secrets. */
export interface Problem {
	kind: ProblemKind;
	/** Method and path template, such as `POST /v2/jobs`. */
	endpoint: string;
	/** HTTP status, when a reply came. */
	status?: number;
	/** The service's own words. */
	reason?: string;
	parameter?: string;
	comment?: string;
	/** What exactly was expected or came, for problems with bodies and redirects. */
	detail?: string;
	/** How long the service asked to wait, in milliseconds. */
	retryAfterMs?: number;
	/** For a request that changes something: whether it can have taken effect. */
	effect: 'none' | 'unknown';
}

/** What a request gave: its value, or why there is none. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export function success<T>(value: T): Outcome<T> {
	return { ok: true, value };
}

export function failure(problem: Problem): { ok: false; problem: Problem } {
	return { ok: false, problem };
}

/** What the package makes of a problem. */
export function traitsOf({ kind }: Pick<Problem, 'kind'>): ProblemTraits {
	return PROBLEMS[kind];
}

/** Whether no later attempt at this kind of request about a job can bring anything else. */
export function isFinal(problem: Pick<Problem, 'kind'>, request: 'status' | 'download'): boolean {
	const { final } = traitsOf(problem);
	return final === 'all' || final === request;
}
