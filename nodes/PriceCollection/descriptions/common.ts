import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

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

/** For items, which are the same in both; a file has more formats. */
export const FORMAT: INodeProperties = {
	displayName: 'Format',
	name: 'format',
	type: 'options',
	default: 'json',
	description: 'What to ask the service for. The items are the same with both.',
	options: [
		{ name: 'JSON', value: 'json' },
		{ name: 'XML', value: 'xml' },
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
