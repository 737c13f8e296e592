import * as z from 'zod/v4-mini';

import { storedFormat, text, time } from './format';
import { runJobSchema, type RunJob } from './suspendedRun';

/**
 * The jobs of a run that has not given them out yet. When the node is run again in the same execution, by Retry On Fail
 * or by hand, they are taken up instead of being created and paid for once more.
 */
export interface RetryRecord {
	/** Tells the same request from another one. */
	signature: string;
	/** Milliseconds since 1970. */
	since: number;
	jobs: RunJob[];
}

export const retryRecordFormat = storedFormat<RetryRecord>(
	'The record of an earlier try',
	z.object({ signature: text, since: time, jobs: z.array(runJobSchema) }),
);
