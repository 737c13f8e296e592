import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { jobIdField, optionsField } from '../../descriptions/common';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { Parameters } from '../../n8n/parameters';
import type { ServiceClient } from '../../service/client';
import type { Problem } from '../../service/problems';
import { isRunning, terminalStatus } from '../../service/types';
import type { OperationPerItem } from '../operation';

/** Explicit words of services about the cancellation of a job that is over. */
const SAYS_OVER = /\balready (over|finished|terminated|completed|ended|cancell?ed)\b|\b(is|was) over\b/i;

/**
 * The status of a job whose cancellation was refused because it is over; undefined for other reasons. The
 * words of such a refusal vary, so in doubt the status decides; explicit words allow an unknown one.
 */
async function statusIfOver(
	client: ServiceClient,
	jobId: string,
	{ kind, reason = '', comment = '' }: Problem,
): Promise<string | undefined> {
	const job = await client.getJob(jobId);
	if (!job.ok) return undefined;
	const { status } = job.value;
	const isClear = kind === 'jobOver' && SAYS_OVER.test(`${reason} ${comment}`);
	return terminalStatus(status) !== undefined || (isClear && !isRunning(status)) ? status : undefined;
}

/** Outputs `{ job_id, …reply }`; if the job was already over `{ job_id, status, already_over: true }`. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new Parameters(this);
	const jobId = fields.jobId(index);
	const ignoresEnded = fields.flag('options.ignoreEnded', index, false);
	const client = await serviceClient.call(this);
	const reply = await client.cancelJob(jobId);
	const toItem = (said: IDataObject) => [{ json: { job_id: jobId, ...said }, pairedItem: { item: index } }];
	if (reply.ok) return toItem(reply.value);
	const status = ignoresEnded ? await statusIfOver(client, jobId, reply.problem) : undefined;
	if (status === undefined) throw apiError(this.getNode(), reply.problem, index);
	return toItem({ status, already_over: true });
}

export const cancel: OperationPerItem = {
	name: 'Cancel',
	action: 'Cancel job',
	description: 'Cancel a running job',
	fields: [
		jobIdField,
		optionsField([
			{
				displayName: 'Ignore Ended Jobs',
				name: 'ignoreEnded',
				type: 'boolean',
				default: false,
				description: 'Whether cancelling a job that is already over counts as success',
			},
		]),
	],
	execute,
};
