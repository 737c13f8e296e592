import { isLoopback, parseUrl } from './address';

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
