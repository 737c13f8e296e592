import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { Parameters } from '../../n8n/parameters';
import { ChoiceReader } from '../../settings/resultChoice';
import { deliver } from '../../delivery/deliver';
import { readNamedJobs } from '../../waiting/namedJobs';

/** The results of finished jobs, as rows, as one item per job, or as files. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new Parameters(this);
	const choices = new ChoiceReader(this, fields);
	const client = await serviceClient.call(this);
	const named = await readNamedJobs(this, fields, choices);
	const run = { context: this, client, choices: choices.choices(), ...named };
	const { outputs } = await deliver(run);
	return outputs;
}
