import type { INodeParameters, IWebhookDescription } from 'n8n-workflow';

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
		httpMethod: {
			template: HTTP_METHOD,
			resolve: ({ httpMethod }: INodeParameters) => httpMethod,
		},
	},
};
