import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { Parameters } from '../../n8n/parameters';
import { mayRunOn } from '../../service/api/cancellation';

/**
 * Outputs `{ job_id, …reply }`. A reply that does not say that the job is cancelled, or a lost one, is checked
 * with the job itself: `{ job_id, status }` if it is, and `already_over: true` if it had ended before.
 */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new Parameters(this);
	const jobId = fields.jobId(index);
	const ignoresEnded = fields.flag('options.ignoreEnded', index, false);
	const client = await serviceClient.call(this);
	const reply = await client.cancelJob(jobId);
	const toItem = (said: IDataObject) => [{ json: { job_id: jobId, ...said }, pairedItem: { item: index } }];
	if (reply.ok) return toItem(reply.value);
	const { problem } = reply;
	const isUnclear = problem.effect === 'unknown';
	const job = isUnclear || ignoresEnded ? await client.getJob(jobId) : undefined;
	const { status } = job?.ok === true ? job.value : {};
	const end = client.endOf(status);
	if (isUnclear && end === 'cancelled') return toItem({ status });
	if (ignoresEnded && end !== undefined) return toItem({ status, already_over: true });
	if (!ignoresEnded || problem.kind !== 'jobOver') throw apiError(this.getNode(), problem, index);
	// The documented words say that the job is over; its status may not be readable now, but must not contradict them.
	if (status === undefined && problem.about === 'job') return toItem({ already_over: true });
	throw apiError(this.getNode(), mayRunOn(problem, { job_id: jobId, status: status ?? '' }), index);
}
