import { oneLine } from './text';
import { ENDPOINTS, type Endpoint } from './types';

/** What the user reads about a kind of problem, and how the package reacts to it. */
interface ProblemTraits {
	message: string;
	advice: string;
	/** Which requests may be repeated: none, reads, or all because nothing was done. */
	retry: 'never' | 'reads' | 'all';
	/** Whether every other request with this credential would fail in the same way. */
	accountWide: boolean;
	/** Whether the headline names the affected parameter. */
	namesParameter?: boolean;
	cause?:
		| 'rate-limited'
		| 'quota-exhausted'
		| 'temporarily-unavailable'
		| 'credential-invalid'
		| 'configuration-invalid';
}

type Traits = Partial<Omit<ProblemTraits, 'message' | 'advice'>>;

/** By default, the same request will never succeed; a corrected one may. */
const USUAL_TRAITS = { retry: 'never', accountWide: false } as const;

const problem = (message: string, advice: string, traits: Traits = {}): ProblemTraits => {
	return { ...USUAL_TRAITS, ...traits, message, advice };
};

/** Temporary: it makes sense to repeat a read. */
const PASSES: Traits = { retry: 'reads', cause: 'temporarily-unavailable' };
/** Nothing reached the service. */
const UNREACHED: Traits = { retry: 'all', accountWide: true, cause: 'temporarily-unavailable' };
/** Every request fails until the credential is corrected. */
const MISCONFIGURED: Traits = { accountWide: true, cause: 'configuration-invalid' };

const CHECK_ADDRESS = 'Check the Base URL of the credential.';
const TRY_LATER = 'Try again later.';

/** Only `stopped` may use the American spelling "canceled": n8n recognises stopped executions by it. */
export const PROBLEMS = {
	connectionRefused: problem(
		'The service does not accept connections',
		`${CHECK_ADDRESS} If it is right, the service is down: try again later.`,
		UNREACHED,
	),
	hostNotFound: problem(
		"The service's host name was not found",
		`${CHECK_ADDRESS} If it is right, the network or name server of this n8n has a problem: try again later.`,
		{ ...UNREACHED, cause: undefined },
	),
	closedEarly: problem(
		'The connection was closed before anything was sent',
		`${CHECK_ADDRESS} If it is right, the service, or a proxy before it, is down or overloaded: try again later.`,
		UNREACHED,
	),
	proxyFailed: problem(
		'The proxy that n8n uses did not connect to the service',
		'Nothing reached the service. The administrator of this n8n sets the proxy, and the hosts that need none, in the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
		{ ...UNREACHED, cause: undefined },
	),
	connectionLost: problem('The connection to the service was lost', TRY_LATER, PASSES),
	earlierTry: problem(
		'An earlier try of this node may have created this job already',
		'If the job list (Get Many) shows it, use Wait with its ID. If not, run the workflow again, which creates and charges a new job.',
	),
	timedOut: problem(
		'The service did not answer in time',
		'Try again later, or raise Request Timeout if the operation has that option.',
		PASSES,
	),
	executionEnding: problem(
		'This execution has run out of time',
		'The settings of the workflow (Timeout Workflow) or of this n8n limit its time, including the time it sleeps. Raise that limit, or lower Max Wait.',
		PASSES,
	),
	toolTimeUsedUp: problem(
		'The tool has run out of time to answer',
		'Ask the same again in a minute: a job that this tool has created is not charged again.',
		PASSES,
	),
	certificate: problem(
		'A secure connection to the service could not be established',
		`${CHECK_ADDRESS} The service's certificate must be valid today and for that host.`,
		{ accountWide: true },
	),
	unknownIssuer: problem(
		"n8n does not trust the service's certificate",
		`${CHECK_ADDRESS} If a private certificate authority issued the certificate, the administrator of this n8n must set the environment variable NODE_EXTRA_CA_CERTS to the file of its certificate and restart n8n.`,
		{ accountWide: true },
	),
	noHttps: problem(
		'The server at this address does not use https',
		'Check the Base URL of the credential, especially its port, which is probably for http.',
		MISCONFIGURED,
	),
	httpsOnly: problem(
		'The server at this address only accepts https',
		'Enter the Base URL of the credential with https://. Nothing reached the service.',
		MISCONFIGURED,
	),
	headersTooLarge: problem(
		'The response has more headers than n8n can read',
		'The limit is 16 KB. The service, or a proxy before it, must send fewer, or the administrator of this n8n must raise the limit with NODE_OPTIONS=--max-http-header-size=65536.',
	),
	invalidHttp: problem(
		'The response does not follow the rules of HTTP',
		`${CHECK_ADDRESS} If it is right, the service, or a proxy before it, has a fault: try again later.`,
		PASSES,
	),
	invalidHeader: problem(
		'The key cannot be sent in this way',
		'The Header Name or the key in the credential contains a character that a header cannot contain. Nothing was sent.',
		MISCONFIGURED,
	),
	addressForbidden: problem(
		'A rule of this n8n or of the credential forbids the address',
		`${CHECK_ADDRESS} If it is right, the administrator of this n8n can allow it.`,
	),
	notSent: problem(
		'n8n did not send the request',
		'Something in n8n stopped it, such as its database or the credential. The details and the log of n8n say what.',
		{ ...UNREACHED, retry: 'reads', cause: undefined },
	),
	stopped: problem('The execution was canceled', 'Nothing was sent after that.', { accountWide: true }),
	redirectedAway: problem(
		'The service redirects to another address',
		'If the service has moved, enter the new address as Base URL in the credential. The key was not sent there.',
		MISCONFIGURED,
	),
	htmlBody: problem(
		'The service returned a web page instead of data',
		`${CHECK_ADDRESS} If it is right, a proxy or a login page is in between.`,
	),
	emptyBody: problem('The response is empty', `${CHECK_ADDRESS} If it is right, try again later.`),
	unreadableBody: problem(
		'The response is neither JSON nor XML',
		`${CHECK_ADDRESS} If it is right, try the other format.`,
	),
	unexpectedBody: problem(
		'The response is not what this endpoint returns',
		`${CHECK_ADDRESS} It must be the address of version 2.`,
	),
	truncatedBody: problem('The response was cut off', TRY_LATER, { ...PASSES, cause: undefined }),
	tooLarge: problem(
		'The response is too large to be turned into items',
		'Set Output to File, which streams the download, or collect fewer values per job.',
	),
	notStored: problem(
		'n8n could not store the file',
		"Check the disk space and the settings of n8n's binary data storage. The results can still be downloaded.",
	),
	unauthorized: problem(
		'The service did not accept the key',
		'Check the key, and how it is sent (Authentication), in the credential.',
		{ accountWide: true, cause: 'credential-invalid' },
	),
	forbidden: problem(
		'The key has no access to this',
		'Check in the credential that the key is the right one. The plan of its account may not include this.',
	),
	missingParameter: problem(
		'A required parameter is missing',
		'Fill in the field of that name, such as Source or Country, or send it through Additional Parameters.',
		{ namesParameter: true },
	),
	invalidValue: problem(
		'The service did not accept a value',
		'Correct the value and run again. Nothing was created by this request.',
		{ namesParameter: true },
	),
	unknownSource: problem(
		'The service does not know this source',
		'Choose a source that your account can use. Sources are written like google_shopping, with underscores.',
	),
	unsupported: problem(
		'The service does not support this combination',
		'Check source, country (ISO code, gb instead of uk), key and topic against your plan. A source that is switched off may come back later.',
		{ namesParameter: true },
	),
	noCredits: problem(
		'There are not enough credits for this job',
		'Ask for fewer values, add credits or quota to the account, or run again tomorrow. This job was not created.',
		{ accountWide: true, cause: 'quota-exhausted' },
	),
	overLimit: problem(
		'This job would exceed the Spending Limit',
		'Raise Spending Limit, ask for fewer pages, or use fewer items.',
	),
	tooManyValues: problem(
		'The job asks for too many values',
		'Lower Max Values per Job under Customize Service in the credential. This job was not created.',
	),
	jobNotFound: problem(
		'The service does not know this job',
		'Check the job ID, and that the credential belongs to the account that created it. Services of this kind delete jobs after some time, often 72 hours.',
	),
	nothingThere: problem(
		'Nothing was found at this address',
		'Either the service does not know the job, or the Base URL of the credential is wrong: check both.',
	),
	notReady: problem(
		'The job has finished, but its results are not there',
		'The service may still be writing them: use Wait with the ID of the job. Services of this kind delete them after some time, often 72 hours.',
	),
	notFinished: problem(
		'The job is not finished, so there is nothing to download yet',
		'Use the Wait operation or Collect, which wait for the job to finish.',
	),
	jobFailed: problem(
		'The job failed, so it has no results',
		'Create the job again if you need them. If the service gives a reason, it is shown below.',
	),
	cancelled: problem(
		'The job was cancelled, so it has no results',
		'Create the job again if you need them. Cancelled jobs usually cost nothing.',
	),
	jobOver: problem(
		'The job is already over',
		'It ended before the request arrived. With Ignore Ended Jobs, the Cancel operation treats that as success.',
	),
	rateLimited: problem(
		'The service received too many requests',
		'Wait a minute. Status calls are usually limited to 60 per minute, for all workflows together.',
		{ retry: 'all', accountWide: true, cause: 'rate-limited' },
	),
	wrongAddress: problem(
		'There is no Price Collection service at this address',
		`${CHECK_ADDRESS} It is the part before /v2/jobs. The Migration resource converts workflows of version 1.`,
		MISCONFIGURED,
	),
	formatRefused: problem(
		'The service does not offer this format here',
		'Choose JSON, or change how the format is selected under Customize Service in the credential.',
	),
	unavailable: problem('The service is temporarily unavailable', TRY_LATER, PASSES),
	// The service's message comes first and takes the place of advice.
	refused: problem('The service refused the request', '', { namesParameter: true }),
} satisfies Record<string, ProblemTraits>;

/** Everything that can go wrong with a request, grouped by what the user can do about it. */
export type ProblemKind = keyof typeof PROBLEMS;

/** What a refusal says about one parameter of the request. */
export interface ParameterFault {
	/** The documented name, or the credential setting that holds the name; otherwise the service's name. */
	parameter: string;
	/** The service's name. */
	serviceName: string;
	/** `form`: it must be a list or a text. `unknown`: there is no such parameter. `value`: any other complaint. */
	complaint: 'form' | 'missing' | 'unknown' | 'value';
	isSent: boolean;
}

/** One problem with one request: plain data without secrets. */
export interface Problem {
	kind: ProblemKind;
	endpoint: Endpoint;
	status?: number;
	/** The service's message. */
	reason?: string;
	/** What the message is about. Set only if a documented phrase or the job's ID proves it. */
	about?: 'job' | 'key';
	parameter?: string;
	/** What the message says about parameters, if it names any. */
	faults?: readonly ParameterFault[];
	/** Specific advice, mostly on a setting, in place of the general advice for this kind. */
	setting?: string;
	/** The service's other texts, if `reason` is the documented field. */
	comment?: string;
	/** More details, such as what was expected or received. */
	detail?: string;
	retryAfterMs?: number;
	/** For a request that changes something: whether it may have taken effect. */
	effect: 'none' | 'unknown';
}

/** The result of anything that can fail: a value or a problem. */
export type Outcome<T, P = Problem> = { ok: true; value: T } | { ok: false; problem: P };

export const success = <T>(value: T) => ({ ok: true, value }) as const;
export const failure = (problem: Problem) => ({ ok: false, problem }) as const;

export function traitsOf({ kind }: Pick<Problem, 'kind'>): ProblemTraits {
	return PROBLEMS[kind];
}

/** Whether the service refused just this request, with a message: others with the same credential may succeed. */
export function concernsOneRequest(problem: Problem): boolean {
	const { accountWide, retry } = traitsOf(problem);
	return problem.reason !== undefined && !accountWide && retry === 'never';
}

/** The texts for the user. `message`: one short sentence; `description`: advice, the service's message, the endpoint. */
export function explain(problem: Problem): { message: string; description: string } {
	const { message, advice, retry, namesParameter } = traitsOf(problem);
	const {
		comment,
		detail,
		endpoint,
		faults = [],
		parameter,
		reason,
		retryAfterMs,
		setting,
		status,
	} = problem;
	const isUnclear = problem.effect === 'unknown';
	const uncertainty =
		endpoint === ENDPOINTS.cancel
			? 'It is unclear whether the job was cancelled: check its status (Get) before you continue.'
			: 'It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice.';
	// Do not advise to try again if the request may have taken effect.
	const isAdvised = setting === undefined && !(isUnclear && retry === 'reads');
	const guidance = [isUnclear && uncertainty, isAdvised && advice];
	const parameterNote = parameter === undefined ? '' : ` (parameter ${parameter})`;
	const quote = [reason && `"${reason}"${parameterNote}`, comment].filter(Boolean).join(': ');
	const sentences = [
		// A web page probably comes from another server, which creates no jobs: advise on the address first.
		...(problem.kind === 'htmlBody' ? guidance.reverse() : guidance),
		quote && `The service says: ${quote}`,
		setting,
		detail,
		retryAfterMs !== undefined && `The service asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`,
		`Endpoint: ${endpoint.text}${status === undefined ? '' : `, HTTP ${status}`}.`,
	].flatMap((text) => text || []);
	const punctuated = sentences.map((text) => (/[.!?…]["')\]]?$/.test(text) ? text : `${text}.`));
	const parameterNames =
		parameter ?? (faults.map(({ serviceName }) => serviceName).join(', ') || undefined);
	return {
		message: oneLine(
			parameterNames !== undefined && namesParameter ? `${message}: ${parameterNames}` : message,
		),
		description: oneLine(punctuated.join(' ')),
	};
}
