import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waitSettings';
import type { ServiceClient } from '../service/client';
import type { SuspendedRun } from './stored/suspendedRun';

/** A run of Collect, Wait or Download whose jobs exist. */
export interface Run extends Omit<SuspendedRun, 'intervalMs' | 'marker'> {
	context: IExecuteFunctions;
	client: ServiceClient;
	wait: Pick<WaitSettings, 'intervalMs' | 'mode' | 'onDeadline'>;
	/** The items that asked, where they are not the input: n8n wakes a suspended node with an item of its own. */
	input?: INodeExecutionData[];
}

/** The output by which jobs leave that are not over; the first one is for what is finished. */
export const STILL_RUNNING = 1;
