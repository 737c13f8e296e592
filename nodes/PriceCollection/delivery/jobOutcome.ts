import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { NodeError } from '../n8n/errors';
import type { FieldReport } from '../rows/fieldReport';
import type { JobRecord, Run } from '../run/record';
import type { Matching } from './pairing';
import type { RowTable } from './rowTable';

/* What each step of a delivery gets, and what it returns for a job. */

/** The output of a job: rows, one item, or an error; none while the job is running or its results are not available. */
export interface JobOutcome {
	record: JobRecord;
	/** Whether another node continues to wait for it, so this node has not given it up. */
	isWaitedForElsewhere?: boolean;
	/** The job's root object without its results, which are in the row table or the field report already. */
	root?: IDataObject;
	item?: Pick<INodeExecutionData, 'binary' | 'json'>;
	error?: NodeError;
}

/** What the steps of a delivery share. */
export interface Delivery extends Matching {
	run: Run;
	table: RowTable;
	/** Collects the fields of all results, for Output: Field Report. */
	report: FieldReport;
}
