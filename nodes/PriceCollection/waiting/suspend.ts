import { OperationalError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readNotification } from '../callback/payload';
import { hashOfSignature, newNonce } from '../callback/signature';
import { inputError } from '../n8n/errors';
import {
	isAwaitedByCaller,
	runAgain,
	runAgainLater,
	SHORTEST_SUSPENSION_MS,
	storedByNode,
	suspend,
} from '../n8n/execution';
import { hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { disabledNodeBehind, isWired } from '../n8n/wiring';
import { loopbackWarning } from '../service/connection';
import type { ServiceClient } from '../service/api/client';
import { isOver } from '../service/meaning/jobState';
import { isObject } from '../service/types';
import { deliver } from '../delivery/deliver';
import { suspendedRunFormat, type SuspendedRun } from '../run/formats';
import { allUnsent, linkOf, type JobRecord, type Run, type WaitingRun } from '../run/record';
import { runningError } from '../delivery/texts';
import { CONNECT, forStorage, STILL_RUNNING_OUTPUT, ticketItems } from '../delivery/tickets';

/** Key of a suspended run in the node's context, which n8n stores with the execution. */
const SUSPENDED_KEY = 'priceCollectionRun';
/** Fields of the resume item: the marker of the run, and the job that the callback named. */
const MARKER_FIELD = 'price_collection_resume';
const NAMED_FIELD = 'job_id';
/** Set if a timer resumes the run instead of a callback. */
const TIMER_FIELD = 'price_collection_timer';

/** Each round adds to the execution's data, so the interval is at least this share of the youngest job's age, … */
const INTERVAL_PER_AGE = 1 / 8;
/** … which counts up to this limit. */
const LONGEST_INTERVAL_MS = 15 * 60_000;

const NOT_OVER_NOTE =
	'The job was still running at the last check. Callbacks can arrive too early or get lost: use Wait to get the results.';
const NOT_RESUMED = `Nothing behind Still Running waits for the jobs. ${CONNECT}`;
const ONLY_CALLBACKS =
	'Only callbacks can wake this execution: if one gets lost, it sleeps until its deadline. Connect Still Running to a Price Collection node set to Wait, which checks the jobs as well.';

const CALLS_OTHER =
	'An earlier execution created these jobs, and the service will call that one. So this execution wakes up by itself from time to time to check them.';

const IN_SUB_WORKFLOW =
	'If Execute Sub-workflow runs once for each item, n8n continues with the first sub-workflow that ends and loses the rows of the others. Set its Mode to "Run once with all items".';

/** Returns a predicate: is a job not over, and does its callback go to another execution? */
const callsOther =
	(context: IExecuteFunctions) =>
	(record: JobRecord): boolean =>
		!isOver(record) && record.creation?.executionId !== context.getExecutionId();

/**
 * Suspends a run until a timer, after which the node behind Still Running continues it, or until the service calls back.
 * Callbacks get lost, so a wait for callbacks also ends after the interval if Still Running leads to a node that resumes
 * the jobs. If the callbacks go to another execution and no node would resume the jobs, this node itself runs again.
 *
 * A suspension cuts item links, so the output that belongs to no job travels with the jobs if a node resumes them.
 */
export async function suspendRun(
	run: WaitingRun,
	open: readonly JobRecord[],
	hasResumer: boolean,
): Promise<INodeExecutionData[][]> {
	const { context, client, records, unsent, choices, source, wait } = run;
	const isWebhook = wait.mode === 'webhook';
	const isUncalled = isWebhook && !hasResumer && open.some(callsOther(context));
	if (isUncalled) hint(context, CALLS_OTHER, 'info');
	else if (!hasResumer)
		hint(context, isWebhook ? ONLY_CALLBACKS : NOT_RESUMED, isWebhook ? 'info' : 'warning');
	if (isAwaitedByCaller(context)) hint(context, IN_SUB_WORKFLOW);
	const now = client.clock.now();
	const deadline = open.reduce((first, record) => Math.min(first, record.deadline), Infinity);
	const youngestAge = open.reduce((lowest, { since }) => Math.min(lowest, now - (since || now)), Infinity);
	const interval = Math.max(wait.intervalMs, Math.min(youngestAge * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	const wakeAt = isWebhook && !hasResumer && !isUncalled ? deadline : Math.min(deadline, now + interval);
	const until = Math.max(now + SHORTEST_SUSPENSION_MS, wakeAt);
	if (isWebhook) {
		const storedRecords = records.map((record) => forStorage(record));
		const state = { marker: newNonce(), choices, source, intervalMs: wait.intervalMs, unsent };
		context.getContext('node')[SUSPENDED_KEY] = suspendedRunFormat.write({
			...state,
			records: storedRecords,
		});
		const resumeItem = { [MARKER_FIELD]: state.marker, [TIMER_FIELD]: true };
		if (isUncalled && runAgainLater(context, resumeItem)) return await suspend(context, [], [], until);
	}
	// This node gives the jobs up only if their deadline has passed when it wakes.
	const isEnd = isWebhook && until >= deadline;
	const recordsWithUnsent = records.map((record, index) => {
		if (index > 0 || !hasResumer) return record;
		return { ...record, unsent: [...(record.unsent ?? []), ...unsent], wasUnsentOutput: false };
	});
	const tickets = ticketItems(run, recordsWithUnsent, isEnd, isWebhook ? NOT_OVER_NOTE : undefined);
	const finished = hasResumer ? [] : await finishedOutput(run);
	const running = disabledNodeBehind(context, STILL_RUNNING_OUTPUT) === undefined ? tickets : [];
	return await suspend(context, finished, running, until);
}

/**
 * The Finished output of a suspended run whose jobs no node resumes. None of our code runs after the suspension, so
 * nothing can fail or add hints then. n8n's item links are wrong by then, so error items include the fields of their input
 * item in `details`.
 */
async function finishedOutput(run: Run): Promise<INodeExecutionData[]> {
	const { context, records } = run;
	const input = run.input ?? context.getInputData();
	const detailed = allUnsent(run).map(({ error, ...unsentRequest }) => {
		const details = unsentRequest.source ? {} : (input[unsentRequest.item]?.json ?? {});
		return { ...unsentRequest, ...(error && { error: { details, ...error } }) };
	});
	const { outputs } = await deliver({ ...run, records: [], unsent: detailed });
	const [items = []] = outputs;
	if (isWired(context, STILL_RUNNING_OUTPUT) !== false) return items;
	const lostJobs = records.map((record) => ({
		...errorItem(runningError(run, record, true), 0),
		pairedItem: linkOf(record.requesters),
	}));
	return [...items, ...lostJobs];
}

/** A run that a timer resumed, or a callback, which may have named a job. */
export interface WokenRun {
	run: SuspendedRun;
	named?: string;
	isByTimer: boolean;
}

/**
 * The run that a callback or a timer resumed; undefined for a new run. The stored run stays, because n8n may run the node
 * again after an error.
 *
 * @throws NodeOperationError if the run is missing or unreadable, because starting over could cost credits twice
 */
export function wokenRun(context: IExecuteFunctions): WokenRun | undefined {
	const {
		[MARKER_FIELD]: marker,
		[NAMED_FIELD]: named,
		[TIMER_FIELD]: timer,
	} = context.getInputData()[0]?.json ?? {};
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[SUSPENDED_KEY]);
	if (read.kind === 'read' && marker === read.value.marker)
		return {
			run: read.value,
			named: typeof named === 'string' ? named : undefined,
			isByTimer: timer === true,
		};
	throw inputError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run to resume is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait gets their results.',
	);
}

/** Warns if a service on another machine cannot reach the callback URL. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.connection.origin);
	if (warning !== undefined) hint(context, warning, 'warning');
}

/** The reply to a callback, and the data that resumes the run, if any. */
type CallbackReply = Pick<IWebhookResponseData, 'workflowData'> & { status: number; message: string };

function handleCallback(context: IWebhookFunctions): CallbackReply {
	const nodeContext = storedByNode(context);
	const read = suspendedRunFormat.read(isObject(nodeContext) ? nodeContext[SUSPENDED_KEY] : undefined);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return { status: 404, message: 'No job is waited for here' };
	const { records, marker, source } = read.value;
	const query = context.getQueryData() as IDataObject;
	// The run stores hashes of its signatures, none if it did not sign, so the secret may change during the wait.
	const signature = hashOfSignature(query);
	if (!records.some(({ creation }) => creation?.signatureHash === signature))
		return { status: 401, message: 'The signature of this callback URL is missing or wrong' };
	const contentType = context.getHeaderData()['content-type'];
	const jobId = readNotification({ body: context.getBodyData(), query, contentType })?.jobId;
	const record = records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined)
		return { status: 404, message: 'This execution does not wait for this job' };
	// An earlier reply of the service reported the end of this job; the run waits for other jobs.
	if (record !== undefined && isOver(record))
		return { status: 200, message: 'This job has already been handled' };
	// The download happens in `execute()`, which runs again, because it may be slow and may fail.
	const resumeItem = { [MARKER_FIELD]: marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, resumeItem, source, (later) => later?.[MARKER_FIELD] === marker);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * Handles a callback for a suspended `collect`. The callback is only a hint: the resumed run asks the service, and
 * suspends again if the job is still running. Never throws, because n8n would continue with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	let reply: CallbackReply = { status: 503, message: 'The callback cannot be handled now' };
	try {
		reply = handleCallback(this);
	} catch (error) {
		this.logger.warn(`Price Collection: a callback could not be handled: ${(error as Error).message}`);
		// A service that repeats failed callbacks may try again.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
	}
	const { status, message, workflowData } = reply;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
