import { createHash } from 'node:crypto';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { checkBaseUrl, parseUrl } from './address';
import { success, type Outcome } from './problems';

export type Authentication = 'basic' | 'bearer' | 'header' | 'queryParameter';
export type DownloadFormat = 'json' | 'xml' | 'csv' | 'xlsx';

/** The fields of the credential `priceCollectionApi`. Those that n8n hides are absent. */
export interface CredentialFields {
	baseUrl?: string;
	authentication?: Authentication;
	parameterName?: string;
	headerName?: string;
	apiKey?: string;
	username?: string;
	password?: string;
	webhookSecret?: string;
	previousWebhookSecret?: string;
	customizeService?: boolean;
	allowInsecureHttp?: boolean;
	requestBody?: 'json' | 'form';
	formatSelection?: 'acceptHeader' | 'pathSuffix' | 'queryParameter';
	formatParameter?: string;
	lookupValues?: 'automatic' | 'single' | 'list';
	testSource?: string;
	webhookUrlParameter?: string;
	legacyBaseUrl?: string;
}

/**
 * The credential's defaults: what the service's documentation leaves open, as it was seen in practice.
 * `docs/not-shown.md` says why each is what it is.
 */
export const DEFAULTS = {
	authentication: 'queryParameter',
	parameterName: 'token',
	headerName: 'X-API-Key',
	requestBody: 'json',
	formatSelection: 'acceptHeader',
	formatParameter: 'format',
	lookupValues: 'automatic',
	testSource: 'test',
	webhookUrlParameter: 'webhook_url',
} as const satisfies CredentialFields;

/** How this service is spoken to: the credential, checked and completed. */
export interface Dialect extends Required<Pick<CredentialFields, keyof typeof DEFAULTS>> {
	/** The address that paths such as `/v2/jobs` are appended to. */
	base: string;
	/** The only origin that may see the key. */
	origin: string;
	/** Tells service and key from others without giving the key away. */
	account: string;
	/** Signs callback URLs; blank where they are not signed. */
	webhookSecret: string;
	/** Every secret that a callback may be signed with, the one that signs first; empty where none need be signed. */
	webhookSecrets: string[];
	/** Every secret of the credential. */
	secrets: string[];
}

/** The fields that are not texts. */
const SWITCHES: ReadonlySet<string> = new Set(['allowInsecureHttp', 'customizeService']);

/**
 * The fields of a credential as people type them: a number that an expression made of one is its text, and what is
 * neither text nor switch is absent.
 */
export function fieldsOf(credential: object): CredentialFields {
	const fields = Object.entries(credential).map(([name, value]: [string, unknown]) =>
		typeof value === 'number' ? ([name, String(value)] as const) : ([name, value] as const),
	);
	const isField = ([name, value]: readonly [string, unknown]) =>
		typeof value === (SWITCHES.has(name) ? 'boolean' : 'string');
	return Object.fromEntries(fields.filter(isField));
}

/** The key as it is sent: without the blanks and line breaks that come along when it is pasted. */
const keyOf = ({ apiKey = '' }: CredentialFields) => apiKey.trim();

/**
 * Reads the credential. An address that cannot be used (see {@link checkBaseUrl}) and a missing key are refused with a
 * sentence for the user.
 */
export function readDialect(fields: CredentialFields): Outcome<Dialect, string> {
	const address = checkBaseUrl(fields.baseUrl, fields);
	if (!address.ok) return address;
	const { username = '', password = '', webhookSecret = '', previousWebhookSecret = '' } = fields;
	// Without a password the user name is the key, as some services have it.
	const [key, secret] = [keyOf(fields), password || username];
	if (fields.authentication === 'basic') {
		if (secret === '')
			return { ok: false, problem: 'User Name and Password are empty. Enter those of your account.' };
	} else if (key === '') {
		return { ok: false, problem: 'The API Key is empty. Enter the key of your account.' };
	}
	const settled = Object.entries(DEFAULTS).map(([name, fallback]) => {
		const value = fields[name as keyof typeof DEFAULTS]?.trim();
		return [name, value || fallback];
	});
	const inBasic = secret && Buffer.from(`${username}:${password}`).toString('base64');
	return success({
		...(Object.fromEntries(settled) as Required<Pick<CredentialFields, keyof typeof DEFAULTS>>),
		...address.value,
		account: createHash('sha256')
			.update([address.value.base, key, username, password].join('\n'))
			.digest('base64url'),
		webhookSecret,
		webhookSecrets: webhookSecret ? [webhookSecret, previousWebhookSecret].filter(Boolean) : [],
		secrets: [key, secret, inBasic, webhookSecret, previousWebhookSecret].filter(Boolean),
	});
}

/** The Accept header, path suffix and query parameter that ask for a format in this dialect. */
export function askFor(
	{ format = 'json' }: { format?: DownloadFormat },
	{ formatSelection, formatParameter }: Pick<Dialect, 'formatSelection' | 'formatParameter'>,
): { accept: string; suffix: string; query: Record<string, string> } {
	// JSON is what the documented paths give: it keeps them in every dialect. A parameter hurts nobody, and where XML
	// is the default it is the only way.
	const isJson = format === 'json';
	return {
		accept: isJson || formatSelection === 'acceptHeader' ? ACCEPT[format] : '*/*',
		suffix: !isJson && formatSelection === 'pathSuffix' ? `.${format}` : '',
		query: formatSelection === 'queryParameter' ? { [formatParameter]: format } : {},
	};
}

/** The media type of each format, also the one a downloaded file gets. */
export const ACCEPT: Readonly<Record<DownloadFormat, string>> = {
	json: 'application/json',
	xml: 'application/xml',
	csv: 'text/csv',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * A request with the key where the service wants it; undefined for one that goes elsewhere than to the service, which must
 * not carry it.
 *
 * @param fields the credential that `dialect` was read from
 */
export function authenticated(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	{ authentication, headerName, origin, parameterName }: Dialect,
): IHttpRequestOptions | undefined {
	// n8n's HTTP Request node still names the address `uri`.
	const { url, uri, baseURL, headers, qs } = request as IHttpRequestOptions & { uri?: string };
	if (parseUrl(url ?? uri ?? '', baseURL)?.origin !== origin) return undefined;
	const key = keyOf(fields);
	// The HTTP Request node follows redirects by itself: n8n is told not to take the key along to another host, which for
	// a header of its own means not to go there.
	const pinned = { ...request, sendCredentialsOnCrossOriginRedirect: false };
	switch (authentication) {
		case 'basic': {
			const { username = '', password = '' } = fields;
			return { ...pinned, auth: { username, password } };
		}
		case 'bearer':
			return { ...pinned, headers: { ...headers, Authorization: `Bearer ${key}` } };
		case 'header': {
			const allowedDomains = new URL(origin).hostname;
			return { ...pinned, allowedDomains, headers: { ...headers, [headerName]: key } };
		}
		case 'queryParameter':
			return { ...pinned, qs: { ...qs, [parameterName]: key } };
	}
}
