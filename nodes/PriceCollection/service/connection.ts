import { createHash } from 'node:crypto';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { checkBaseUrl, parseUrl } from './address';
import { success, type Outcome } from './problems';

export type Authentication = 'basic' | 'bearer' | 'header' | 'queryParameter';
export type DownloadFormat = 'json' | 'xml' | 'csv' | 'xlsx';

/** The fields of the credential `priceCollectionApi`. Fields that n8n hides are absent. */
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
 * The credential's defaults: they fill the gaps in the service's documentation with what was observed in
 * practice. `docs/not-shown.md` gives the reason for each.
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

/** How requests are sent: the credential, checked and completed. */
export interface ConnectionSettings extends Required<Pick<CredentialFields, keyof typeof DEFAULTS>> {
	/** The address that paths such as `/v2/jobs` are appended to. */
	base: string;
	/** The only origin that may see the key. */
	origin: string;
	/** Identifies service and key without revealing the key. */
	account: string;
	/** Signs callback URLs; blank when they are not signed. */
	webhookSecret: string;
	/** Every secret that may have signed a callback, the current one first; empty if none is signed. */
	webhookSecrets: string[];
	/** Every secret of the credential. */
	secrets: string[];
}

/** The boolean fields. */
const SWITCHES: ReadonlySet<string> = new Set(['allowInsecureHttp', 'customizeService']);

/**
 * The fields of a credential as text and switches: a number from an expression becomes text, and values of
 * other types are left out.
 */
export function fieldsOf(credential: object): CredentialFields {
	const fields = Object.entries(credential).map(([name, value]: [string, unknown]) =>
		typeof value === 'number' ? ([name, String(value)] as const) : ([name, value] as const),
	);
	const isField = ([name, value]: readonly [string, unknown]) =>
		typeof value === (SWITCHES.has(name) ? 'boolean' : 'string');
	return Object.fromEntries(fields.filter(isField));
}

/** The key as sent, without blanks and line breaks that were pasted with it. */
const keyOf = ({ apiKey = '' }: CredentialFields) => apiKey.trim();

/**
 * Reads the credential. A missing key or an invalid address (see {@link checkBaseUrl}) is returned as a
 * sentence for the user.
 */
export function readConnection(fields: CredentialFields): Outcome<ConnectionSettings, string> {
	const address = checkBaseUrl(fields.baseUrl, fields);
	if (!address.ok) return address;
	const { username = '', password = '', webhookSecret = '', previousWebhookSecret = '' } = fields;
	// Some services use the key as user name, without a password.
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

/** The Accept header, path suffix and query parameter that request a format. */
export function askFor(
	{ format = 'json' }: { format?: DownloadFormat },
	{ formatSelection, formatParameter }: Pick<ConnectionSettings, 'formatSelection' | 'formatParameter'>,
): { accept: string; suffix: string; query: Record<string, string> } {
	// The documented paths return JSON, so its path never changes. The query parameter is still sent, because
	// it does no harm and is needed where XML is the default.
	const isJson = format === 'json';
	return {
		accept: isJson || formatSelection === 'acceptHeader' ? ACCEPT[format] : '*/*',
		suffix: !isJson && formatSelection === 'pathSuffix' ? `.${format}` : '',
		query: formatSelection === 'queryParameter' ? { [formatParameter]: format } : {},
	};
}

/** The media type of each format; downloaded files get it as well. */
export const ACCEPT: Readonly<Record<DownloadFormat, string>> = {
	json: 'application/json',
	xml: 'application/xml',
	csv: 'text/csv',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * Adds the key to a request where the service expects it.
 *
 * @param fields the credential that `connection` was read from
 * @returns undefined for a request to another origin, which must not carry the key
 */
export function authenticated(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	{ authentication, headerName, origin, parameterName }: ConnectionSettings,
): IHttpRequestOptions | undefined {
	// n8n's HTTP Request node still passes the address as `uri`.
	const { url, uri, baseURL, headers, qs } = request as IHttpRequestOptions & { uri?: string };
	if (parseUrl(url ?? uri ?? '', baseURL)?.origin !== origin) return undefined;
	const key = keyOf(fields);
	// The HTTP Request node follows redirects itself. These settings keep n8n from sending the key to another
	// host; for a custom header, n8n then does not follow such a redirect at all.
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
