import type { Operation } from '../operation';

export const convertParameters: Operation = {
	name: 'Convert Parameters',
	action: 'Convert parameters of version 1',
	description: 'Turn the parameters of a version 1 job into those of version 2',
	fields: [
		{
			displayName: 'Parameters',
			name: 'parameters',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description: 'The version 1 parameters of a job, as an object',
		},
		{
			displayName: 'Topic Name',
			name: 'topic',
			type: 'string',
			default: 'product_and_offers',
			description: 'The topic to add if the parameters have none',
		},
	],
	load: async () => await import('./convertParameters.operation'),
};
