import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { NodeFields } from '../../n8n/nodeFields';
import { ChoiceReader } from '../../settings/resultChoice';
import { deliver } from '../../delivery/deliver';
import { readNamedJobs } from '../../waiting/namedJobs';

/** Outputs the results of finished jobs: as rows, one item per job, a field report, or files. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new NodeFields(this);
	const choices = new ChoiceReader(this, fields);
	const client = await serviceClient.call(this);
	const named = await readNamedJobs(this, fields, choices);
	const run = { context: this, client, choices: choices.choices(), ...named };
	const { outputs } = await deliver(run);
	return outputs;
}
