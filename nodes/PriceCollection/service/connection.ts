import { createHash } from 'node:crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { isLoopback, parseUrl } from './address';
import { success, type Outcome } from './problems';
import { readFieldNames, type FieldNames } from './fieldNames';
import { readRequestNames, type RequestNames } from './requestNames';
import { withoutEnd } from './text';

/*
 * The credential's settings: checked, completed with defaults, and applied to a request.
 */

const TEXTS = {
	authentication: 'queryParameter' as 'basic' | 'bearer' | 'header' | 'queryParameter',
	parameterName: 'token',
	headerName: 'X-API-Key',
	requestBody: 'json' as 'json' | 'form',
	formatSelection: 'acceptHeader' as 'acceptHeader' | 'pathSuffix' | 'queryParameter',
	formatParameter: 'format',
	lookupValues: 'automatic' as 'array' | 'automatic' | 'list' | 'single',
	countryCase: 'lower' as 'lower' | 'upper',
	finishedStatuses: '',
	failedStatuses: '',
	cancelledStatuses: '',
	testSource: 'test',
	pagination: 'pageNumber' as 'cursor' | 'none' | 'offset' | 'pageNumber',
	firstPage: 'automatic' as '0' | '1' | 'automatic',
	pageParameter: 'page',
	pageSizeParameter: 'per_page',
	cursorParameter: 'cursor',
	webhookUrlParameter: 'webhook_url',
	labelParameter: '',
};

/** Defaults for what the service's documentation leaves open; `docs/contributing/not-shown.md` gives the reasons. */
export const DEFAULTS = { ...TEXTS, maxValuesPerJob: 1000 };

/** Settings that may be blank: the parameter is then not sent. Others fall back to their default. */
const OPTIONAL_NAMES: readonly string[] = ['pageParameter', 'pageSizeParameter', 'cursorParameter'];

type Defaults = typeof DEFAULTS;

/** The fields of the credential `priceCollectionApi`. Fields that n8n hides are absent. */
export interface CredentialFields extends Partial<typeof TEXTS> {
	baseUrl?: string;
	apiKey?: string;
	username?: string;
	password?: string;
	webhookSecret?: string;
	previousWebhookSecret?: string;
	customizeService?: boolean;
	allowInsecureHttp?: boolean;
	legacyBaseUrl?: string;
	maxValuesPerJob?: IDataObject[string];
	/** n8n's collection of names, or text. */
	requestNames?: IDataObject[string];
	requestNamesText?: IDataObject[string];
	fieldNames?: IDataObject[string];
	fieldNamesText?: IDataObject[string];
}

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The base of every request: the service's address without a trailing `/`, `/v2` or `/v2/jobs`. */
function baseOf(url: URL): string {
	const path = withoutEnd(url.pathname, '/');
	return url.origin + withoutEnd(path.replace(/\/v2(?:\/jobs)?$/i, ''), '/');
}

/** Checks the Base URL. The message for the user never repeats the input, which may contain a key. */
export function checkBaseUrl({
	baseUrl = '',
	allowInsecureHttp,
	legacyBaseUrl = '',
}: CredentialFields): Outcome<{ base: string; origin: string }, string> {
	const trimmed = baseUrl.trim();
	const fault = (text: string) => ({ ok: false, problem: `The Base URL ${text}` }) as const;
	if (trimmed === '')
		return fault('is empty. Enter the address of the service, e.g. https://api.example.com');
	if (!URL_SCHEME.test(trimmed)) return fault('must begin with https://.');
	const url = parseUrl(trimmed);
	if (!url) return fault('is not a valid address. Enter one such as https://api.example.com');
	if (!/^https?:$/.test(url.protocol)) return fault('must begin with https://.');
	if (url.username !== '' || url.password !== '' || /[?#]/.test(trimmed))
		return fault(
			'contains a user name, a password, a query (after ?) or a fragment (after #). Remove that; keys and passwords go into their own fields.',
		);
	if (url.protocol === 'http:' && !isLoopback(url) && allowInsecureHttp !== true)
		return fault(
			'uses plain http, which would send the key unprotected. Use https://, or switch on Allow Insecure HTTP under Customize Service.',
		);
	const legacy = parseUrl(legacyBaseUrl.trim());
	if (legacy && baseOf(url) === baseOf(legacy))
		return fault(
			'is the legacy address, which is retired. Enter the address of version 2 of the service.',
		);
	return success({ base: baseOf(url), origin: url.origin });
}

/** How requests are sent: the credential, validated and completed with defaults. */
export interface ConnectionSettings extends Defaults {
	/** The address to which paths such as `/v2/jobs` are appended. */
	base: string;
	/** The key is sent to this origin only. */
	origin: string;
	/** Identifies the service and the key without revealing the key. */
	account: string;
	/** Signs callback URLs; blank if they are not signed. */
	webhookSecret: string;
	/** The secrets that may have signed a callback, current one first; empty if callbacks are not signed. */
	webhookSecrets: string[];
	/** Redacted in messages; in data only if they cannot be ordinary words (see `redactValue`). */
	secrets: string[];
	requestNames: RequestNames;
	fieldNames: FieldNames;
}

const SWITCH_FIELDS: readonly string[] = ['allowInsecureHttp', 'customizeService'];
/** Fields passed on unconverted, so that {@link readConnection} reports a wrong value instead of ignoring it. */
const UNCONVERTED: readonly string[] = [
	...['maxValuesPerJob', 'requestNames', 'requestNamesText', 'fieldNames', 'fieldNamesText'],
];

/**
 * Converts a stored credential to texts and switches. Numbers become text; values of a wrong type are left out,
 * except in {@link UNCONVERTED} fields.
 */
export function credentialFields(credential: object): CredentialFields {
	const entries = Object.entries(credential).flatMap(([name, value]: [string, unknown]) => {
		if (UNCONVERTED.includes(name)) return [[name, value] as const];
		const field = typeof value === 'number' ? String(value) : value;
		return typeof field === (SWITCH_FIELDS.includes(name) ? 'boolean' : 'string')
			? [[name, field] as const]
			: [];
	});
	return Object.fromEntries(entries);
}

/** The key as sent: without blanks and line breaks pasted around it. */
const apiKeyOf = ({ apiKey = '' }: CredentialFields) => apiKey.trim();

/** Reads the setting Max Values per Job; an empty setting means the default. */
function readMaxValuesPerJob(input: unknown): Outcome<number, string> {
	const value: unknown = typeof input === 'string' ? input.trim() : input;
	if (value === undefined || value === null || value === '') return success(DEFAULTS.maxValuesPerJob);
	const number = typeof value === 'string' ? Number(value) : value;
	if (Number.isSafeInteger(number) && Number(number) >= 1) return success(Number(number));
	const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '').slice(0, 50);
	const problem = `Max Values per Job cannot be ${shown}. Enter a whole number of at least 1.`;
	return { ok: false, problem };
}

/** Reads the credential. The problem, if a field is missing or invalid, is a message for the user. */
export function readConnection(fields: CredentialFields): Outcome<ConnectionSettings, string> {
	const address = checkBaseUrl(fields);
	if (!address.ok) return address;
	const { username = '', password = '', webhookSecret = '', previousWebhookSecret = '' } = fields;
	// Some services expect the key as the user name, without a password.
	const [key, secret] = [apiKeyOf(fields), password || username];
	if (fields.authentication === 'basic' && secret === '')
		return { ok: false, problem: 'User Name and Password are empty. Enter those of your account.' };
	if (fields.authentication !== 'basic' && key === '')
		return { ok: false, problem: 'The API Key is empty. Enter the key of your account.' };
	const maxValues = readMaxValuesPerJob(fields.maxValuesPerJob);
	if (!maxValues.ok) return maxValues;
	const requestNames = readRequestNames([fields.requestNames, fields.requestNamesText]);
	if (!requestNames.ok) return requestNames;
	const fieldNames = readFieldNames([fields.fieldNames, fields.fieldNamesText]);
	if (!fieldNames.ok) return fieldNames;
	const texts = Object.entries(TEXTS).map(([name, fallback]) => {
		const value = fields[name as keyof typeof TEXTS]?.trim();
		return [name, OPTIONAL_NAMES.includes(name) ? (value ?? fallback) : value || fallback];
	});
	const basicToken = secret && Buffer.from(`${username}:${password}`).toString('base64');
	return success({
		...(Object.fromEntries(texts) as typeof TEXTS),
		...address.value,
		maxValuesPerJob: maxValues.value,
		requestNames: requestNames.value,
		fieldNames: fieldNames.value,
		account: createHash('sha256')
			.update([address.value.base, key, username, password].join('\n'))
			.digest('base64url'),
		webhookSecret,
		webhookSecrets: webhookSecret ? [webhookSecret, previousWebhookSecret].filter(Boolean) : [],
		secrets: [key, secret, basicToken, webhookSecret, previousWebhookSecret].filter(Boolean),
	});
}

/** Adds the key to a request; undefined if the request goes to another origin, which must not get the key. */
export function authenticated(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	{ authentication, headerName, origin, parameterName }: ConnectionSettings,
): IHttpRequestOptions | undefined {
	// n8n's HTTP Request node still passes the URL as `uri`.
	const { url, uri, baseURL, headers, qs } = request as IHttpRequestOptions & { uri?: string };
	if (parseUrl(url ?? uri ?? '', baseURL)?.origin !== origin) return undefined;
	const { username = '', password = '' } = fields;
	const key = apiKeyOf(fields);
	// The HTTP Request node follows redirects itself. These settings keep n8n from sending the key to another
	// host; with a custom header, n8n does not follow such a redirect at all.
	const pinned = { ...request, sendCredentialsOnCrossOriginRedirect: false };
	switch (authentication) {
		case 'basic':
			return { ...pinned, auth: { username, password } };
		case 'bearer':
			return { ...pinned, headers: { ...headers, Authorization: `Bearer ${key}` } };
		case 'header':
			return {
				...pinned,
				allowedDomains: new URL(origin).hostname,
				headers: { ...headers, [headerName]: key },
			};
		case 'queryParameter':
			return { ...pinned, qs: { ...qs, [parameterName]: key } };
	}
}

/** The query parameter that holds the key; undefined if the key is not part of the address. */
export const keyParameterOf = ({
	authentication,
	parameterName,
}: Pick<ConnectionSettings, 'authentication' | 'parameterName'>): string | undefined =>
	authentication === 'queryParameter' ? parameterName : undefined;
