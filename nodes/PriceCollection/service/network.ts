import type { Dialect } from './dialect';
import { effectOf } from './endpoints';
import { PROBLEMS, type Problem, type ProblemKind } from './problems';
import { redactText } from './redact';

const CODES: ReadonlyArray<readonly [ProblemKind, readonly string[]]> = [
	['connectionRefused', ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']],
	['invalidHeader', ['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE', 'ERR_INVALID_HTTP_TOKEN']],
	['hostNotFound', ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA']],
	['timedOut', ['ETIMEDOUT', 'ECONNABORTED']],
	['connectionLost', ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']],
	['stopped', ['ERR_CANCELED']],
];
const KIND_OF_CODE = new Map(CODES.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)));
/** The service's certificate was refused, also before anything was sent. */
const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;
/** Other troubles of a secure connection, which can come late. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|EPROTO)/;

/** The system calls that fail before a request can have left. */
const BEFORE_SENDING = /^(connect|getaddrinfo|bind|query\w*)$/;

/** What n8n's protection against forged requests says, and what the domains of a credential that it restricts to some. */
const FORBIDDEN =
	/^(The request was blocked because|Domain not allowed|No allowed domains|This credential (is configured to prevent|restricts requests))/;

/** What the driver of n8n's PostgreSQL and its pool say when their connection is lost; none of it has a code. */
const DATABASE_LOST =
	/^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection|was closed)|Cannot use a pool after|Query read timeout|Driver not Connected|Could not establish database connection)/;

/** Errors of TypeORM, by which n8n reads credentials, and of n8n about its connection. */
const DATABASE_NAME =
	/^(TypeORM|QueryFailed|Connection(NotFound|IsNotSet)|CannotExecuteNotConnected|(Driver|QueryRunner\w*)AlreadyReleased|DbConnectionTimeout)(Error)?$/;

interface Trace {
	code?: string;
	/** The system call that failed. */
	syscall?: string;
	/** Whether the network's own library reports it. */
	fromNetwork: boolean;
	/** Whether the library reports it with which n8n sends requests. */
	fromRequest: boolean;
	/** What certainly kept n8n from sending the request. */
	kept?: 'addressForbidden' | 'n8nUnready';
}

const NOTHING: Trace = { fromNetwork: false, fromRequest: false };

/** What an error itself says of n8n's rules or database. */
function keptBy({ name, message, code, severity, driverError }: Record<string, unknown>): Trace['kept'] {
	const [called, said] = [String(name), String(message)];
	if (called.startsWith('SsrfBlocked') || FORBIDDEN.test(said)) return 'addressForbidden';
	const isDatabase =
		driverError !== undefined ||
		// What PostgreSQL itself says has both.
		(typeof code === 'string' && typeof severity === 'string') ||
		String(code).startsWith('SQLITE_') ||
		DATABASE_NAME.test(called) ||
		DATABASE_LOST.test(said);
	return isDatabase ? 'n8nUnready' : undefined;
}

/** n8n wraps what the network reports, at times twice: the first code on the way down counts. */
function trace(error: unknown, depth = 0): Trace {
	if (typeof error !== 'object' || error === null || depth > 4) return NOTHING;
	const fields = error as Record<string, unknown>;
	const { code, syscall, cause, errorResponse, isAxiosError } = fields;
	const below = [cause, errorResponse].map((inner) => trace(inner, depth + 1));
	const fromRequest = isAxiosError === true || below.some((inner) => inner.fromRequest);
	const kept = below.find((inner) => inner.kept !== undefined)?.kept ?? keptBy(fields);
	if (typeof code === 'string')
		return {
			...{ code, fromRequest, kept },
			syscall: typeof syscall === 'string' ? syscall : below[0]?.syscall,
			fromNetwork: true,
		};
	const told = below.find((inner) => inner.code !== undefined);
	const fromNetwork = isAxiosError === true || below.some((inner) => inner.fromNetwork);
	return { code: told?.code, syscall: told?.syscall, fromNetwork, fromRequest, kept };
}

/** What kept n8n itself from sending a request; undefined where it may have been sent, or nobody knows. */
function keptFrom({ kept, fromRequest, syscall = '' }: Trace): Trace['kept'] {
	if (kept === 'addressForbidden') return kept;
	// A connection that failed is one of n8n's own where the library for requests says nothing of it.
	return !fromRequest && (kept !== undefined || BEFORE_SENDING.test(syscall)) ? 'n8nUnready' : undefined;
}

function kindOf(found: Trace, begun: boolean): ProblemKind {
	const { code, syscall, fromNetwork } = found;
	const kept = keptFrom(found);
	if (kept !== undefined && !begun) return kept;
	if (code === undefined) return fromNetwork || begun ? 'connectionLost' : 'notSent';
	const known = KIND_OF_CODE.get(code);
	// The network can fail under a connection that stands: the request may have left by then.
	const isEarly = syscall === undefined ? code === 'ECONNREFUSED' : BEFORE_SENDING.test(syscall);
	if (known === 'connectionRefused' && (begun || !isEarly)) return 'connectionLost';
	if (known !== undefined) return known;
	return CERTIFICATE_CODE.test(code) || TLS_CODE.test(code) ? 'certificate' : 'connectionLost';
}

/** The error that n8n wrapped: for some codes n8n puts words about the service in its place. */
function innermost(error: unknown): unknown {
	return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/**
 * What a request means that got no reply, or whose body broke off.
 *
 * @param begun whether a reply, or a redirect on the way to it, had already come
 */
export function networkProblem(
	error: unknown,
	endpoint: string,
	dialect: Pick<Dialect, 'secrets'>,
	begun: boolean,
): Problem {
	const found = trace(error);
	const { code = '' } = found;
	const isKept = !begun && keptFrom(found) !== undefined;
	const kind = kindOf(found, begun);
	const nothingSent = !begun && (PROBLEMS[kind].effect === 'none' || CERTIFICATE_CODE.test(code));
	const told = isKept ? innermost(error) : error;
	const message = told instanceof Error ? told.message : String(told);
	return {
		kind,
		endpoint,
		// The known codes need no more words; anything else is shown, so that it can be looked up.
		detail:
			KIND_OF_CODE.has(code) && !isKept
				? undefined
				: `Details: ${redactText(message, dialect.secrets)}`,
		effect: nothingSent ? 'none' : effectOf(endpoint),
	};
}
