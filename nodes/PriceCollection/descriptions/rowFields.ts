import type { INodeProperties } from 'n8n-workflow';

import { RUN, type Parameters } from '../n8n/parameters';
import { columnsByTopics } from '../output/knownColumns';
import type { RowChoice } from '../output/rows';
import { sortedBy } from './common';

const BEST_PRICE: INodeProperties = {
	displayName: 'Best Price',
	name: 'bestPrice',
	type: 'boolean',
	default: true,
	description:
		'Whether to add columns for the cheapest offer: best_price and best_total as numbers, currency, shop, condition and link',
	builderHint: {
		propertyHint:
			'Leave on to compare or store prices: best_price is a number or null, so no expression over offers is needed.',
	},
};

const BEST_PRICE_OPTIONS: INodeProperties = {
	displayName: 'Best Price Options',
	name: 'bestPriceOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Conditions',
			name: 'conditions',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add condition' },
			default: [],
			placeholder: 'e.g. new',
			description:
				'Only offers in one of these conditions count. Any condition when empty, used ones too.',
		},
		{
			displayName: 'Currency',
			name: 'currency',
			type: 'string',
			default: '',
			placeholder: 'e.g. EUR',
			description:
				'Only offers in this currency count. When empty, the currency of most offers of a result: different ones are never compared.',
		},
		{
			displayName: 'Ignore Shops',
			name: 'ignoreShops',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add shop' },
			default: [],
			placeholder: 'e.g. my-shop.example',
			description: 'Shops that do not count, such as your own: by name, domain or ID',
		},
		{
			displayName: 'Include Shipping',
			name: 'includeShipping',
			type: 'boolean',
			default: true,
			description: 'Whether offers are compared with their shipping, where it is known',
		},
	],
};

/** The fields of the best price, for nodes and triggers alike. */
export const bestPriceFields: INodeProperties[] = [
	{ ...BEST_PRICE, displayOptions: { show: { output: ['results'], simplify: [true] } } },
	{
		...BEST_PRICE_OPTIONS,
		displayOptions: { show: { output: ['results'], simplify: [true], bestPrice: [true] } },
	},
];

const ROWS_ONLY = { show: { '/output': ['entries', 'results'] } };

/** The columns to choose from: where the node has a topic, those of the topic. */
function fieldsOption(hasTopic: boolean): INodeProperties {
	const columns = sortedBy(columnsByTopics(), ([name]) => name);
	return {
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		default: [],
		description:
			'The only columns to return, in the order in which they are chosen. For others than these use an expression that gives a list of names.',
		displayOptions: ROWS_ONLY,
		options: columns.map(([name, topics]) => ({
			name,
			value: name,
			...(hasTopic && { displayOptions: { show: { '/topic': topics } } }),
		})),
	};
}

const PRICE_FORMAT: INodeProperties = {
	displayName: 'Price Format',
	name: 'priceFormat',
	type: 'options',
	default: 'text',
	description:
		'How the price columns of the service are given. Those of the best price are numbers anyway.',
	displayOptions: { show: { '/output': ['entries', 'results'], '/simplify': [true] } },
	options: [
		{
			name: 'Number',
			value: 'number',
			description: 'As numbers where that is exact. A sheet reads a text by its own locale.',
		},
		{ name: 'Text', value: 'text', description: 'Exactly as the service gives them' },
	],
};

/** The options that choose and format columns, to be put among others. */
export function columnOptions(hasTopic: boolean): INodeProperties[] {
	return [fieldsOption(hasTopic), PRICE_FORMAT];
}

const LINES = /[\r\n]/;
const LINES_OR_COMMAS = /[\r\n,]/;

/** Reads which columns there are, and how prices are written. */
export function readColumns(fields: Parameters): Pick<RowChoice, 'fields' | 'priceFormat'> {
	const chosen = fields.texts('options.fields', RUN, LINES_OR_COMMAS);
	const priceFormat = fields.choice('options.priceFormat', RUN, ['number', 'text'], 'text');
	return { ...(chosen.length > 0 && { fields: chosen }), ...(priceFormat === 'number' && { priceFormat }) };
}

/** Reads how offers are compared. */
export function readBestPrice(fields: Parameters, item: number): NonNullable<RowChoice['bestPrice']> {
	return {
		conditions: fields.texts('bestPriceOptions.conditions', item, LINES_OR_COMMAS),
		currency: fields.text('bestPriceOptions.currency', item) || undefined,
		// The name of a shop can hold a comma.
		ignoreShops: fields.texts('bestPriceOptions.ignoreShops', item, LINES),
		includeShipping: fields.flag('bestPriceOptions.includeShipping', item, true),
	};
}
