import type { INodeProperties } from 'n8n-workflow';

import {
	eachTopic,
	nameOfValues,
	TOPICS,
	topicsWith,
	DEFAULT_TOPIC,
	type JobOption,
	type LookupKey,
	type TopicChoice,
} from '../service/topics';
import { FROM_LIST, keptField, optionsField, parameterList, requestTimeoutOption, sortedBy } from './common';

const KEY_OPTIONS: Readonly<Record<LookupKey, { name: string; description: string }>> = {
	gtin: { name: 'GTIN', description: 'Barcode number: EAN, UPC or ISBN-13' },
	id: { name: 'ID', description: "The source's own ID of a product or category" },
	term: { name: 'Search Term', description: 'Words as a shopper would type them' },
};

/** Example and hint of the values field for each key. */
const VALUES_BY_KEY: Readonly<Record<LookupKey | 'custom', [example: string, hint: string]>> = {
	custom: ['{{ $json.asin }}', 'Values of the key, one per line'],
	gtin: ['{{ $json.gtin }}', 'EAN, UPC or ISBN-13, one per line, with or without leading zeros'],
	id: ['{{ $json.id }}', "The source's own IDs, not GTINs; one per line"],
	term: ['{{ $json.name }}', 'One per line'],
};

const LISTED_KEYS = Object.keys(VALUES_BY_KEY).filter((key) => key !== 'custom');

/** Returns the values field for one key. All variants have the same name, so a new key or topic keeps the values. */
function valuesField([key, [example, hint]]: [string, [string, string]]): INodeProperties {
	return {
		displayName: nameOfValues(key),
		name: 'values',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: `e.g. ${example}`,
		hint,
		description:
			'What to look up. An expression may also return a list. Blank lines and duplicates are ignored.',
		// The values must stay visible even for a key that no list offers.
		displayOptions:
			key === 'custom' ? { hide: { lookupKey: LISTED_KEYS } } : { show: { lookupKey: [key] } },
	};
}

const CUSTOM_KEY = { name: 'Custom', value: 'custom', description: 'Another key of the service' };
const AUTOMATIC_KEY = { name: 'Automatic', value: '', description: 'The usual key of the topic' };

/**
 * Returns the Look Up By field of one topic. All variants have the same name, but different choices. The variant of
 * Custom comes last. n8n also uses its default if the topic is an expression, so that must not be a topic's key.
 */
function lookupKeyField(topic: TopicChoice): INodeProperties {
	const { keys } = TOPICS[topic];
	const isCustom = topic === 'custom';
	const defaultKey = isCustom ? AUTOMATIC_KEY.value : keys[0];
	return {
		displayName: 'Look Up By',
		name: 'lookupKey',
		type: 'options',
		description: 'What kind of values you have. Not every source takes all of them.',
		default: defaultKey,
		options: [
			...(isCustom ? [AUTOMATIC_KEY] : []),
			...[...keys].sort().map((key) => ({ ...KEY_OPTIONS[key], value: key })),
			CUSTOM_KEY,
		],
		// An expression may return any topic.
		displayOptions: isCustom
			? { hide: { topic: Object.keys(TOPICS).filter((one) => one !== topic) } }
			: { show: { topic: [topic] } },
	};
}

const TOPIC_CHOICES = eachTopic((value, { name, description }) => ({ name, value, description }));

const SOURCE: INodeProperties = {
	displayName: 'Source',
	name: 'source',
	type: 'resourceLocator',
	default: { mode: 'name', value: '' },
	description:
		'Where to collect, such as amazon, ebay or google_shopping. Your plan decides which you can use.',
	hint: 'The shop or marketplace, such as amazon',
	modes: [
		{
			...FROM_LIST,
			type: 'list',
			typeOptions: { searchListMethod: 'searchSources', searchable: true },
		},
		{ displayName: 'Name', name: 'name', type: 'string', placeholder: 'e.g. google_shopping' },
	],
};

// Custom Topic and Custom Key are not `required`: n8n would demand both if the choice were an expression.
const FIELDS: INodeProperties[] = [
	{
		displayName: 'Topic',
		name: 'topic',
		type: 'options',
		default: DEFAULT_TOPIC,
		description: 'What kind of data to collect',
		options: sortedBy(TOPIC_CHOICES, ({ name }) => name),
	},
	{
		displayName: 'Custom Topic',
		name: 'customTopic',
		type: 'string',
		default: '',
		placeholder: 'e.g. offers',
		description: "The topic's name at the service",
		displayOptions: { show: { topic: ['custom'] } },
	},
	{
		displayName: 'Use Test Source',
		name: 'useTestSource',
		type: 'boolean',
		default: false,
		description:
			'Whether to collect from the test datasource, which costs no credits. Its prices are made up.',
	},
	...keptField(
		SOURCE,
		[{ hide: { useTestSource: [true] } }],
		[{ show: { useTestSource: [true] } }],
		'Not used while Use Test Source is on',
	),
	{
		displayName: 'Country',
		name: 'country',
		type: 'resourceLocator',
		default: { mode: 'code', value: '' },
		description:
			'Two-letter code, such as de, us or gb (United Kingdom). The source decides which countries are available.',
		hint: 'Two letters, such as de for Germany',
		modes: [
			{
				...FROM_LIST,
				type: 'list',
				typeOptions: { searchListMethod: 'searchCountries', searchable: true },
			},
			{ displayName: 'Code', name: 'code', type: 'string', placeholder: 'e.g. de' },
		],
	},
	...eachTopic(lookupKeyField),
	{
		displayName: 'Custom Key',
		name: 'customKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. asin',
		description: "The key's name at the service",
		displayOptions: { show: { lookupKey: ['custom'] } },
	},
	...Object.entries(VALUES_BY_KEY).map(valuesField),
];

/** Shows an option only for topics that support it. */
function forTopics(option: JobOption, field: Omit<INodeProperties, 'name'>): INodeProperties {
	return { ...field, name: option, displayOptions: { show: { '/topic': topicsWith(option) } } };
}

const JOB_OPTIONS: INodeProperties[] = [
	parameterList(
		'additionalParameters',
		'Additional Parameters',
		'More job parameters, sent unchanged. They override all other fields.',
		'min_price',
	),
	forTopics('condition', {
		displayName: 'Requested Condition',
		type: 'string',
		default: '',
		placeholder: 'e.g. new',
		description:
			'Condition of the offers to request, in the words of the service, such as any or new. Usually costs double. Conditions in Price Options is free.',
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
			'How old cached data may be; 0 requests realtime data. Any value other than the default usually costs double.',
	}),
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
		description: 'If a run would look up more values than this, nothing is sent',
	},
	requestTimeoutOption,
	forTopics('shipping', {
		displayName: 'Requested Shipping',
		type: 'string',
		default: '',
		placeholder: 'e.g. any',
		description:
			'Shipping of the offers to request, in the words of the service. Usually costs double. Include Shipping in Price Options is free.',
	}),
	forTopics('sortBy', {
		displayName: 'Sort By',
		type: 'string',
		default: '',
		placeholder: 'e.g. price_ascending',
		description:
			'Order of the entries, in the words of the service, such as relevance_descending. Usually costs double.',
	}),
	{
		displayName: 'Job Timeout (Minutes)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1440,
		description:
			'How long the service may work on the job. It then ends the job with the results so far.',
	},
	{
		displayName: 'Check GTINs',
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

/** A field instead of an option, because a sheet with many rows can cost more than the user expects. */
const SPENDING_LIMIT: INodeProperties = {
	displayName: 'Spending Limit (Credits)',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1000,
	description:
		'If the estimate for a run is higher, nothing is sent. 0: no limit. The estimate is one credit per value and page, doubled with options such as Max Age, Requested Condition or Sort By. Later jobs are not sent if reported costs would exceed the limit.',
};

/**
 * Returns the fields of `create` and `collect`: what to look up, what to output, what it may cost, how to wait. Options
 * come last, as usual in n8n.
 *
 * @param optionGroups further option collections, before Options
 * @param moreOptions further entries of Options
 */
export function collectFields(
	results: INodeProperties[] = [],
	waiting: INodeProperties[] = [],
	optionGroups: INodeProperties[] = [],
	moreOptions: INodeProperties[] = [],
): INodeProperties[] {
	const options = optionsField([...JOB_OPTIONS, ...moreOptions]);
	return [...FIELDS, ...results, SPENDING_LIMIT, ...waiting, ...optionGroups, options];
}
