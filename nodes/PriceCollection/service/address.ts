import { success, type Outcome } from './problems';
import { withoutEnd } from './text';

export interface AddressRules {
	/** Whether plain http is allowed to hosts other than this machine. */
	allowInsecureHttp?: boolean;
	/** The retired address, refused with the fix in the text. */
	legacyBaseUrl?: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Whether a host name, as `URL.hostname` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
	return LOOPBACK.test(hostname);
}

/** The URL a text spells, or undefined. */
export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** The service's address without a trailing `/`, `/v2` or `/v2/jobs`, in the form all requests start from. */
function withoutTail(url: URL): string {
	const path = withoutEnd(url.pathname, '/');
	const base = /\/jobs$/i.test(path) ? withoutEnd(path.slice(0, -'/jobs'.length), '/') : path;
	if (!/\/v2$/i.test(base)) return url.origin + path;
	return url.origin + withoutEnd(base.slice(0, -'/v2'.length), '/');
}

/** What is wrong with a Base URL that spells an address, as a sentence for the user. */
function faultOf(url: URL, text: string, rules: AddressRules): string | undefined {
	if (!/^https?:$/.test(url.protocol)) return 'The Base URL must start with https://';
	if (url.username !== '' || url.password !== '')
		return 'The Base URL contains a user name or password. Remove them and use the fields of the credential.';
	if (text.includes('?'))
		return 'The Base URL contains a query (the part after ?). Remove it; the key goes into its own field.';
	if (text.includes('#')) return 'The Base URL contains a fragment (the part after #). Remove it.';
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && rules.allowInsecureHttp !== true)
		return 'The Base URL uses plain http, which would send the key unprotected. Use https://, or switch on Allow Insecure HTTP under Customize Service.';
	if (isLegacy(withoutTail(url), rules.legacyBaseUrl))
		return 'The Base URL is the legacy address, which is retired. Enter the address of version 2 of the service.';
	return undefined;
}

/**
 * Checks the Base URL of the credential.
 *
 * @returns `base`, to which paths such as `/v2/jobs` are appended, and its `origin`; or a sentence for the user.
 */
export function checkBaseUrl(
	text: string | undefined,
	rules: AddressRules,
): Outcome<{ base: string; origin: string }, string> {
	const trimmed = (text ?? '').trim();
	const refused = (problem: string) => ({ ok: false, problem }) as const;
	if (trimmed === '')
		return refused(
			'The Base URL is empty. Enter the address of the service, e.g. https://api.example.com',
		);
	if (!SCHEME.test(trimmed)) return refused('The Base URL has no scheme. Put https:// in front of it.');
	const url = parseUrl(trimmed);
	if (url === undefined)
		return refused('The Base URL is not a valid address. Enter one such as https://api.example.com');
	const fault = faultOf(url, trimmed, rules);
	return fault === undefined ? success({ base: withoutTail(url), origin: url.origin }) : refused(fault);
}

/** Whether an address is the retired one, whichever scheme the two are written with. */
export function isLegacy(address: string, legacyBaseUrl: string | undefined): boolean {
	const written = (legacyBaseUrl ?? '').trim();
	const legacy = parseUrl(SCHEME.test(written) ? written : `https://${written}`);
	const url = parseUrl(address);
	if (legacy === undefined || url === undefined) return false;
	const withoutScheme = (one: URL) => withoutTail(one).replace(SCHEME, '');
	return withoutScheme(url) === withoutScheme(legacy);
}

/**
 * Why the service cannot call a URL back: it is on this machine, and the service is not.
 *
 * @param serviceAddress the service's own address
 * @param alternative what to do where n8n has no public address, as the end of a sentence
 * @returns a sentence for the user, or undefined when nothing is known against the URL
 */
export function loopbackWarning(
	url: string,
	serviceAddress: string,
	alternative: string,
): string | undefined {
	const target = parseUrl(url);
	const service = parseUrl(serviceAddress);
	if (target === undefined || !isLoopback(target.hostname)) return undefined;
	if (service !== undefined && isLoopback(service.hostname)) return undefined;
	return `The service cannot reach ${target.origin}: that address exists on this machine only. Set WEBHOOK_URL in n8n to its public address, or ${alternative}.`;
}
