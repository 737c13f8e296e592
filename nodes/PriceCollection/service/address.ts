import { success, type Outcome } from './problems';
import { withoutEnd } from './text';

interface AddressRules {
	/** Whether plain http is allowed to hosts other than this machine. */
	allowInsecureHttp?: boolean;
	/** The retired address; entering it is refused with advice. */
	legacyBaseUrl?: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Parses a URL; undefined when the text is not one. */
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
	const base = withoutEnd(path.replace(/\/jobs$/i, ''), '/');
	return url.origin + (/\/v2$/i.test(base) ? withoutEnd(base.slice(0, -'/v2'.length), '/') : path);
}

/**
 * Checks the Base URL of the credential.
 *
 * @returns `base`, to which paths such as `/v2/jobs` are appended, and its `origin`; or a sentence for the
 * user. The sentence never repeats the input, because that may contain a key.
 */
export function checkBaseUrl(
	text = '',
	{ allowInsecureHttp, legacyBaseUrl }: AddressRules,
): Outcome<{ base: string; origin: string }, string> {
	const trimmed = text.trim();
	const hasScheme = SCHEME.test(trimmed);
	const url = hasScheme ? parseUrl(trimmed) : undefined;
	const { protocol = '', hostname = '', username = '', password = '' } = url ?? {};
	const isInsecure = protocol === 'http:' && !LOOPBACK.test(hostname) && allowInsecureHttp !== true;
	const faults: Array<[boolean, string]> = [
		[trimmed === '', 'is empty. Enter the address of the service, e.g. https://api.example.com'],
		[!hasScheme, 'has no scheme. Put https:// in front of it.'],
		[url === undefined, 'is not a valid address. Enter one such as https://api.example.com'],
		[!/^https?:$/.test(protocol), 'must start with https://'],
		[
			username !== '' || password !== '',
			'contains a user name or password. Remove them and use the fields of the credential.',
		],
		[
			trimmed.includes('?'),
			'contains a query (the part after ?). Remove it; the key goes into its own field.',
		],
		[trimmed.includes('#'), 'contains a fragment (the part after #). Remove it.'],
		[
			isInsecure,
			'uses plain http, which would send the key unprotected. Use https://, or switch on Allow Insecure HTTP under Customize Service.',
		],
		[
			isLegacy(url, legacyBaseUrl),
			'is the legacy address, which is retired. Enter the address of version 2 of the service.',
		],
	];
	const fault = faults.find(([isSo]) => isSo);
	if (fault || !url) return { ok: false, problem: `The Base URL ${fault?.[1] ?? ''}` };
	return success({ base: withoutTail(url), origin: url.origin });
}

/** Whether an address is the retired one; the schemes of the two may differ. */
function isLegacy(url: URL | undefined, legacyBaseUrl = ''): boolean {
	const written = legacyBaseUrl.trim();
	const legacy = parseUrl(SCHEME.test(written) ? written : `https://${written}`);
	const withoutScheme = (one: URL) => withoutTail(one).replace(SCHEME, '');
	return legacy !== undefined && url !== undefined && withoutScheme(url) === withoutScheme(legacy);
}

/**
 * Why the service cannot call a URL: it is on this machine, and the service is not.
 *
 * @param serviceAddress the service's own address
 * @param alternative what to do when n8n has no public address, as the end of a sentence
 * @returns a sentence for the user, or undefined when nothing is wrong with the URL
 */
export function loopbackWarning(
	url: string,
	serviceAddress: string,
	alternative: string,
): string | undefined {
	const target = parseUrl(url);
	if (target === undefined || !LOOPBACK.test(target.hostname)) return undefined;
	if (LOOPBACK.test(parseUrl(serviceAddress)?.hostname ?? '')) return undefined;
	return `The service cannot reach ${target.origin}: that address exists on this machine only. Set WEBHOOK_URL in n8n to its public address, or ${alternative}.`;
}
