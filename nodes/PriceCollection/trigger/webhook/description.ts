import type { IHookFunctions, INodeParameters, INodeProperties, IWebhookDescription } from 'n8n-workflow';

import { credentialOf } from '../../n8n/credential';
import { loopbackWarning } from '../../service/loopback';

const HTTP_METHOD = '={{ $parameter["httpMethod"] }}';

/**
 * The trigger's webhook. n8n resolves the method for every call, in an isolate, unless a description brings a
 * function for it, as that of n8n's own Webhook node does (`WEBHOOK_RESOLVERS`, from n8n 2.41 on). The symbol is
 * looked up in the global registry, because older versions do not export it; they ignore the entry.
 */
export const webhookDescription: IWebhookDescription = {
	name: 'default',
	httpMethod: HTTP_METHOD,
	responseMode: 'onReceived',
	path: 'price-collection',
	// Not the default: the answer is what the trigger returns, not a text of n8n.
	responseData: '',
	[Symbol.for('n8n.webhookDescriptionResolvers')]: {
		httpMethod: { template: HTTP_METHOD, resolve: ({ httpMethod }: INodeParameters) => httpMethod },
	},
};

/** Options that only the webhook trigger has. */
export const webhookOptions: INodeProperties[] = [
	{
		displayName: 'Ignore Duplicates',
		name: 'ignoreDuplicates',
		type: 'boolean',
		default: true,
		description: 'Whether a job that started the workflow before is ignored when the service calls again',
	},
	{
		displayName: 'On Unrecognized',
		name: 'onUnrecognized',
		type: 'options',
		default: 'reject',
		description: 'What to do with a call that names no job',
		options: [
			{
				name: 'Pass Through',
				value: 'passThrough',
				description: 'Start the workflow with what was received, unverified',
			},
			{ name: 'Reject', value: 'reject', description: 'Answer 400 and start nothing' },
		],
	},
	{
		displayName: 'Verify Job',
		name: 'verifyJob',
		type: 'boolean',
		default: true,
		description:
			'Whether to ask the service before anything starts. Without it, whoever knows the URL can make up the end of a job.',
	},
];

/** Says so in n8n's log when a trigger that begins to listen cannot be reached. */
export async function warnAboutLoopback(context: IHookFunctions): Promise<void> {
	const { baseUrl = '' } = await credentialOf(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const warning = loopbackWarning(url, baseUrl, 'use the Price Collection Polling Trigger');
	if (warning !== undefined) context.logger.warn(`${context.getNode().name}: ${warning}`);
}
