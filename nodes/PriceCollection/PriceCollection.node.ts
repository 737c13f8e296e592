import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

import { NODE_OUTPUTS, PROPERTIES, RESOURCES_WITH_CREDENTIAL, SUBTITLE } from './actions/operations';
import { later } from './n8n/later';

/**
 * Receives the service's callback for an execution that `collect` suspended, by POST unless the job sets
 * another method: n8n appends the node's ID to the execution's resume URL. Nothing is registered, so there is
 * no life cycle.
 */
const RESUME_WEBHOOKS = (['POST', 'PUT', 'GET'] as const).map((httpMethod): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	path: '={{ $nodeId }}',
	isFullPath: true,
	restartWebhook: true,
	ndvHideUrl: true,
	ndvHideMethod: true,
}));

const listSearch = async () => await import('./methods/listSearch');

export class PriceCollection implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Price Collection',
		name: 'priceCollection',
		icon: {
			light: 'file:../../icons/priceCollection.svg',
			dark: 'file:../../icons/priceCollection.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: SUBTITLE,
		// Also its description as a tool. The node list shows the trigger's description for both.
		description: 'Look up prices, offers, search hits, reviews and bestsellers of products',
		defaults: { name: 'Price Collection' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: NODE_OUTPUTS,
		credentials: [
			{
				name: 'priceCollectionApi',
				required: true,
				testedBy: 'priceCollectionApiTest',
				displayOptions: { show: { resource: RESOURCES_WITH_CREDENTIAL } },
			},
		],
		webhooks: RESUME_WEBHOOKS,
		waitingNodeTooltip: '=The execution is suspended until the jobs are over; no worker is held',
		properties: PROPERTIES,
	};

	methods = {
		credentialTest: {
			priceCollectionApiTest: later(
				async () => (await import('./methods/credentialTest')).priceCollectionApiTest,
			),
		},
		listSearch: {
			searchCountries: later(async () => (await listSearch()).searchCountries),
			searchJobs: later(async () => (await listSearch()).searchJobs),
			searchSources: later(async () => (await listSearch()).searchSources),
		},
	};

	execute = later(async () => (await import('./actions/router')).router);

	webhook = later(async () => (await import('./waiting/suspend')).receiveCallback);
}
