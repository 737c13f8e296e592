import type { IDataObject } from 'n8n-workflow';

import type { FailedResult } from '../rows/rows';
import type { Answer, ValueCounts } from './pairing';

/** Rows and their position in the output. */
export interface PlacedRows extends Pick<Answer, 'inputIndex' | 'position' | 'requesters'> {
	rows: readonly IDataObject[];
	/** The failed result that fails the item, if the user chose Stop With Error. No `jobId` if nothing was sent. */
	failed?: FailedResult & { jobId?: string };
}

/** The rows of a run. Renders answers as they are added, so that their results need not stay in memory. */
export class RowTable {
	readonly counts: ValueCounts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	private readonly placed: PlacedRows[] = [];

	constructor(private readonly render: (answer: Answer) => Promise<Pick<PlacedRows, 'failed' | 'rows'>>) {}

	async add(answers: Iterable<Answer>): Promise<void> {
		for (const answer of answers) {
			const { job, requesters, inputIndex, position, counts = {} } = answer;
			for (const [outcome, count] of Object.entries(counts))
				this.counts[outcome as keyof ValueCounts] += count;
			const { rows, failed } = await this.render(answer);
			const failedOfJob = failed && { ...failed, jobId: job.job_id ?? undefined };
			this.placed.push({ requesters, inputIndex, position, rows, failed: failedOfJob });
		}
	}

	/** All rows, in output order. */
	rows(): PlacedRows[] {
		const itemOf = ({ requesters: [first, second] }: PlacedRows) =>
			second ? Infinity : (first?.item ?? Infinity);
		return this.placed.toSorted(
			(a, b) => a.inputIndex - b.inputIndex || itemOf(a) - itemOf(b) || a.position - b.position,
		);
	}
}
