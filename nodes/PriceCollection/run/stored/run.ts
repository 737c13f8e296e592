import type { IDataObject, ISourceData } from 'n8n-workflow';

import type { Job } from '../../service/types';
import type { PlannedJob } from '../lookup/plan';

/** A job that exists, and what it was planned for. */
export interface RunJob {
	planned: PlannedJob;
	job: Job;
	/** Whether it was found in the job list after the reply to its creation was lost. */
	adopted: boolean;
}

/** A run of `collect` after its jobs were created: plain JSON, so that it survives a suspended execution. */
export interface CollectRun {
	jobs: RunJob[];
	/** The values each input item asks for. */
	asked: Array<[item: number, values: string[]]>;
	/** What could not be asked for: the JSON of an error item for each input item that it concerns. */
	errors: Array<{ item: number; json: IDataObject }>;
	/** The node whose items asked. */
	source?: ISourceData;
	/** Milliseconds since 1970. */
	deadline: number;
}
