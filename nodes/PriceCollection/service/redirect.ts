import { parseUrl } from './address';
import type { Dialect } from './dialect';
import { failure, success, type Outcome, type Problem, type ProblemKind } from './problems';
import { redactText } from './redact';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** One stretch of a request's way. */
export interface Hop {
	method: 'GET' | 'POST';
	url: URL;
	/** Whether the key goes along. */
	withKey: boolean;
}

export function isRedirect(status: number): boolean {
	return REDIRECTS.has(status);
}

/** An address for texts: without its query, and without secrets. */
export function nameOf(url: URL, dialect: Pick<Dialect, 'secrets'>): string {
	return redactText(url.origin + url.pathname, dialect.secrets);
}

/** The target of a redirect without the parameters that hold a secret; undefined when another part of it does. */
function withoutSecrets(target: URL, dialect: Dialect): URL | undefined {
	const clean = new URL(target);
	for (const [name, value] of target.searchParams) {
		if ([name, value].some((text) => dialect.secrets.some((secret) => text.includes(secret))))
			clean.searchParams.delete(name);
	}
	return dialect.secrets.some((secret) => clean.href.includes(secret)) ? undefined : clean;
}

/** A header's bytes are read as Latin 1; what was sent as UTF-8 must not be encoded a second time. */
function utf8Of(header: string): string {
	if (!/[\x80-\xff]/.test(header) || /[^\x00-\xff]/.test(header)) return header;
	const text = Buffer.from(header, 'latin1').toString('utf8');
	return text.includes('\uFFFD') ? header : text;
}

/**
 * Where a redirect leads. A read is followed anywhere, without the key as soon as it leaves the service's origin.
 * A request that changes something is sent again only where the status says that nothing was done (307, 308), and
 * a 303 says where the outcome can be read.
 */
export function nextHop(
	hop: Hop,
	reply: { status: number; headers: Readonly<Record<string, string | undefined>> },
	endpoint: string,
	dialect: Dialect,
): Outcome<Hop> {
	const location = (reply.headers.location ?? '').trim();
	const target = location === '' ? undefined : parseUrl(utf8Of(location), hop.url.href);
	const problem = (kind: ProblemKind, effect: Problem['effect']) =>
		failure({
			kind,
			endpoint,
			status: reply.status,
			detail:
				target === undefined ? 'It does not say where to' : `It points to ${nameOf(target, dialect)}`,
			effect,
		});
	const changes = endpoint.startsWith('POST');
	if (target === undefined || !/^https?:$/.test(target.protocol))
		return problem('redirectedAway', changes ? 'unknown' : 'none');
	const sameOrigin = target.origin === dialect.origin;
	if (hop.method === 'POST' && reply.status !== 303) {
		const repeats = reply.status === 307 || reply.status === 308;
		if (!sameOrigin || !repeats)
			return problem('redirectedAway', reply.status === 302 ? 'unknown' : 'none');
	}
	const clean = withoutSecrets(target, dialect);
	if (clean === undefined) return problem('redirectedAway', changes ? 'unknown' : 'none');
	// A parameter called like that of the key, with another value, is a ticket for this one address: the key would
	// take its place.
	const method = reply.status === 303 ? 'GET' : hop.method;
	const hasTicket =
		method === 'GET' &&
		dialect.authentication === 'queryParameter' &&
		clean.searchParams.has(dialect.parameterName);
	const withKey = hop.withKey && sameOrigin && !hasTicket;
	return success({ method, url: clean, withKey });
}
