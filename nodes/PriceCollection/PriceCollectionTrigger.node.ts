import { NodeConnectionTypes } from 'n8n-workflow';
import type { IHookFunctions, INodeParameters, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { optionsField } from './descriptions/common';
import { downloadOptions, eventsField, outputFields, WEBHOOK_OUTPUTS } from './descriptions/results';
import { loadLazily } from './n8n/later';

async function loadTrigger() {
	const { webhookTrigger } = await import('./triggers/webhook/receive');
	return webhookTrigger();
}

const HTTP_METHOD = '={{ $parameter["httpMethod"] }}';

export class PriceCollectionTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Price Collection Trigger',
		name: 'priceCollectionTrigger',
		icon: {
			light: 'file:../../icons/priceCollectionTrigger.svg',
			dark: 'file:../../icons/priceCollectionTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// The node and the trigger share an entry in the node list, and n8n shows this text for both.
		description:
			'Look up prices, offers, search hits, reviews and bestsellers of products, or start a workflow when a job ends',
		eventTriggerDescription: 'Waiting for the service to call the webhook URL above',
		activationMessage:
			'Copy the production URL of the trigger into the option Webhook URL of the nodes that create jobs.',
		defaults: { name: 'Price Collection Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'priceCollectionApi', required: true, testedBy: 'priceCollectionApiTest' }],
		triggerPanel: {
			header: 'Wait for a job to end',
			executionsHelp: {
				inactive:
					'Open <i>Webhook URLs</i>, copy the test URL into the option Webhook URL of a Price Collection node (Create or Collect), click <i>Execute step</i> here, then create a job with that node. A call to the test URL that names no job outputs the latest job of the account, or a sample if there is none.',
				active: 'The workflow runs whenever the service calls the production URL. These runs appear in the list of executions. To try it out here, use the test URL: click <i>Execute step</i>, then create a job with it.',
			},
			activationHint:
				'Publish the workflow, then copy the production URL into the option Webhook URL of the nodes that create jobs.',
		},
		webhooks: [
			{
				name: 'default',
				httpMethod: HTTP_METHOD,
				responseMode: 'onReceived',
				path: 'price-collection',
				// Without this, n8n would send its own text instead of the trigger's reply.
				responseData: '',
				// Without this resolver, n8n evaluates the method's expression in an isolate for every call.
				// n8n's Webhook node has one too, since n8n 2.41. Older versions ignore the symbol.
				[Symbol.for('n8n.webhookDescriptionResolvers')]: {
					httpMethod: {
						template: HTTP_METHOD,
						resolve: ({ httpMethod }: INodeParameters) => httpMethod,
					},
				},
			},
		],
		properties: [
			{
				displayName:
					'Paste the production URL (under Webhook URLs above) into the option Webhook URL of the nodes that create jobs. The service must be able to reach it: a URL with localhost or 127.0.0.1 is reachable on this machine only. Set WEBHOOK_URL in n8n to its public address, or use the Price Collection Polling Trigger.',
				name: 'urlNotice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'HTTP Method',
				name: 'httpMethod',
				type: 'options',
				default: 'POST',
				description:
					'How the service calls; POST unless the job was created with another webhook_method',
				options: [
					{ name: 'GET', value: 'GET' },
					{ name: 'POST', value: 'POST' },
					{ name: 'PUT', value: 'PUT' },
				],
			},
			eventsField,
			...outputFields(WEBHOOK_OUTPUTS),
			optionsField([
				{
					displayName: 'Ignore Duplicates',
					name: 'ignoreDuplicates',
					type: 'boolean',
					default: true,
					description:
						'Whether to ignore repeated calls for a job that has already started the workflow',
				},
				{
					displayName: 'Verify Job',
					name: 'verifyJob',
					type: 'boolean',
					default: true,
					description:
						'Whether to confirm each call with the service before the workflow starts. Otherwise anybody who knows the URL can start it with made-up data.',
				},
				...downloadOptions,
			]),
		],
	};

	methods = {
		credentialTest: {
			priceCollectionApiTest: loadLazily(
				async () => (await import('./methods/credentialTest')).priceCollectionApiTest,
			),
		},
	};

	/** `create` and `delete` do nothing: the service has no subscriptions, and each job has its own callback URL. */
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const { testKeyInEditor } = await import('./triggers/webhook/receive');
				return await testKeyInEditor.call(this);
			},
			create: async () => true,
			delete: async () => true,
		},
	};

	#process: ReturnType<typeof loadTrigger> | undefined;

	webhook = loadLazily(async () => (await (this.#process ??= loadTrigger())).webhook);

	/** n8n runs this at the start of an execution, before the nodes after the trigger. */
	execute = loadLazily(async () => (await (this.#process ??= loadTrigger())).execute);
}
