import type { Operation } from '../operation';

export const convertWorkflow: Operation = {
	name: 'Convert Workflow',
	action: 'Convert workflow of version 1',
	description: 'Turn a workflow written for version 1 into one for version 2, with a report',
	fields: [
		{
			// A notice, because a pasted workflow becomes an expression, and n8n shows no hint below an expression.
			displayName:
				'n8n may show red text below a workflow that you paste, such as "Referenced node doesn’t exist". Ignore it: it is about the expressions in that workflow, which are converted all the same.',
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
			description: "The workflow's JSON, as n8n exports it or as n8n's own n8n node outputs it",
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
