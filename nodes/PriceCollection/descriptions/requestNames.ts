import type { INodeProperties } from 'n8n-workflow';

import { KEYS, PARAMETERS } from '../service/requestNames';
import { sortedBy } from './common';

/** What can have a name of the service's own, as the document calls it. */
const MEANINGS = sortedBy(
	[
		...PARAMETERS.map((name) => ({ name, value: name })),
		...KEYS.map((name) => ({ name: `${name} (Key)`, value: name, description: 'As the value of key' })),
	],
	({ name }) => name,
);

/** How the service calls what is sent, as fields of the credential. The second one is for dialogs without the first. */
export const requestNamesFields: INodeProperties[] = [
	{
		displayName: 'Request Names',
		name: 'requestNames',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Name',
		default: {},
		description:
			"The service's own names for parameters of a new job, if they differ from the documented ones",
		options: [
			{
				displayName: 'Name',
				name: 'names',
				values: [
					{
						displayName: 'Meaning',
						name: 'meaning',
						type: 'options',
						default: '',
						description: 'The parameter or the value of key as the document calls it',
						options: MEANINGS,
					},
					{
						displayName: 'Name at the Service',
						name: 'fields',
						type: 'string',
						default: '',
						placeholder: 'e.g. ean',
						description: "The service's own name. If empty, the parameter is not sent.",
					},
				],
			},
		],
	},
	{
		displayName: 'Request Names as Text',
		name: 'requestNamesText',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. gtin: ean',
		description:
			'The same as text, for versions of n8n that do not show Request Names: one line for each, such as gtin: ean',
	},
];
