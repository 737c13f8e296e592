import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { serviceClient } from '../../n8n/client';
import { Parameters } from '../../n8n/parameters';
import { finish } from '../../run/finish';
import { ChoiceReader, readNamedJobs } from '../../run/readItems';
import type { OperationOverAll } from '../operation';

/** The results of finished jobs, as rows, as one item per job, or as files. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new Parameters(this);
	const choices = new ChoiceReader(this, fields);
	const client = await serviceClient.call(this);
	const wait = { mode: 'poll', intervalMs: 0, maxWaitMs: 0, onDeadline: 'error' } as const;
	const named = await readNamedJobs(this, fields, choices, { ...wait, now: client.clock.now() });
	// The download itself shows whether a job is over.
	const records = named.records.map((record) => ({ ...record, end: 'results' as const }));
	const [items = []] = await finish({
		context: this,
		client,
		wait,
		choices: choices.choices(),
		...named,
		records,
	});
	return [items];
}

export const download: OperationOverAll = {
	name: 'Download',
	action: 'Download results of job',
	description: 'Get the results of a finished job',
	toolDescription: TOOL_DESCRIPTIONS.download,
	fields: [jobIdField, ...resultFields(false), optionsField([...RESULT_OPTIONS, requestTimeoutOption])],
	executeAll,
};
