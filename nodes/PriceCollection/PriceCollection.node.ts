import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { description as job } from './actions/job/job.resource';
import { description as migration } from './actions/migration/migration.resource';
import { router } from './actions/router';
import { description as usage } from './actions/usage/usage.resource';
import { searchCountries, searchJobs, searchSources } from './methods/listSearch';
import { OUTPUTS, RESUME_WEBHOOKS } from './shape';
import { receiveCallback } from './run/receiveCallback';

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
		description:
			'Look up prices, offers, search hits, reviews and bestsellers for products in online shops and marketplaces',
		defaults: { name: 'Price Collection' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: OUTPUTS,
		credentials: [
			{
				name: 'priceCollectionApi',
				required: true,
				displayOptions: { show: { resource: ['job', 'usage'] } },
			},
		],
		webhooks: RESUME_WEBHOOKS,
		waitingNodeTooltip: '=The execution is suspended until the jobs are over; no worker is held',
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				default: 'job',
				options: [
					{ name: 'Job', value: 'job' },
					{ name: 'Migration', value: 'migration' },
					{ name: 'Usage', value: 'usage' },
				],
			},
			...job,
			...migration,
			...usage,
		],
	};

	methods = { listSearch: { searchCountries, searchJobs, searchSources } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await router.call(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveCallback.call(this);
	}
}
