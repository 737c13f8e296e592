import type { IDataObject } from 'n8n-workflow';

import { breathe } from '../n8n/clock';
import type { JobResults } from '../service/types';
import { failedResult, rowsOf } from './rows';
import type { FailedResult, RowChoice } from './rows';

/** So many rows are made at a stretch before n8n's event loop gets its turn. */
const CHUNK = 500;

/** The results of a job as items, or the failed result that stops them when the user chose so. */
export type JobRows = { ok: true; rows: IDataObject[] } | { ok: false; failed: FailedResult };

/** Every result of a downloaded job as rows, in the service's order. */
export async function rowsOfJob(download: JobResults, choice: RowChoice): Promise<JobRows> {
	const rows: IDataObject[] = [];
	for (const [index, result] of download.results.entries()) {
		if (index % CHUNK === CHUNK - 1) await breathe();
		const failed = choice.onFailedResult === 'error' ? failedResult(result) : undefined;
		if (failed !== undefined) return { ok: false, failed };
		for (const row of rowsOf(download, result, choice)) rows.push(row);
	}
	return { ok: true, rows };
}
