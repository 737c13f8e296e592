import type { IHookFunctions } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { credentialOf } from '../../n8n/credential';
import { apiError } from '../../n8n/errors';
import { loopbackWarning } from '../../service/loopback';

/**
 * What a trigger does before it listens: says so in n8n's log when the service cannot reach it, and asks the service
 * whether it takes the key before somebody waits for a test event, which would never come.
 *
 * @throws NodeApiError or NodeOperationError when the service cannot be asked
 */
export async function beforeListening(context: IHookFunctions): Promise<void> {
	const { baseUrl = '' } = await credentialOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const warning = loopbackWarning(url, baseUrl, 'use the Price Collection Polling Trigger');
	if (warning !== undefined) context.logger.warn(`${context.getNode().name}: ${warning}`);
	if (context.getMode() !== 'manual') return;
	const client = await serviceClient.call(context);
	const usage = await client.getUsage('today', { repeat: false });
	if (!usage.ok) throw apiError(context.getNode(), usage.problem);
}
