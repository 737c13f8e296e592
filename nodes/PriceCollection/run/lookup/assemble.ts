import type { IDataObject } from 'n8n-workflow';

import {
	failedResult,
	rowsOf,
	summarise,
	unansweredRow,
	type FailedResult,
	type ResultCounts,
	type RowChoice,
} from '../../output/rows';
import type { Clock } from '../../service/clock';
import type { JobResults } from '../../service/types';
import { joinResults, type Answer } from './join';
import type { PlannedJob } from './plan';

/** A finished job and what it brought. */
export interface AnsweredJob {
	planned: PlannedJob;
	download: JobResults;
}

/** The rows of one input item, or the failed result that stops it when the user chose so. */
export interface ItemRows {
	item: number;
	rows: IDataObject[];
	failed?: FailedResult & { jobId: string };
}

/** What the results of a run say. */
export type RunCounts = ResultCounts & { unanswered: number };

export interface Assembly {
	/** In input order. */
	items: ItemRows[];
	counts: RunCounts;
	/** Results that belong to no value that was asked for. */
	unmatched: number;
}

/** Values turned into rows at a stretch before n8n's event loop gets its turn. */
const VALUES_AT_A_STRETCH = 250;

/** Adds the rows of one answer to those of its item. */
function addAnswer(
	target: ItemRows,
	answer: Answer,
	{ planned, download }: AnsweredJob,
	choice: RowChoice,
): void {
	const asked = { value: answer.value, parameters: planned.parameters };
	const stop = (failed: FailedResult) => {
		target.failed ??= { ...failed, jobId: download.job_id };
	};
	if (answer.results.length === 0) {
		const row = unansweredRow(download, asked, choice.simplify);
		if (choice.onFailedResult === 'error') stop({ value: answer.value, reason: String(row.reason) });
		if (choice.onFailedResult === 'include') target.rows.push(row);
		return;
	}
	for (const result of answer.results) {
		const failed = choice.onFailedResult === 'error' ? failedResult(result, asked) : undefined;
		if (failed !== undefined) stop(failed);
		for (const row of rowsOf(download, result, choice, asked)) target.rows.push(row);
	}
}

/**
 * Gives every input item the rows of its own values, in input order and, within an item, in the order of its
 * values. A value whose job is not among the answered ones gives none: the job itself is accounted for elsewhere.
 */
export async function assemble(
	jobs: AnsweredJob[],
	asked: ReadonlyMap<number, string[]>,
	choice: RowChoice,
	clock: Pick<Clock, 'yieldToEventLoop'>,
): Promise<Assembly> {
	const joined = joinResults(
		jobs.map(({ planned, download }) => ({ planned, results: download.results })),
		[...asked].map(([item, values]) => ({ item, values })),
	);
	const items: ItemRows[] = [];
	const unanswered = new Set<string>();
	let done = 0;
	for (const { item, answers } of joined.items) {
		const target: ItemRows = { item, rows: [] };
		for (const answer of answers) {
			const job = answer.job === undefined ? undefined : jobs[answer.job];
			if (job === undefined) continue;
			if (answer.results.length === 0) unanswered.add(`${answer.job} ${answer.value}`);
			addAnswer(target, answer, job, choice);
			if (++done % VALUES_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
		}
		items.push(target);
	}
	const counts = { found: 0, notFound: 0, failed: 0, unanswered: unanswered.size };
	for (const { download, planned } of jobs) {
		const { found, notFound, failed } = summarise(
			download.results,
			String(planned.parameters.topic ?? ''),
		);
		counts.found += found;
		counts.notFound += notFound;
		counts.failed += failed;
	}
	return { items, counts, unmatched: joined.unmatched.length };
}
