import type { IExecuteFunctions } from 'n8n-workflow';

import type { NodeError } from '../n8n/items';
import { inputError } from '../n8n/errors';
import type { Job, Result } from '../service/types';
import { isObject } from '../service/types';
import { valuesOfRun } from './lookup/match';
import type { PlannedJob } from './lookup/plan';
import { echoedValue } from './lookup/values';

/**
 * Whether every result that says what it answers answers something else than was asked. The job list does not tell
 * jobs of equal size apart, so a job taken from it after a lost reply may turn out to be another workflow's.
 */
function answersOthers(planned: PlannedJob, results: unknown): boolean {
	if (!Array.isArray(results)) return false;
	const isAsked = valuesOfRun([planned]);
	const echoes = results
		.filter(isObject)
		.map((result) => echoedValue((result as Result).query, planned.key))
		.filter((echo) => echo !== undefined);
	return echoes.length > 0 && !echoes.some(isAsked);
}

/** The error for a job that was adopted by mistake; undefined for all others. */
export function mistakenError(
	context: IExecuteFunctions,
	{ planned, job, adopted }: { planned: PlannedJob; job: Job; adopted: boolean },
	results: unknown,
	item: number,
	more: string,
): NodeError | undefined {
	if (!adopted || !answersOthers(planned, results)) return undefined;
	return inputError(
		context.getNode(),
		`Job ${job.job_id} answers other values than were asked`,
		`The reply to the creation was lost, and this job of the list looked like the one created. The right one may exist as well: look into the job list (Get Many) before you run again, or it may be paid for twice. ${more}`,
		item,
	);
}
