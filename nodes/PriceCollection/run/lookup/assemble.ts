import type { IDataObject } from 'n8n-workflow';

import {
	failedResult,
	rowsOf,
	summarise,
	unansweredRow,
	type FailedResult,
	type ResultCounts,
	type RowChoice,
	NO_ANSWER,
} from '../../output/rows';
import type { RowNotes } from '../../output/rowNotes';
import type { Clock } from '../../service/clock';
import { echoedValue } from '../../service/echo';
import type { JobResults, Result } from '../../service/types';
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
	/** Rows of results that belong to no value that was asked for, or to none for certain, by the job that brought them. */
	strays: Array<{ items: number[]; rows: IDataObject[]; results: number }>;
}

/** Values turned into rows at a stretch before n8n's event loop gets its turn. */
const VALUES_AT_A_STRETCH = 50;

/** Maximum echoes named in a reason. */
const ECHOES_NAMED = 3;

/** What results say that they answer, for a reason: `3 results, for "a", "b" and others`. */
function described(results: readonly Result[], key: string): string {
	const count = `${results.length} result${results.length === 1 ? '' : 's'}`;
	const echoes = [...new Set(results.flatMap(({ query }) => echoedValue(query, key) ?? []))];
	if (echoes.length === 0) return `${count}, which do not say what they are for`;
	const named = echoes.slice(0, ECHOES_NAMED).map((echo) => `"${echo}"`);
	return `${count}, for ${named.join(', ')}${echoes.length > ECHOES_NAMED ? ' and others' : ''}`;
}

/** Why a value has no result, as far as that can be known. */
function reasonFor(
	{ doubtful }: Answer,
	{ planned, strays }: AnsweredJob & { strays: readonly Result[] },
): string {
	if (doubtful !== undefined) {
		return `could not be told apart: the job brought ${described(doubtful, planned.key)}, which fit several of the values asked for`;
	}
	if (strays.length === 0) return NO_ANSWER;
	return `not matched: of what the job brought, ${described(strays, planned.key)}, belongs to none of the values asked for`;
}

/** Adds the rows of one answer to those of its item. */
function addAnswer(
	target: ItemRows,
	answer: Answer,
	job: AnsweredJob & { strays: readonly Result[] },
	choice: RowChoice,
	notes?: RowNotes,
): void {
	const { planned, download } = job;
	const asked = { value: answer.value, parameters: planned.parameters };
	const stop = (failed: FailedResult) => {
		target.failed ??= { ...failed, jobId: download.job_id };
	};
	if (answer.results.length === 0) {
		const reason = reasonFor(answer, job);
		const row = unansweredRow(download, asked, choice, reason, notes);
		if (choice.onFailedResult === 'error') stop({ value: answer.value, reason });
		if (choice.onFailedResult === 'include') target.rows.push(row);
		return;
	}
	for (const result of answer.results) {
		const failed = choice.onFailedResult === 'error' ? failedResult(result, asked) : undefined;
		if (failed !== undefined) stop(failed);
		for (const row of rowsOf(download, result, choice, asked, notes)) target.rows.push(row);
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
	notes?: RowNotes,
): Promise<Assembly> {
	const joined = joinResults(
		jobs.map(({ planned, download }) => ({ planned, results: download.results })),
		[...asked].map(([item, values]) => ({ item, values })),
	);
	const strays = jobs.map((): Result[] => []);
	for (const { job, result } of joined.unmatched) strays[job]?.push(result);
	const items: ItemRows[] = [];
	const unanswered = new Set<string>();
	let done = 0;
	for (const { item, answers } of joined.items) {
		const target: ItemRows = { item, rows: [] };
		for (const answer of answers) {
			const job = answer.job === undefined ? undefined : jobs[answer.job];
			if (job === undefined || answer.job === undefined) continue;
			if (answer.results.length === 0) unanswered.add(`${answer.job} ${answer.value}`);
			addAnswer(target, answer, { ...job, strays: strays[answer.job] ?? [] }, choice, notes);
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
	const left = jobs.flatMap(({ planned, download }, index) => {
		const results = strays[index] ?? [];
		const rows = results.flatMap((result) => rowsOf(download, result, choice, undefined, notes));
		return results.length === 0 ? [] : [{ items: planned.items, rows, results: results.length }];
	});
	return { items, counts, strays: left };
}
