import type { INodeProperties } from 'n8n-workflow';

export const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getToday',
		displayOptions: { show: { resource: ['usage'] } },
		options: [
			{
				name: 'Get Month',
				value: 'getMonth',
				action: 'Get usage of this month',
				description: 'Read what the account has used this month',
			},
			{
				name: 'Get Today',
				value: 'getToday',
				action: 'Get usage of today',
				description: 'Read what the account has used today',
			},
		],
	},
];
