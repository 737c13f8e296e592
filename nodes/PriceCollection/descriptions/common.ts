import type { INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../n8n/parameters';

/** The mode of a resource locator that offers what the account has. */
export const FROM_LIST = { displayName: 'From List', name: 'list' };

export const jobIdField: INodeProperties = {
	displayName: 'Job',
	name: 'jobId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The job: its ID, its whole address, or one of the latest jobs of the account',
	modes: [
		{ ...FROM_LIST, type: 'list', typeOptions: { searchListMethod: 'searchJobs', searchable: true } },
		{ displayName: 'ID', name: 'id', type: 'string', placeholder: 'e.g. {{ $json.job_id }}' },
	],
};

export const requestTimeoutOption: INodeProperties = {
	displayName: 'Request Timeout (Seconds)',
	name: 'requestTimeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'How long the service may be silent before a request is aborted',
};

/** A list of names and values that is sent unchanged. */
export function parameterList(
	name: string,
	displayName: string,
	description: string,
	exampleOfName: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add parameter',
		default: {},
		description,
		options: [
			{
				displayName: 'Parameter',
				name: 'parameter',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: `e.g. ${exampleOfName}`,
					},
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	};
}

export const listOptions: INodeProperties[] = [
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: 'page',
		description: 'Name of the query parameter for the number of the page',
	},
	{
		displayName: 'Page Size Parameter',
		name: 'pageSizeParameter',
		type: 'string',
		default: 'per_page',
		description: 'Name of the query parameter for the size of a page',
	},
	parameterList(
		'queryParameters',
		'Query Parameters',
		'Additional query parameters for the list of jobs, such as filters, sent as given',
		'status',
	),
];

/** Reads {@link listOptions}. */
export function readListOptions(fields: Parameters, item: number) {
	return {
		query: fields.pairs('options.queryParameters', item),
		paging: {
			pageParameter: fields.text('options.pageParameter', item, 'page'),
			pageSizeParameter: fields.text('options.pageSizeParameter', item, 'per_page'),
		},
	};
}

/**
 * A copy sorted by lower-case text. Not by `localeCompare`, whose language rules would take a fifth of the
 * time that n8n needs to load the package.
 */
export function sortedBy<T>(entries: Iterable<T>, textOf: (entry: T) => string): T[] {
	const keyOf = (entry: T) => textOf(entry).toLowerCase();
	return [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
}

/** The collection Options, its entries in the order of their display names. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: sortedBy(options, ({ displayName }) => displayName),
	};
}
