import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

import { OUTPUTS, PROPERTIES, RESOURCES_WITH_CREDENTIAL } from './actions/operations';
import { router } from './actions/router';
import { priceCollectionApiTest } from './methods/credentialTest';
import { searchCountries, searchJobs, searchSources } from './methods/listSearch';
import { onFirstCall } from './n8n/memory';
import { receiveCallback } from './run/suspend';

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

// Made once, when n8n starts.
const webhook = onFirstCall(() => receiveCallback);
const METHODS = {
	credentialTest: { priceCollectionApiTest: onFirstCall(() => priceCollectionApiTest) },
	listSearch: {
		searchCountries: onFirstCall(() => searchCountries),
		searchJobs: onFirstCall(() => searchJobs),
		searchSources: onFirstCall(() => searchSources),
	},
};

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
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		// Also its description as a tool. The node list shows the trigger's description for both.
		description: 'Look up prices, offers, search hits, reviews and bestsellers of products',
		defaults: { name: 'Price Collection' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: OUTPUTS,
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

	methods = METHODS;

	execute = router;

	webhook = webhook;
}
