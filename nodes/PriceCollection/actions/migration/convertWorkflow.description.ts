import type { Operation } from '../operation';

export const convertWorkflow: Operation = {
	name: 'Convert Workflow',
	action: 'Convert workflow of version 1',
	description: 'Turn a workflow written for version 1 into one for version 2, with a report',
	fields: [
		{
			// A notice, because a pasted workflow becomes an expression, and n8n shows no hint below an expression.
			displayName:
				'n8n may show red text below a pasted workflow, such as "Referenced node doesn’t exist". Ignore it: it concerns the expressions of that workflow, which are converted anyway.',
			name: 'pastedNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Workflow',
			name: 'workflow',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description: 'The JSON of the workflow, exported from n8n or read with the n8n node',
		},
		{
			displayName: 'Conversion',
			name: 'conversion',
			type: 'options',
			default: 'replaceNodes',
			description: 'What happens to the HTTP Request nodes that use the service',
			options: [
				{
					name: 'Replace Nodes',
					value: 'replaceNodes',
					description:
						'Price Collection nodes take their place; create, wait and download become one node',
				},
				{
					name: 'Update Requests',
					value: 'updateRequests',
					description: 'They stay HTTP Request nodes and get the new address and parameters',
				},
			],
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of version 2 of the service',
		},
		{
			displayName: 'Legacy Base URL',
			name: 'legacyBaseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://legacy.example.com',
			description: 'The retired address that the workflow still uses',
		},
	],
	load: async () => await import('./convertWorkflow.operation'),
};
