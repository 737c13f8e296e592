import type { IHookFunctions } from 'n8n-workflow';

import { isLoopback, parseUrl } from '../../service/address';
import type { CredentialFields } from '../../service/dialect';

/**
 * Why the service cannot call a URL back: it is on this machine, and the service is not.
 *
 * @param serviceAddress the service's own address
 * @returns a sentence for the user, or undefined when nothing is known against the URL
 */
export function loopbackWarning(url: string, serviceAddress: string): string | undefined {
	const target = parseUrl(url);
	const service = parseUrl(serviceAddress);
	if (target === undefined || !isLoopback(target.hostname)) return undefined;
	if (service !== undefined && isLoopback(service.hostname)) return undefined;
	return `The service cannot reach ${target.origin}: that address exists on this machine only. Set WEBHOOK_URL in n8n to its public address, or use the Price Collection Polling Trigger.`;
}

/** Says so in n8n's log when a trigger that begins to listen cannot be reached. */
export async function warnAboutLoopback(context: IHookFunctions): Promise<void> {
	const { baseUrl = '' } = await context.getCredentials<CredentialFields>('priceCollectionApi');
	const warning = loopbackWarning(context.getNodeWebhookUrl('default') ?? '', baseUrl);
	if (warning !== undefined) context.logger.warn(`${context.getNode().name}: ${warning}`);
}
