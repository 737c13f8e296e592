import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { hint } from '../../n8n/hints';
import { counted } from '../../service/text';
import { readList, type JobList } from '../../service/api/jobList';
import { explain } from '../../service/problems';
import type { Job } from '../../service/types';
import { NodeFields } from '../../n8n/nodeFields';

/** Explains why the account may have more jobs than the list returned; undefined if the list is complete. */
function shortfallOf({ complete, jobs, repeats, saysMore, total = 0, unread }: JobList): string | undefined {
	if (complete) return undefined;
	const setting = 'Set Pagination in the credential (Customize Service).';
	if (unread !== undefined) {
		const { message, description } = explain(unread.problem);
		return `but page ${unread.page} of the list could not be read: ${message}. ${description}`;
	}
	if (saysMore) return `but the service has ${total > jobs.length ? total : 'more'}. ${setting}`;
	if (repeats) return `but the list repeats itself. ${setting}`;
	return `but the list does not say how it continues. ${setting}`;
}

/** Outputs one item per job, in the service's order. Adds hints about omitted entries and incomplete lists. */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new NodeFields(this);
	const returnAll = fields.flag('returnAll', index, false);
	const limit = returnAll ? Infinity : (fields.number('limit', index, 1) ?? 50);
	const client = await serviceClient.call(this);
	const query = fields.pairs('options.queryParameters', index);
	const list = await readList(client, { query, limit });
	if (!list.ok) throw apiError(this.getNode(), list.problem, index);
	const { jobs, invalid } = list.value;
	if (invalid > 0) hint(this, `Entries of the list without a job ID are left out: ${invalid}.`, 'warning');
	const shortfall = jobs.length < limit ? shortfallOf(list.value) : undefined;
	if (shortfall !== undefined)
		hint(this, `Received ${counted(jobs.length, 'job')}, ${shortfall}`, 'warning');
	// Reading the list sets a missing status to blank. The output must not contain that made-up field.
	const withoutBlankStatus = (job: Job) => {
		const { status, ...others } = job;
		return status === '' ? others : job;
	};
	return jobs.map((job) => ({ json: withoutBlankStatus(job), pairedItem: { item: index } }));
}
