import type { IDataObject } from 'n8n-workflow';

import type { FailedResult } from '../rows/rows';
import type { Answer, ValueCounts } from './pairing';

/** Rows and their position in the output. */
export interface PlacedRows extends Pick<Answer, 'inputIndex' | 'position' | 'requesters'> {
	rows: readonly IDataObject[];
	/** The failed result that fails the item, if the user chose so; without job if nothing was sent. */
	failed?: FailedResult & { jobId?: string };
}

/** The rows of a run. They are made as soon as answers are added, so that results need not be kept. */
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
			const ofJob = failed && { ...failed, jobId: job.job_id ?? undefined };
			this.placed.push({ requesters, inputIndex, position, rows, failed: ofJob });
		}
	}

	/** All rows in the order of the output. */
	rows(): PlacedRows[] {
		const itemOf = ({ requesters: [one, other] }: PlacedRows) =>
			other ? Infinity : (one?.item ?? Infinity);
		return this.placed.toSorted(
			(a, b) => a.inputIndex - b.inputIndex || itemOf(a) - itemOf(b) || a.position - b.position,
		);
	}
}
