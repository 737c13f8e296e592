import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { optionsField } from './descriptions/common';
import { downloadOptions, eventsField, outputFields, POLLING_OUTPUTS } from './descriptions/results';
import { loadLazily } from './n8n/later';

async function loadPoll() {
	const { pollOfProcess } = await import('./triggers/polling/poll');
	return pollOfProcess();
}

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
			'Starts the workflow when a job ends. Asks the service regularly, so the service need not reach this n8n',
		eventTriggerDescription: '',
		activationMessage:
			'From now on the workflow runs for every job that ends, no matter who created it. Jobs that ended earlier are ignored.',
		defaults: { name: 'Price Collection Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'priceCollectionApi', required: true, testedBy: 'priceCollectionApiTest' }],
		properties: [
			eventsField,
			...outputFields(POLLING_OUTPUTS),
			optionsField([
				{
					displayName: 'Emit Existing',
					name: 'emitExisting',
					type: 'boolean',
					default: false,
					description:
						'Whether the first poll also starts the workflow for jobs that ended before it',
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

	#poll: ReturnType<typeof loadPoll> | undefined;

	poll = loadLazily(async () => await (this.#poll ??= loadPoll()));
}
