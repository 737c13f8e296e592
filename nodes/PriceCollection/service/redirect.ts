import { parseUrl } from './address';
import type { Dialect } from './dialect';
import { effectOf, type Endpoint } from './endpoints';
import { failure, success, type Outcome, type Problem } from './problems';
import { holdsSecret, redactText } from './redact';

/** One stretch of a request's way. */
export interface Hop {
	method: 'GET' | 'POST';
	url: URL;
	/** Whether the key goes along. */
	withKey: boolean;
}

export function isRedirect(status: number): boolean {
	return [301, 302, 303, 307, 308].includes(status);
}

/** An address for texts: without its query, and without secrets. */
export function nameOf(url: URL, dialect: Pick<Dialect, 'secrets'>): string {
	return redactText(url.origin + url.pathname, dialect.secrets);
}

/** An address without the parameters that hold a secret; undefined when another part of it does. */
export function withoutSecrets(target: URL, { secrets }: Pick<Dialect, 'secrets'>): URL | undefined {
	const clean = new URL(target);
	const isSecret = (text: string) => holdsSecret(text, secrets);
	for (const [name, value] of target.searchParams) {
		if (isSecret(name) || isSecret(value)) clean.searchParams.delete(name);
	}
	return isSecret(clean.href) ? undefined : clean;
}

/**
 * Where a redirect leads. A read is followed anywhere, without the key as soon as it leaves the service's origin.
 * A request that changes something is sent again only where the status says that nothing was done (307, 308), and
 * a 303 says where the outcome can be read.
 */
export function nextHop(
	hop: Hop,
	reply: { status: number; headers: Readonly<Record<string, string | undefined>> },
	endpoint: Endpoint,
	dialect: Dialect,
): Outcome<Hop> {
	const { status, headers } = reply;
	const location = (headers.location ?? '').trim();
	const target = location === '' ? undefined : parseUrl(location, hop.url.href);
	const away = (effect: Problem['effect']) => {
		const detail =
			target === undefined ? 'It does not say where to' : `It points to ${nameOf(target, dialect)}`;
		return failure({ kind: 'redirectedAway', endpoint, status, detail, effect });
	};
	if (target === undefined || !/^https?:$/.test(target.protocol)) return away(effectOf(endpoint));
	const sameOrigin = target.origin === dialect.origin;
	const repeats = status === 307 || status === 308;
	if (hop.method === 'POST' && status !== 303 && !(sameOrigin && repeats))
		return away(status === 302 ? 'unknown' : 'none');
	const url = withoutSecrets(target, dialect);
	if (url === undefined) return away(effectOf(endpoint));
	const method = status === 303 ? 'GET' : hop.method;
	// A parameter called like that of the key, with another value, is a ticket for this one address: the key would
	// take its place.
	const hasTicket =
		method === 'GET' &&
		dialect.authentication === 'queryParameter' &&
		url.searchParams.has(dialect.parameterName);
	return success({ method, url, withKey: hop.withKey && sameOrigin && !hasTicket });
}
