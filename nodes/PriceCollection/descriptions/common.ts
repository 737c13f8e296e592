import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** The resource locator mode that offers a list to choose from. */
export const FROM_LIST = { displayName: 'From List', name: 'list' };

const jobIdField: INodeProperties = {
	displayName: 'Job',
	name: 'jobId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'ID or address of the job, or one of the latest jobs of the account',
	modes: [
		{ ...FROM_LIST, type: 'list', typeOptions: { searchListMethod: 'searchJobs', searchable: true } },
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. {{ $json.job_id }}' },
	],
};

/** The job ID as Create and Still Running output it, so that a node added after them works as it is. */
const JOB_OF_ITEM = { mode: 'id', value: '={{ $json.job_id }}' };

/** The Job field: defaults to the item's job, or for a tool to an empty field that the agent fills in. */
export const jobIdFields: INodeProperties[] = [
	{ ...jobIdField, default: JOB_OF_ITEM, displayOptions: { show: { '@tool': [false] } } },
	{ ...jobIdField, displayOptions: { show: { '@tool': [true] } } },
];

/**
 * Returns a field that stays visible when it is not used, with a label and a hint that say so. n8n deletes the value of
 * a hidden field, so users who only look at another choice would lose it. One condition must `hide` what the others show,
 * because an expression may return a value that none of them names.
 *
 * @param used conditions under which the field is used; it is shown as used if any of them is true
 * @param unused conditions for all other cases
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

/** The format to request when the reply becomes items. Files have a separate field with more formats. */
export const FORMAT: INodeProperties = {
	displayName: 'Format',
	name: 'format',
	type: 'options',
	default: 'json',
	description: 'Format to request from the service. The items are the same with both.',
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

/** Returns a field for a list of names and values, which are sent unchanged. */
export function parameterList(
	name: string,
	displayName: string,
	description: string,
	exampleName: string,
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
						placeholder: `e.g. ${exampleName}`,
					},
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	};
}

/**
 * Returns a copy sorted by lower-case text. Does not use `localeCompare`, because its language rules would take a
 * fifth of the time that n8n needs to load the package.
 */
export function sortedBy<T>(entries: Iterable<T>, textOf: (entry: T) => string): T[] {
	const keyOf = (entry: T) => textOf(entry).toLowerCase();
	return [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
}

/** Returns the Options collection, sorted by display name. */
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
