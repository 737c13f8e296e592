import type { IDataObject } from 'n8n-workflow';

import {
	failedResult,
	rowsOf,
	summarise,
	unansweredRow,
	unsentRow,
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
import type { PlannedJob, UnsentValue } from './plan';

/** A finished job and what it brought. */
export interface AnsweredJob {
	planned: PlannedJob;
	download: JobResults;
}

/** A job with those of its results that belong to no value that was asked for, or to none for certain. */
interface SortedJob extends AnsweredJob {
	strays: Result[];
}

/** The rows of one input item, or the failed result that stops it when the user chose so. */
export interface ItemRows {
	item: number;
	rows: IDataObject[];
	failed?: FailedResult & { jobId?: string };
}

/** What the results of a run say. */
export type RunCounts = ResultCounts & { unanswered: number };

/** Both together. */
export function addCounts(a: RunCounts, b: RunCounts): RunCounts {
	return {
		found: a.found + b.found,
		notFound: a.notFound + b.notFound,
		failed: a.failed + b.failed,
		unanswered: a.unanswered + b.unanswered,
	};
}

interface Assembly {
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
function reasonFor({ doubtful }: Answer, { planned, strays }: SortedJob): string {
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
	job: SortedJob,
	choice: RowChoice,
	notes?: RowNotes,
): void {
	const { planned, download } = job;
	const asked = { value: answer.value, parameters: planned.parameters };
	const jobId = download.job_id;
	if (answer.results.length === 0) {
		const row = unansweredRow(download, asked, choice, reasonFor(answer, job), notes);
		const failed = { value: answer.value, reason: String(row.reason), jobId };
		if (choice.onFailedResult === 'error') target.failed ??= failed;
		if (choice.onFailedResult === 'include') target.rows.push(row);
		return;
	}
	for (const result of answer.results) {
		const failed = choice.onFailedResult === 'error' ? failedResult(result, asked) : undefined;
		if (failed !== undefined) target.failed ??= { ...failed, jobId };
		for (const row of rowsOf(download, result, choice, asked, notes)) target.rows.push(row);
	}
}

/** Adds the row of a value that was not sent. */
function addUnsent(
	target: ItemRows,
	{ query, reason }: UnsentValue,
	choice: RowChoice,
	notes?: RowNotes,
): void {
	const value = typeof query.value === 'string' ? query.value : null;
	if (choice.onFailedResult === 'error') target.failed ??= { value, reason };
	if (choice.onFailedResult === 'include') target.rows.push(unsentRow(query, reason, choice, notes));
}

/** What each item asked for, those included of whose values none was sent. */
function everyItem(
	asked: ReadonlyMap<number, string[]>,
	unsent: readonly UnsentValue[],
): Array<{ item: number; values: string[] }> {
	const items = new Set([...asked.keys(), ...unsent.map(({ item }) => item)]);
	return [...items].map((item) => ({ item, values: asked.get(item) ?? [] }));
}

/**
 * Gives every input item the rows of its own values, in input order and, within an item, in the order of its
 * values. A value whose job is not among the answered ones gives none: the job itself is accounted for elsewhere.
 *
 * @param unsent the values that were not sent, which stand among the others
 */
export async function assemble(
	jobs: AnsweredJob[],
	{ values: asked, unsent }: { values: ReadonlyMap<number, string[]>; unsent: readonly UnsentValue[] },
	choice: RowChoice,
	clock: Pick<Clock, 'yieldToEventLoop'>,
	notes?: RowNotes,
): Promise<Assembly> {
	const joined = joinResults(
		jobs.map(({ planned, download }) => ({ planned, results: download.results })),
		everyItem(asked, unsent),
	);
	const sorted = jobs.map((job): SortedJob => ({ ...job, strays: [] }));
	for (const { job, result } of joined.unmatched) sorted[job]?.strays.push(result);
	const items: ItemRows[] = [];
	const unanswered = new Set<string>();
	const unsentOf = new Map<number, UnsentValue[]>(joined.items.map(({ item }) => [item, []]));
	for (const one of unsent) unsentOf.get(one.item)?.push(one);
	let done = 0;
	for (const { item, answers } of joined.items) {
		const target: ItemRows = { item, rows: [] };
		const left = unsentOf.get(item) ?? [];
		const addUnsentUntil = (place: number) => {
			for (let [next] = left; next !== undefined && next.place <= place; [next] = left) {
				addUnsent(target, next, choice, notes);
				left.shift();
			}
		};
		for (const [place, answer] of answers.entries()) {
			addUnsentUntil(place);
			const job = sorted[answer.job ?? -1];
			if (job === undefined) continue;
			if (answer.results.length === 0) unanswered.add(`${answer.job} ${answer.value}`);
			addAnswer(target, answer, job, choice, notes);
			if (++done % VALUES_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
		}
		addUnsentUntil(answers.length);
		items.push(target);
	}
	const counts = jobs
		.map(({ download, planned }) => summarise(download.results, String(planned.parameters.topic ?? '')))
		.reduce((sum: RunCounts, one) => addCounts(sum, { ...one, unanswered: 0 }), {
			...{ found: 0, notFound: 0, failed: 0, unanswered: unanswered.size },
		});
	const strays = sorted
		.filter((job) => job.strays.length > 0)
		.map(({ planned, download, strays: results }) => ({
			items: planned.items,
			rows: results.flatMap((result) => rowsOf(download, result, choice, undefined, notes)),
			results: results.length,
		}));
	return { items, counts, strays };
}
