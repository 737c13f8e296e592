import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { RUN, type Parameters } from '../n8n/parameters';
import type { GivenPrice, GivenPrices } from '../output/comparison';
import { columnsByTopics } from '../output/knownColumns';
import type { RowChoice } from '../output/rows';
import { isObject } from '../service/types';
import { sortedBy } from './common';

const ROWS = ['entries', 'results'];

/** The columns of rows. */
const COLUMNS: INodeProperties = {
	displayName: 'Columns',
	name: 'columns',
	type: 'options',
	default: 'main',
	description: 'Which columns a row has',
	builderHint: {
		propertyHint:
			'Leave at Main to compare or store prices: best_price is a number or null, so no expression over offers is needed.',
	},
	displayOptions: { show: { output: ROWS } },
	options: [
		{ name: 'All', value: 'all', description: 'Every field of the product or offer, lists last' },
		{
			name: 'Main',
			value: 'main',
			description: 'Ten at most, and no lists: of a product its best price, of an offer its price',
		},
		{ name: 'Raw', value: 'raw', description: "The service's own structure" },
		{ name: 'Selected', value: 'selected', description: 'Those that you choose, in your order' },
	],
};

/** The columns to choose from: where the node has a topic, those of the topic. */
function fieldsField(hasTopic: boolean): INodeProperties {
	const columns = sortedBy(columnsByTopics(), ([name]) => name);
	return {
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		default: [],
		description:
			'The columns to return, in the order in which they are chosen; the main ones when empty. For others than these use an expression that gives a list of names.',
		displayOptions: { show: { output: ROWS, columns: ['selected'] } },
		options: columns.map(([name, topics]) => ({
			name,
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
			'Only offers in one of these conditions count; any condition when the list is empty. Without this option new offers count, and those that do not say.',
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
];

/** Prices of each input item, to be compared with the best one. */
const GIVEN_PRICES: INodeProperties[] = [
	{
		displayName: 'Own Price',
		name: 'ownPrice',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.price }}',
		description:
			'Your price without shipping, as your sheet has it. Adds price_gap (own price less best price), price_gap_percent and price_rank.',
	},
	{
		displayName: 'Previous Price',
		name: 'previousPrice',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.best_price }}',
		description:
			'The best price of last time. Adds price_change (best price less the previous one) and price_change_percent.',
	},
];

function priceOptionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Price Options',
		name: 'bestPriceOptions',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { output: ['results'] }, hide: { columns: ['raw'] } },
		options: sortedBy(options, ({ displayName }) => displayName),
	};
}

/** The fields that shape the rows of an operation: with input items, and perhaps with a topic. */
export function rowFields(hasTopic: boolean): INodeProperties[] {
	return [COLUMNS, fieldsField(hasTopic), priceOptionsField([...PRICE_OPTIONS, ...GIVEN_PRICES])];
}

/** The fields that shape the rows of a trigger. */
export const TRIGGER_ROW_FIELDS = [COLUMNS, fieldsField(false), priceOptionsField(PRICE_OPTIONS)];

export const PRICE_FORMAT: INodeProperties = {
	displayName: 'Price Format',
	name: 'priceFormat',
	type: 'options',
	default: 'text',
	description:
		'How the price columns of the service are given. Those of the best price are numbers anyway.',
	displayOptions: { show: { '/output': ROWS }, hide: { '/columns': ['raw'] } },
	options: [
		{
			name: 'Number',
			value: 'number',
			description: 'As numbers where that is exact. A sheet reads a text by its own locale.',
		},
		{ name: 'Text', value: 'text', description: 'Exactly as the service gives them' },
	],
};

const LINES = /[\r\n]/;
const LINES_OR_COMMAS = /[\r\n,]/;

const COLUMN_CHOICES = ['all', 'main', 'raw', 'selected'] as const;

/** Reads which columns there are, and how prices are written. */
export function readColumns(fields: Parameters): Pick<RowChoice, 'columns' | 'fields' | 'priceFormat'> {
	const columns = fields.choice('columns', RUN, COLUMN_CHOICES, 'main');
	const chosen = columns === 'selected' ? fields.texts('fields', RUN, LINES_OR_COMMAS) : [];
	const priceFormat = fields.choice('options.priceFormat', RUN, ['number', 'text'], 'text');
	return {
		...(chosen.length > 0 && { fields: chosen }),
		columns: columns === 'selected' && chosen.length === 0 ? 'main' : columns,
		...(priceFormat === 'number' && { priceFormat }),
	};
}

/** Reads how offers are compared. */
export function readBestPrice(fields: Parameters, item: number): RowChoice['bestPrice'] {
	// An empty list means any condition, nothing at all the default.
	const conditions = fields.value('bestPriceOptions.conditions', item) ?? '';
	return {
		...(conditions !== '' && {
			conditions: fields.texts('bestPriceOptions.conditions', item, LINES_OR_COMMAS),
		}),
		currency: fields.text('bestPriceOptions.currency', item) || undefined,
		// The name of a shop can hold a comma.
		ignoreShops: fields.texts('bestPriceOptions.ignoreShops', item, LINES),
		includeShipping: fields.flag('bestPriceOptions.includeShipping', item, true),
	};
}

/** A price in a sheet is no longer. */
const LONGEST_PRICE = 60;

/** What an item brings along as a price, as far as it can be one. */
function givenPrice(value: unknown): GivenPrice {
	if (typeof value === 'number' && Number.isFinite(value)) return value;
	const text = typeof value === 'string' ? value.trim() : String(JSON.stringify(value ?? ''));
	return text === '' || text === '""' ? null : text.slice(0, LONGEST_PRICE + 1);
}

/** Reads the prices of an item that are compared with the best one; undefined where the node has no field for them. */
export function readGivenPrices(
	fields: Parameters,
	{ bestPriceOptions }: IDataObject,
	item: number,
): GivenPrices | undefined {
	const read = (name: string) => {
		const path = `bestPriceOptions.${name}`;
		const isSet =
			isObject(bestPriceOptions) && ![undefined, ''].includes(bestPriceOptions[name] as string);
		const value = fields.value(path, item);
		return isSet || value !== undefined ? givenPrice(value) : undefined;
	};
	const [own, previous] = [read('ownPrice'), read('previousPrice')];
	if (own === undefined && previous === undefined) return undefined;
	return { ...(own !== undefined && { own }), ...(previous !== undefined && { previous }) };
}
