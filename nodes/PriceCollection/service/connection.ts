import { createHash } from 'node:crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { success, type Outcome } from './problems';
import { readFieldNames, type FieldNames } from './fieldNames';
import { readRequestNames, type RequestNames } from './requestNames';
import { withoutEnd } from './text';

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

/** Fill the gaps in the service's documentation; `docs/contributing/not-shown.md` gives the reason for each. */
export const DEFAULTS = { ...TEXTS, maxValuesPerJob: 1000 };

/** Parameters that are not sent when their name is blank. */
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
	/** n8n's collection of names, or a text. */
	requestNames?: IDataObject[string];
	requestNamesText?: IDataObject[string];
	fieldNames?: IDataObject[string];
	fieldNamesText?: IDataObject[string];
}

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Decodes a path segment; returns it unchanged when its encoding is invalid. */
export function decodedPart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** The service's address without a trailing `/`, `/v2` or `/v2/jobs`: the base of every request. */
function withoutTail(url: URL): string {
	const path = withoutEnd(url.pathname, '/');
	return url.origin + withoutEnd(path.replace(/\/v2(?:\/jobs)?$/i, ''), '/');
}

/** Checks the Base URL. The sentence for the user never repeats the input, because that may contain a key. */
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
	if (!/^https?:$/.test(url.protocol)) return fault('must start with https://');
	if (url.username !== '' || url.password !== '' || /[?#]/.test(trimmed))
		return fault(
			'contains a user name, a password, a query (after ?) or a fragment (after #). Remove that; keys and passwords go into their own fields.',
		);
	if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && allowInsecureHttp !== true)
		return fault(
			'uses plain http, which would send the key unprotected. Use https://, or switch on Allow Insecure HTTP under Customize Service.',
		);
	const legacy = parseUrl(legacyBaseUrl.trim());
	if (legacy && withoutTail(url) === withoutTail(legacy))
		return fault(
			'is the legacy address, which is retired. Enter the address of version 2 of the service.',
		);
	return success({ base: withoutTail(url), origin: url.origin });
}

/** How requests are sent: the credential, checked and completed. */
export interface ConnectionSettings extends Defaults {
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
	secrets: string[];
	requestNames: RequestNames;
	fieldNames: FieldNames;
}

const SWITCH_FIELDS: readonly string[] = ['allowInsecureHttp', 'customizeService'];
/** Fields that are checked as they are, so that a wrong value is an error and not ignored. */
const CHECKED: readonly string[] = [
	...['maxValuesPerJob', 'requestNames', 'requestNamesText', 'fieldNames', 'fieldNamesText'],
];

/** The fields as text and switches, also from numbers; values of other types are left out, except {@link CHECKED}. */
export function credentialFields(credential: object): CredentialFields {
	const known = Object.entries(credential).flatMap(([name, value]: [string, unknown]) => {
		if (CHECKED.includes(name)) return [[name, value] as const];
		const field = typeof value === 'number' ? String(value) : value;
		return typeof field === (SWITCH_FIELDS.includes(name) ? 'boolean' : 'string')
			? [[name, field] as const]
			: [];
	});
	return Object.fromEntries(known);
}

/** The key as sent, without blanks and line breaks that were pasted with it. */
const apiKeyOf = ({ apiKey = '' }: CredentialFields) => apiKey.trim();

/** The number in the setting Max Values per Job; its default when the setting is empty. */
function readMaxValuesPerJob(given: unknown): Outcome<number, string> {
	const value: unknown = typeof given === 'string' ? given.trim() : given;
	if (value === undefined || value === null || value === '') return success(DEFAULTS.maxValuesPerJob);
	const number = typeof value === 'string' ? Number(value) : value;
	if (Number.isSafeInteger(number) && Number(number) >= 1) return success(Number(number));
	const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '').slice(0, 50);
	const problem = `Max Values per Job cannot be ${shown}. Enter a whole number of at least 1.`;
	return { ok: false, problem };
}

/** Reads the credential. What is missing or invalid is returned as a sentence for the user. */
export function readConnection(fields: CredentialFields): Outcome<ConnectionSettings, string> {
	const address = checkBaseUrl(fields);
	if (!address.ok) return address;
	const { username = '', password = '', webhookSecret = '', previousWebhookSecret = '' } = fields;
	// Some services use the key as user name, without a password.
	const [key, secret] = [apiKeyOf(fields), password || username];
	if (fields.authentication === 'basic' && secret === '')
		return { ok: false, problem: 'User Name and Password are empty. Enter those of your account.' };
	if (fields.authentication !== 'basic' && key === '')
		return { ok: false, problem: 'The API Key is empty. Enter the key of your account.' };
	const most = readMaxValuesPerJob(fields.maxValuesPerJob);
	if (!most.ok) return most;
	const names = readRequestNames([fields.requestNames, fields.requestNamesText]);
	if (!names.ok) return names;
	const read = readFieldNames([fields.fieldNames, fields.fieldNamesText]);
	if (!read.ok) return read;
	const settled = Object.entries(TEXTS).map(([name, fallback]) => {
		const value = fields[name as keyof typeof TEXTS]?.trim();
		return [name, OPTIONAL_NAMES.includes(name) ? (value ?? fallback) : value || fallback];
	});
	const inBasic = secret && Buffer.from(`${username}:${password}`).toString('base64');
	return success({
		...(Object.fromEntries(settled) as typeof TEXTS),
		...address.value,
		maxValuesPerJob: most.value,
		requestNames: names.value,
		fieldNames: read.value,
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

export type DownloadFormat = keyof typeof ACCEPT;

/** The media type of each format; downloaded files get it as well. */
export const ACCEPT = {
	json: 'application/json',
	xml: 'application/xml',
	csv: 'text/csv',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Adds the key to a request; undefined for one to another origin, which must not carry it. */
export function authenticated(
	request: IHttpRequestOptions,
	fields: CredentialFields,
	{ authentication, headerName, origin, parameterName }: ConnectionSettings,
): IHttpRequestOptions | undefined {
	// n8n's HTTP Request node still passes the address as `uri`.
	const { url, uri, baseURL, headers, qs } = request as IHttpRequestOptions & { uri?: string };
	if (parseUrl(url ?? uri ?? '', baseURL)?.origin !== origin) return undefined;
	const { username = '', password = '' } = fields;
	const key = apiKeyOf(fields);
	// The HTTP Request node follows redirects itself. These settings keep n8n from sending the key to another
	// host; for a custom header, n8n then does not follow such a redirect at all.
	const pinned = { ...request, sendCredentialsOnCrossOriginRedirect: false };
	if (authentication === 'basic') return { ...pinned, auth: { username, password } };
	if (authentication === 'queryParameter') return { ...pinned, qs: { ...qs, [parameterName]: key } };
	if (authentication === 'bearer')
		return { ...pinned, headers: { ...headers, Authorization: `Bearer ${key}` } };
	const allowedDomains = new URL(origin).hostname;
	return { ...pinned, allowedDomains, headers: { ...headers, [headerName]: key } };
}

/** A sentence about a URL that is on this machine, where the service cannot call it, if it is. */
export function loopbackWarning(url: string, serviceAddress: string): string | undefined {
	const target = parseUrl(url);
	if (target === undefined || !LOOPBACK.test(target.hostname)) return undefined;
	if (LOOPBACK.test(parseUrl(serviceAddress)?.hostname ?? '')) return undefined;
	return `The service cannot reach ${target.origin}: that address exists on this machine only. Set WEBHOOK_URL in n8n to its public address, or choose another Wait Mode.`;
}
