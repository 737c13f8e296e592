import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fetchJob, makesRows } from '../../output/fetch';
import { leanJob, leanRows } from '../../output/lean';
import { RowNotes } from '../../output/rowNotes';
import { rowsOfJob, unclearListsHint, unclearListsOf } from '../../output/rows';
import { serviceClient } from '../../n8n/client';
import { apiError, failedResultError } from '../../n8n/errors';
import { hint } from '../../n8n/hints';
import { isTool } from '../../n8n/tool';
import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { parameterReader, readJobId } from '../../n8n/parameters';
import { readChoice } from '../../run/resultChoice';
import { unansweredHint } from '../../run/tally';
import { resultFields, resultOptions } from '../../descriptions/results';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import type { OperationPerItem } from '../operation';

/** The results of a finished job, as rows, as one item or as a file. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const jobId = readJobId.call(this, index);
	const choice = readChoice.call(this, parameterReader.call(this), index);
	const client = await serviceClient.call(this);
	const pairedItem = { item: index };
	const fetched = await fetchJob(this, client, { job_id: jobId, status: '' }, choice, false);
	if (!fetched.ok) throw apiError(this.getNode(), fetched.problem, index);
	const root = 'item' in fetched.value ? fetched.value.item.json : fetched.value.results;
	const unanswered = unansweredHint(root);
	if (unanswered !== undefined) hint(this, unanswered);
	if (!('results' in fetched.value) || !makesRows(choice)) {
		if (!('item' in fetched.value)) return [];
		const { item } = fetched.value;
		return [{ ...(isTool(this) ? { json: leanJob(item.json, choice) } : item), pairedItem }];
	}
	const { results } = fetched.value.results;
	const notes = new RowNotes(choice.fields);
	const made = await rowsOfJob(fetched.value.results, choice, client.clock, notes);
	if (!made.ok) throw failedResultError(this.getNode(), made.failed, jobId, index);
	const unclear = unclearListsOf(results, choice);
	if (unclear !== undefined) hint(this, unclearListsHint(unclear), 'warning');
	for (const remark of notes.remarks()) hint(this, remark, 'warning');
	const rows = isTool(this) ? leanRows(made.rows, choice, results) : made.rows;
	return rows.map((json) => ({ json, pairedItem }));
}

export const download: OperationPerItem = {
	name: 'Download',
	action: 'Download results of job',
	description: 'Get the results of a finished job',
	toolDescription: TOOL_DESCRIPTIONS.download,
	fields: [
		jobIdField,
		...resultFields(false),
		optionsField([...resultOptions(false), requestTimeoutOption]),
	],
	execute,
};
