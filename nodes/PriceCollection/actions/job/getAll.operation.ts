import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { listAllJobs } from '../../service/jobList';
import { optionsField, pageOptions, parameterList } from '../../descriptions/common';
import { collectionOf, pairsOf, textOf } from '../../n8n/parameters';
import type { OperationPerItem } from '../operation';

/** One item per job, each once, in the service's order. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const options = collectionOf(this.getNodeParameter('options', index, {}));
	const returnAll = this.getNodeParameter('returnAll', index, false) === true;
	const client = await serviceClient.call(this);
	const jobs = await listAllJobs(client, {
		limit: returnAll ? Infinity : Number(this.getNodeParameter('limit', index, 50)),
		query: pairsOf(options.queryParameters),
		paging:
			options.pagination === 'none'
				? undefined
				: {
						pageParameter: textOf(options.pageParameter) || 'page',
						pageSizeParameter: textOf(options.pageSizeParameter) || 'per_page',
					},
	});
	if (!jobs.ok) throw apiError(this.getNode(), jobs.problem, index);
	return jobs.value.map((json) => ({ json, pairedItem: { item: index } }));
}

export const getAll: OperationPerItem = {
	name: 'Get Many',
	action: 'Get many jobs',
	description: 'Get the latest jobs of the account',
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
		optionsField([
			...pageOptions,
			{
				displayName: 'Pagination',
				name: 'pagination',
				type: 'options',
				default: 'pageNumber',
				description: 'How further jobs are asked for',
				options: [
					{ name: 'None', value: 'none', description: 'One request; what comes is all' },
					{
						name: 'Page Number',
						value: 'pageNumber',
						description: 'Page by page until nothing new comes',
					},
				],
			},
			parameterList(
				'queryParameters',
				'Query Parameters',
				'Further query parameters, such as filters, sent as given',
			),
		]),
	],
	execute,
};
