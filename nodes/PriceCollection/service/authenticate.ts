import type { IHttpRequestOptions } from 'n8n-workflow';

import { parseUrl } from './address';
import { DEFAULTS, keyOf, type CredentialFields, type Dialect } from './dialect';

/**
 * Puts the key where the service wants it. The HTTP Request node follows redirects by itself: n8n is told not to
 * take the key along to another host, which for a header of its own means not to go there.
 */
function withKey(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	dialect: Dialect,
): IHttpRequestOptions {
	const key = keyOf(fields);
	const pinned = { ...request, sendCredentialsOnCrossOriginRedirect: false };
	switch (dialect.authentication) {
		case 'basic': {
			const { username = '', password = '' } = fields;
			return { ...pinned, auth: { username, password } };
		}
		case 'bearer':
			return { ...pinned, headers: { ...request.headers, Authorization: `Bearer ${key}` } };
		case 'header': {
			const name = fields.headerName?.trim() || DEFAULTS.headerName;
			const allowedDomains = new URL(dialect.origin).hostname;
			return { ...pinned, allowedDomains, headers: { ...request.headers, [name]: key } };
		}
		case 'queryParameter':
			return { ...pinned, qs: { ...request.qs, [dialect.parameterName]: key } };
	}
}

/**
 * A request with the key; undefined for one that goes elsewhere than to the service, which must not carry it.
 *
 * @param fields the credential that `dialect` was read from
 */
export function authenticated(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	dialect: Dialect,
): IHttpRequestOptions | undefined {
	// n8n's HTTP Request node still names the address `uri`.
	const { url, uri, baseURL } = request as IHttpRequestOptions & { uri?: string };
	const target = parseUrl(url ?? uri ?? '', baseURL);
	return target?.origin === dialect.origin ? withKey(request, fields, dialect) : undefined;
}
