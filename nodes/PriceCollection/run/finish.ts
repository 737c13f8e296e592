import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { apiError, failedResultError, inputError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { isTool, linkedItems } from '../n8n/execution';
import { errorItem } from '../n8n/items';
import { isWired } from '../n8n/wiring';
import { compactJob, compactRows } from '../output/answer';
import { besideInput } from '../output/columns';
import { fetchJob, makesRows, reasonOfEnd } from '../output/fetch';
import { Renderer, type RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import type { ConnectionSettings } from '../service/connection';
import { success, type Outcome, type Problem } from '../service/problems';
import { fieldOf } from '../service/names';
import type { End } from '../service/statuses';
import { figureOf, type Job } from '../service/types';
import { Assembly, type Answer, type PlacedRows, type ValueCounts } from './lookup/assemble';
import { isSettled, linkOf, placeOf, placesOf, without } from './lookup/record';
import type { Aside, JobRecord, Requester } from './lookup/record';
import { estimateOf, estimateText } from './plan';
import { allAsides, CONNECT, forAgent, STILL_RUNNING, ticketItems, troubleNote } from './stored';
import type { Run } from './stored';

/** The output of a job: rows, one item, or an error. None of them if it still runs. */
interface JobOutcome {
	record: JobRecord;
	/** The download without its results, which are rows already. */
	root?: IDataObject;
	item?: Pick<INodeExecutionData, 'binary' | 'json'>;
	error?: NodeError;
}

interface PlacedItem {
	at: number;
	item: INodeExecutionData;
}

/**
 * The sentence of an error that names the jobs, so that no ID is lost: the failed job if the node continues
 * and outputs the others, all jobs if it stops.
 */
function jobsText({ context, records }: Run, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	if (named.length === 0) return '';
	const ids = named.map(({ job }) => job.job_id).join(', ');
	return `${named.length === 1 ? 'Job' : 'Jobs of this run'}: ${ids}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`;
}

/** An error item. n8n adds the fields of the first linked item, which must be from this node's input. */
function errorAt(at: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const elsewhere = requesters.filter(({ source }) => source !== undefined);
	return { at, item: { json, pairedItem: linkOf([{ item: at }, ...elsewhere]) } };
}

/** The error of a failed job, unless it stops the node. */
function failed(run: Run, record: JobRecord, error: NodeError): JobOutcome {
	if (!run.context.continueOnFail()) throw error;
	return { record, error };
}

function failedBy(run: Run, record: JobRecord, problem: Problem): JobOutcome {
	const more = jobsText(run, record);
	return failed(run, record, apiError(run.context.getNode(), problem, placesOf(record), more));
}

/** Fetches the output of an ended job: the rows of its results go to the assembly. */
async function fetchEnded(run: Run, assembly: Assembly, record: JobRecord): Promise<JobOutcome> {
	const { context, client, choices } = run;
	const choice = choices.byItem?.[placesOf(record)[0] ?? 0] ?? choices.first;
	const { job, end } = record;
	const fetched = await fetchJob(context, client, job, end, choice);
	if (!fetched.ok) {
		const isLate = isTool(context) && fetched.problem.kind === 'timedOut';
		return isLate ? { record } : failedBy(run, record, fetched.problem);
	}
	if ('results' in fetched.value) {
		const download = fetched.value.results;
		await assembly.addJob(record, download, reasonOfEnd(end, job));
		return { record, root: without(download, 'results') };
	}
	const { item } = fetched.value;
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
 * execution still has it.
 */
function besideRequesters({ context, choices, input = context.getInputData() }: Run) {
	const { columns, includeInputFields } = choices.first;
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
		if (only === undefined || others.length > 0 || !('asks' in only || 'row' in only)) return rows;
		const json = itemsOf(only)?.[only.item]?.json;
		return json === undefined ? rows : rows.map((row) => besideInput(json, row));
	};
}

/** An assembly whose rows are combined with the fields of the items that asked for them. */
function assemblyOf(run: Run, renderer: Renderer): Assembly {
	const { context, choices, records } = run;
	const beside = besideRequesters(run);
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
		if (error && !run.context.continueOnFail()) throw error;
		if (error) return [errorAt(at, requesters, errorItem(error, at).json)];
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

/** Pauses before further status checks, in milliseconds, for services that cancel in the background. */
const LOOK_AGAIN_AFTER_MS = [1_000, 3_000];

/**
 * Cancels a job and checks its status until it has ended, because the reply alone says little.
 *
 * @returns the job, and its end if its status shows one
 */
export async function cancelAndConfirm(
	client: ServiceClient,
	job: Job,
): Promise<Outcome<{ job: Job; end?: End }>> {
	const reply = await client.cancelJob(job.job_id);
	const refused = !reply.ok && reply.problem.effect === 'none';
	let last = job;
	for (const wait of refused ? [0] : [0, ...LOOK_AGAIN_AFTER_MS]) {
		await client.clock.pause(wait);
		const seen = await client.getJob(job.job_id);
		if (seen.ok) last = { ...last, ...seen.value };
		const end = client.endOf(last.status);
		if (end !== undefined) return success({ job: last, end });
	}
	if (!reply.ok) return reply;
	// Without a readable status, the status in the reply counts.
	const status = fieldOf(reply.value, 'status');
	const end = client.endOf(status);
	return success({ job: { ...last, ...(end && { status: String(status) }) }, end });
}

async function handleRunning(run: Run, assembly: Assembly, record: JobRecord): Promise<JobOutcome> {
	const { context, client, wait } = run;
	// An item that returns to the node that gave it up is in a loop, which must end.
	const loops = record.givenUpBy.includes(context.getNode().name);
	const wanted = loops && wait.onDeadline === 'stillRunning' ? 'error' : wait.onDeadline;
	// An agent gets this in the answer itself.
	const isLost = wanted === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING) === false;
	if (wanted === 'error' || isLost) return failed(run, record, runningError(run, record, isLost));
	if (wanted === 'stillRunning') return { record };
	const reply = await cancelAndConfirm(client, record.job);
	if (!reply.ok) return failedBy(run, record, reply.problem);
	const { job, end } = reply.value;
	const doubt = `The service accepted the cancellation of job ${job.job_id}, but its status does not show it yet.`;
	if (end === undefined) hint(context, doubt, 'warning');
	const ended = await fetchEnded(run, assembly, { ...record, job, end: end ?? 'cancelled' });
	return { ...ended, record };
}

/** The sum of the credits that downloads state; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const kinds = ['paid', 'free'].flatMap((kind) => {
		const numbers = roots.flatMap((root) => figureOf(root[`${kind}_credits`]) ?? []);
		return numbers.length === 0 ? [] : [`${numbers.reduce((a, b) => a + b)} ${kind}`];
	});
	return kinds.length === 0 ? undefined : `Credits used: ${kinds.join(', ')}.`;
}

/** A sentence about values that were not sent; undefined when all were. */
export function unsentText(asides: readonly Aside[], haveRows: boolean): string | undefined {
	const unsent = asides.flatMap(({ row }) => row ?? []);
	if (unsent.length === 0) return undefined;
	const values = unsent.flatMap(({ query: { value } }) => (value ? [`"${String(value)}"`] : []));
	const named = values.length > MOST_NAMED ? [...values.slice(0, MOST_NAMED), '…'] : values;
	const blank = unsent.length - values.length;
	const kinds = [
		blank && `${blank} blank`,
		values.length && `${values.length} not valid: ${named.join(', ')}`,
	];
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.filter(Boolean).join('; ')}). ${haveRows ? 'Their rows say why.' : 'They have no rows.'}`;
}

/**
 * "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. Credits used: 690 free. Estimate: …"
 *
 * @param jobs the jobs that are output, with the root object of each
 */
export function summaryOf(
	jobs: ReadonlyArray<{ record: JobRecord; root: IDataObject }>,
	{ found, notFound, failed, unanswered }: ValueCounts,
	connection: ConnectionSettings,
): string {
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const records = jobs.map(({ record }) => record);
	// Jobs of the test source are free although they state credits.
	const booked = jobs.flatMap(({ record: { request }, root }) =>
		(root.source ?? request?.parameters.source) === connection.testSource ? [] : [root],
	);
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${left}`}.`,
		creditsOf(booked),
		booked.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimateOf(records, connection)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
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
export async function finish(run: Run, open: readonly JobRecord[] = []): Promise<INodeExecutionData[][]> {
	const { context, client, records } = run;
	const asides = allAsides(run);
	const outcomes = records.flatMap((record) =>
		record.problem ? failedBy(run, record, record.problem) : [],
	);
	const { first } = run.choices;
	const renderer = new Renderer(client.clock);
	const assembly = assemblyOf(run, renderer);
	for (const aside of makesRows(first) ? asides : []) await assembly.addUnsent(aside);
	for (const record of records)
		if (isSettled(record) && !record.problem) outcomes.push(await fetchEnded(run, assembly, record));
	const running = records.filter((record) => !isSettled(record));
	const unknown = unknownStatusText(run, running);
	if (unknown !== undefined) hint(context, unknown, 'warning');
	// Rows that stop the node must do so before a job is cancelled.
	if (run.wait.onDeadline === 'cancel' && running.length > 0) rowItems(run, assembly);
	for (const record of running) outcomes.push(await handleRunning(run, assembly, record));
	const items = rowItems(run, assembly);
	const errors = asides.flatMap((aside) =>
		aside.error ? errorAt(placeOf(aside), [aside], aside.error) : [],
	);
	const left = outcomes.filter(({ root, item, error }) => !(root ?? item ?? error));
	const givenUp = left.map(({ record }) => ({ ...record, areAsidesOutput: true }));
	const tickets = ticketItems(run, givenUp, true);
	for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
	const unsent = unsentText(asides, makesRows(first) && first.onFailedResult === 'include');
	if (unsent !== undefined) hint(context, unsent, 'warning');
	const given = outcomes.flatMap(({ record, item, root = item?.json }) =>
		root === undefined ? [] : [{ record, root }],
	);
	if (given.length > 0) hint(context, summaryOf(given, assembly.counts, client.connection));
	if (tickets.length > 0) hint(context, `On the output Still Running: ${counted(tickets.length, 'job')}.`);
	// The sort is stable, so the order within an input item is kept.
	const output = [...errors, ...outcomes.flatMap(itemsOf), ...items].sort((a, b) => a.at - b.at);
	const finished = output.map(({ item }) => item);
	const stillRunning = [...tickets, ...ticketItems(run, open, false)];
	return isTool(context) ? [[...finished, ...stillRunning.map(forAgent)]] : [finished, stillRunning];
}
