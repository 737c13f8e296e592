import type { INodeProperties } from 'n8n-workflow';

import { topicsWith, type JobOption } from '../service/topics';
import { parameterList, requestTimeoutOption } from './common';

/** Shows an option only for the topics that support it. */
function forTopics(option: JobOption, field: Omit<INodeProperties, 'name'>): INodeProperties {
	return { ...field, name: option, displayOptions: { show: { '/topic': topicsWith(option) } } };
}

/** The options of `create` and `collect` for the job. */
export const jobOptions: INodeProperties[] = [
	parameterList(
		'additionalParameters',
		'Additional Parameters',
		'Further job parameters, sent as given. They override all other fields.',
	),
	forTopics('condition', {
		displayName: 'Condition',
		type: 'string',
		default: '',
		placeholder: 'e.g. new',
		description:
			'Condition of the offers, in the words of the service, such as any or new. Anything but the default usually doubles the price.',
	}),
	{
		displayName: 'Grouping',
		name: 'grouping',
		type: 'options',
		default: 'combine',
		description: 'How the values of several input items become jobs',
		options: [
			{
				name: 'Combine',
				value: 'combine',
				description: 'As few jobs as possible; a value that several items ask for is paid for once',
			},
			{
				name: 'One Job per Item',
				value: 'perItem',
				description: 'Every input item gets its own jobs; repeated values are charged again',
			},
		],
	},
	forTopics('maxAge', {
		displayName: 'Max Age (Minutes)',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1200,
		description:
			'How old cached data may be; 0 asks for realtime data. Some services count in another unit. Realtime data, like anything but the default, usually doubles the price.',
	}),
	{
		displayName: 'Max Credits',
		name: 'maxCredits',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1000,
		description:
			'Spending limit: a run that would probably cost more is refused before anything is sent. Estimated as one credit per value and page, doubled where an option other than Max Pages differs from its default, and nothing for the test datasource.',
	},
	forTopics('maxPages', {
		displayName: 'Max Pages',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'How many pages to read for each value. Usually every page costs a credit.',
	}),
	{
		displayName: 'Max Values',
		name: 'maxValues',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1000,
		description:
			'Spending limit: a run that would look up more values than this is refused before anything is sent',
	},
	{
		displayName: 'Max Values per Job',
		name: 'maxValuesPerJob',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1000,
		description: 'More values than this become several jobs. The service usually takes up to 1,000.',
	},
	requestTimeoutOption,
	forTopics('shipping', {
		displayName: 'Shipping',
		type: 'string',
		default: '',
		placeholder: 'e.g. any',
		description:
			'Which shipping the offers must have, in the words of the service. Anything but the default usually doubles the price.',
	}),
	forTopics('sortBy', {
		displayName: 'Sort By',
		type: 'string',
		default: '',
		placeholder: 'e.g. price_ascending',
		description:
			'Order of the entries, in the words of the service, such as relevance_descending. Anything but the default usually doubles the price.',
	}),
	{
		displayName: 'Job Timeout (Minutes)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1440,
		description:
			'When the service ends the job with the results it has. 1440 (a day) without this option.',
	},
	{
		displayName: 'Validate GTINs',
		name: 'validateValues',
		type: 'boolean',
		default: true,
		description: 'Whether to refuse a GTIN with a wrong check digit before it costs anything',
	},
	{
		displayName: 'Webhook URL',
		name: 'webhookUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'Address the service calls when the job ends: the URL of a Price Collection Trigger',
	},
];
