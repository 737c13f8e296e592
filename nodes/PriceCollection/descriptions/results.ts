import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { DOWNLOAD_FORMATS } from '../service/formats';
import { FORMAT, requestTimeoutOption, sortedBy } from './common';
import { BY_TOPIC, columnFields, inputPriceFields, PRICE_FORMAT, priceOptions } from './rowFields';

const OUTPUT_STATUS = {
	name: 'Status',
	value: 'status',
	description: 'The job as Get gives it; nothing is downloaded',
};

const OUTPUTS_OF_JOB: INodePropertyOptions[] = [
	{
		name: 'Field Report',
		value: 'fields',
		description:
			'For setting up a credential: one item per field of the results, with an example and what the node reads it as',
	},
	{
		name: 'File',
		value: 'file',
		description: 'The untouched download as a binary file',
		// An agent cannot read files.
		displayOptions: { show: { '@tool': [false] } },
	},
	{
		name: 'Job With Results',
		value: 'job',
		description: 'The whole job with all its results as one item',
	},
	{
		name: 'One Row per Offer, Hit or Review',
		value: 'entries',
		description: 'One item per offer, hit, review or rank, with its value and product repeated',
	},
	{
		name: 'One Row per Product',
		value: 'results',
		description: 'One item per value that was looked up, with its best price',
	},
];

function outputField(defaultOutput: string, ...extraOutputs: INodePropertyOptions[]): INodeProperties {
	return {
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: defaultOutput,
		description: 'What each item holds',
		options: sortedBy([...OUTPUTS_OF_JOB, ...extraOutputs], ({ name }) => name),
	};
}

const INCLUDE_NOT_FOUND: INodeProperties = {
	displayName: 'Include Not Found',
	name: 'includeNotFound',
	type: 'boolean',
	default: true,
	description: 'Whether to return a row with found set to false if nothing was found for a value',
};

/** Limits a field to operations that know which item asked for a row. */
const WITH_INPUT: INodeProperties['displayOptions'] = {
	show: { '/operation': ['collect', 'wait'], '@tool': [false] },
};

const INCLUDE_INPUT_FIELDS: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: true,
	description:
		'Whether a row begins with the fields of the input item that asked for it. The best price and the comparison (best_…, price_…) replace fields of the same name; all other columns begin with result_.',
	displayOptions: WITH_INPUT,
};

/** Written back as values, a sheet's own cells would lose their formulas. */
const INPUT_FIELDS: INodeProperties = {
	displayName: 'Input Fields',
	name: 'inputFields',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add field' },
	default: [],
	placeholder: 'e.g. row_number',
	description:
		'Exact names of the input fields to keep in a row. All if empty. With row_number alone, Update Row in Google Sheets does not touch your other cells and their formulas.',
	displayOptions: WITH_INPUT,
};

/** Only applies to rows that begin with input fields. */
const EMPTY_VALUES_FIELD: INodeProperties = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	default: 'null',
	description:
		'What to output in a column without an answer, such as best_price of a product that is sold out',
	displayOptions: WITH_INPUT,
	options: [
		{
			name: 'Empty Text',
			value: 'emptyText',
			description:
				'Clears the cell when you write the rows to Google Sheets or Excel, so that it does not keep yesterday’s price',
		},
		{
			name: 'Null',
			value: 'null',
			description:
				'For databases and data tables, where an empty text would become 0. The nodes of Google Sheets and Excel leave the cell as it is, with the old price in it.',
		},
	],
};

const STOP_WITH_ERROR = {
	name: 'Stop With Error',
	value: 'error',
	description: 'The input item fails, see On Error in the settings',
};

/** Returns the option for failed lookups. A trigger has no input item, so it cannot stop with an error. */
function onFailedResult(canStop: boolean): INodeProperties {
	return {
		displayName: 'If a Lookup Fails',
		name: 'onFailedResult',
		type: 'options',
		default: 'include',
		description: 'What to do with a value that the service could not look up',
		options: [
			{
				name: 'Include',
				value: 'include',
				description: 'An item with success set to false and the reason',
			},
			{ name: 'Skip', value: 'skip', description: 'No item' },
			...(canStop ? [STOP_WITH_ERROR] : []),
		],
	};
}

const CONTENT_LIST: INodeProperties = {
	displayName: 'Content List',
	name: 'contentList',
	type: 'string',
	default: '',
	placeholder: 'e.g. offers',
	description:
		'For this node only: name or path of the list of entries or offers, such as offers.new. Several, separated by commas, are joined. If empty, Field Names in the credential and the usual names apply.',
};

const FILE_ONLY = { show: { '/output': ['file'] } };

/** Few of these depend on the choices above them, because n8n deletes the value of a hidden option. */
export const RESULT_OPTIONS: INodeProperties[] = [
	CONTENT_LIST,
	EMPTY_VALUES_FIELD,
	INCLUDE_INPUT_FIELDS,
	INPUT_FIELDS,
	INCLUDE_NOT_FOUND,
	onFailedResult(true),
	PRICE_FORMAT,
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. prices.json',
		description: "Name of the file, for Output: File. If empty: the job's ID.",
	},
	{
		displayName: 'File Format',
		name: 'format',
		type: 'options',
		default: 'json',
		description: 'The kind of file to download',
		options: DOWNLOAD_FORMATS.toSorted().map((value) => ({ name: value.toUpperCase(), value })),
		displayOptions: FILE_ONLY,
	},
	{ ...FORMAT, displayOptions: { hide: { '/output': ['file'] } } },
	{
		displayName: 'Max Characters',
		name: 'maxCharacters',
		type: 'number',
		typeOptions: { minValue: 1000 },
		default: 20000,
		description:
			'How long an answer to the agent may be. Rows that do not fit are left out; lists keep their cheapest offers.',
		displayOptions: { show: { '@tool': [true] } },
	},
	{
		displayName: 'Output Data Field Name',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		description: 'Name of the binary field to put the file in, for Output: File',
	},
];

/**
 * The result fields of Collect. Output has the same default for all topics. n8n does not store a value that equals the
 * default, so if the default depended on the topic, the user's choice could change with the topic.
 */
export const COLLECT_RESULT_FIELDS: INodeProperties[] = [
	...inputPriceFields(true),
	outputField(
		BY_TOPIC,
		{
			name: 'Automatic',
			value: BY_TOPIC,
			description:
				'One row per product. For searches, reviews and bestsellers: one row per hit, review or rank.',
		},
		OUTPUT_STATUS,
	),
	...columnFields(true),
];

/** The result fields of operations on existing jobs. */
export function resultFields(withStatus: boolean): INodeProperties[] {
	const output = outputField('results', ...(withStatus ? [OUTPUT_STATUS] : []));
	return [...inputPriceFields(false), output, ...columnFields(false)];
}

export const eventsField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['finished'],
	description: 'Which events start the workflow',
	options: [
		// n8n offers the triggers in this order, and most users need "On job finished".
		{ name: 'Job Finished', value: 'finished', description: 'The job is done and can be downloaded' },
		{
			name: 'Job Cancelled',
			value: 'cancelled',
			description: 'The job was cancelled; there are no results',
		},
		{ name: 'Any Job End', value: 'any', description: 'The job finished or was cancelled' },
	],
};

export const POLLING_OUTPUTS = ['entries', 'job', 'results'] as const;
export const WEBHOOK_OUTPUTS = [...POLLING_OUTPUTS, 'notification'] as const;

const TRIGGER_OUTPUTS = [
	{
		name: 'Job',
		value: 'job',
		description: 'The job as Get gives it: status, counts and times, no results',
	},
	{
		name: 'Notification',
		value: 'notification',
		description: 'Job ID, status and what the trigger received',
	},
	{
		name: 'One Row per Offer, Hit or Review',
		value: 'entries',
		description: 'Downloads the job: one item per offer, hit, review or rank',
	},
	{
		name: 'One Row per Product',
		value: 'results',
		description: 'Downloads the job: one item per value that was looked up, with its best price',
	},
];

export const outputFields = (offered: readonly string[]): INodeProperties[] => [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'results',
		description: 'What each item holds',
		options: TRIGGER_OUTPUTS.filter(({ value }) => offered.includes(value)),
	},
	...columnFields(false),
	...priceOptions(false),
];

export const downloadOptions: INodeProperties[] = [
	CONTENT_LIST,
	INCLUDE_NOT_FOUND,
	onFailedResult(false),
	PRICE_FORMAT,
	requestTimeoutOption,
];
