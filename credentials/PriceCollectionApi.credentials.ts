import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { fieldNamesFields, requestNamesFields } from '../nodes/PriceCollection/descriptions/customNames';
import { authenticated, credentialFields, readConnection } from '../nodes/PriceCollection/service/connection';

/** A heading in the credential. */
const heading = (name: string, displayName: string): INodeProperties => ({
	displayName,
	name: `${name}Heading`,
	type: 'notice',
	default: '',
});

/** Shows a field only if Customize Service is on. */
const shownWhenCustomized = (field: INodeProperties): INodeProperties => ({
	...field,
	displayOptions: { show: { customizeService: [true], ...field.displayOptions?.show } },
});

/** The settings for paging the job list. */
const PAGING_FIELDS: INodeProperties[] = [
	{
		displayName: 'Pagination',
		name: 'pagination',
		type: 'options',
		default: 'pageNumber',
		description: 'How to request the next page of the job list, if the list does not say how',
		options: [
			{
				name: 'Cursor',
				value: 'cursor',
				description: 'Each page names the next one, in a field such as next_cursor',
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
		description: 'Number of the first page of the list',
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
			'Query parameter for the page. With Offset: for the number of jobs to skip; "page" is then sent as "offset".',
	},
	{
		displayName: 'Page Size Parameter',
		name: 'pageSizeParameter',
		type: 'string',
		default: 'per_page',
		description: 'Query parameter for the size of a page',
	},
	{
		displayName: 'Cursor Parameter',
		name: 'cursorParameter',
		type: 'string',
		default: 'cursor',
		description: 'Query parameter for the cursor',
	},
];

/** Settings that few accounts need, grouped under headings because there are many. */
const CUSTOM_FIELDS: INodeProperties[] = [
	heading('sent', 'What is sent: the parameters of a new job'),
	{
		displayName: 'Request Body',
		name: 'requestBody',
		type: 'options',
		default: 'json',
		description: 'How the parameters of a new job are encoded',
		options: [
			{ name: 'Form', value: 'form' },
			{ name: 'JSON', value: 'json' },
		],
	},
	...requestNamesFields,
	{
		displayName: 'Lookup Values',
		name: 'lookupValues',
		type: 'options',
		default: 'automatic',
		description: 'How the values to look up are sent',
		options: [
			{
				name: 'Array',
				value: 'array',
				description:
					'Always "values" as a JSON array, or "values[]" several times in a form; many per job',
			},
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'One value as "value", several as "values"; another form if the service asks for it',
			},
			{ name: 'List', value: 'list', description: 'Always "values", one per line, many per job' },
			{ name: 'Single', value: 'single', description: 'Always "value", one per job' },
		],
	},
	{
		displayName: 'Max Values per Job',
		name: 'maxValuesPerJob',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1000,
		description: 'How many values the service takes in one job. More values become several jobs.',
	},
	{
		displayName: 'Country Case',
		name: 'countryCase',
		type: 'options',
		default: 'lower',
		description: 'How country codes are sent',
		options: [
			{ name: 'Lower Case', value: 'lower', description: 'E.g. de' },
			{ name: 'Upper Case', value: 'upper', description: 'E.g. DE' },
		],
	},
	{
		displayName: 'Test Source',
		name: 'testSource',
		type: 'string',
		default: 'test',
		description: 'Identifier of the test datasource, which consumes no credits',
	},
	{
		displayName: 'Label Parameter',
		name: 'labelParameter',
		type: 'string',
		default: '',
		placeholder: 'e.g. tag',
		description:
			'Job parameter for a label of the client, if the service has one. With it, the node recognizes a job even if the reply to its creation is lost.',
	},
	heading('read', 'What is read: statuses, results and downloads'),
	...fieldNamesFields,
	{
		displayName: 'Finished Statuses',
		name: 'finishedStatuses',
		type: 'string',
		default: '',
		placeholder: 'e.g. archived, closed',
		description: 'More words for jobs that ended with results, comma-separated',
	},
	{
		displayName: 'Failed Statuses',
		name: 'failedStatuses',
		type: 'string',
		default: '',
		placeholder: 'e.g. broken, dropped',
		description: 'More words for jobs that ended without results, comma-separated',
	},
	{
		displayName: 'Cancelled Statuses',
		name: 'cancelledStatuses',
		type: 'string',
		default: '',
		placeholder: 'e.g. withdrawn, stopped',
		description: 'More words for jobs that were cancelled, comma-separated',
	},
	{
		displayName: 'Format Selection',
		name: 'formatSelection',
		type: 'options',
		default: 'acceptHeader',
		description: 'How formats other than JSON are requested. JSON always uses the documented path.',
		options: [
			{ name: 'Accept Header', value: 'acceptHeader', description: 'E.g. Accept: application/xml' },
			{ name: 'Path Suffix', value: 'pathSuffix', description: 'E.g. /v2/jobs/123/download.xml' },
			{ name: 'Query Parameter', value: 'queryParameter', description: 'E.g. ?format=xml' },
		],
	},
	{
		displayName: 'Format Parameter',
		name: 'formatParameter',
		type: 'string',
		default: 'format',
		description: 'Query parameter that selects the format',
		displayOptions: { show: { formatSelection: ['queryParameter'] } },
	},
	heading('list', 'The list of jobs: how it is paged'),
	...PAGING_FIELDS,
	heading('address', 'Callbacks and addresses'),
	{
		displayName: 'Webhook URL Parameter',
		name: 'webhookUrlParameter',
		type: 'string',
		default: 'webhook_url',
		description: 'Job parameter that carries the callback URL',
	},
	{
		displayName: 'Allow Insecure HTTP',
		name: 'allowInsecureHttp',
		type: 'boolean',
		default: false,
		description: 'Whether to send the key over plain http to hosts other than this machine',
	},
	{
		displayName: 'Legacy Base URL',
		name: 'legacyBaseUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://old.example.com',
		description: 'The retired address of the service, to refuse it as Base URL',
	},
];

export class PriceCollectionApi implements ICredentialType {
	name = 'priceCollectionApi';

	displayName = 'Price Collection API';

	icon: Icon = {
		light: 'file:../icons/priceCollection.svg',
		dark: 'file:../icons/priceCollection.dark.svg',
	};

	documentationUrl =
		'https://github.com/OWNER/n8n-nodes-price-collection/blob/main/docs/reference.md#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of the service: the part before /v2/jobs',
		},
		{
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			default: 'queryParameter',
			description:
				'How the key is sent, which the service does not document. Prefer Header or Bearer Token if it accepts them, because proxies log addresses.',
			options: [
				{ name: 'Basic', value: 'basic', description: 'User name and password' },
				{ name: 'Bearer Token', value: 'bearer', description: 'Authorization: Bearer …' },
				{ name: 'Header', value: 'header', description: 'A custom header' },
				{
					name: 'Query Parameter',
					value: 'queryParameter',
					description: 'Part of the address, such as ?token=…, which proxies may log',
				},
			],
		},
		{
			displayName: 'Parameter Name',
			name: 'parameterName',
			type: 'string',
			default: 'token',
			description: 'Query parameter that carries the key',
			displayOptions: { show: { authentication: ['queryParameter'] } },
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: 'X-API-Key',
			description: 'Header that carries the key',
			displayOptions: { show: { authentication: ['header'] } },
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			required: true,
			typeOptions: { password: true },
			default: '',
			description: 'The key of your account, which these nodes send to the Base URL only',
			displayOptions: { show: { authentication: ['bearer', 'header', 'queryParameter'] } },
		},
		{
			displayName: 'User Name',
			name: 'username',
			type: 'string',
			required: true,
			default: '',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Optional, any long random text. Signs callback URLs; the trigger then accepts signed calls only.',
		},
		{
			displayName: 'Previous Webhook Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The secret you used before, for callbacks of jobs that are still running',
			displayOptions: { hide: { webhookSecret: [''] } },
		},
		{
			displayName: 'Customize Service',
			name: 'customizeService',
			type: 'boolean',
			default: false,
			description:
				'Whether to show settings for a service that differs, such as names of fields or paging. Rows and errors say when you need them.',
		},
		...CUSTOM_FIELDS.map(shownWhenCustomized),
	];

	/**
	 * Adds the key to a request to the Base URL's origin. Other nodes, such as HTTP Request, can use this
	 * credential too, and must not send the key elsewhere.
	 *
	 * @throws Error for an invalid credential or a request to another origin
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const fields = credentialFields(credentials);
		const read = readConnection(fields);
		if (!read.ok) throw new Error(read.problem);
		const withKey = authenticated(request, fields, read.value);
		if (withKey === undefined) {
			throw new Error(
				`This credential sends its key to ${read.value.origin} only. Use the address of the service.`,
			);
		}
		return withKey;
	};
}
