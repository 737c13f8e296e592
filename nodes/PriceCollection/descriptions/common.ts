import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Parameters } from '../n8n/parameters';
import type { ListPaging } from '../service/jobList';

/** The mode of a resource locator that offers what the account has. */
export const FROM_LIST = { displayName: 'From List', name: 'list' };

const jobIdField: INodeProperties = {
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

/** As Create and Still Running give it, so that the node runs as it is added behind them. */
const JOB_OF_ITEM = { mode: 'id', value: '={{ $json.job_id }}' };

/** The job of an operation: that of the item, or for a tool the one that an agent fills in. */
export const jobIdFields: INodeProperties[] = [
	{ ...jobIdField, default: JOB_OF_ITEM, displayOptions: { show: { '@tool': [false] } } },
	{ ...jobIdField, displayOptions: { show: { '@tool': [true] } } },
];

/**
 * A field that stays visible where it is not used, and says so: n8n deletes what a hidden field holds, so that somebody
 * who only looks at another choice would lose it. One of the conditions must be a `hide` of the others, because an
 * expression may give what none of them names.
 *
 * @param used where it is used; n8n shows it if one of these is true
 * @param unused where it is not: all other cases
 */
export function keptField(
	field: INodeProperties,
	used: readonly IDisplayOptions[],
	unused: readonly IDisplayOptions[],
	hint: string,
): INodeProperties[] {
	// n8n shows no hint below an expression or a collection.
	const displayName = `${field.displayName} (Not Used)`;
	return [
		...used.map((displayOptions) => ({ ...field, displayOptions })),
		...unused.map((displayOptions) => ({ ...field, displayName, hint, displayOptions })),
	];
}

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

/** How the list of jobs is paged, as fields of the credential. */
export const pagingFields: INodeProperties[] = [
	{
		displayName: 'Pagination',
		name: 'pagination',
		type: 'options',
		default: 'pageNumber',
		description: 'How the next page of the job list is requested, unless the list itself says it',
		options: [
			{
				name: 'Cursor',
				value: 'cursor',
				description: 'Each page names the next one, such as next_cursor',
			},
			{ name: 'None', value: 'none', description: 'A single request without paging' },
			{ name: 'Offset', value: 'offset', description: 'The next request says how many jobs to skip' },
			{ name: 'Page Number', value: 'pageNumber', description: 'Pages are requested by their number' },
		],
	},
	{
		displayName: 'First Page',
		name: 'firstPage',
		type: 'options',
		default: 'automatic',
		description: 'Whether the pages of the list are counted from 0 or from 1',
		options: [
			{ name: '0', value: 0 },
			{ name: '1', value: 1 },
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'The first page is requested without a number, then 1, 2, …',
			},
		],
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: 'page',
		description:
			'Name of the query parameter for the page, or with Offset for the number of jobs to skip, where "page" means "offset"',
	},
	{
		displayName: 'Page Size Parameter',
		name: 'pageSizeParameter',
		type: 'string',
		default: 'per_page',
		description: 'Name of the query parameter for the size of a page',
	},
	{
		displayName: 'Cursor Parameter',
		name: 'cursorParameter',
		type: 'string',
		default: 'cursor',
		description: 'Name of the query parameter for a cursor that the list gives',
	},
];

const PAGINATIONS = ['cursor', 'none', 'offset', 'pageNumber'] as const;
const AS_IN_CREDENTIAL = { name: 'As in the Credential', value: '' };

/** A field of the credential as an option of a node, which overrides it where it is filled. */
function asOption(field: INodeProperties): INodeProperties {
	const choices = field.options as INodePropertyOptions[] | undefined;
	if (choices === undefined) return { ...field, default: '', placeholder: 'As in the credential' };
	const fixed = choices.filter(({ value }) => value !== 'automatic');
	return { ...field, default: '', options: [AS_IN_CREDENTIAL, ...fixed] };
}

export const listOptions: INodeProperties[] = [
	...pagingFields.map(asOption),
	parameterList(
		'queryParameters',
		'Query Parameters',
		'Additional query parameters for the list of jobs, such as filters, sent as given',
		'status',
	),
];

/** Reads {@link listOptions}, which override the settings of the credential. */
export function readListOptions(fields: Parameters, item: number, settings: ListPaging) {
	const first = fields.number('options.firstPage', item, 0, 1);
	const text = (name: 'cursorParameter' | 'pageParameter' | 'pageSizeParameter') =>
		fields.text(`options.${name}`, item, settings[name]);
	const paging: ListPaging = {
		pagination: fields.choice('options.pagination', item, PAGINATIONS, settings.pagination),
		firstPage: first === undefined ? settings.firstPage : first === 0 ? '0' : '1',
		pageParameter: text('pageParameter'),
		pageSizeParameter: text('pageSizeParameter'),
		cursorParameter: text('cursorParameter'),
	};
	return { query: fields.pairs('options.queryParameters', item), paging };
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
