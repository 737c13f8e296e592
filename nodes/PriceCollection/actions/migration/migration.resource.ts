import type { INodeProperties } from 'n8n-workflow';

import * as convertParameters from './convertParameters.operation';
import * as convertWorkflow from './convertWorkflow.operation';

export const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'convertWorkflow',
		displayOptions: { show: { resource: ['migration'] } },
		options: [
			{
				name: 'Convert Parameters',
				value: 'convertParameters',
				action: 'Convert version 1 parameters',
				description: 'Turn the parameters of a version 1 job into those of version 2',
			},
			{
				name: 'Convert Workflow',
				value: 'convertWorkflow',
				action: 'Convert version 1 workflow',
				description: 'Turn a workflow written for version 1 into one for version 2, with a report',
			},
		],
	},
	...convertParameters.description,
	...convertWorkflow.description,
];
