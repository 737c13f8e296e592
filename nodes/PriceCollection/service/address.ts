/*
 * Reads addresses: their parts, and whether they point to this machine.
 */

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Parses an address, which may be relative to `base`; undefined if it is not valid. */
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

/** Whether an address points to the machine that uses it. */
export const isLoopback = ({ hostname }: URL) => LOOPBACK.test(hostname);

/** Returns a warning if a URL points to this machine and the service, being elsewhere, cannot call it. */
export function loopbackWarning(url: string, serviceAddress: string): string | undefined {
	const target = parseUrl(url);
	if (target === undefined || !isLoopback(target)) return undefined;
	const service = parseUrl(serviceAddress);
	if (service !== undefined && isLoopback(service)) return undefined;
	return `The service cannot reach ${target.origin}: that address exists on this machine only. Set WEBHOOK_URL in n8n to its public address, or choose another Wait Mode.`;
}
