import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { counted, hint } from '../../n8n/hints';
import { leftOutText, readList, type JobListRequest } from '../../service/jobList';
import type { Job } from '../../service/types';
import { listOptions, optionsField, readListOptions } from '../../descriptions/common';
import { Parameters } from '../../n8n/parameters';
import type { OperationPerItem } from '../operation';

/** Reads what is listed, and how further pages are requested. */
function readRequest(fields: Parameters, item: number): Omit<JobListRequest, 'limit'> {
	const { query, paging } = readListOptions(fields, item);
	const kind = fields.choice('options.pagination', item, ['cursor', 'none', 'pageNumber'], 'pageNumber');
	if (kind === 'none') return { query };
	const way =
		kind === 'cursor'
			? { cursorParameter: fields.text('options.cursorParameter', item, 'cursor') }
			: { firstPage: fields.number('options.firstPage', item, 0, 1) };
	return { query, paging: { ...paging, ...way } };
}

/** One item per job, in the service's order. Adds hints about left-out entries and incomplete lists. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new Parameters(this);
	const returnAll = fields.flag('returnAll', index, false);
	const limit = returnAll ? Infinity : (fields.number('limit', index, 1) ?? 50);
	const request = { ...readRequest(fields, index), limit, looksForPageZero: returnAll };
	const client = await serviceClient.call(this);
	const list = await readList(client, request);
	if (!list.ok) throw apiError(this.getNode(), list.problem, index);
	const { jobs, complete, saysMore, repeats, total = 0, invalid } = list.value;
	const leftOut = leftOutText(invalid);
	if (leftOut !== undefined) hint(this, `Some ${leftOut}.`, 'warning');
	if (!complete && (saysMore || repeats) && jobs.length < limit) {
		const all = total > jobs.length ? total : 'more';
		const why = saysMore ? `but the service has ${all}` : 'and the list repeats itself';
		const came = `${counted(jobs.length, 'job')} came, ${why}`;
		hint(this, `${came}: set Pagination in the options.`, 'warning');
	}
	// Fields that the list does not have are not made up.
	const asItCame = (job: Job) => {
		const { status, ...others } = job;
		return status === '' ? others : job;
	};
	return jobs.map((job) => ({ json: asItCame(job), pairedItem: { item: index } }));
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
			...listOptions,
			{
				displayName: 'Pagination',
				name: 'pagination',
				type: 'options',
				default: 'pageNumber',
				description: 'How the next page of jobs is requested',
				options: [
					{
						name: 'Cursor',
						value: 'cursor',
						description: 'Each page names the next one, such as next_cursor',
					},
					{ name: 'None', value: 'none', description: 'A single request without paging' },
					{
						name: 'Page Number',
						value: 'pageNumber',
						description: 'One page after another until a page has no new jobs',
					},
				],
			},
			{
				displayName: 'Cursor Parameter',
				name: 'cursorParameter',
				type: 'string',
				default: 'cursor',
				description: 'Query parameter for the cursor of the next page',
				displayOptions: { show: { pagination: ['cursor'] } },
			},
			{
				displayName: 'First Page',
				name: 'firstPage',
				type: 'options',
				default: 1,
				description: 'The number of the first page',
				options: [
					{ name: '0', value: 0 },
					{ name: '1', value: 1 },
				],
			},
		]),
	],
	execute,
};
