import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { serviceClient } from '../../n8n/client';
import { Parameters } from '../../n8n/parameters';
import { ChoiceReader } from '../../run/choices';
import { deliver } from '../../run/deliver';
import { readNamedJobs } from '../../run/namedJobs';
import type { OperationOverAll } from '../operation';

/** The results of finished jobs, as rows, as one item per job, or as files. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new Parameters(this);
	const choices = new ChoiceReader(this, fields);
	const client = await serviceClient.call(this);
	const named = await readNamedJobs(this, fields, choices);
	const [items = []] = await deliver({ context: this, client, choices: choices.choices(), ...named });
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
