import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { optionsField } from './descriptions/common';
import { downloadOptions, eventsField, outputFields } from './trigger/fields';
import { pollOfProcess } from './trigger/polling/poll';
import { POLLING_OUTPUTS } from './trigger/settings';
import { priceCollectionApiTest } from './methods/credentialTest';
import { pollingOptions } from './trigger/polling/options';

export class PriceCollectionPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Price Collection Polling Trigger',
		name: 'priceCollectionPollingTrigger',
		icon: {
			light: 'file:../../icons/priceCollectionPollingTrigger.svg',
			dark: 'file:../../icons/priceCollectionPollingTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when a job has ended, by asking the service: for an n8n that it cannot reach',
		eventTriggerDescription: '',
		activationMessage:
			'From now on the workflow runs for every job that ends, whoever created it. Jobs that have ended before are left alone.',
		defaults: { name: 'Price Collection Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'priceCollectionApi', required: true, testedBy: 'priceCollectionApiTest' }],
		properties: [
			eventsField,
			...outputFields(POLLING_OUTPUTS),
			optionsField([...pollingOptions, ...downloadOptions]),
		],
	};

	methods = { credentialTest: { priceCollectionApiTest } };

	poll = pollOfProcess();
}
