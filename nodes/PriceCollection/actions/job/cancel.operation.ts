import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { NodeFields } from '../../n8n/nodeFields';
import { stillRunningProblem } from '../../service/api/cancellation';

/**
 * Outputs `{ job_id, …reply }`. If the reply is lost or does not confirm the cancellation, reads the job and outputs
 * `{ job_id, status }` if it is cancelled. With Ignore Ended Jobs, outputs `{ job_id, status, already_over: true }` for
 * a job that has already ended, without `status` if that cannot be read.
 *
 * @throws NodeApiError if the service refuses or nothing confirms the cancellation
 */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new NodeFields(this);
	const jobId = fields.jobId(index);
	const ignoresEnded = fields.flag('options.ignoreEnded', index, false);
	const client = await serviceClient.call(this);
	const reply = await client.cancelJob(jobId);
	const toItem = (details: IDataObject) => [
		{ json: { job_id: jobId, ...details }, pairedItem: { item: index } },
	];
	if (reply.ok) return toItem(reply.value);
	const { problem } = reply;
	const isUnclear = problem.effect === 'unknown';
	const job = isUnclear || ignoresEnded ? await client.getJob(jobId) : undefined;
	const { status } = job?.ok === true ? job.value : {};
	const end = client.endOf(status);
	if (isUnclear && end === 'cancelled') return toItem({ status });
	if (ignoresEnded && end !== undefined) return toItem({ status, already_over: true });
	if (!ignoresEnded || problem.kind !== 'jobOver') throw apiError(this.getNode(), problem, index);
	// A refusal that is certainly about this job is enough if the status cannot be read, but not if it contradicts it.
	if (status === undefined && problem.about === 'job') return toItem({ already_over: true });
	throw apiError(
		this.getNode(),
		stillRunningProblem(problem, { job_id: jobId, status: status ?? '' }),
		index,
	);
}
