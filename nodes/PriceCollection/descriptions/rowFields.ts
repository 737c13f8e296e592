import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { TOPICS } from '../service/topics';
import { columnsByTopics } from '../rows/columns';
import { keptField, sortedBy } from './common';

/** Collect's output Automatic, which depends on the topic. */
export const BY_TOPIC = '';

/** The outputs that consist of rows. */
const ROW_OUTPUTS = [BY_TOPIC, 'entries', 'results'];

const COLUMNS: INodeProperties = {
	displayName: 'Columns',
	name: 'columns',
	type: 'options',
	default: 'main',
	description: 'Which columns a row has',
	builderHint: {
		propertyHint: 'Main is enough to compare or store prices: best_price is a number or null.',
	},
	options: [
		{ name: 'All', value: 'all', description: 'Every field of the product or offer, lists last' },
		{
			name: 'Main',
			value: 'main',
			description:
				'The most important plain columns, with the best price of a product or the price of an offer',
		},
		{ name: 'Raw', value: 'raw', description: "The service's own structure" },
		{ name: 'Selected', value: 'selected', description: 'The columns that you choose, in your order' },
	],
};

/** Returns a column name as a title: `best_url` becomes "Best URL". */
const titleOf = (column: string) =>
	column
		.split('_')
		.map((word) =>
			['id', 'rrp', 'url'].includes(word) ? word.toUpperCase() : word[0]?.toUpperCase() + word.slice(1),
		)
		.join(' ');

/** Computed once, because n8n loads every field of every operation when it starts. */
const KNOWN_COLUMNS = sortedBy(columnsByTopics(), ([name]) => name);

/** Returns the Columns to Keep field. If the operation has a topic, it only offers that topic's columns. */
function fieldsField(hasTopic: boolean): INodeProperties {
	return {
		displayName: 'Columns to Keep',
		name: 'fields',
		type: 'multiOptions',
		default: [],
		description:
			'The columns to return, in your order; the main ones if empty. An expression can return a list of other names.',
		displayOptions: { show: { columns: ['selected'] } },
		options: KNOWN_COLUMNS.map(([name, topics]) => ({
			name: titleOf(name),
			value: name,
			...(hasTopic && { displayOptions: { show: { topic: topics } } }),
		})),
	};
}

const PRICE_OPTIONS: INodeProperties[] = [
	{
		displayName: 'Conditions',
		name: 'conditions',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add condition' },
		default: [],
		placeholder: 'e.g. used',
		description:
			'Which offers count: new, used, refurbished, another word of the service, or any. If empty: those in the Requested Condition; without it, new offers and those that state no condition.',
	},
	{
		displayName: 'Currency',
		name: 'currency',
		type: 'string',
		default: '',
		placeholder: 'e.g. EUR',
		description:
			'Only offers in this currency count. If empty: those in the most frequent currency of each result.',
	},
	{
		displayName: 'Ignore Shops',
		name: 'ignoreShops',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add shop' },
		default: [],
		placeholder: 'e.g. my-shop.example',
		description: 'Shops to leave out, such as your own: name, domain or ID',
	},
	{
		displayName: 'Include Shipping',
		name: 'includeShipping',
		type: 'boolean',
		default: true,
		description: 'Whether to compare offers with their shipping costs, if they are known',
	},
];

/** The item's prices, with which the best price is compared. */
const COMPARED_PRICES: INodeProperties[] = [
	{
		displayName: 'Own Price',
		name: 'ownPrice',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.price }}',
		description:
			'What your customer pays, or your price without shipping if Include Shipping is off. Adds price_gap (above 0: you are more expensive), price_gap_percent and price_rank (1: no offer is cheaper).',
	},
	{
		displayName: 'Previous Price',
		name: 'previousPrice',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.best_price }}',
		description:
			'The best price from last time. Adds price_change (best price minus previous price) and price_change_percent.',
	},
];

/** Which offers count for the best price, and how they are compared. */
const PRICE_OPTIONS_FIELD: INodeProperties = {
	displayName: 'Price Options',
	name: 'bestPriceOptions',
	type: 'collection',
	placeholder: 'Add price option',
	default: {},
	options: PRICE_OPTIONS,
};

/** Topics whose results are lists. For these, one row per hit, review or rank is more useful than one per lookup value. */
export const LIST_TOPICS = Object.entries(TOPICS).flatMap(([topic, { lists }]) =>
	lists[0] === 'offers' ? [] : [topic],
);

const FOR_PRODUCTS = 'Only used for One Row per Product';

/** A field used only for One Row per Product. In Collect, the topic decides if Automatic outputs such rows. */
function forProducts(field: INodeProperties, hasTopic: boolean): INodeProperties[] {
	const used: IDisplayOptions[] = [{ show: { output: ['results'] } }];
	const unused = [{ hide: { output: hasTopic ? ['results', BY_TOPIC] : ['results'] } }];
	if (!hasTopic) return keptField(field, used, unused, FOR_PRODUCTS);
	// `hide` instead of `show` includes the case that the topic is an expression.
	const automaticForProducts = { show: { output: [BY_TOPIC] }, hide: { topic: LIST_TOPICS } };
	const automaticForLists = { show: { output: [BY_TOPIC], topic: LIST_TOPICS } };
	return keptField(field, [...used, automaticForProducts], [...unused, automaticForLists], FOR_PRODUCTS);
}

/**
 * The fields for the item's prices.
 *
 * @param hasTopic whether the operation has a topic
 */
export const inputPriceFields = (hasTopic: boolean) =>
	COMPARED_PRICES.flatMap((field) => forProducts(field, hasTopic));

/**
 * The Price Options field.
 *
 * @param hasTopic whether the operation has a topic
 */
export const priceOptions = (hasTopic: boolean) => forProducts(PRICE_OPTIONS_FIELD, hasTopic);

/**
 * The Columns and Columns to Keep fields.
 *
 * @param hasTopic whether the operation has a topic, which determines the columns
 */
export const columnFields = (hasTopic: boolean) => [
	...keptField(
		COLUMNS,
		[{ show: { output: ROW_OUTPUTS } }],
		[{ hide: { output: ROW_OUTPUTS } }],
		'Only used for rows',
	),
	fieldsField(hasTopic),
];

export const PRICE_FORMAT: INodeProperties = {
	displayName: 'Price Format',
	name: 'priceFormat',
	type: 'options',
	default: 'number',
	description: 'How to return the price columns of the service. The best price is always a number.',
	options: [
		{
			name: 'Number',
			value: 'number',
			description: 'As numbers where that is exact, because a sheet may read text as a date',
		},
		{ name: 'Text', value: 'text', description: 'Exactly as the service returns them' },
	],
};
