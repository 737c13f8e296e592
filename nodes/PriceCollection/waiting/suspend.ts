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
import { disabledPasser, isWired } from '../n8n/wiring';
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
/** The input fields that resume a run: its marker, and the job that the callback named. */
const MARKER_FIELD = 'price_collection_resume';
const NAMED_FIELD = 'job_id';
/** Set where no callback but a timer resumes it. */
const TIMER_FIELD = 'price_collection_timer';

/** Each round adds to the data of an execution, so the interval grows by this share of a job's age … */
const INTERVAL_PER_AGE = 1 / 8;
/** … up to this limit. */
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

/** Whether the callback of a job that is not over goes to another execution. */
const callsOther =
	(context: IExecuteFunctions) =>
	(record: JobRecord): boolean =>
		!isOver(record) && record.creation?.executionId !== context.getExecutionId();

/**
 * Suspends a run on a timer, after which the node behind Still Running continues it, or until the service
 * calls back. As callbacks get lost, a callback wait also ends after the interval if Still Running leads to a
 * node that resumes the jobs. Where neither would resume it, the node itself runs again. A suspension cuts item links, so all output stays with the jobs.
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
	const youngest = open.reduce((least, { since }) => Math.min(least, now - (since || now)), Infinity);
	const interval = Math.max(wait.intervalMs, Math.min(youngest * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	const wanted = isWebhook && !hasResumer && !isUncalled ? deadline : Math.min(deadline, now + interval);
	const until = Math.max(now + SHORTEST_SUSPENSION_MS, wanted);
	if (isWebhook) {
		const stored = records.map((record) => forStorage(record));
		const kept = { marker: newNonce(), choices, source, intervalMs: wait.intervalMs, unsent };
		context.getContext('node')[SUSPENDED_KEY] = suspendedRunFormat.write({ ...kept, records: stored });
		const waking = { [MARKER_FIELD]: kept.marker, [TIMER_FIELD]: true };
		if (isUncalled && runAgainLater(context, waking)) return await suspend(context, [], [], until);
	}
	// The wait for the jobs only ends here if their deadline has passed by then.
	const isEnd = isWebhook && until >= deadline;
	const carrying = records.map((record, index) => {
		if (index > 0 || !hasResumer) return record;
		return { ...record, unsent: [...(record.unsent ?? []), ...unsent], isUnsentOutput: false };
	});
	const tickets = ticketItems(run, carrying, isEnd, isWebhook ? NOT_OVER_NOTE : undefined);
	const unlinked = hasResumer ? [] : await withoutJobs(run);
	const running = disabledPasser(context, STILL_RUNNING_OUTPUT) === undefined ? tickets : [];
	return await suspend(context, unlinked, running, until);
}

/**
 * The output of a suspended run by Finished when no node resumes its jobs. None of our code runs at that time
 * to fail or to add hints, and n8n's item links are wrong after a suspension, so each item names its source.
 */
async function withoutJobs(run: Run): Promise<INodeExecutionData[]> {
	const { context, records } = run;
	const input = run.input ?? context.getInputData();
	const named = allUnsent(run).map(({ error, ...unsentRequest }) => {
		const details = unsentRequest.source ? {} : (input[unsentRequest.item]?.json ?? {});
		return { ...unsentRequest, ...(error && { error: { details, ...error } }) };
	});
	const { outputs } = await deliver({ ...run, records: [], unsent: named });
	const [items = []] = outputs;
	if (isWired(context, STILL_RUNNING_OUTPUT) !== false) return items;
	const lost = records.map((record) => ({
		...errorItem(runningError(run, record, true), 0),
		pairedItem: linkOf(record.requesters),
	}));
	return [...items, ...lost];
}

/** A run that a callback resumed, which may have named a job, or a timer. */
export interface WokenRun {
	run: SuspendedRun;
	named?: string;
	isByTimer: boolean;
}

/**
 * The run that a callback or a timer resumed; undefined for a new run. The stored
 * run is kept, because n8n may run the node again after an error.
 *
 * @throws NodeOperationError for a missing run, because starting over could be paid for twice
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

/** Warns when the callback URL cannot be reached by a service on another machine. */
export function warnAboutLoopback(context: IExecuteFunctions, client: ServiceClient, url: string): void {
	const warning = loopbackWarning(url, client.connection.origin);
	if (warning !== undefined) hint(context, warning, 'warning');
}

/** The answer to a callback, and the data that resumes the run, if any. */
type CallbackReply = Pick<IWebhookResponseData, 'workflowData'> & { status: number; message: string };

function handleCallback(context: IWebhookFunctions): CallbackReply {
	const kept = storedByNode(context);
	const read = suspendedRunFormat.read(isObject(kept) ? kept[SUSPENDED_KEY] : undefined);
	if (read.kind === 'unreadable') throw new OperationalError(read.reason);
	if (read.kind === 'absent') return { status: 404, message: 'No job is waited for here' };
	const { records, marker, source } = read.value;
	const query = context.getQueryData() as IDataObject;
	// The run knows its own signatures and whether it signed at all, so the secret can change during the wait.
	const signature = hashOfSignature(query);
	if (!records.some(({ creation }) => creation?.signatureHash === signature))
		return { status: 401, message: 'The signature of this callback URL is missing or wrong' };
	const contentType = context.getHeaderData()['content-type'];
	const jobId = readNotification({ body: context.getBodyData(), query, contentType })?.jobId;
	const record = records.find(({ job }) => job.job_id === jobId);
	if (jobId !== undefined && record === undefined)
		return { status: 404, message: 'This execution does not wait for this job' };
	// The service itself reported the end of this job earlier; the run waits for other jobs.
	if (record !== undefined && isOver(record))
		return { status: 200, message: 'This job has already been handled' };
	// `execute()` runs again and downloads there, because a download may be slow and may fail.
	const waking = { [MARKER_FIELD]: marker, ...(jobId !== undefined && { [NAMED_FIELD]: jobId }) };
	const workflowData = runAgain(context, waking, source, (later) => later?.[MARKER_FIELD] === marker);
	if (workflowData === undefined) throw new OperationalError('this n8n cannot run the node again');
	return { status: 200, message: 'Thank you', workflowData };
}

/**
 * Handles a callback for a suspended `collect`. It is only a hint: the resumed run asks the service and
 * suspends again if the job still runs. Never throws, because n8n would continue with an empty item.
 */
export async function receiveCallback(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = this.getResponseObject();
	let answer: CallbackReply = { status: 503, message: 'The callback cannot be handled now' };
	try {
		answer = handleCallback(this);
	} catch (error) {
		this.logger.warn(`Price Collection: a callback could not be handled: ${(error as Error).message}`);
		// A service that repeats failed callbacks gets another chance.
		if (!response.headersSent) response.setHeader('Retry-After', '60');
	}
	const { status, message, workflowData } = answer;
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true, ...(workflowData && { workflowData }) };
}
