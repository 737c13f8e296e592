import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { apiError, failedResultError, inputError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { isTool, linkedItems } from '../n8n/execution';
import { errorItem, unlessItStops } from '../n8n/items';
import { isWired, leadsToWait } from '../n8n/wiring';
import { compactJob, compactRows } from '../output/answer';
import { besideInput, losesAnswer, picked } from '../output/columns';
import { fetchJob, makesRows, provesNothing, reasonOfEnd, REPEATS_FOR_MS } from '../output/fetch';
import { Renderer, type Remarks, type RowChoice } from '../output/rows';
import { traitsOf, type Problem } from '../service/problems';
import type { Result } from '../service/types';
import { Assembly, type Answer, type PlacedRows } from './assemble';
import { allAsides, isSettled, linkOf, placeOf, placesOf, without } from './record';
import type { JobRecord, Requester, Run } from './record';
import { cancelAndConfirm } from './stop';
import { summaryOf, unsentText } from './summary';
import { CONNECT, forAgent, STILL_RUNNING, ticketItems, troubleNote } from './tickets';

/** The output of a job: rows, one item, or an error. None of them if it still runs. */
interface JobOutcome {
	record: JobRecord;
	/** Whether this node does not give it up, although it has no output now. */
	isOpen?: boolean;
	/** The download without its results, which are rows already. */
	root?: IDataObject;
	item?: Pick<INodeExecutionData, 'binary' | 'json'>;
	error?: NodeError;
}

interface PlacedItem {
	at: number;
	item: INodeExecutionData;
}

/** Whether it is known that a job has no results to fetch. */
function isWithoutResults({ end, problem }: JobRecord): boolean {
	const isGone = problem !== undefined && traitsOf(problem).job === 'gone';
	return isGone || end === 'cancelled' || end === 'failed';
}

/**
 * The sentences of an error that name the jobs, so that no ID is lost: the failed job if the node continues and
 * outputs the others, all jobs if it stops.
 */
function jobsText({ context, records }: Run, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	const textOf = (jobs: readonly JobRecord[], [one, many]: [string, string], advice: string) =>
		jobs.length === 0
			? []
			: `${jobs.length === 1 ? one : many}: ${jobs.map(({ job }) => job.job_id).join(', ')}.${advice}`;
	const fetchable = named.filter((job) => !isWithoutResults(job));
	const others = named.filter(isWithoutResults);
	const advice = ' Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.';
	return [
		textOf(fetchable, [named.length === 1 ? 'Job' : 'Jobs of this run', 'Jobs of this run'], advice),
		textOf(others, ['Job without results', 'Jobs without results'], ''),
	]
		.flat()
		.join(' ');
}

/** An error item. n8n adds the fields of the first linked item, which must be from this node's input. */
function errorAt(at: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const elsewhere = requesters.filter(({ source }) => source !== undefined);
	return { at, item: { json, pairedItem: linkOf([{ item: at }, ...elsewhere]) } };
}

function failedBy(run: Run, record: JobRecord, problem: Problem): JobOutcome {
	const more = jobsText(run, record);
	const error = apiError(run.context.getNode(), problem, placesOf(record), more);
	return { record, error: unlessItStops(run.context, error) };
}

/** Whether nothing was answered, for reasons that services of this kind do not charge. */
function isUnanswered(results: readonly Result[]): boolean {
	return results.every(
		({ success, reason }) => !success && !/not.?found/i.test(String(reason ?? '').slice(0, 1_000)),
	);
}

/**
 * Fetches the output of an ended job: the rows of its results go to the assembly. A job whose results cannot be
 * fetched now is left open, if a later node can fetch them.
 *
 * @param from when the first job was fetched
 * @param end the end of the job, known or believed: a download that does not contradict it confirms it
 */
async function fetchEnded(
	run: Run,
	assembly: Assembly,
	record: JobRecord,
	from: number,
	end = record.end,
): Promise<JobOutcome> {
	const { context, client, choices, wait } = run;
	const choice = choices.byItem?.[placesOf(record)[0] ?? 0] ?? choices.first;
	const { job } = record;
	const isPolling = wait?.mode === 'poll';
	// Download does not wait, except for results that lag behind.
	const until =
		wait === undefined ? from : Math.max(isPolling ? record.deadline : 0, from + REPEATS_FOR_MS);
	const fetched = await fetchJob(context, client, job, end, choice, until);
	if (!fetched.ok) {
		const { problem } = fetched;
		const isTaken = isTool(context) || isWired(context, STILL_RUNNING) !== false;
		const isLate = problem.kind === 'timedOut' && client.isOutOfTime() && isTaken;
		const isLater =
			wait !== undefined &&
			!isPolling &&
			provesNothing(problem) &&
			record.deadline > client.clock.now() &&
			leadsToWait(context, STILL_RUNNING);
		if (!isLate && !isLater) return failedBy(run, record, problem);
		record.trouble = problem;
		return { record, isOpen: isLater };
	}
	record.end = end;
	if ('results' in fetched.value) {
		const download = fetched.value.results;
		await assembly.addJob(record, download, reasonOfEnd(end, job));
		if (isUnanswered(download.results)) run.onUnanswered?.(job.job_id);
		return { record, root: without(download, 'results') };
	}
	const { item } = fetched.value;
	if (choice.output === 'job' && isUnanswered(item.json.results as Result[]))
		run.onUnanswered?.(job.job_id);
	if (isTool(context)) item.json = compactJob(item.json, choice.bestPrice);
	return { record, item };
}

/** The items of a job without rows: errors and named jobs per input item, a requested job once. */
function itemsOf({ record, item, error }: JobOutcome): PlacedItem[] {
	if (item === undefined && error === undefined) return [];
	const { request, requesters } = record;
	const isShared = error === undefined && request !== undefined;
	return placesOf(record).flatMap((at, index) => {
		if (isShared && index > 0) return [];
		const own = isShared ? requesters : requesters.filter((one) => placeOf(one) === at);
		if (error) return [errorAt(at, own, errorItem(error, at).json)];
		return [{ at, item: { ...item, json: { ...item?.json }, pairedItem: linkOf(own) } }];
	});
}

function failedRowError(run: Run, { failed, at }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = run.context.getNode();
	const { value, reason, jobId } = failed;
	const said = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${said} was ${reason}`, 'Nothing was paid for it.', at)
			: failedResultError(node, failed, jobId, at);
	if (run.records.length > 1) error.description = `${error.description ?? ''} ${jobsText(run)}`.trim();
	return error;
}

/**
 * Returns a function that adds the fields of the requesting item to rows, if there is only one and this
 * execution still has it. Rows without any have the same names.
 */
function besideRequesters({ context, choices, input = context.getInputData() }: Run, remarks: Remarks) {
	const { columns, emptyValues, includeInputFields, inputFields } = choices.first;
	const empty = emptyValues === 'emptyText' ? '' : null;
	const itemsBySource = new Map<string, ReturnType<typeof linkedItems>>();
	const itemsOf = ({ source }: Requester) => {
		if (source === undefined) return input;
		const key = JSON.stringify(source);
		if (!itemsBySource.has(key)) itemsBySource.set(key, linkedItems(context, source));
		return itemsBySource.get(key);
	};
	return ([only, ...others]: readonly Requester[], rows: readonly IDataObject[]) => {
		if (!includeInputFields || columns === 'raw') return rows;
		// Items that only name a job requested no values.
		const isAlone = only !== undefined && others.length === 0 && ('asks' in only || 'row' in only);
		const json = (isAlone ? itemsOf(only)?.[only.item]?.json : undefined) ?? {};
		const shown = inputFields.length > 0 ? picked(json, inputFields) : json;
		return rows.map((row) => {
			if (empty === null && losesAnswer(json, row)) remarks.note('emptied', json);
			return besideInput(shown, row, empty);
		});
	};
}

/** An assembly whose rows are combined with the fields of the items that asked for them. */
function assemblyOf(run: Run, renderer: Renderer): Assembly {
	const { context, choices, records } = run;
	const beside = besideRequesters(run, renderer.remarks);
	const forTool = isTool(context);
	const render = async ({ job, results, requesters, at, asked, isUnmatched }: Answer) => {
		const own = choices.byItem?.[at] ?? choices.first;
		const output = own.output === 'entries' ? 'entries' : 'results';
		// Only a single item has prices to compare.
		const given = requesters.length === 1 ? requesters[0]?.given : undefined;
		const choice: RowChoice = { ...own, output, given };
		if (isUnmatched) for (const result of results) renderer.remarks.note('unmatched', result);
		const { rows, failed } = await renderer.render(job, results, choice, asked);
		// An agent knows its question.
		const shown = forTool ? compactRows(rows, choice, results) : beside(requesters, rows);
		return { rows: shown, failed };
	};
	return new Assembly(records, render);
}

/** The items of all rows. If the node stops at failures, the first failed row stops it. */
function rowItems(run: Run, assembly: Assembly): PlacedItem[] {
	return assembly.rows().flatMap((row): PlacedItem[] => {
		const { at, requesters, rows } = row;
		const error = failedRowError(run, row);
		if (error) return [errorAt(at, requesters, errorItem(unlessItStops(run.context, error), at).json)];
		return rows.map((json) => ({ at, item: { json, pairedItem: linkOf(requesters) } }));
	});
}

/** The error for a job that still runs at its deadline, or whose output leads nowhere. */
export function runningError(run: Run, record: JobRecord, isLost: boolean): NodeError {
	const { job_id, status } = record.job;
	const state =
		status === '' ? `The status of job ${job_id} was unknown` : `Job ${job_id} was still ${status}`;
	const what = isLost ? ', and nothing is connected to the output Still Running' : ' at the deadline';
	const advice = isLost ? CONNECT : 'Raise Max Wait, or set On Deadline to Cancel Job.';
	const keeps = `It keeps running at the service. ${advice}`;
	const unknown = unknownStatusText(run, [record]);
	const description = [troubleNote(record), unknown, keeps, jobsText(run, record)]
		.filter(Boolean)
		.join(' ');
	return inputError(run.context.getNode(), `${state}${what}`, description, placesOf(record));
}

const MOST_NAMED = 3;

/** A hint for statuses that are in no table, so that their jobs counted as running; undefined without any. */
function unknownStatusText({ client }: Run, running: readonly JobRecord[]): string | undefined {
	const statuses = running
		.map(({ job }) => job.status)
		.filter((one) => one !== '' && !client.knowsStatus(one));
	if (statuses.length === 0) return undefined;
	const named = [...new Set(statuses)].slice(0, MOST_NAMED).map((one) => `"${one}"`);
	return `This node does not know the status ${named.join(', ')}, so it counts as running. If it is the end of a job, add it to Finished Statuses or Failed Statuses in the credential (Customize Service).`;
}

/** What becomes of a job that still runs at its deadline. */
async function handleRunning(
	run: Run,
	assembly: Assembly,
	record: JobRecord,
	from: number,
): Promise<JobOutcome> {
	const { context, client, wait } = run;
	// An item that returns to the node that gave it up is in a loop, which must end.
	const loops = record.givenUpBy.includes(context.getNode().name);
	const wanted = loops && wait?.onDeadline === 'stillRunning' ? 'error' : wait?.onDeadline;
	// An agent gets this in the answer itself.
	const isLost = wanted === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING) === false;
	if (wanted === 'error' || isLost)
		return { record, error: unlessItStops(context, runningError(run, record, isLost)) };
	if (wanted === 'stillRunning') return { record };
	const reply = await cancelAndConfirm(client, record.job, context.getExecutionCancelSignal());
	if (!reply.ok) return failedBy(run, record, reply.problem);
	const { job, end } = reply.value;
	const doubt = `The service accepted the cancellation of job ${job.job_id}, but its status does not show it yet.`;
	if (end === undefined) hint(context, doubt, 'warning');
	// An error about another job must not offer results that this one no longer has.
	Object.assign(record, { job, end });
	return await fetchEnded(run, assembly, record, from, end ?? 'cancelled');
}

/**
 * Outputs the jobs of a run whose wait is over: rows with the fields of the items that asked, one item for a
 * job without rows, errors according to the node's settings, and running jobs on the second output. Jobs are
 * cancelled last, when certainly no other job stops the node with an error that names them as running.
 *
 * @param open jobs that another node waits for; they go to Still Running unchanged
 * @returns both outputs; an agent only reads the first output of a tool
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node continues
 */
export async function deliver(run: Run, open: readonly JobRecord[] = []): Promise<INodeExecutionData[][]> {
	const { context, client, records } = run;
	const asides = allAsides(run);
	const outcomes = records.flatMap((record) =>
		record.problem ? failedBy(run, record, record.problem) : [],
	);
	const { first } = run.choices;
	const renderer = new Renderer(client.clock);
	const assembly = assemblyOf(run, renderer);
	for (const aside of makesRows(first) ? asides : []) await assembly.addUnsent(aside);
	const from = client.clock.now();
	const running = records.filter((record) => run.wait !== undefined && !isSettled(record));
	for (const record of records)
		if (!record.problem && !running.includes(record))
			outcomes.push(await fetchEnded(run, assembly, record, from));
	const unknown = unknownStatusText(run, running);
	if (unknown !== undefined) hint(context, unknown, 'warning');
	// Rows that stop the node must do so before a job is cancelled.
	if (run.wait?.onDeadline === 'cancel' && running.length > 0) rowItems(run, assembly);
	for (const record of running) outcomes.push(await handleRunning(run, assembly, record, from));
	const items = rowItems(run, assembly);
	const errors = asides.flatMap((aside) =>
		aside.error ? errorAt(placeOf(aside), [aside], aside.error) : [],
	);
	const none = outcomes.filter(({ root, item, error }) => !(root ?? item ?? error));
	const left = none.filter(({ isOpen }) => isOpen !== true);
	const givenUp = left.map(({ record }) => ({ ...record, areAsidesOutput: true }));
	const still = [...open, ...none.flatMap(({ record, isOpen }) => (isOpen === true ? record : []))];
	const tickets = ticketItems(run, givenUp, true);
	for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
	const unsent = unsentText(asides, makesRows(first) && first.onFailedResult === 'include');
	if (unsent !== undefined) hint(context, unsent, 'warning');
	const given = outcomes.flatMap(({ record, item, root = item?.json }) =>
		root === undefined ? [] : [{ record, root }],
	);
	if (given.length > 0) hint(context, summaryOf(given, assembly.counts, client.connection));
	if (tickets.length > 0)
		hint(
			context,
			`On the output Still Running: ${counted(tickets.length, 'job')}. A Price Collection node set to Wait, connected there, gets the results.`,
		);
	// The sort is stable, so the order within an input item is kept.
	const output = [...errors, ...outcomes.flatMap(itemsOf), ...items].sort((a, b) => a.at - b.at);
	const finished = output.map(({ item }) => item);
	const stillRunning = [...tickets, ...ticketItems(run, still, false)];
	return isTool(context) ? [[...finished, ...stillRunning.map(forAgent)]] : [finished, stillRunning];
}
