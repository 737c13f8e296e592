import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { pairsOf, textOf } from '../../n8n/parameters';
import { now } from '../../n8n/clock';
import { serviceClient } from '../../n8n/client';
import type { ServiceClient } from '../../service/client';
import { apiError, inputError } from '../../n8n/errors';
import { DEFAULT_PAGING } from '../../service/jobList';
import { isFinal } from '../../service/problems';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';
import { cleanJob } from '../clean';
import { itemsOfJob, itemWithReason, reasonOf } from '../jobItems';
import { endsInOrder, timeOf } from '../order';
import { accountSample, notificationItem } from '../sample';
import { readSettings, type TriggerSettings } from '../settings';
import { isRunning, look, latestOf, type ListSettings, type Look } from './look';
import { fingerprint, KnownJobs, readState, writeState, type PollState } from '../../run/stored/pollingState';

/** A download that fails is tried again by so many polls; then the end goes out with the reason instead. */
const MOST_TRIES = 3;
/** So many rows in one execution; the ends that follow are left to the next poll. */
const MOST_ROWS = 50_000;
/** An n8n that names no limit gives a poll five minutes; beyond half of that nothing new is begun. */
const USUAL_BUDGET_MS = 5 * 60_000;

/** The first poll reads a long list for so long at the most; what ends meanwhile is no old news. */
const FIRST_POLL_MS = 60_000;

function listSettings({ options, timeoutMs }: TriggerSettings): ListSettings {
	return {
		query: pairsOf(options.queryParameters),
		paging: {
			pageParameter: textOf(options.pageParameter) || DEFAULT_PAGING.pageParameter,
			pageSizeParameter: textOf(options.pageSizeParameter) || DEFAULT_PAGING.pageSizeParameter,
		},
		timeoutMs,
	};
}

/**
 * The state of the poll before; undefined before the first one.
 *
 * @throws NodeOperationError for one that cannot be read: beginning anew would lose ends, or give them out twice
 */
function storedState(context: IPollFunctions, staticData: IDataObject): PollState | undefined {
	const read = readState(staticData);
	if (read.kind === 'unreadable') {
		const advice =
			'Update the package, or put a new trigger in place of this one, which begins with the next end.';
		throw inputError(context.getNode(), read.reason, advice);
	}
	return read.kind === 'read' ? read.value : undefined;
}

/**
 * The state to go on with. At the first poll all ends are old, unless the user wants them; likewise when the
 * credential was changed and none of its jobs was ever seen, because they are those of another account.
 */
function stateFor(
	before: PollState | undefined,
	account: string,
	jobs: readonly Job[],
	emitExisting: boolean,
): PollState {
	if (before?.account === account) return before;
	const isSameAccount =
		before !== undefined &&
		jobs.some((job) => before.known.has(job.job_id) || before.open.has(job.job_id));
	if (isSameAccount) return { ...before, account };
	const state: PollState = { account, known: new KnownJobs(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs)) state.known.add(job.job_id);
	const latestEnd = latestOf(jobs, 'terminated_at');
	if (latestEnd !== undefined) state.since = latestEnd - FIRST_POLL_MS;
	return state;
}

/** Whether a job was over before the first poll, which did not see it because the list shifted while it was read. */
function isOldNews({ since, open }: PollState, job: Job): boolean {
	const ended = timeOf(job.terminated_at);
	return since !== undefined && ended !== undefined && ended < since && !open.has(job.job_id);
}

/** The ends that nobody was told of, in order; and all other jobs noted for later. */
function newEnds(state: PollState, { jobs, gone }: Look): Job[] {
	for (const jobId of gone) state.open.delete(jobId);
	for (const job of jobs.filter(isRunning)) {
		const tries = state.open.get(job.job_id) ?? 0;
		// To the end, so that the open jobs which are asked for one by one take turns.
		state.open.delete(job.job_id);
		state.open.set(job.job_id, tries);
	}
	// What is still listed is remembered longest: only what is gone from the list may be forgotten.
	const ends = endsInOrder(jobs);
	const isNew = (job: Job) => !state.known.has(job.job_id) && !isOldNews(state, job);
	const fresh = ends.filter(isNew);
	for (const job of ends) if (!isNew(job)) state.known.add(job.job_id);
	state.newest = latestOf(jobs, 'created_at', state.newest);
	return fresh;
}

interface EndedJobsRun {
	client: ServiceClient;
	settings: TriggerSettings;
	state: PollState;
	/** ISO 8601. */
	at: string;
}

/** The items of one end, or undefined when it is to be tried again by the next poll. */
async function itemsOfEnd(
	{ client, settings, state, at }: EndedJobsRun,
	job: Job,
): Promise<IDataObject[] | undefined> {
	const clean = cleanJob(job, client.dialect.secrets);
	if (settings.output === 'notification') return [notificationItem(job, at, clean)];
	const items = await itemsOfJob(client, clean, settings);
	if (items.ok) return items.value;
	const tries = (state.open.get(job.job_id) ?? 0) + 1;
	if (isFinal(items.problem, 'download') || tries >= MOST_TRIES) {
		return [itemWithReason(job, reasonOf(items.problem))];
	}
	state.open.set(job.job_id, tries);
	return undefined;
}

/**
 * Hands ends over in order, as far as time and memory allow; the rest stays open. An end whose download fails
 * holds back the later ones until it is settled.
 */
async function emitEndedJobs(
	work: EndedJobsRun,
	ends: readonly Job[],
	until: number,
): Promise<IDataObject[]> {
	const { state, settings } = work;
	const rows: IDataObject[] = [];
	for (const [index, job] of ends.entries()) {
		const end = terminalStatus(job.status);
		const isWanted = end !== undefined && settings.wants(end);
		const isOver = index > 0 && (now() > until || rows.length > MOST_ROWS);
		const items = !isWanted ? [] : isOver ? undefined : await itemsOfEnd(work, job);
		if (items === undefined) {
			for (const later of ends.slice(index)) {
				if (!state.open.has(later.job_id)) state.open.set(later.job_id, 0);
			}
			break;
		}
		for (const item of items) rows.push(item);
		state.known.add(job.job_id);
		state.open.delete(job.job_id);
	}
	return rows;
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/**
 * One poll: every end that no earlier poll has handed over, the earliest first; null when there is none.
 *
 * @throws NodeApiError with a cause that n8n's back-off understands when the service cannot be asked
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const started = now();
	const settings = readSettings(context);
	const client = await serviceClient.call(context);
	const at = new Date(started).toISOString();
	if (context.getMode() === 'manual') return asItems(await accountSample(client, settings, at));
	const staticData = context.getWorkflowStaticData('node');
	const account = fingerprint([client.dialect.base, ...client.dialect.secrets].join('\n'));
	const stored = storedState(context, staticData);
	const seen = await look(client, stored?.account === account ? stored : undefined, listSettings(settings));
	if (!seen.ok) throw apiError(context.getNode(), seen.problem);
	const state = stateFor(stored, account, seen.value.jobs, settings.options.emitExisting === true);
	const ends = newEnds(state, seen.value);
	// An n8n before 2.38 has no such method.
	const budget = context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
	const rows = await emitEndedJobs({ client, settings, state, at }, ends, started + budget / 2);
	writeState(staticData, state);
	return asItems(rows);
}
