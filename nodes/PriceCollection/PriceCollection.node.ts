import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

import { NODE_OUTPUTS, PROPERTIES, RESOURCES_WITH_CREDENTIAL, SUBTITLE } from './actions/operations';
import { loadLazily } from './n8n/later';

/**
 * Receive the service's callback for an execution that `collect` suspended. The service calls by POST unless the
 * job sets another method. The address is the execution's resume URL followed by the node's ID (see `resumeUrl`).
 * Nothing is registered with the service, so there are no webhook life-cycle methods.
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
		// Also the node's description as a tool. The node list shows the trigger's description for both nodes.
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
			priceCollectionApiTest: loadLazily(
				async () => (await import('./methods/credentialTest')).priceCollectionApiTest,
			),
		},
		listSearch: {
			searchCountries: loadLazily(async () => (await listSearch()).searchCountries),
			searchJobs: loadLazily(async () => (await listSearch()).searchJobs),
			searchSources: loadLazily(async () => (await listSearch()).searchSources),
		},
	};

	execute = loadLazily(async () => (await import('./actions/router')).router);

	webhook = loadLazily(async () => (await import('./waiting/woken')).receiveCallback);
}
