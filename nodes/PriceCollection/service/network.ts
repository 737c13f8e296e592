import type { Dialect } from './dialect';
import { PROBLEMS, type Problem, type ProblemKind } from './problems';
import { redactText } from './redact';

const KIND_OF_CODE: ReadonlyMap<string, ProblemKind> = new Map([
	['ECONNREFUSED', 'connectionRefused'],
	['EHOSTUNREACH', 'connectionRefused'],
	['ENETUNREACH', 'connectionRefused'],
	['ENOTFOUND', 'hostNotFound'],
	['EAI_AGAIN', 'hostNotFound'],
	['EAI_FAIL', 'hostNotFound'],
	['EAI_NODATA', 'hostNotFound'],
	['ETIMEDOUT', 'timedOut'],
	['ECONNABORTED', 'timedOut'],
	['ECONNRESET', 'connectionLost'],
	['EPIPE', 'connectionLost'],
	['ERR_STREAM_PREMATURE_CLOSE', 'connectionLost'],
	['ERR_CANCELED', 'stopped'],
]);
/** The service's certificate was refused, also before anything was sent. */
const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;
/** Other troubles of a secure connection, which can come late. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|EPROTO)/;

interface Trace {
	code?: string;
	/** Whether the network's own library reports it. */
	fromNetwork: boolean;
}

/** n8n wraps what the network reports, at times twice: the first code on the way down counts. */
function trace(error: unknown, depth = 0): Trace {
	if (typeof error !== 'object' || error === null || depth > 4) return { fromNetwork: false };
	const { code, cause, errorResponse, isAxiosError } = error as Record<string, unknown>;
	if (typeof code === 'string') return { code, fromNetwork: true };
	const below = [cause, errorResponse].map((inner) => trace(inner, depth + 1));
	return {
		code: below.find((inner) => inner.code !== undefined)?.code,
		fromNetwork: isAxiosError === true || below.some((inner) => inner.fromNetwork),
	};
}

function kindOf({ code, fromNetwork }: Trace, begun: boolean): ProblemKind {
	if (code === undefined) return fromNetwork || begun ? 'connectionLost' : 'notSent';
	const known = KIND_OF_CODE.get(code);
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
	request: { method: 'GET' | 'POST'; endpoint: string },
	dialect: Pick<Dialect, 'secrets'>,
	begun: boolean,
): Problem {
	const found = trace(error);
	const kind = kindOf(found, begun);
	const { code = '' } = found;
	const nothingSent = !begun && (PROBLEMS[kind].effect === 'none' || CERTIFICATE_CODE.test(code));
	const message = error instanceof Error ? error.message : String(error);
	return {
		kind,
		endpoint: request.endpoint,
		// The known codes need no more words; anything else is shown, so that it can be looked up.
		detail: KIND_OF_CODE.has(code) ? undefined : `Details: ${redactText(message, dialect.secrets)}`,
		effect: request.method === 'GET' || nothingSent ? 'none' : 'unknown',
	};
}
