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

interface Trace {
	code?: string;
	/** The system call that failed. */
	syscall?: string;
	/** Whether the network's own library reports it. */
	fromNetwork: boolean;
}

/** n8n wraps what the network reports, at times twice: the first code on the way down counts. */
function trace(error: unknown, depth = 0): Trace {
	if (typeof error !== 'object' || error === null || depth > 4) return { fromNetwork: false };
	const { code, syscall, cause, errorResponse, isAxiosError } = error as Record<string, unknown>;
	const below = [cause, errorResponse].map((inner) => trace(inner, depth + 1));
	if (typeof code === 'string')
		return {
			code,
			syscall: typeof syscall === 'string' ? syscall : below[0]?.syscall,
			fromNetwork: true,
		};
	const told = below.find((inner) => inner.code !== undefined);
	const fromNetwork = isAxiosError === true || below.some((inner) => inner.fromNetwork);
	return { code: told?.code, syscall: told?.syscall, fromNetwork };
}

function kindOf({ code, syscall, fromNetwork }: Trace, begun: boolean): ProblemKind {
	if (code === undefined) return fromNetwork || begun ? 'connectionLost' : 'notSent';
	const known = KIND_OF_CODE.get(code);
	// The network can fail under a connection that stands: the request may have left by then.
	const isEarly = syscall === undefined ? code === 'ECONNREFUSED' : BEFORE_SENDING.test(syscall);
	if (known === 'connectionRefused' && (begun || !isEarly)) return 'connectionLost';
	if (known !== undefined) return known;
	return CERTIFICATE_CODE.test(code) || TLS_CODE.test(code) ? 'certificate' : 'connectionLost';
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
	const kind = kindOf(found, begun);
	const nothingSent = !begun && (PROBLEMS[kind].effect === 'none' || CERTIFICATE_CODE.test(code));
	const message = error instanceof Error ? error.message : String(error);
	return {
		kind,
		endpoint,
		// The known codes need no more words; anything else is shown, so that it can be looked up.
		detail: KIND_OF_CODE.has(code) ? undefined : `Details: ${redactText(message, dialect.secrets)}`,
		effect: nothingSent ? 'none' : effectOf(endpoint),
	};
}
