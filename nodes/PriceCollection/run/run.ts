import type { IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waitSettings';
import type { ServiceClient } from '../service/client';
import type { Aside, JobRecord } from './lookup/record';
import type { Choices } from './stored/suspendedRun';

/** A run of Collect, Wait or Download whose jobs exist. */
export interface Run {
	context: IExecuteFunctions;
	client: ServiceClient;
	records: JobRecord[];
	/** What leaves the run besides the results of its jobs. */
	asides: Aside[];
	choices: Choices;
	wait: Pick<WaitSettings, 'intervalMs' | 'mode' | 'onDeadline'>;
	/** The node whose items are the input; absent where n8n does not say, as in tools. */
	source?: ISourceData;
	/** The items that asked, where they are not the input: n8n wakes a suspended node with an item of its own. */
	input?: INodeExecutionData[];
}

/** The output by which jobs leave that are not over; the first one is for what is finished. */
export const STILL_RUNNING = 1;
